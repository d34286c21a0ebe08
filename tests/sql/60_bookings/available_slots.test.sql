-- private.available_slots: rules, notice, busy calendars and bookings.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'otto');
-- Monday, 7 December 2026
create function pg_temp.slots(link text, first_date date default '2026-12-07', last_date date default null,
  at timestamptz default '2026-12-01Z', except_booking uuid default null) returns text language sql as $$
  select coalesce(string_agg(to_char(s.start_time at time zone 'UTC', 'DD HH24:MI'), ', '), '')
  from private.available_slots(tests.link(link), first_date, coalesce(last_date, first_date), at, except_booking) s
$$;
create function pg_temp.book(name text, link text, starts timestamptz, ends timestamptz,
  status public.booking_status default 'confirmed') returns void language sql as $$
  with made as (
    insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
      guest_email, cancelled_by, expires_at)
    select l.id, l.podcast_id, l.name, starts, ends, status, 'Gus', 'gus@test.example',
      case when status = 'cancelled' then 'host' end, case when status = 'pending' then starts end
    from public.booking_links l where l.id = tests.id(link) returning id)
  select tests.remember(book.name, id) from made
$$;

-- Rules
select tests.booking_link('plain', 'show');
select is(pg_temp.slots('plain'), '07 08:00, 07 09:00, 07 10:00', 'available_slots lists the slots of a rule in UTC');
select is((select array_agg(s.end_time - s.start_time) from private.available_slots(tests.link('plain'), '2026-12-07',
  '2026-12-07', '2026-12-01Z') s), array[interval '1 hour', '1 hour', '1 hour'],
  'available_slots returns the end of each slot');
select is(pg_temp.slots('plain', '2026-12-05', '2026-12-07'), '07 08:00, 07 09:00, 07 10:00',
  'available_slots lists no slots of a weekday without a rule');
select tests.booking_link('buffered', 'show', '{"duration_minutes": 30, "buffer_before_minutes": 10,
  "buffer_after_minutes": 5}');
select is(pg_temp.slots('buffered'), '07 08:00, 07 08:45, 07 09:30, 07 10:15',
  'available_slots starts the next slot after the duration and both buffers');
select tests.booking_link('rules', 'show', '{"availability_rules": [
  {"dayOfWeek": 1, "startTime": "09:30", "endTime": "11:30"},
  {"dayOfWeek": 1, "startTime": "09:00", "endTime": "11:00"},
  {"dayOfWeek": 1, "startTime": "10:00", "endTime": "11:00"},
  {"dayOfWeek": 1, "startTime": "23:00", "endTime": "24:00"},
  {"dayOfWeek": 2, "startTime": "00:00", "endTime": "00:59"},
  {"dayOfWeek": 2, "startTime": "01:00", "endTime": "01:30"},
  {"dayOfWeek": 2, "startTime": "01:30", "endTime": "02:00"}]}');
select is(pg_temp.slots('rules', '2026-12-07', '2026-12-08'), '07 08:00, 07 08:30, 07 09:00, 07 09:30, 07 22:00',
  'available_slots fills each rule, lists equal starts once, and does not merge rules that touch');

-- Changes of clocks
select tests.booking_link('night', 'show', '{"duration_minutes": 30, "max_advance_days": 365, "availability_rules":
  [{"dayOfWeek": 0, "startTime": "01:30", "endTime": "03:30"}]}');
select is(pg_temp.slots('night', '2027-03-28', at => '2027-03-01Z'), '28 00:30, 28 01:00',
  'available_slots lists no slots in a skipped hour');
select is(pg_temp.slots('night', '2026-10-25', at => '2026-10-01Z'), '24 23:30, 25 00:00, 25 00:30, 25 01:00, '
  '25 01:30, 25 02:00', 'available_slots fills both passes of a repeated hour');
select tests.booking_link('half', 'show', '{"duration_minutes": 15, "timezone": "Australia/Lord_Howe",
  "availability_rules": [{"dayOfWeek": 0, "startTime": "01:30", "endTime": "01:45"}]}');
select is(pg_temp.slots('half', '2027-04-04', at => '2027-03-20Z'), '03 14:30, 03 15:00',
  'available_slots splits a window that is repeated');

select tests.booking_link('saturday', 'show', '{"duration_minutes": 30, "timezone": "America/Nuuk",
  "availability_rules": [{"dayOfWeek": 6, "startTime": "23:00", "endTime": "24:00"}]}');
