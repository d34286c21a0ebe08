-- cancel_bookings_of_podcast: the deletion of a podcast cancels its sessions ahead.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show'),
  tests.open_link('theirs', 'other');
select tests.booking_in('pending', 'open', 1), tests.booking_in('confirmed', 'open', 3, 'confirmed'),
  tests.booking_in('declined', 'open', 5, 'declined'), tests.booking_in('cancelled', 'open', 7, 'cancelled'),
  tests.booking_in('begun', 'open', 9, 'confirmed'), tests.booking_in('foreign', 'theirs', 1, 'confirmed');
update bookings set start_time = now(), end_time = now() + interval '1 hour' where id = tests.id('begun');
update booking_links set is_active = false where id = tests.id('open');
update bookings set booking_link_id = null where id = tests.id('pending');
select private.set_setting('max_emails_from_strangers_per_day', '3');
select tests.booking_in(name, 'theirs', n, guest => 'may')
from (values ('may 1', 11), ('may 2', 12), ('may 3', 0), ('may 4', 60), ('may 5', 61)) v (name, n);
update bookings set podcast_id = tests.id('show') where guest_email like 'may@%' and id <> tests.id('may 5');

create temp view cancellation as
  select split_part(a.email, '@', 1) as guest, d.type, d.due_at - now() as delay, a.title, a.body, a.podcast_title,
    a.url, a.access, a.calendar_event
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  where d.type like 'booking.%' and d.type <> 'booking.requested';
create temp table notified_before as select n.id from notifications n;
create temp table writes (type text, events bigint);
create function pg_temp.note_write() returns trigger language plpgsql as $$
begin insert into writes select n.type, count(*) from new_events n group by n.type; return null; end $$;
create trigger t999_note after insert on private.events
  referencing new table as new_events for each statement execute function pg_temp.note_write();

select tests.set_status('show', 'pending_deletion');
select is_empty('select from cancellation', 'a scheduled deletion cancels no bookings');
update podcasts set deletion_scheduled_at = now() where id = tests.id('show');
select tests.empty_queue('calendar_sync');
select ok(private.delete_due_podcast(tests.id('show')), 'a podcast with sessions ahead is deleted');
select set_eq($$ select concat_ws(' ', guest, type, calendar_event ->> 'method', calendar_event ->> 'status',
    calendar_event ->> 'sequence', delay) from cancellation $$, array[
  'guest-pending booking.cancelled CANCEL CANCELLED 1 00:00:00',
  'guest-confirmed booking.cancelled CANCEL CANCELLED 2 00:00:00',
  'may booking.cancelled CANCEL CANCELLED 1 00:00:00'], 'the deletion of a podcast cancels its sessions ahead');
select results_eq($$ select events from writes where type = 'booking.cancelled' $$, $$ values (5::bigint) $$,
  'the deletion of a podcast records all cancellations with one statement');
select is((select count(*) from cancellation where guest = 'may'), 3::bigint,
  'the deletion of a podcast sends no email to a guest whose request was not emailed');
select results_eq($$ select split_part(b, ' ', 2), d.status::text
  from unnest(array['may 4', 'may 5']) b
  join private.delivery_addresses a on a.access ->> 'subject_id' = tests.id(b)::text
  join notification_deliveries d on d.id = a.delivery_id order by 1 $$,
  $$ values ('4', 'canceled'), ('5', 'pending') $$,
  'the deletion of a podcast cancels the emails of its requests that wait, and no other of their guests');
select is((select row(c.title, c.podcast_title, c.calendar_event ->> 'summary')::text from cancellation c
  where c.guest = 'guest-confirmed'), '("Your booking for show is canceled",show,"open · show")',
  'the cancellation names the podcast and the session');
select is((select count(*) from cancellation c where c.url is not null or c.access is not null), 0::bigint,
  'the cancellation has no link, because the booking is deleted');
select is((select count(*) from notifications n where n.id not in (select id from notified_before)
    and n.type <> 'podcast.deleted'), 0::bigint,
  'the deletion of a podcast notifies no hosts of its sessions');
select is((select count(*) from tests.queued('calendar_sync')), 0::bigint,
  'the deletion of a podcast leaves no message for a booking without an event');
select set_eq('select status::text from bookings', array['confirmed', 'pending'],
  'the deletion of a podcast keeps the bookings of others');

-- The email can still be rendered
update notification_deliveries set status = 'queued' where type = 'booking.cancelled';
select is(private.begin_email_delivery(a.delivery_id) ->> 'reason',
  (select private.render_text(private.get_text('en', 'email.podcast_address'), '{"podcast": "show"}')),
  'the email outlives the podcast')
from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
where a.email = 'guest-confirmed@guests.example' and d.type = 'booking.cancelled';

select * from tests.finish();
rollback;
