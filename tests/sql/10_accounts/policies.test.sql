-- Policies and grants of profiles, billing accounts and plans
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.person('stranger');
select tests.act_as('anon');
select isnt_empty('select * from public.plans', 'anon reads plans');
select tests.act_as('vic');
select set_eq('select id from public.profiles', $$ select unnest(array[tests.id('ola'), tests.id('vic')]) $$,
  'a member reads only the profiles of their own team');
select set_eq('select user_id from public.billing_accounts', $$ select tests.id('vic') $$,
  'a user reads only their own billing account');
select tests.act_as('stranger');
select set_eq('select id from public.profiles', $$ select tests.id('stranger') $$,
  'a user without a team reads only their own profile');
select tests.act_as('service');
select is((select count(*) from public.profiles), 3::bigint, 'the service reads all profiles');
select tests.act_as('postgres');

create function pg_temp.update_profile(name text, change text) returns text language sql as $$
  select tests.result_of('vic', format('update public.profiles set %s where id = tests.id(%L)', change, name))
$$;
select is(pg_temp.update_profile('vic', $$ display_name = 'Victor', timezone = 'Europe/Oslo' $$), 'ok 1',
  'a user updates their own profile');
select is(pg_temp.update_profile('ola', $$ display_name = 'X' $$), 'ok 0',
  'a user does not update a teammate''s profile');
select is(pg_temp.update_profile('vic', format('timezone = %L', zone)), 'PT400',
  format('profiles rejects the timezone %L', zone))
from unnest(array['Mars/Olympus', 'UTC+25', '<x>0', 'FOO3BAR', 'PDT', 'Z', '']) zone;
select is(pg_temp.update_profile('vic', format('timezone = %L', zone)), 'ok 1',
  format('profiles accepts the timezone %L', zone))
from unnest(array['GMT', 'Etc/GMT-14', 'Japan', 'America/Argentina/Buenos_Aires', 'UTC']) zone;
select is(pg_temp.update_profile('vic', $$ timezone = 'CET' $$), 'ok 1', 'profiles accepts the timezone CET');
select is(f.timezone, 'Europe/Brussels',
  'profiles stores a name that the database reads without summer time as the zone that browsers mean')
from public.profiles f where f.id = tests.id('vic');
select is(pg_temp.update_profile('vic', 'timezone = null'), 'ok 1', 'profiles accepts no timezone');
select is((select f.timezone from public.profiles f where f.id = tests.id('ola')), null,
  'a new profile has no timezone');
select is(pg_temp.update_profile('vic', format('avatar_url = %L', url)), '23514',
  format('profiles rejects the avatar_url %L', url))
from unnest(array['javascript:1', E'http://a\x01b', 'http://u@h/', 'http://h/"x', 'https://', '//h']) url;

select * from tests.finish();
rollback;
