-- create_, update_, delete_ and list_booking_links.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.member('vic', 'show'),
  tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show', '{"created_at": "2026-01-01Z"}');

select is(tests.result_of(who, statement), result, format('%s gets %s from %s', who, result, statement))
from (values ('anon', '42501'), ('otto', 'PT403'), ('vic', 'PT403'), ('service', '42501')) v (who, result),
  unnest(array[$$ select public.create_booking_link(tests.id('show'), 'Call', 'UTC') $$,
    $$ select public.update_booking_link(tests.id('talk'), '{"name": "Call"}') $$,
    $$ select public.delete_booking_link(tests.id('talk')) $$,
    $$ select public.list_booking_links(tests.id('show')) $$]) statement;
select is(tests.result_of('ola', statement), 'PT404', format('%s returns 404', statement)) from unnest(array[
  $$ select public.create_booking_link(gen_random_uuid(), 'Call', 'UTC') $$,
  $$ select public.update_booking_link(gen_random_uuid(), '{"name": "Call"}') $$,
  $$ select public.delete_booking_link(gen_random_uuid()) $$,
  $$ select public.list_booking_links(gen_random_uuid()) $$]) statement;

select tests.act_as('ada');
create temp table made as select public.create_booking_link(tests.id('show'), 'A  chat', 'Asia/Kathmandu',
  min_notice_hours => 0, availability_rules => '[{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:00"}]') as link;
select is((select link - '{id,created_at,updated_at}'::text[] from made), jsonb_build_object(
  'podcast_id', tests.id('show'), 'slug', 'a-chat', 'name', 'A chat', 'description', '', 'duration_minutes', 60,
  'timezone', 'Asia/Kathmandu', 'buffer_before_minutes', 0, 'buffer_after_minutes', 0, 'min_notice_hours', 0,
  'max_advance_days', null, 'questions', '[]'::jsonb, 'is_active', true,
  'availability_rules', '[{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:00"}]'::jsonb),
  'create_booking_link returns the link with its defaults');
select matches((select link ->> 'created_at' from made), '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  'create_booking_link returns timestamps in ISO 8601 with Z');
select is(current_setting('response.status'), '201', 'create_booking_link sets the status 201');

create function pg_temp.change(changes text) returns text language sql as $$
  select tests.outcome_of(format('select public.update_booking_link((select (link ->> ''id'')::uuid from made), %L)',
    changes))
$$;
select is(pg_temp.change('{"name": "Short chat", "duration_minutes": 15}')::jsonb - '{updated_at}'::text[],
  (select link || '{"name": "Short chat", "duration_minutes": 15}' from made) - '{updated_at}'::text[],
  'update_booking_link changes the named fields and keeps the others');
select ok(pg_temp.change('{"slug": null, "min_notice_hours": null, "availability_rules": []}')::jsonb
  @> '{"slug": "short-chat", "min_notice_hours": null, "availability_rules": []}',
  'update_booking_link clears a number, and derives the slug from the name');
select is(split_part(pg_temp.change(changes), ' Failing', 1), outcome, format('update_booking_link(%s) returns %s', changes, outcome))
from (values
  ('{}', 'PT400'), ('{"color": "red"}', 'PT400 Unknown field: color'), ('{"name": null}', 'PT400 name: must be string'),
  ('{"duration_minutes": 1.5}', '22P02'), ('{"duration_minutes": 1}', '23514'),
  ('{"availability_rules": [{}]}',
    'PT400 availability_rules[0].dayOfWeek: must be an integer from 0 (Sunday) to 6'),
  ('{"slug": "Talk"}', 'PT409 SLUG_TAKEN')) v (changes, outcome);
select is((select array_agg(l ->> 'slug') from jsonb_array_elements(public.list_booking_links(tests.id('show'))) l),
  '{talk,short-chat}', 'list_booking_links lists the links, oldest first');

-- Deletion
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

select * from tests.finish();
rollback;
