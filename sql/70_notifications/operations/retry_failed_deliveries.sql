-- Sends failed deliveries again, after an outage that outlasted their attempts, for admins of the service.
create function private.retry_failed_deliveries(
  _failed_from timestamptz, _failed_until timestamptz, _channel public.notification_channel, _max_deliveries int)
returns jsonb
language plpgsql volatile security definer  -- the service may not write deliveries and queues
set search_path = ''
as $$
declare
  delivery_ids uuid[];
  retried      int;
begin
  with chosen as (
    select q.msg_id, d.id, d.channel
    from (select e.* from pgmq.q_email_deliveries_dlq e union all select p.* from pgmq.q_push_deliveries_dlq p) q
    join public.notification_deliveries d on d.id = private.delivery_id_of(q.message -> 'message')
    where q.message -> 'is_permanent' = 'false' and d.status = 'failed'
      and d.failed_at >= _failed_from and d.failed_at < _failed_until
      and d.channel = coalesce(_channel, d.channel)
      and num_nonnulls(d.sent_at, d.opened_at, d.clicked_at) = 0  -- else the recipient has it
    order by d.failed_at, d.id limit _max_deliveries
    for update of d skip locked
  ), taken_emails as (
    delete from pgmq.q_email_deliveries_dlq q using chosen c where c.channel = 'email' and q.msg_id = c.msg_id
  ), taken_pushes as (
    delete from pgmq.q_push_deliveries_dlq q using chosen c where c.channel = 'push' and q.msg_id = c.msg_id
  )
  select array_agg(c.id) into delivery_ids from chosen c;

  -- as if no attempt had begun, so that the content is that of now, and reading can cancel an email about a chat
  delete from private.delivery_sends s where s.delivery_id = any (delivery_ids);
  delete from private.push_sends s where s.delivery_id = any (delivery_ids);
  delete from private.collapsed_notifications c using public.notifications n
  where c.delivery_id = any (delivery_ids) and n.id = c.notification_id
    and n.read_at is not null and n.unlisted_user_id is null;
  update public.notification_deliveries d set status = 'pending', queued_at = null, failed_at = null,
    -- another delivery may be collecting the group's messages by now
    collapse_key = case when d.collapse_key is not null then 'retry:' || d.id end
  where d.id = any (delivery_ids);
  get diagnostics retried = row_count;
  return jsonb_build_object('retriedCount', retried);
end $$;
grant execute on function private.retry_failed_deliveries to service_role;

create function public.retry_failed_deliveries(
  failed_from timestamptz, failed_until timestamptz, channel public.notification_channel default null,
  max_deliveries int default 1000)
returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_failed_deliveries(failed_from, failed_until, channel, max_deliveries);
comment on function public.retry_failed_deliveries is
  'Makes deliveries pending again that failed in this time because all of their attempts did: {retriedCount}, at most '
  'max_deliveries, the oldest failures first. Those that a provider rejected, accepted or reported as bounced stay as '
  'they are. Call it until it returns 0. For the service (secret key) only.';
grant execute on function public.retry_failed_deliveries to service_role;
