-- Retention of notifications, deliveries and events
begin;
select tests.start();

select tests.person('ann');
create function pg_temp.notification(title text, created_at timestamptz, is_read boolean) returns void
language sql as $$
  insert into public.notifications (user_id, type, category, priority, title, created_at, read_at)
  values (tests.id('ann'), 'chat.message', 'collaboration', 'normal', title, created_at,
    case when is_read then now() end)
$$;
select pg_temp.notification('scheduled', now() - interval '731 days', false);
update public.notifications set scheduled_for = now();
select pg_temp.notification('old read', now() - interval '366 days', true),
  pg_temp.notification('old unread', now() - interval '729 days', false),
  pg_temp.notification('older unread', now() - interval '731 days', false),
  pg_temp.notification('young read', now() - interval '364 days', true);
insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, created_at)
select id, user_id, type, 'email', priority, created_at from public.notifications;
insert into public.notification_deliveries (type, channel, priority, created_at, due_at)
select 'booking.confirmed', 'email', v.priority::public.notification_priority, now() - v.age, now() - v.age + v.delay
from (values ('low', interval '366 days', interval '0'), ('normal', '364 days', '0'),
  ('immediate', '366 days', '400 days')) v (priority, age, delay);
insert into private.delivery_addresses (delivery_id, email, locale, title)
select id, 'zoe@test.example', 'en', 'x' from public.notification_deliveries where notification_id is null;
select private.notify('import.failed', '[]', '{"n":1}', at => now() - interval '31 days'),
  private.notify('import.failed', '[]', '{"n":2}', at => now() - interval '29 days'),
  private.notify('import.failed', '[]', '{"n":3}', at => now() - interval '31 days');
update private.events set processed_at = null where payload ->> 'n' = '3';
select pgmq.send(channel || '_deliveries_dlq', jsonb_build_object('n', n))
from unnest('{email,push}'::text[]) channel, generate_series(1, 2) n;
update pgmq.q_email_deliveries_dlq q set enqueued_at = now() - interval '31 days' where q.message ->> 'n' = '1';
update pgmq.q_push_deliveries_dlq q set enqueued_at = now() - interval '31 days' where q.message ->> 'n' = '1';

select is(private.purge_notifications(), 6, 'purge_notifications returns how many rows it deleted');
select set_eq('select title from public.notifications', array['old unread', 'young read', 'scheduled'],
  'purge_notifications deletes due notifications after 365 days if they were read, else after 730 days');
select is(tests.value_as('ann', 'select public.get_unread_count()'), '{"unreadCount": 2}',
  'purge_notifications takes unread notifications that it deletes off the counts');
select is((select count(*) from public.notification_deliveries where notification_id is not null), 3::bigint,
  'purge_notifications deletes the deliveries of notifications');
select results_eq($$ select d.priority::text from public.notification_deliveries d
    join private.delivery_addresses a on a.delivery_id = d.id order by d.priority $$,
  $$ values ('normal'), ('immediate') $$,
  'purge_notifications deletes deliveries to addresses, with the address, none before it is due');
select results_eq('select payload ->> ''n'' from private.events order by id', $$ values ('2'), ('3') $$,
  'purge_notifications deletes events after 30 days, but none whose recipients still wait');
select results_eq($$ select message ->> 'n' from pgmq.q_email_deliveries_dlq
    union all select message ->> 'n' from pgmq.q_push_deliveries_dlq $$, $$ values ('2'), ('2') $$,
  'purge_notifications deletes dead letters of deliveries after 30 days');

insert into private.access_tokens (digest, kind, subject_id, expires_at)
select sha256(n::text::bytea), 'booking', gen_random_uuid(), now() - n * interval '1 day'
from unnest('{1,29,31}'::int[]) n;
select private.purge_notifications();
select bag_eq($$ select extract(day from now() - expires_at)::int from private.access_tokens $$, array[1, 29],
  'purge_notifications deletes access tokens 30 days after their expiry, which their holders are told until then');

select private.set_setting('notification_retention_days', '400');
select pg_temp.notification('n' || n, now() - (400 + n) * interval '1 day', true) from generate_series(1, 3) n;
select is(private.purge_notifications(max_rows => 2), 2, 'purge_notifications deletes at most max_rows of each table');
select bag_eq($$ select title from public.notifications where title ~ '^n' $$, array['n1'],
  'purge_notifications deletes the oldest first, after notification_retention_days');
select tests.access('purge_notifications', 'select private.purge_notifications()', '42501: anon ann service');

select * from tests.finish();
rollback;
