-- Messages of calendar_sync: each change of what an event shows, or where it belongs, enqueues the booking
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.podcast('other', 'zed'), tests.person('eve');
select tests.episode('pilot', 'show');
select tests.session('next', 'show', jsonb_build_object('episode_id', tests.id('pilot')));
select tests.session('later', 'show');
select tests.session('past', 'show', '{"start_time": "2020-01-01", "end_time": "2020-01-02"}');
select tests.session('open', 'show', '{"status": "pending", "expires_at": "2040-01-01"}');
select tests.session('foreign', 'other');
insert into episode_people (episode_id, source_type, user_id, name)
select tests.id('pilot'), 'team', tests.id('vic'), 'Vic';
select tests.take_calendar_syncs();

-- Calendars
select tests.receiving_calendar('eve');
select is(tests.take_calendar_syncs(), null, 'a calendar of a user who hosts no podcast enqueues nothing');
select tests.receiving_calendar('vic');
select is(tests.take_calendar_syncs(), null, 'a calendar of a plain member enqueues nothing');
select tests.receiving_calendar('ola');
select is(tests.take_calendar_syncs(), 'later next',
  'a new calendar that receives events enqueues the confirmed bookings of its user''s podcasts, not past ones');
update connected_calendars set name = 'Home', is_selected = true where user_id = tests.id('ola');
update connected_calendars set receives_events = true where user_id = tests.id('ola');
select is(tests.take_calendar_syncs(), null, 'a calendar that receives events already enqueues nothing');
select tests.connected_calendar('spare', 'ola/connection');
delete from connected_calendars where id = tests.id('spare');
update connected_calendars set receives_events = false where user_id = tests.id('ola');
select is(tests.take_calendar_syncs(), null, 'a calendar that no longer receives events enqueues nothing');
update connected_calendars set receives_events = true where user_id = tests.id('ola');
select is(tests.take_calendar_syncs(), 'later next',
  'a calendar that is chosen to receive events enqueues the bookings');

select is(array(select tests.sync_event(s) from unnest('{next,later,past}'::text[]) s), '{written,written,none}',
  'begin_calendar_sync writes the events');
update calendar_connections set status = 'revoked', last_error = 'Connect again' where user_id = tests.id('ola');
select is(tests.take_calendar_syncs(), null, 'a revoked connection enqueues nothing');
update bookings set status = 'cancelled', cancelled_by = 'host' where id = tests.id('later');
select tests.empty_queue('calendar_sync');
update calendar_connections set status = 'active', last_error = null where user_id = tests.id('ola');
select is((select count(*) from tests.queued('calendar_sync')), 2::bigint,
  'a renewed connection enqueues each booking once');
select is(tests.take_calendar_syncs(), 'later next',
  'a renewed connection enqueues the bookings, and the cancelled ones whose events are still to be removed');
select is(tests.sync_event('later'), 'removed', 'begin_calendar_sync removes an event that waited for the connection');
update calendar_connections set status = 'failing', last_error = 'Slow' where user_id = tests.id('ola');
update calendar_connections set status = 'active', last_error = null where user_id = tests.id('ola');
select is(tests.take_calendar_syncs(), null, 'a connection that was only failing enqueues nothing');

-- Team
select tests.member('ben', 'show'), tests.member('kim', 'show', 'admin');
select is(tests.take_calendar_syncs(), 'next', 'a new admin enqueues the bookings of the podcast');
update podcast_members set auto_add_to_new_episodes = true where user_id = tests.id('ben');
select is(tests.take_calendar_syncs(), null, 'other changes of a member enqueue nothing');
update podcast_members set role = 'admin' where user_id = tests.id('ben');
select is(tests.take_calendar_syncs(), 'next', 'a changed role enqueues the bookings');
delete from podcast_members where user_id = tests.id('ben');
select is(tests.take_calendar_syncs(), 'next', 'a member who leaves enqueues the bookings');

-- Roster
update episode_people set is_active = false where user_id = tests.id('vic');
update episode_people set is_active = true where user_id = tests.id('vic');
update episode_people set name = 'Victor' where user_id = tests.id('vic');
select results_eq($$ select q from tests.queued('calendar_sync') q $$, $$
    select jsonb_build_object('type', t.type, 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'),
      'user_id', tests.id('vic'))
    from (values ('attendee.removed'), ('attendee.added')) t (type) $$,
  'a member who is deactivated or activated on a roster enqueues attendee messages');
select tests.empty_queue('calendar_sync');
select private.enqueue_calendar_syncs(array[tests.id('show')], tests.id('pilot'));
select is(tests.take_calendar_syncs(), 'next', 'enqueue_calendar_syncs of an episode enqueues its bookings');
delete from episodes where id = tests.id('pilot');
select is(tests.take_calendar_syncs(), 'next', 'a deleted episode enqueues its bookings');
update bookings set guest_name = 'Guy' where id = tests.id('next');
select is(tests.take_calendar_syncs(), null, 'other changes of a booking enqueue nothing');

-- Deletions
select tests.session('lost', 'show'), tests.session('bare', 'show');
select tests.session('stale', 'show', '{"start_time": "2020-02-01", "end_time": "2020-02-02", "status": "cancelled",
  "cancelled_by": "host"}');
select tests.sync_event('next'), tests.sync_event('lost');
insert into private.calendar_events (booking_id, calendar_id, creation_key)
select tests.id(s), id, tests.id(s) from connected_calendars, unnest(array['past', 'stale']) s
where user_id = tests.id('ola');
delete from bookings where id = tests.id('lost');
select results_eq($$ select q from tests.queued('calendar_sync') q $$,
  $$ select jsonb_build_object('type', 'booking.deleted', 'booking_id', tests.id('lost')) $$,
  'a deleted booking with an event enqueues booking.deleted');
select is(tests.take_calendar_syncs(), '-lost', 'a deleted booking enqueues one message');
select private.enqueue_calendar_sync(tests.id('next'), tests.id('show'));
delete from podcasts where id = tests.id('show');
select is(tests.take_calendar_syncs(), '-next -stale',
  'a deleted podcast enqueues the events to remove, without podcast_id, and deletes the messages with it');
select is((select count(*) from private.calendar_events where booking_id = tests.id('past')), 0::bigint,
  'a deleted podcast leaves the events of past sessions');
select is(array(select tests.sync_event(s) from unnest('{next,lost,stale,past}'::text[]) s),
  '{removed,removed,removed,none}', 'begin_calendar_sync removes the events of deleted bookings');

-- Accounts
select tests.member('sam', 'other', 'admin'), tests.receiving_calendar('sam'), tests.sync_event('foreign');
select tests.empty_queue('calendar_sync');
delete from auth.users where id = tests.id('sam');
select is(tests.take_calendar_syncs(), 'foreign',
  'a deleted account enqueues the bookings whose events were in its calendar');
select is((select count(*) from private.calendar_events), 0::bigint,
  'a deleted account leaves its events in its calendar, because its tokens are deleted');

select * from tests.finish();
rollback;
