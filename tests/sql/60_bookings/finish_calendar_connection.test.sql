-- finish_calendar_connection, the rows that it writes, and the secrets in Vault.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben');
create temp table stored as select tests.connect_account('first', 'ada') as result;

select is((select (result -> 'isNew', result #> '{connection,provider}', result #> '{connection,accountName}',
    result #> '{connection,status}', result #> '{connection,lastError}')::text from stored),
  '(true,"""google""","""first@mail.example""","""pending""",null)',
  'finish_calendar_connection returns the new connection');
select is((select jsonb_agg(c - 'id') from stored, jsonb_array_elements(result #> '{connection,calendars}') c), '[
  {"name": "Mine", "isPrimary": true, "isWritable": true, "isSelected": true, "receivesEvents": true,
    "lastError": null, "eventsError": null, "warnings": [], "fetchedAt": null},
  {"name": "Team", "isPrimary": false, "isWritable": false, "isSelected": false, "receivesEvents": false,
    "lastError": null, "eventsError": null, "warnings": [], "fetchedAt": null}]',
  'finish_calendar_connection selects the primary calendar, which receives events as the first connection''s');
select results_eq('select tests.calendar_secrets()', $$
    values ('{"accessToken": "ACCESS", "refreshToken": "REFRESH"}'::jsonb) $$,
  'finish_calendar_connection stores the tokens in Vault');
select is_empty($$ select from vault.secrets where secret like '%REFRESH%' $$, 'Vault stores the tokens encrypted');
select is((select (access_expires_at = now() + interval '1 hour', lease_id is null)::text
  from private.calendar_credentials), '(t,t)', 'finish_calendar_connection stores when the access token expires');
select results_eq($$ select tests.queued('calendar_reads') $$,
  $$ values (jsonb_build_object('connection_id', tests.id('first'), 'user_id', tests.id('ada'))) $$,
  'finish_calendar_connection enqueues the first reading');
select unalike(result::text, '%ACCESS%', 'finish_calendar_connection returns no token') from stored;

-- further connections
select tests.connect_account('second', 'ada'), tests.connect_account('bens', 'ben', 'first@mail.example');
select is(tests.selection('ada'), 'first@mail.example* second@mail.example',
  'finish_calendar_connection leaves the receiving calendar to the first connection');
select is(tests.selection('ben'), 'first@mail.example*',
  'finish_calendar_connection connects an account that another user has connected');
select isnt(tests.id('first'), tests.id('bens'), 'each user has a connection of their own to an account');

-- renewal
update public.connected_calendars set is_selected = external_id like 'team%', receives_events = false
where user_id = tests.id('ada');
update public.calendar_connections set status = 'revoked', last_error = 'gone' where id = tests.id('first');
update private.calendar_credentials set lease_id = gen_random_uuid(), lease_expires_at = now()
where connection_id = tests.id('first');
update private.calendar_busy set stale_at = 'infinity', due_at = 'infinity', error = 'Login rejected', failures = 3,
  lease = gen_random_uuid(), lease_expires_at = now();
update public.connected_calendars set last_error = 'Rejected' where connection_id = tests.id('first');
create temp table renewed as select private.finish_calendar_connection(tests.id('ada'), 'google', $${
  "id": "first@mail.example", "address": "new@mail.example", "calendars": [
    {"externalId": "team-first@mail.example", "name": "Crew", "isPrimary": false, "isWritable": true},
    {"externalId": "other", "name": "Other", "isPrimary": true, "isWritable": true}]}$$,
  '{"accessToken": "ACCESS2", "refreshToken": "REFRESH2", "expiresInSeconds": 60}') as result;
select is((select (result -> 'isNew', result #>> '{connection,id}', result #>> '{connection,status}',
    result #>> '{connection,accountName}')::text from renewed),
  format('(false,%s,pending,new@mail.example)', tests.id('first')),
  'finish_calendar_connection renews the connection of a known account');
select is(tests.selection('ada'), 'other team-first@mail.example team-second@mail.example',
  'finish_calendar_connection keeps the selection of known calendars, and adds and deletes others');
select is((select count(*)::int from tests.calendar_secrets()), 3, 'a renewal replaces the secret in Vault');
select is(private.read_calendar_secret(tests.id('first')), '{"accessToken": "ACCESS2", "refreshToken": "REFRESH2"}',
  'a renewal stores the new tokens');
select is((select lease_id from private.calendar_credentials where connection_id = tests.id('first')), null,
  'a renewal ends the lease of a refresh');
select results_eq($$ select b.lease is null, b.stale_at, b.due_at from private.calendar_busy b
    where b.calendar_id = tests.id('first/team') $$,
  $$ values (true, '-infinity'::timestamptz, '-infinity'::timestamptz) $$,
  'a renewal rejects readings with the earlier tokens, and makes selected calendars due');
select is((select count(*)::int from private.calendar_busy b where b.stale_at = 'infinity' and b.lease is not null), 4,
  'a renewal leaves the readings of other connections');
select is((select last_error from public.connected_calendars where id = tests.id('first/team')), null,
  'a renewal clears why a calendar failed or rejected an event');
update public.connected_calendars set receives_events = true where id = tests.id('first/team');
update public.connected_calendars set events_error = 'It is full' where id = tests.id('first/mine');
select tests.connect_account('first', 'ada');
select is((select receives_events from public.connected_calendars where id = tests.id('first/team')), false,
  'a calendar that became read only no longer receives events');
select is((select events_error from public.connected_calendars where id = tests.id('first/mine')), null,
  'a renewal clears why a calendar received no sessions');

-- what providers may list
select tests.person('cy');
create function pg_temp.connect(address text, calendars jsonb) returns text language sql as $$
  select private.finish_calendar_connection(tests.id('cy'), 'google',
    jsonb_build_object('id', address, 'address', address, 'calendars', calendars), '{"expiresInSeconds": 60}')
    #>> '{connection,accountName}' $$;
select is(pg_temp.connect(repeat('x', 300), '[
    {"externalId": "a", "name": "A", "isPrimary": true, "isWritable": false},
    {"externalId": "b", "name": "B", "isPrimary": false, "isWritable": true},
    {"externalId": "b", "name": "B again", "isPrimary": false, "isWritable": true}]'), repeat('x', 254),
  'finish_calendar_connection cuts a long address and accepts a calendar that is listed twice');
select is(tests.selection('cy'), 'a',
  'finish_calendar_connection lets no calendar receive events unless the primary one is writable');

-- limits and errors
select private.set_setting('max_calendar_connections_per_user', '2');
select is(tests.error_of($$ select tests.connect_account('third', 'ada') $$), 'PT409 TOO_MANY_CALENDAR_CONNECTIONS',
  'finish_calendar_connection returns 409 over the limit of connections');
select is(tests.error_of($$ select tests.connect_account('second', 'ada') $$), 'none',
  'finish_calendar_connection renews a connection at the limit');
select is(tests.error_of(format($$ select private.finish_calendar_connection(%L, 'google', jsonb_build_object(
    'id', 'x', 'address', 'x', 'calendars', (select jsonb_agg(n) from generate_series(1, 101) n)),
    '{"expiresInSeconds": 1}') $$, tests.id('ben'))), 'PT422 CALENDAR_UNREADABLE',
  'finish_calendar_connection returns 422 for more than 100 calendars');
select is(tests.error_of(format($$ select private.finish_calendar_connection(%L, 'google',
    tests.calendar_account('a'), '{"expiresInSeconds": 1}') $$, gen_random_uuid())), 'PT403 ACCOUNT_REQUIRED',
  'finish_calendar_connection returns 403 for a deleted account');

-- the tables
select is(tests.value_as(who, format('select count(*) from public.%I', relation)), expected,
  format('%s reads %s rows of %s', who, expected, relation))
from (values ('ada', 'calendar_connections', '2'), ('ben', 'calendar_connections', '1'),
  ('ada', 'connected_calendars', '4'), ('ben', 'connected_calendars', '2'), ('service', 'connected_calendars', '8'))
  v (who, relation, expected);

-- the secrets end with the account
delete from auth.users where id = tests.id('ada');
select is((select count(*)::int from tests.calendar_secrets()), 2,
  'a deletion of the account deletes its secrets from Vault, and no other');
select is_empty('select from public.calendar_connections c where c.user_id = tests.id(''ada'')',
  'a deletion of the account deletes its connections');

select * from tests.finish();
rollback;
