-- Preferences: the row of each profile, its columns beside the catalogue, and who may read and change it
begin;
select tests.start();

select tests.person('ann'), tests.person('bob'), tests.person('early', false);
select results_eq($$ select i.name from public.notification_preferences p
    join tests.ids i on i.id = p.user_id order by 1 $$,
  $$ values ('ann'), ('bob') $$, 'a profile has preferences from the start, an unconfirmed user has none');

-- Columns
select set_eq($$
  select a.column_name::text, a.column_default from information_schema.columns a
  where a.table_schema = 'public' and a.table_name = 'notification_preferences' and a.data_type = 'boolean' $$, $$
  select c.channel || '_' || t.preference, (c.channel = any (t.default_channels))::text
  from public.notification_types t, unnest(t.channels) c (channel)
  where not (c.channel = 'email' and t.is_essential) $$,
  'the preferences have one column per type and channel that users can choose, with the catalogue''s default value');
select set_eq($$
  select column_name::text from information_schema.columns
  where table_schema = 'public' and table_name = 'notification_preferences' and data_type <> 'boolean' $$,
  array['user_id', 'digest_frequency', 'digest_hour', 'digest_weekday', 'quiet_hours_start', 'quiet_hours_end',
    'updated_at'], 'the preferences have no further columns than the digest, quiet hours, user and time of the change');
select set_eq($$
  select column_name::text from information_schema.column_privileges
  where table_schema = 'public' and table_name = 'notification_preferences' and grantee = 'authenticated'
    and privilege_type = 'UPDATE' $$, $$
  select column_name::text from information_schema.columns
  where table_schema = 'public' and table_name = 'notification_preferences'
 $$,
  'users may change each preference and their quiet hours; the policy keeps user_id, a trigger updated_at');
select ok((select not bool_or(p.quiet_hours_start is not null) from public.notification_preferences p),
  'users have no quiet hours until they choose them');

-- Callers
create temp table attempts (action text, statement text);
insert into attempts values
  ('read', $$ select * from public.notification_preferences where user_id = tests.id('ann') $$),
  ('update', $$ update public.notification_preferences set email_chat_message = false
    where user_id = tests.id('ann') $$),
  ('insert', $$ insert into public.notification_preferences (user_id) values (tests.id('early')) $$),
  ('delete', $$ delete from public.notification_preferences where user_id = tests.id('ann') $$);
select results_eq($$ select who.name, string_agg(tests.result_of(who.name, a.statement), ' | ' order by a.action)
    from unnest(array['anon', 'bob', 'service', 'ann']) with ordinality who (name, n), attempts a
    group by who.name, who.n order by who.n $$,
  $$ values ('anon', '42501 | 42501 | 42501 | 42501'), ('bob', '42501 | 42501 | ok 0 | ok 0'),
    ('service', '42501 | 42501 | ok 1 | 42501'), ('ann', '42501 | 42501 | ok 1 | ok 1') $$,
  'users read and change their own preferences only, the service reads them, and no role inserts or deletes a row');
select is(tests.result_of('ann', format('update public.notification_preferences set %s', change)), '42501',
  format('a user may not set %s', change))
from unnest(array['user_id = gen_random_uuid()']) change;

-- Values
select is(tests.result_of('ann', format('update public.notification_preferences set %s', change)),
  case when change ~ 'null' then '23502' else '23514' end, format('the preferences reject %s', change))
from unnest(array['quiet_hours_start = ''22:00''', 'quiet_hours_start = ''22:00'', quiet_hours_end = ''22:00''',
  'quiet_hours_start = ''00:00'', quiet_hours_end = ''24:00''',
  'quiet_hours_start = ''24:00'', quiet_hours_end = ''07:00''',
  'email_chat_message = null']) change;
update public.notification_preferences set updated_at = '2020-01-01' where user_id = tests.id('ann');
select is(tests.result_of('ann', $$ update public.notification_preferences
  set quiet_hours_start = '22:00', quiet_hours_end = '07:00' $$), 'ok 1', 'a user sets quiet hours');
select isnt((select updated_at from public.notification_preferences where user_id = tests.id('ann')), '2020-01-01',
  'a change of preferences sets updated_at');
delete from auth.users where id = tests.id('ann');
select is_empty($$ select from public.notification_preferences where user_id = tests.id('ann') $$,
  'preferences are deleted with the user');

select * from tests.finish();
rollback;
