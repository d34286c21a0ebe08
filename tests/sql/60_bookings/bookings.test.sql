-- Bookings: which caller may do what in which state, and the row's own rules.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'otto'), tests.open_link('open', 'show');
select tests.booking_in(state, 'open', n, status), tests.booking_token(state) from (values
  ('pending', 1, 'pending'::public.booking_status), ('confirmed', 3, 'confirmed'), ('declined', 5, 'declined'),
  ('cancelled', 7, 'cancelled'), ('expired', 9, 'pending'), ('started', 11, 'confirmed')) v (state, n, status);
update bookings set expires_at = now() where id = tests.id('expired');
update bookings set start_time = now(), end_time = now() + interval '10 minutes' where id = tests.id('started');

-- Runs a statement as a caller and undoes it: 'ok', or SQLSTATE and machine code.
create function pg_temp.attempt(who text, statement text) returns text language plpgsql as $$
declare
  result text;
  code   text;
begin
  begin
    perform tests.act_as(who);
    execute statement;
    raise sqlstate 'ZZ999';
  exception when sqlstate 'ZZ999' then
    result := 'ok';
  when others then
    get stacked diagnostics code = pg_exception_hint;
    result := concat_ws(' ', sqlstate, nullif(code, ''));
  end;
  perform tests.act_as('postgres');
  return result;
end $$;

select is(split_part(tests.describe_error(format('select tests.value_as(%L, %L)', 'ola', format(
  'select public.%I(%L)', verb, tests.id(name)))), ' / ', 2), message, format('%s of a booking that is %s: %s', verb,
  name, message)) from (values
  ('cancel_booking', 'cancelled', 'The booking is already canceled'),
  ('confirm_booking', 'confirmed', 'The booking is already confirmed'),
  ('cancel_booking', 'declined', 'The booking is declined, so it cannot be canceled'),
  ('confirm_booking', 'cancelled', 'The booking is canceled, so it cannot be confirmed')) v (verb, name, message);

-- state × verb × role
create temp table state (name text, answer text, change text, guest text);
insert into state values
  ('pending', 'ok', 'ok', 'ok'),
  ('confirmed', 'PT409 INVALID_STATUS_CHANGE', 'ok', 'ok'),
  ('declined', 'PT409 INVALID_STATUS_CHANGE', 'PT409 INVALID_STATUS_CHANGE', 'ok'),
  ('cancelled', 'PT409 INVALID_STATUS_CHANGE', 'PT409 INVALID_STATUS_CHANGE', 'ok'),
  ('expired', 'PT409 BOOKING_EXPIRED', 'PT409 BOOKING_EXPIRED', 'ok'),
  ('started', 'PT409 INVALID_STATUS_CHANGE', 'PT409 BOOKING_STARTED', 'ok');
create temp table verb (name text, arguments text, kind text);
insert into verb values
  ('confirm_booking', '%1$L', 'answer'), ('decline_booking', '%1$L', 'answer'),
  ('cancel_booking', '%1$L', 'change'), ('reschedule_booking', '%1$L, tests.slot(200)', 'change'),
  ('cancel_guest_booking', '%2$L', 'guest change'),
  ('reschedule_guest_booking', '%2$L, tests.slot(200)', 'guest change'),
  ('get_guest_booking', '%2$L', 'guest');
create temp table role (name text, rejection text);
insert into role values
  ('anon', '42501'), ('otto', 'PT403'), ('mel', 'PT403'), ('ada', null), ('ola', null), ('service', '42501');
create temp table attempt (state text, verb text, role text, result text, expected text);
create function pg_temp.call(verb text, arguments text, state text) returns text language sql as $$
  select format('select public.%3$I(' || arguments || ')', tests.id(state), state, verb) $$;
insert into attempt
select s.name, v.name, r.name, pg_temp.attempt(r.name, pg_temp.call(v.name, v.arguments, s.name)),
  case when v.kind like 'guest%' then case when r.name = 'service' then '42501' when v.kind = 'guest' then s.guest
      else s.change end
    else coalesce(r.rejection, case v.kind when 'answer' then s.answer else s.change end) end
from state s cross join verb v cross join role r;
select is((select count(*) from attempt), 252::bigint, 'every verb is tried in every state by every role');
select is(result, expected, format('%s of a booking that is %s returns %s to %s', verb, state, expected, role))
from attempt;
select is(pg_temp.attempt(r.name, pg_temp.call(v.name, v.arguments, 'pending')), 'PT401 INVALID',
  format('%s returns 401 to %s for an unknown token', v.name, r.name))
from (select name, replace(arguments, '%2$L', $$ 'unknown' $$) as arguments from verb where kind like 'guest%') v,
  role r where r.name <> 'service';
