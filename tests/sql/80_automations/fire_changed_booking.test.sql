-- fire_changed_booking: which changes of a booking fire booking.requested, declined, rescheduled and cancelled.
-- fire_automations.test.sql has booking.confirmed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto');
select tests.open_link('open', 'show'), tests.open_link('second', 'show'),
  tests.open_link('instant', 'show', '{"requires_confirmation": false}');
select tests.rule(t, 'show', ('booking.' || t)::automation_trigger),
  tests.rule('foreign ' || t, 'other', ('booking.' || t)::automation_trigger)
from unnest(array['requested', 'declined', 'rescheduled', 'cancelled']) t;
select tests.rule('by second', 'show', 'booking.requested',
  trigger_config => jsonb_build_object('booking_link_id', tests.id('second')));

-- The rules that ran since the last call
create function pg_temp.fired() returns text language plpgsql as $$
declare
  fired constant text := (select string_agg(e.rule_name, ', ' order by e.rule_name) from automation_executions e);
begin
  delete from automation_executions;
  return fired;
end $$;
create function pg_temp.host(call text, variadic args text[]) returns text language sql as $$
  select tests.value_as('ada', format('select public.' || call, variadic args))
$$;
create function pg_temp.guest(call text, variadic args text[]) returns text language sql as $$
  select tests.value_as('anon', format('select public.' || call, variadic args))
$$;

-- Requests
select tests.request_booking('first', 'open', 50);
select results_eq($$ select e.rule_name, e.occurrence_key, e.context_data ->> 'booking_id', e.created_at
  from automation_executions e $$,
  $$ values ('requested', 'booking.requested:' || tests.id('first'), tests.id('first')::text, now()) $$,
  'a request of which the hosts are told fires booking.requested, once');
select pg_temp.fired();
select private.verify_guest_booking(tests.booking_token('first'));
select is(pg_temp.fired(), null, 'a request that its guest verifies later fires no automation again');
select tests.request_booking('linked', 'second', 50);
select is(pg_temp.fired(), 'by second, requested',
  'booking.requested runs the rules of the link and those without one');
select tests.request_booking('at once', 'instant', 51);
select is(pg_temp.fired(), null, 'a request that needs no host does not fire booking.requested');
select private.verify_guest_booking(tests.booking_token('at once'));
select is(pg_temp.fired(), null, 'a booking that its guest confirms does not fire booking.requested');
update private.rate_limits set request_count = 50 where key = 'notices:booking_requests:' || tests.id('open');
select tests.request_booking('hourly', 'open', 49);
select is(pg_temp.fired(), 'requested', 'one request per hour fires beyond the daily limit of notices');
select tests.request_booking('untold', 'open', 52), tests.request_booking('ended', 'open', 53),
  tests.request_booking('withdrawn', 'open', 54);
select is(pg_temp.fired(), null, 'a request of which no host is told fires no automation');
select private.verify_guest_booking(tests.booking_token('untold'));
select is(pg_temp.fired(), 'requested', 'a request fires when the hosts are told, because its guest verified it');

-- Moves
select pg_temp.host('reschedule_booking(%L, %L)', tests.id('first')::text, tests.slot(60)::text);
select results_eq($$ select e.rule_name, e.occurrence_key,
    e.context_data #>> '{tags,booking_previous_start}', e.context_data #>> '{tags,booking_start}'
  from automation_executions e $$,
  $$ select 'rescheduled', format('booking.rescheduled:%s:%s', b.id, b.sequence),
    private.format_timestamp(tests.slot(50)), private.format_timestamp(tests.slot(60)) from tests.booking('first') b $$,
  'reschedule_booking of a request fires booking.rescheduled with both times');
select pg_temp.fired();
select pg_temp.host('confirm_booking(%L)', tests.id('first')::text);
select is(pg_temp.fired(), null, 'confirm_booking fires none of the other triggers of bookings');
select pg_temp.host('reschedule_booking(%L, %L)', tests.id('first')::text, tests.slot(60)::text);
select is(pg_temp.fired(), null, 'reschedule_booking to the same time fires no automation');
select pg_temp.guest('reschedule_guest_booking(%L, %L)', 'first', tests.slot(61)::text);
select is(pg_temp.fired(), 'rescheduled', 'reschedule_guest_booking fires booking.rescheduled');
select pg_temp.host('reschedule_booking(%L, %L)', tests.id('first')::text, tests.slot(60)::text);
select is(pg_temp.fired(), 'rescheduled', 'a booking that moves back fires booking.rescheduled again');
select pg_temp.host('set_booking_location(%L, %L)', tests.id('first')::text, '{"type": "custom", "value": "Here"}');
select is(pg_temp.fired(), null, 'another place fires no automation');
select tests.request_booking('moved at once', 'instant', 55), tests.booking_token('moved at once');
select pg_temp.guest('reschedule_guest_booking(%L, %L)', 'moved at once', tests.slot(56)::text);
select is(pg_temp.fired(), null,
  'a request that its guest moves and confirms in one step fires booking.confirmed only');

-- Answers
select tests.request_booking('refused', 'open', 70);
update bookings set hosts_told_at = null where id = tests.id('refused');
select pg_temp.fired();
select pg_temp.host('decline_booking(%L)', tests.id('refused')::text);
select is(pg_temp.fired(), 'declined', 'decline_booking fires booking.declined');
select pg_temp.host('cancel_booking(%L)', tests.id('first')::text);
select results_eq($$ select e.rule_name, e.occurrence_key, e.context_data #>> '{tags,cancelled_by}'
  from automation_executions e $$,
  $$ values ('cancelled', 'booking.cancelled:' || tests.id('first'), 'host') $$,
  'cancel_booking of a confirmed booking fires booking.cancelled, with who canceled it');
select pg_temp.fired();
select tests.booking_token('linked');
select pg_temp.guest('cancel_guest_booking(%L)', 'linked');
select is(pg_temp.fired(), 'cancelled', 'cancel_guest_booking of a request fires booking.cancelled');
select pg_temp.guest('cancel_guest_booking(%L)', 'at once');
select is(pg_temp.fired(), 'cancelled', 'cancel_guest_booking of a booking without a host fires booking.cancelled');
select pg_temp.host('cancel_booking(%L)', tests.id('ended')::text);
select is(pg_temp.fired(), 'cancelled', 'a host who cancels a request that no notice told of fires booking.cancelled');
update bookings set expires_at = now() where id in (tests.id('untold'), tests.id('withdrawn'));
select private.expire_pending_bookings();
select results_eq($$ select e.context_data ->> 'booking_id', e.context_data #>> '{tags,cancelled_by}'
  from automation_executions e $$, $$ values (tests.id('untold')::text, 'expiry') $$,
  'a request that expires fires booking.cancelled only if the hosts were told of it');

select * from tests.finish();
rollback;
