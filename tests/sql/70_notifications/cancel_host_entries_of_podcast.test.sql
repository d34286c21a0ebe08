-- cancel_host_entries_of_podcast: the deletion of a podcast cancels the calendar entries of its hosts.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.open_link('open', 'show', '{"timezone": "Asia/Tokyo"}');
select tests.person('uli');
insert into podcast_members (podcast_id, user_id, role) values (tests.id('show'), tests.id('uli'), 'admin');
update profiles set timezone = 'UTC' where id = tests.id('uli');
select tests.booking_in('ahead', 'open', 20, guest => 'gus'), tests.booking_in('quiet', 'open', 22),
  tests.booking_in('asked', 'open', 24), tests.booking_in('off', 'open', 26), tests.booking_in('begun', 'open', 28);
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id(name)))
from unnest('{ahead,quiet,off,begun}'::text[]) name;
create function pg_temp.send(name text, who text) returns void language plpgsql as $$
declare
  sent uuid;
begin
  update notification_deliveries d set status = 'queued' from notifications n
  where n.id = d.notification_id and n.metadata ->> 'booking_id' = tests.id(name)::text and d.channel = 'email'
    and d.type = 'booking.confirmed' and d.user_id = tests.id(who) returning d.id into strict sent;
  perform private.begin_email_delivery(sent, 120, now(), 'casts@mail.test'), private.record_email_sent(sent);
end $$;
select pg_temp.send('ahead', 'ola'), pg_temp.send('ahead', 'uli'), pg_temp.send('ahead', 'ada'),
  pg_temp.send('off', 'ola'),
  pg_temp.send('begun', 'ola');
select tests.value_as('ada', format('select public.cancel_booking(%L)', tests.id('off')));
update bookings set start_time = now(), end_time = now() + interval '1 hour' where id = tests.id('begun');
update podcast_members set role = 'member' where user_id = tests.id('ada') and podcast_id = tests.id('show');
select tests.set_status('show', 'pending_deletion');
update podcasts set deletion_scheduled_at = now() where id = tests.id('show');
create temp table uid as select (tests.booking('ahead')).calendar_uid as uid;
select private.delete_due_podcast(tests.id('show'));

create temp view entry as
  select d.id, a.email, a.title, a.body, a.calendar_event, a.timezone
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  where d.type = 'booking.cancelled' and a.email not like '%@guests.example';
select results_eq($$ select e.email, e.calendar_event ->> 'method', e.calendar_event ->> 'uid',
      e.calendar_event ->> 'sequence' from entry e order by e.email $$,
  $$ select who || '@test.example', 'CANCEL', u.uid, '2' from uid u, unnest('{ola,uli}'::text[]) who $$,
  'the deletion of a podcast cancels the entries that its hosts were sent, of sessions ahead');
select is(e.title, 'Booking for show canceled', 'the cancellation names the podcast') from entry e;
select matches(e.body, '^The podcast is deleted, so the recording with Gus on .* is canceled.$',
  'the cancellation names guest and time') from entry e;
select is(e.timezone, case e.email when 'uli@test.example' then 'UTC' else 'Asia/Tokyo' end,
  format('%s reads the time in the zone of the profile, or else of the link', e.email)) from entry e;
update notification_deliveries d set status = 'queued' where d.type = 'booking.cancelled' and d.status = 'pending';
select is(private.begin_email_delivery(e.id, 120, now(), 'new@mail.test') #>> '{calendarEvent,organizer,email}',
  'casts@mail.test', 'the cancellation has the organizer of the invitation') from entry e;
select is(private.begin_email_delivery(e.id) ->> 'replyTo', 'gus@guests.example',
  'the answer of a host to the cancellation reaches the guest') from entry e;
select is(private.begin_email_delivery(d.id) ->> 'replyTo', expected,
  format('the answer of a guest to the cancellation reaches %s', coalesce(expected, 'no address')))
from (values ('gus', 'ola@test.example'), ('guest-asked', null)) v (guest, expected)
join private.delivery_addresses a on a.email = v.guest || '@guests.example'
join notification_deliveries d on d.id = a.delivery_id and d.type = 'booking.cancelled' and a.url is null;

select * from tests.finish();
rollback;
