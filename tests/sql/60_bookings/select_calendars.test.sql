-- select_calendars
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.person('early', false), tests.connect_account('first', 'ada'),
  tests.connect_account('second', 'ada'), tests.connect_account('bens', 'ben');
create function pg_temp.chosen(who text, selected text[], receiving text default null) returns text
language plpgsql as $$
declare result text;
begin
  perform tests.act_as(who);
  result := tests.error_of(format('select public.select_calendars(%L, %L)',
    array(select tests.id(s) from unnest(selected) s),
    case when receiving is not null then tests.id(receiving) end));
  perform tests.act_as('postgres');
  return coalesce(nullif(result, 'none'), tests.selection(who), '');
end $$;

select tests.access('select_calendars', $$ select public.select_calendars('{}') $$,
  '42501: anon service; PT403: early');

select is(pg_temp.chosen('ada', '{first/team,second/mine}', 'second/mine'),
  'second@mail.example* team-first@mail.example', 'select_calendars selects exactly these, and moves the events');
select is(pg_temp.chosen('ada', '{first/team}', 'first/mine'), 'first@mail.example* team-first@mail.example',
  'a calendar may receive events without blocking bookings');
select is(tests.selection('ben'), 'bens@mail.example*', 'select_calendars changes no calendar of another user');
select is(pg_temp.chosen('ada', '{first/mine,first/mine}'), 'first@mail.example',
  'select_calendars accepts an id twice, and no calendar for events');
select is(pg_temp.chosen('ada', '{}'), '', 'select_calendars accepts no calendar at all');

create temp table places as select id, ctid as place from public.connected_calendars;
select is(pg_temp.chosen('ada', '{second/team}'), 'team-second@mail.example', 'select_calendars selects one calendar');
select is((select array_agg(i.name) from places p join public.connected_calendars c using (id)
    join tests.ids i on i.id = c.id where p.place <> c.ctid), '{second/team}',
  'select_calendars writes only the calendars that change');
select pg_temp.chosen('ada', '{}');
select is(pg_temp.chosen('ada', '{first/mine,bens/mine}'), 'PT404',
  'select_calendars returns 404 for a calendar of another user');
select is(pg_temp.chosen('ada', '{}', 'bens/mine'), 'PT404',
  'select_calendars returns 404 for events into another user''s calendar');
select is(pg_temp.chosen('ada', '{}', 'first/team'), 'PT422 CALENDAR_READ_ONLY',
  'select_calendars returns 422 for events into a calendar that is read only');
select is(tests.selection('ada'), null, 'a rejected call of select_calendars changes nothing');
select is(tests.result_of('ada', format('select public.select_calendars(%s)', ids)), 'PT400',
  format('select_calendars returns 400 for %s', ids))
from unnest(array['null', '''{null}''', '(select array_agg(gen_random_uuid()) from generate_series(1, 1001))']) ids;
select is(tests.value_as('ada', 'select public.select_calendars(''{}'')')::jsonb,
  tests.value_as('ada', 'select public.list_calendars()')::jsonb,
  'select_calendars returns what list_calendars returns');

update public.connected_calendars set events_error = 'It is full' where user_id = tests.id('ada');
select is(pg_temp.chosen('ada', '{first/mine}', 'second/mine'), 'first@mail.example second@mail.example*',
  'select_calendars chooses a calendar again that rejected sessions');
select set_eq($$ select external_id from public.connected_calendars
    where user_id = tests.id('ada') and events_error is null $$, '{second@mail.example}'::text[],
  'select_calendars clears why the chosen calendar received no sessions, and no other reason');

select * from tests.finish();
rollback;