select is(pg_temp.slots('saturday', first_date, '2026-10-24', '2026-10-01Z'), '25 00:00, 25 00:30, 25 01:00, 25 01:30',
  format('available_slots finds a change on the UTC date after the last date, from %s', first_date))
from generate_series('2026-10-19'::date, '2026-10-24', '1 day') n, date(n) first_date;

-- Date overrides
select tests.booking_link('special', 'show', '{"date_overrides": [{"date": "2026-12-07", "windows": []},
  {"date": "2026-12-08", "windows": [{"startTime": "20:00", "endTime": "22:00"},
    {"startTime": "21:30", "endTime": "23:00"}]},
  {"date": "2026-12-12", "windows": [{"startTime": "23:00", "endTime": "24:00"}]}]}');
select is(pg_temp.slots('special', '2026-12-07', '2026-12-13'), '08 19:00, 08 20:00, 08 20:30, 09 08:00, 09 09:00, '
  '09 10:00, 10 08:00, 10 09:00, 10 10:00, 11 08:00, 11 09:00, 11 10:00, 12 22:00',
  'available_slots takes the windows of an override in place of the rules of its date, and none on a day off');

-- Time
select is(pg_temp.slots('plain', at => '2026-12-06 09:00Z'), '07 09:00, 07 10:00',
  'available_slots keeps 24 hours of notice by default');
select tests.booking_link('short notice', 'show', '{"slug": "short", "min_notice_hours": 0}');
select is(pg_temp.slots('short notice', at => '2026-12-07 09:00:01Z'), '07 10:00',
  'available_slots lists no slot that has begun');
select is(pg_temp.slots('plain', at => '2026-10-07 21:59Z'), '', 'available_slots ends after 60 days by default');
select isnt(pg_temp.slots('plain', at => '2026-10-07 22:00Z'), '', 'available_slots includes the last day');
select tests.booking_link('soon', 'show', '{"max_advance_days": 2}');
select is(pg_temp.slots('soon', '2026-12-03', '2026-12-09'), '03 08:00, 03 09:00, 03 10:00',
  'available_slots keeps the link''s own number of days');

-- Calendars
select tests.calendar('work', 'ola', '{[2026-12-07 08:59Z,2026-12-07 09:01Z)}');
select is(pg_temp.slots('plain'), '07 10:00', 'available_slots drops slots that overlap a busy time of the owner');
select tests.calendar('own', 'ada', '{[2026-12-07 11:00Z,2026-12-07 12:00Z),[2026-12-07 10:00Z,2026-12-07 10:01Z)}');
select is(pg_temp.slots('plain'), '', 'available_slots drops slots that overlap a busy time of an admin');
delete from private.calendar_busy_intervals;
select tests.calendar('mine', 'mel', '{[2026-12-07 00:00Z,2026-12-08 00:00Z)}'),
  tests.calendar('his', 'otto', '{[2026-12-07 00:00Z,2026-12-08 00:00Z)}'),
  tests.calendar('private', 'ola', '{[2026-12-07 00:00Z,2026-12-08 00:00Z)}', is_selected => false);
select is(pg_temp.slots('plain'), '07 08:00, 07 09:00, 07 10:00',
  'available_slots ignores calendars of members and strangers, and those that are not selected');
delete from private.calendar_busy_intervals;
insert into private.calendar_busy_intervals values (tests.id('ola/work'), '[2026-12-07 08:34Z,2026-12-07 08:35Z)');
select is(pg_temp.slots('buffered'), '07 08:45, 07 09:30, 07 10:15',
  'available_slots drops a slot whose buffer after it overlaps a busy time');
update private.calendar_busy_intervals set during = '[2026-12-07 10:05Z,2026-12-07 10:06Z)';
select is(pg_temp.slots('buffered'), '07 08:00, 07 08:45, 07 09:30',
  'available_slots drops a slot whose buffer before it overlaps a busy time');
update private.calendar_busy_intervals set during = '[2026-12-07 08:35Z,2026-12-07 08:35:01Z)';
select is(pg_temp.slots('buffered'), '07 08:00, 07 09:30, 07 10:15',
  'available_slots keeps a slot whose buffer ends when a busy time begins');
delete from private.calendar_busy_intervals;
insert into private.calendar_busy_intervals
select tests.id('ola/work'), unnest('{[2026-12-07 07:52Z,2026-12-07 07:53Z),[2026-12-07 10:47Z,2026-12-07 10:48Z)}'
  ::tstzmultirange);
