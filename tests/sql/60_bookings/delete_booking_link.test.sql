-- delete_booking_link, and the guard of links that guests have booked.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show'), tests.booking_link('other talk', 'show', '{"slug": "other"}');

select tests.access('delete_booking_link', $$ select public.delete_booking_link(tests.id('talk')) $$,
  '42501: anon; PT403: otto vic; 42501: service');

-- What deletes of the link return while a link has such a booking
select tests.act_as('postgres');
create function pg_temp.delete_with(status public.booking_status, starts interval, link text default 'talk')
returns text language plpgsql as $$
declare
  errors text[];
begin
  begin
    insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
      guest_email, expires_at, cancelled_by)
    values (tests.id(link), tests.id('show'), 'Talk', now() + starts, now() + starts + interval '1 hour', status, 'Gus',
      'gus@test.example', case when status = 'pending' then now() end, case when status = 'cancelled' then 'host' end);
    perform tests.act_as('ola');
    errors := array[tests.error_of($d$ select public.delete_booking_link(tests.id('talk')) $d$),
      tests.error_of($d$ delete from public.booking_links where id = tests.id('talk') $d$)];
    raise sqlstate 'ZZ999';  -- undoes it
  exception when sqlstate 'ZZ999' then
    perform tests.act_as('postgres');
  end;
  return array_to_string(array(select distinct unnest(errors)), ', ');
end $$;
select is(pg_temp.delete_with(status, starts, link), result,
  format('deletes of a link return %s with a %s session of %s in %s', result, status, link, starts))
from (values ('pending'::public.booking_status, interval '1 day', 'talk', 'PT409 BOOKING_LINK_HAS_BOOKINGS'),
  ('confirmed', '1 day', 'talk', 'PT409 BOOKING_LINK_HAS_BOOKINGS'),
  ('confirmed', '-59 minutes', 'talk', 'PT409 BOOKING_LINK_HAS_BOOKINGS'),
  ('confirmed', '-1 hour', 'talk', 'none'), ('pending', '-1 hour', 'talk', 'none'),
  ('cancelled', '1 day', 'talk', 'none'), ('declined', '1 day', 'talk', 'none'),
  ('confirmed', '1 day', 'other talk', 'none')) v (status, starts, link, result);
insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name, guest_email)
values (tests.id('talk'), tests.id('show'), 'Talk', now() - interval '1 hour', now(), 'confirmed', 'Gus', 'g@x.test');
select tests.act_as('ola');
select is(public.delete_booking_link(tests.id('talk')), jsonb_build_object('id', tests.id('talk')),
  'delete_booking_link returns the id');
select results_eq('select booking_link_id from public.bookings', 'values (null::uuid)',
  'the bookings of a deleted link stay');

select * from tests.finish();
rollback;
