-- list_calendars
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.person('early', false), tests.connect_account('first', 'ada');
select tests.access('list_calendars', 'select public.list_calendars()', '42501: anon service; PT403: early');
select is(tests.value_as('ben', 'select public.list_calendars()')::jsonb, '{"connections": []}',
  'list_calendars returns nothing of another user');
update public.calendar_connections set status = 'failing', last_error = 'It is down' where id = tests.id('first');
update public.connected_calendars set fetched_at = '2026-11-20 10:00+00', last_error = 'It is late'
where id = tests.id('first/mine');
update public.connected_calendars set events_error = 'It is full', warnings = '[{"text": "No start", "count": 1}]'
where id = tests.id('first/team');
select is(tests.value_as('ada', 'select public.list_calendars()')::jsonb, jsonb_build_object('connections',
  jsonb_build_array(jsonb_build_object('id', tests.id('first'), 'provider', 'google',
    'accountName', 'first@mail.example',
    'status', 'failing', 'lastError', 'It is down', 'createdAt', private.format_timestamp(now()),
    'calendars', jsonb_build_array(
      jsonb_build_object('id', tests.id('first/mine'), 'name', 'Mine', 'isPrimary', true, 'isWritable', true,
        'isSelected', true, 'receivesEvents', true, 'lastError', 'It is late',
        'eventsError', null, 'warnings', '[]'::jsonb, 'fetchedAt', private.format_timestamp('2026-11-20 10:00+00')),
      jsonb_build_object('id', tests.id('first/team'), 'name', 'Team', 'isPrimary', false, 'isWritable', false,
        'isSelected', false, 'receivesEvents', false, 'lastError', null,
        'eventsError', 'It is full',
        'warnings', '[{"text": "No start", "count": 1}]'::jsonb, 'fetchedAt', null))))),
  'list_calendars returns the connections of the caller with status, errors and calendars');

select * from tests.finish();
rollback;
