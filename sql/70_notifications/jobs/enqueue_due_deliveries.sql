-- Moves due deliveries into the queue of their channel. Cron calls it every ten seconds; concurrent runs are harmless.
create function private.enqueue_due_deliveries(
  at timestamptz default clock_timestamp(), max_deliveries int default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  remaining     int := coalesce(max_deliveries, private.get_setting('max_deliveries_per_run')::int);
  next_priority public.notification_priority;
  batch         record;
  enqueued      int := 0;
begin
  foreach next_priority in array array['immediate', 'normal', 'low']::public.notification_priority[] loop
    -- after an outage these are many, and do not delay the others
    perform private.fail_pushes(array_agg(late.id), 'The push was not sent in time', at)
    from (
      select d.id
      from public.notification_types t
      cross join lateral (
        select p.id from public.notification_deliveries p
        where p.status = 'pending' and p.channel = 'push' and p.priority = next_priority and p.type = t.type
          and p.due_at <= at - t.push_ttl  -- as push_expires_at
        order by p.due_at limit 10000
        for update skip locked) d
      limit 10000) late;
    for batch in with due as (
      select d.id from public.notification_deliveries d
      where d.status = 'pending' and d.priority = next_priority and d.due_at <= at
      order by d.due_at, d.created_at limit remaining
      for update skip locked
    ), updated as (
      update public.notification_deliveries d set status = 'queued', queued_at = enqueue_due_deliveries.at
      from due where d.id = due.id
      returning d.id, d.channel, d.due_at, d.created_at, coalesce(d.user_id, d.episode_guest_id, d.id) as recipient,
        d.request_id
    )
    select u.channel || '_deliveries' as queue,
      array_agg(jsonb_build_object('delivery_id', u.id, 'recipient', u.recipient)
        order by u.due_at, u.created_at, u.id) as messages,
      array_agg(u.request_id order by u.due_at, u.created_at, u.id) as request_ids
    from updated u group by u.channel
    loop
      perform private.enqueue_batch(batch.queue, batch.messages, at, batch.request_ids);
      perform private.wake_worker_once(batch.queue);
      enqueued := enqueued + cardinality(batch.messages);
      remaining := remaining - cardinality(batch.messages);
    end loop;
  end loop;
  return enqueued;
end $$;
comment on function private.enqueue_due_deliveries is
  'Enqueues due deliveries for the worker, immediate before normal before low, then by due_at and created_at; at most '
  'max_deliveries, '
  'by default the setting max_deliveries_per_run. Late pushes fail. Returns how many were enqueued.';