select is(pg_temp.slots('buffered'), '07 08:45, 07 09:30',
  'available_slots keeps the buffers of the first and the last slot');
delete from private.calendar_busy_intervals;

-- Bookings
select pg_temp.book('booked', 'buffered', '2026-12-07 08:00Z', '2026-12-07 08:30Z', 'pending');
select is(pg_temp.slots('buffered'), '07 08:45, 07 09:30, 07 10:15',
  'available_slots drops the slot of a pending booking, and keeps its neighbor');
select is(pg_temp.slots('plain'), '07 08:00, 07 09:00, 07 10:00', 'available_slots ignores bookings of other links');
update public.bookings set start_time = '2026-12-07 08:37Z', end_time = '2026-12-07 08:40Z';
select is(pg_temp.slots('buffered'), '07 09:30, 07 10:15',
  'available_slots keeps the longer buffer on both sides of a booking');
select is(pg_temp.slots('buffered', except_booking => tests.id('booked')), '07 08:00, 07 08:45, 07 09:30, 07 10:15',
  'available_slots ignores the excepted booking');
select tests.booking_link('long after', 'show', '{"slug": "after", "duration_minutes": 30, "buffer_before_minutes": 5,
  "buffer_after_minutes": 10}');
select pg_temp.book('early', 'long after', '2026-12-07 07:45Z', '2026-12-07 07:52Z'),
  pg_temp.book('late', 'long after', '2026-12-07 10:53Z', '2026-12-07 11:00Z');
select is(pg_temp.slots('long after'), '07 08:45, 07 09:30',
  'available_slots keeps the longer buffer before the first and after the last slot');
select pg_temp.book(status::text, 'plain', '2026-12-07 08:00Z', '2026-12-07 09:00Z', status)
from unnest('{cancelled,declined}'::public.booking_status[]) status;
select is(pg_temp.slots('plain'), '07 08:00, 07 09:00, 07 10:00',
  'available_slots ignores declined and cancelled bookings');
select pg_temp.book('moved', 'plain', '2026-12-07 08:00Z', '2026-12-07 09:00Z');
select is(pg_temp.slots('plain'), '07 09:00, 07 10:00', 'available_slots drops the slot of a confirmed booking');
insert into private.calendar_busy_intervals
values (tests.id('ola/work'), '[2026-12-07 08:00Z,2026-12-07 09:30Z)');
select is(pg_temp.slots('plain', except_booking => tests.id('moved')), '07 08:00, 07 10:00',
  'available_slots subtracts the excepted booking from the busy times, and nothing else');

-- Bookings of the podcast
delete from private.calendar_busy_intervals;
delete from public.bookings;
select tests.booking_link('wide', 'show', '{"conflict_scope": "podcast", "duration_minutes": 30}'),
  tests.booking_link('elsewhere', 'other');
select pg_temp.book('here', 'plain', '2026-12-07 08:00Z', '2026-12-07 09:00Z', 'pending'),
  pg_temp.book('own', 'wide', '2026-12-07 10:30Z', '2026-12-07 11:00Z'),
  pg_temp.book('there', 'elsewhere', '2026-12-07 09:00Z', '2026-12-07 10:00Z');
select is(pg_temp.slots('wide'), '07 09:00, 07 09:30, 07 10:00',
  'available_slots with the scope podcast drops slots at bookings of all its links, not of other podcasts');
select is(pg_temp.slots('plain'), '07 09:00, 07 10:00',
  'available_slots with the scope link ignores the bookings of a link with the scope podcast');
select is(pg_temp.slots('wide', except_booking => tests.id('here')), '07 08:00, 07 08:30, 07 09:00, 07 09:30, 07 10:00',
  'available_slots with the scope podcast ignores the excepted booking of another link');
update public.booking_links set buffer_after_minutes = 20 where id = tests.id('plain');
select is(pg_temp.slots('wide'), '07 09:30, 07 10:00',
  'available_slots keeps the buffers of the link by which the other session was booked');
update public.booking_links set buffer_before_minutes = 40 where id = tests.id('wide');
select is(pg_temp.slots('wide'), '', 'available_slots keeps the longest buffer of both links');

-- Errors
select is(private.host_ids(tests.id('show')), (select array_agg(id order by id) from tests.ids
  where name in ('ola', 'ada')), 'host_ids returns the owner and the admins');
select is(tests.error_of($$ select private.host_ids(gen_random_uuid()) $$), 'PT500',
  'host_ids fails for a podcast without hosts');

select * from tests.finish();
rollback;
