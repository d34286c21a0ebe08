-- delete_booking_link, and the guard of links that guests have booked.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.member('vic', 'show'),
  tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show', '{"created_at": "2026-01-01Z"}');

select is(tests.result_of(who, $$ select public.delete_booking_link(tests.id('talk')) $$), result,
  format('delete_booking_link called by %s gives %s', who, result))
from (values ('anon', '42501'), ('otto', 'PT403'), ('vic', 'PT403'), ('service', '42501')) v (who, result);
select is(tests.result_of('ola', $$ select public.delete_booking_link(gen_random_uuid()) $$), 'PT404',
  'delete_booking_link returns 404 for an unknown link');

select tests.act_as('postgres');
insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name, guest_email,
  expires_at, cancelled_by)
select tests.id('talk'), tests.id('show'), 'Talk', starts, starts + interval '1 hour', status, 'Gus',
  'gus@test.example', case when status = 'pending' then now() end, case when status = 'cancelled' then 'host' end
from (values (now() - interval '59 minutes', 'confirmed'::public.booking_status), (now() + interval '1 day', 'pending'),
  (now() + interval '2 days', 'cancelled'), (now() + interval '3 days', 'declined'),
  (now() - interval '3 days', 'confirmed'), (now() - interval '4 days', 'pending')) v (starts, status);
select tests.act_as('ola');
select is(tests.error_of($$ select public.delete_booking_link(tests.id('talk')) $$),
  'PT409 BOOKING_LINK_HAS_BOOKINGS', 'delete_booking_link fails while a session has not ended');
select is(tests.error_of($$ delete from public.booking_links where id = tests.id('talk') $$),
  'PT409 BOOKING_LINK_HAS_BOOKINGS', 'a delete of a link fails while a session has not ended');
select tests.act_as('postgres');
delete from public.bookings where start_time < now() and end_time > now();
select is(tests.error_of($$ delete from public.booking_links where id = tests.id('talk') $$),
  'PT409 BOOKING_LINK_HAS_BOOKINGS', 'a delete of a link fails while a session is pending');
delete from public.bookings where status = 'pending' and start_time > now();
select tests.act_as('ola');
select is(public.delete_booking_link(tests.id('talk')), jsonb_build_object('id', tests.id('talk')),
  'delete_booking_link returns the id');
select results_eq($$ select status::text, booking_link_id from public.bookings order by start_time $$,
  $$ values ('pending', null::uuid), ('confirmed', null), ('cancelled', null), ('declined', null) $$,
  'the other bookings of a deleted link stay');
select tests.act_as('postgres');

select * from tests.finish();
rollback;
