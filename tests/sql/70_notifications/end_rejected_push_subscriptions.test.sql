-- end_rejected_push_subscriptions: subscriptions that their push service always rejects become inactive.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.push_subscription('phone', 'ada'),
  tests.push_subscription('laptop', 'ben');
-- Records what the push service made of a push to the subscription
create function pg_temp.push(name text, outcome text, at timestamptz) returns void language plpgsql as $$
declare
  delivery constant uuid := tests.push_delivery(gen_random_uuid()::text,
    case push.name when 'laptop' then 'ben' else 'ada' end);
begin
  insert into private.push_sends (delivery_id, subscription_id) values (delivery, tests.id(push.name));
  perform private.record_push_sends(delivery, jsonb_build_array(jsonb_build_object(
    'subscription_id', tests.id(push.name), 'outcome', push.outcome, 'error', 'x')), push.at);
end $$;
create function pg_temp.ended(at timestamptz) returns text language plpgsql as $$
declare
  count constant int := private.end_rejected_push_subscriptions(at);
begin
  return concat_ws(' ', count, (
    select string_agg(i.name, ' ' order by i.name) from public.push_subscriptions s join tests.ids i on i.id = s.id
    where not s.is_active));
end $$;

select pg_temp.push('phone', 'rejected', '2026-05-01T09:00Z'), pg_temp.push('phone', 'rejected', '2026-05-07T09:00Z');
select is(s.rejected_since, '2026-05-01T09:00Z', 'record_push_sends keeps the time of the first rejection')
from public.push_subscriptions s where s.id = tests.id('phone');
select pg_temp.push('laptop', 'accepted', '2026-05-08T08:00Z'), pg_temp.push('phone', 'rejected', '2026-05-08T09:00Z');
select is(pg_temp.ended('2026-05-08T09:00Z'), '0',
  'end_rejected_push_subscriptions keeps a subscription that was rejected for 7 days or less');
select is(pg_temp.ended('2026-05-08T09:01Z'), '1 phone',
  'end_rejected_push_subscriptions ends a subscription that was rejected for longer, also after another''s message');
select is(s.is_active, true, 'end_rejected_push_subscriptions keeps subscriptions that accept messages')
from public.push_subscriptions s where s.id = tests.id('laptop');

-- our key was wrong
update public.push_subscriptions set is_active = true;
select is(pg_temp.ended('2026-05-09T08:01Z'), '0',
  'end_rejected_push_subscriptions keeps a subscription whose service has accepted nothing for a day');
select pg_temp.push('laptop', 'accepted', '2026-05-09T08:00Z');
select is(pg_temp.ended('2026-05-09T09:00Z'), '0',
  'end_rejected_push_subscriptions keeps a subscription that was last rejected before its service accepted messages');
update public.push_subscriptions set endpoint = 'https://web.push.apple.com/a' where id = tests.id('laptop');
select pg_temp.push('phone', 'rejected', '2026-05-09T09:00Z');
select is(pg_temp.ended('2026-05-09T09:01Z'), '0',
  'end_rejected_push_subscriptions keeps a subscription while only other services accept messages');
update public.push_subscriptions set endpoint = 'https://fcm.googleapis.com/fcm/send/b' where id = tests.id('laptop');
select pg_temp.push('phone', 'pending', '2026-05-09T09:30Z');
select is(s.rejected_since, '2026-05-01T09:00Z', 'an error that another attempt may mend ends no series of rejections')
from public.push_subscriptions s where s.id = tests.id('phone');
select pg_temp.push('phone', 'accepted', '2026-05-09T10:00Z');
select is(s.rejected_since, null, 'an accepted message ends a series of rejections')
from public.push_subscriptions s where s.id = tests.id('phone');
select is(pg_temp.ended('2026-05-09T10:01Z'), '0',
  'end_rejected_push_subscriptions keeps a subscription that accepts messages again');

-- bounded
select tests.push_subscription('p' || n, 'ada') from generate_series(1, 3) n;
update public.push_subscriptions set rejected_since = '2026-05-01', last_failure_at = '2026-05-09T11:00Z'
where id in (tests.id('p1'), tests.id('p2'), tests.id('p3'));
select is(private.end_rejected_push_subscriptions('2026-05-09T12:00Z', 2), 2,
  'end_rejected_push_subscriptions ends at most max_rows');
select is(private.end_rejected_push_subscriptions('2026-05-09T12:00Z', 2), 1,
  'end_rejected_push_subscriptions continues in the next run');
select tests.act_as('ada');
select public.add_push_subscription(tests.browser_subscription('https://fcm.googleapis.com/fcm/send/p1'));
select tests.act_as('postgres');
select is(pg_temp.ended('2026-05-09T12:00Z'), '0 p2 p3', 'add_push_subscription ends a series of rejections');

select * from tests.finish();
rollback;
