-- Calendars that wait for their first reading: their users offer no slots, and the connection says so.
begin;
select tests.start();

select tests.team('Pilot', 'ola', 'ada', 'mia'), tests.booking_link('link', 'Pilot', '{"min_notice_hours": 0}');
create function pg_temp.pending(seconds int) returns text language sql as $$
  select (private.has_pending_calendar(array[tests.id('ola'), tests.id('ada')], now() + seconds * interval '1 second'),
    exists (select from private.available_slots(tests.link('link'), current_date, current_date + 30,
      now() + seconds * interval '1 second')))::text $$;
create function pg_temp.shown(connection text) returns text language sql as $$
  select concat_ws(': ', n.status, n.last_error) from public.calendar_connections n
  where n.id = tests.id(connection) $$;
create function pg_temp.read(seconds int, error text default null) returns bigint language sql as $$
  select count(*) from private.claim_calendar_reads(tests.id('link'), at => now() + seconds * interval '1 second') r
  cross join lateral jsonb_array_elements(r.calendars) c (calendar)
  cross join lateral (select (c.calendar ->> 'id')::uuid as id, now() + seconds * interval '1 second' as at) v
  where case when error is null
    then private.record_calendar_busy(v.id, r.lease, r.window_start, r.window_end, '{}', v.at)
    else private.fail_calendar_read(v.id, r.lease, error, at => v.at) end $$;

select is(pg_temp.pending(0), '(f,t)', 'has_pending_calendar is false without calendars');
select tests.connect_account('mias', 'mia');
select is(pg_temp.pending(0), '(f,t)', 'has_pending_calendar ignores users who are not asked about');
select tests.connect_account('work', 'ada');
select is(pg_temp.pending(0), '(t,f)', 'a new connection offers none of its host''s slots');
select is(pg_temp.pending(119), '(t,f)', 'a new connection offers no slots for two minutes');
select is(pg_temp.pending(120), '(f,t)', 'has_pending_calendar is false after two minutes');
select is(pg_temp.read(1), 1::bigint, 'the first reading succeeds');
select is(pg_temp.pending(1), '(f,t)', 'the first reading offers the slots again');
select is(pg_temp.shown('work'), 'active', 'the first reading makes the connection active');

-- Selections
select tests.empty_queue('calendar_reads');
update public.connected_calendars set is_selected = true where id = tests.id('work/team');
select is((pg_temp.pending(1), pg_temp.shown('work'))::text, '("(t,f)",pending)',
  'a calendar that is selected and was never read makes its connection pending');
select is((select count(*) from tests.queued('calendar_reads')), 1::bigint,
  'a calendar that is selected and was never read is enqueued at once');
update public.connected_calendars set is_selected = false where id = tests.id('work/team');
select is((pg_temp.pending(1), pg_temp.shown('work'))::text, '("(f,t)",active)',
  'a calendar that is deselected is not waited for');
update public.connected_calendars set is_selected = true where id = tests.id('work/team');
select is(pg_temp.read(2), 1::bigint, 'the selected calendar is read');
update public.connected_calendars set is_selected = false where id = tests.id('work/team');
select tests.empty_queue('calendar_reads');
update public.connected_calendars set is_selected = true where id = tests.id('work/team');
select is((pg_temp.pending(2), pg_temp.shown('work'), (select count(*) from tests.queued('calendar_reads')))::text,
  '("(f,t)",active,0)', 'a calendar that was read before is selected without a wait');

-- Failures
select tests.connection('url', 'ada', 'ics');
select tests.connected_calendar('shifts', 'url');
update public.connected_calendars set is_selected = false where id = tests.id('shifts');
update public.connected_calendars set is_selected = true where id = tests.id('shifts');
select pg_temp.read(10, 'The server is down');
select is((pg_temp.pending(10), pg_temp.shown('url'))::text, '("(t,f)","pending: The server is down")',
  'fail_calendar_read keeps a connection pending, with the reason');
select pg_temp.read(119, 'The server is down');
select is(pg_temp.shown('url'), 'pending: The server is down', 'a connection is pending for two minutes');
select pg_temp.read(240, 'The server is slow');
select is((pg_temp.pending(240), pg_temp.shown('url'))::text, '("(f,t)","failing: The server is slow")',
  'fail_calendar_read makes a connection failing that was not read within two minutes');
update private.calendar_busy set stale_at = '-infinity';
select pg_temp.read(1000);
select is(pg_temp.shown('url'), 'active', 'a reading makes the connection active');

-- Renewals
select tests.empty_queue('calendar_reads'), tests.connect_account('work', 'ada');
select is((pg_temp.pending(0), pg_temp.shown('work'), (select count(*) from tests.queued('calendar_reads')))::text,
  '("(f,t)",active,1)', 'a renewal keeps the earlier busy times, and is enqueued');
update public.calendar_connections set status = 'revoked', last_error = 'Gone' where id = tests.id('work');
select tests.connect_account('work', 'ada');
select is(pg_temp.shown('work'), 'active', 'a renewal makes a revoked connection active whose calendars were read');
select tests.connect_account('other', 'ada');
update public.calendar_connections set status = 'revoked', last_error = 'Gone' where id = tests.id('other');
select is(pg_temp.pending(0), '(f,t)', 'has_pending_calendar ignores revoked connections');
update private.calendar_busy set awaited_until = now() - interval '1 hour' where calendar_id = tests.id('other/mine');
select tests.connect_account('other', 'ada');
select is((pg_temp.pending(0), pg_temp.shown('other'))::text, '("(t,f)",pending)',
  'a renewal of a connection that was never read is pending for two minutes again');

select * from tests.finish();
rollback;
