-- remove_calendar_connection, and the grants that it leaves to revoke.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.person('early', false), tests.connect_account('first', 'ada'),
  tests.connect_account('second', 'ada'), tests.connect_account('bens', 'ben', 'second@mail.example');

select is(tests.result_of(who, format('select public.remove_calendar_connection(%L)', tests.id('first'))), result,
  format('remove_calendar_connection returns %s to %s', result, who))
from (values ('anon', '42501'), ('service', '42501'), ('early', 'PT403'), ('ben', 'PT404')) v (who, result);
select is(tests.result_of('ada', format('select public.remove_calendar_connection(%L)', gen_random_uuid())), 'PT404',
  'remove_calendar_connection returns 404 for an unknown id');

select is(private.find_revocable_grant(tests.id('first'), tests.id('ada')),
  '{"provider": "google", "refreshToken": "REFRESH"}', 'find_revocable_grant returns the refresh token');
select is(private.find_revocable_grant(tests.id('first'), tests.id('ben')), null,
  'find_revocable_grant returns null for another user''s connection');
select is(private.find_revocable_grant(tests.id('second'), tests.id('ada')), null,
  'find_revocable_grant returns null while another user has connected the account');

select is(tests.value_as('ada', format('select public.remove_calendar_connection(%L)', tests.id('first')))::jsonb,
  jsonb_build_object('id', tests.id('first')), 'remove_calendar_connection returns the id');
select is_empty(format('select from public.connected_calendars where connection_id = %L', tests.id('first')),
  'remove_calendar_connection deletes the calendars');
select is((select count(*)::int from tests.calendar_secrets()), 2,
  'remove_calendar_connection deletes the secret of the connection, and no other');
select is(tests.result_of('ada', format('select public.remove_calendar_connection(%L)', tests.id('first'))), 'PT404',
  'remove_calendar_connection returns 404 for a removed connection');
select is(tests.result_of('ben', format('select public.remove_calendar_connection(%L)', tests.id('bens'))), 'ok 1',
  'remove_calendar_connection removes the connection of one user');
select is(private.find_revocable_grant(tests.id('second'), tests.id('ada')) ->> 'provider', 'google',
  'find_revocable_grant returns the grant once no other user has connected the account');

select * from tests.finish();
rollback;
