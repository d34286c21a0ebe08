-- The zone of all-day events: of the user, else of their booking links; and what follows from a change
begin;
select tests.start();

select tests.team('Pilot', 'ola', 'ada', 'mia'), tests.podcast('Other', 'sam'), tests.podcast('Empty', 'eve');
create function pg_temp.zone(name text) returns text language sql as $$
  select private.calendar_time_zone(tests.id(name)) $$;

select is(pg_temp.zone('ola'), null, 'a user without a zone and without booking links has no zone for all-day events');
select tests.booking_link('closed', 'Pilot', '{"timezone": "Asia/Tokyo", "is_active": false}');
select is(pg_temp.zone('ola'), 'Asia/Tokyo', 'the zone of an inactive booking link is that of its hosts');
select tests.booking_link('first', 'Pilot', '{"timezone": "America/Los_Angeles"}'),
  tests.booking_link('second', 'Pilot', '{"timezone": "Europe/Berlin"}');
update booking_links set created_at = now() - interval '1 day' where id = tests.id('first');
update booking_links set created_at = now() - interval '2 days' where id = tests.id('closed');
select is(array[pg_temp.zone('ola'), pg_temp.zone('ada')], '{America/Los_Angeles,America/Los_Angeles}',
  'the zone of the oldest active booking link is that of owner and admins');
select is(pg_temp.zone('mia'), null, 'a plain member has no zone of booking links');
select is(pg_temp.zone('sam'), null, 'a user has no zone of other podcasts'' booking links');
update profiles set timezone = 'UTC' where id = tests.id('ola');
select is(pg_temp.zone('ola'), 'UTC', 'a zone that the user set counts before booking links, UTC too');
update profiles set timezone = null where id = tests.id('ola');

-- What follows
select tests.connection('work', 'ola'), tests.connection('home', 'ada'), tests.connection('mine', 'mia');
select tests.connected_calendar('ola 1', 'work'), tests.connected_calendar('ola 2', 'work', false),
  tests.connected_calendar('ada 1', 'home'), tests.connected_calendar('mia 1', 'mine');
create function pg_temp.expedited(change text) returns text language plpgsql as $$
begin
  update private.calendar_busy b set stale_at = now() + interval '1 minute',
    due_at = case when c.is_selected then now() + interval '10 minutes' end
  from connected_calendars c where c.id = b.calendar_id;
  execute change;
  return (select string_agg(i.name, ' ' order by i.name) from private.calendar_busy b
    join tests.ids i on i.id = b.calendar_id where b.due_at = b.stale_at);
end $$;
select is(pg_temp.expedited(format('update profiles set timezone = %L where id = %L', zone, tests.id('ola'))), expected,
  format('the selected calendars of a user are due once they are stale if the zone becomes %s', zone))
from (values (1, 'Asia/Tokyo', 'ola 1'), (2, 'Asia/Tokyo', null), (3, 'Europe/Berlin', 'ola 1')) v (n, zone, expected)
order by n;
select is(pg_temp.expedited($$ select tests.booking_link('third', 'Pilot') $$), 'ada 1',
  'a new booking link makes the calendars of hosts without a zone due once they are stale, and no others');
select is(pg_temp.expedited(format('update booking_links set %s where id = %L', change, tests.id('third'))), expected,
  format('%s makes the calendars of hosts without a zone due: %s', change, expected))
from (values (1, $$ timezone = 'Asia/Tokyo' $$, 'ada 1'), (2, $$ is_active = false $$, 'ada 1'),
  (3, $$ is_active = false, name = 'Third' $$, null)) v (n, change, expected) order by n;
select is(pg_temp.expedited(format('delete from booking_links where id = %L', tests.id('third'))), 'ada 1',
  'a deleted booking link makes the calendars of hosts without a zone due');
update private.calendar_busy b set failures = 1, error = 'x' where b.calendar_id = tests.id('ada 1');
select is(pg_temp.expedited(format('update booking_links set timezone = %L where id = %L', 'UTC', tests.id('first'))),
  null, 'a failing calendar keeps its backoff when a zone changes');

select * from tests.finish();
rollback;
