-- Who reads and writes accounts.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.person('stranger');
select tests.act_as('anon');
select throws_ok('select * from public.profiles', '42501', null, 'anon reads no profiles');
select throws_ok('select * from public.billing_accounts', '42501', null, 'anon reads no accounts');
select isnt_empty('select * from public.plans', 'anon reads the plans');
select tests.act_as('vic');
select set_eq('select id from public.profiles', $$ select unnest(array[tests.id('ola'), tests.id('vic')]) $$, 'members see themselves and their colleagues, nobody else');
select set_eq('select user_id from public.billing_accounts', $$ select tests.id('vic') $$, 'everyone sees their own account only');
select is(tests.result_of('vic', $$ update public.profiles set display_name = 'Victor', timezone = 'Europe/Oslo' where id = tests.id('vic') $$), 'ok 1', 'a profile is its owner''s to edit');
select is(tests.result_of('vic', $$ update public.profiles set display_name = 'X' where id = tests.id('ola') $$), 'ok 0', 'and nobody else''s');
select is(tests.result_of('vic', $$ update public.profiles set timezone = 'Mars/Olympus' where id = tests.id('vic') $$), 'PT400', 'a time zone must exist');
select is(tests.result_of('vic', format('update public.profiles set timezone = %L where id = tests.id(''vic'')', zone)), 'PT400', zone || ' is none that others know') from unnest(array['UTC+25', '<x>0', 'FOO3BAR', '']) zone;
select is(tests.result_of('vic', format('update public.profiles set avatar_url = %L where id = tests.id(''vic'')', url)), '23514', url || ' is no link') from unnest(array[E'http://a\x01b', 'http://u@h/', 'http://h/"x', 'https://', '//h']) url;
select is(tests.result_of('vic', $$ update public.profiles set avatar_url = 'javascript:1' where id = tests.id('vic') $$), '23514', 'an avatar is an http URL');
select is(tests.result_of('vic', $$ insert into public.profiles (id) values (tests.id('vic')) $$), '42501', 'clients make no profiles');
select is(tests.result_of('vic', $$ delete from public.profiles where id = tests.id('vic') $$), '42501', 'or delete them');
select is(tests.result_of('vic', $$ update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('vic') $$), '42501', 'nobody upgrades themselves');
select is(tests.result_of('vic', $$ update public.plans set storage_gb_per_account = 9000 $$), '42501', 'or the plan');
select tests.act_as('stranger');
select set_eq('select id from public.profiles', $$ select tests.id('stranger') $$, 'a stranger sees their own profile only');
select tests.act_as('service');
select is((select count(*) from public.profiles), 3::bigint, 'the service sees all');

select * from tests.finish();
rollback;