select is(pg_temp.attempt('ola', format('select public.%I(%s)', v.name, replace(arguments, '%1$L',
  'gen_random_uuid()'))),
  'PT404', format('%s returns 404 for an unknown booking', v.name)) from verb v where v.kind in ('answer', 'change');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.attempt('ola', pg_temp.call(v.name, v.arguments, 'pending')),
  case when v.kind = 'guest' or v.name ~ '^(cancel|decline)_' then 'ok' else 'PT409 PODCAST_PENDING_DELETION' end,
  format('%s of a podcast pending deletion only ends a session', v.name)) from verb v;
select tests.set_status('show', 'active');

-- Reads
select is(tests.value_as(who, 'select count(*) from public.bookings'), expected,
  format('%s reads %s bookings of the table', who, expected))
from (values ('ola', '6'), ('ada', '6'), ('mel', '0'), ('otto', '0'), ('service', '6')) v (who, expected);

-- The row
select is(tests.error_of(format('update bookings set %s where id = %L', change, tests.id(name))), expected,
  format('a %s booking rejects: %s', name, change)) from (values
  ('declined', $$ status = 'confirmed' $$, 'PT409 INVALID_STATUS_CHANGE'),
  ('confirmed', $$ status = 'pending', expires_at = now() $$, 'PT409 INVALID_STATUS_CHANGE'),
  ('cancelled', $$ status = 'confirmed', cancelled_by = null $$, 'PT409 INVALID_STATUS_CHANGE'),
  ('pending', $$ status = 'confirmed' $$, '23514'),
  ('confirmed', $$ cancelled_by = 'host' $$, '23514'),
  ('confirmed', $$ end_time = start_time $$, '23514'),
  ('pending', $$ expires_at = null $$, '23514'),
  ('cancelled', $$ cancelled_by = 'nobody' $$, '23514'),
  ('pending', $$ guest_email = 'nobody' $$, '23514'),
  ('pending', $$ guest_timezone = 'Mars/Base' $$, '23514'),
  ('pending', $$ answers = '[]' $$, '23514'),
  ('pending', $$ answers = jsonb_build_object('a', repeat('x', 262144)) $$, '23514'),
  ('pending', $$ status_message = repeat('x', 2001) $$, '23514'),
  ('pending', $$ sequence = -1 $$, '23514'),
  ('confirmed', $$ start_time = (select b.start_time from bookings b where b.id = tests.id('pending')) $$, '23P01'))
  v (name, change, expected);
select tests.set_status('show', 'pending_deletion');
select is(tests.error_of(format($$ insert into bookings (podcast_id, name, start_time, end_time, guest_name,
  guest_email, status) values (%L, 'x', now(), 'infinity', 'x', 'x@x.test', 'confirmed') $$, tests.id('show'))),
  'PT409 PODCAST_PENDING_DELETION', 'a podcast pending deletion gets no bookings');
select tests.set_status('show', 'active');
update bookings set notes = 'x' where id = tests.id('confirmed');
select is((tests.booking('confirmed')).sequence, 1, 'a change of the notes keeps the sequence');
update bookings set end_time = end_time + interval '1 minute' where id = tests.id('confirmed');
select is((tests.booking('confirmed')).sequence, 2, 'a change of the time raises the sequence');

-- Calendars
select tests.empty_queue('calendar_sync');
update bookings set notes = 'y' where id = tests.id('confirmed');
update bookings set start_time = start_time + interval '1 minute' where id = tests.id('pending');
select is((select count(*) from tests.queued('calendar_sync')), 0::bigint,
  'a change of the notes, or of a request, does not write into calendars');
update bookings set end_time = end_time + interval '1 minute' where id = tests.id('confirmed');
select is((select array_agg(q) from tests.queued('calendar_sync') q), array[jsonb_build_object('type',
  'booking.changed', 'podcast_id', tests.id('show'), 'booking_id', tests.id('confirmed'))],
  'a change of a confirmed booking enqueues calendar_sync');

-- Deletions
alter table public.booking_links disable trigger user;  -- or the link could not be deleted with open bookings
delete from booking_links where id = tests.id('open');
alter table public.booking_links enable trigger user;
select is((select count(*) from bookings where booking_link_id is null), 6::bigint,
  'the deletion of a link keeps its bookings');
select is(pg_temp.attempt('ola', pg_temp.call(v.name, v.arguments, 'pending')),
  case v.name when 'reschedule_guest_booking' then 'PT409 SLOT_UNAVAILABLE' else 'ok' end,
  format('%s of a booking without link', v.name)) from verb v;

select * from tests.finish();
rollback;
