-- Begins an attempt to send a push delivery. The content and the subscriptions are those of the first attempt,
-- or of the first one after quiet hours.
create function private.end_of_recipient_quiet_hours(delivery public.notification_deliveries, at timestamptz)
returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select private.end_of_quiet_hours($2, private.timezone_or_utc(f.timezone), p.quiet_hours_start, p.quiet_hours_end)
  from public.notification_preferences p
  join public.profiles f on f.id = p.user_id
  join public.notification_types t on t.type = $1.type
  where p.user_id = $1.user_id and p.quiet_hours_start is not null
    and not (t.passes_quiet_hours and $1.priority = 'immediate')
$$;
comment on function private.end_of_recipient_quiet_hours is
  'When a push that comes in the quiet hours of its recipient may be sent; null outside of them, and for immediate '
  'pushes of types that pass them.';

create function private.begin_push_delivery(_delivery_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  delivery   public.notification_deliveries;
  begun      boolean;
  strongest  public.notification_deliveries;
  expires_at timestamptz;
  problem    text;
  quiet_to   timestamptz;
  attempt    jsonb;
begin
  -- sent: another subscription of the user may still be pending
  select * into delivery from public.notification_deliveries d
  where d.id = _delivery_id and d.channel = 'push' and d.status in ('queued', 'sent') for update;
  if not found or delivery.status = 'sent' and not exists (
    select from private.push_sends s where s.delivery_id = delivery.id and s.outcome = 'pending') then
    return null;
  end if;
  begun := exists (select from private.push_sends s where s.delivery_id = delivery.id);
  if delivery.collapse_key is not null and not begun then
    -- of what is left, such as of messages without the mention that was read
    update public.notification_deliveries d set type = n.type, priority = n.priority
    from (
      select (l.notification).type, (l.notification).priority
      from private.delivery_notifications(delivery.id, 1000, at) l
      order by (l.notification).priority desc limit 1) n
    where d.id = delivery.id
    returning d.* into strongest;
    if found then
      delivery := strongest;
    end if;
  end if;
  expires_at := private.push_expires_at(delivery);
  if expires_at <= at then
    perform private.fail_pushes(array[delivery.id], 'The push was not sent in time', at);
    return null;
  end if;
  -- the push may have waited in the queue, or for the end of quiet hours
  problem := coalesce(
    case when not private.is_reachable_user(delivery.user_id, at) then 'The recipient is unconfirmed or banned' end,
    private.delivery_problem(delivery, at),
    case when private.is_turned_off(delivery) then 'The recipient turned these pushes off' end);
  if problem is not null then
    insert into private.delivery_sends (delivery_id, last_error, begun_at)
    values (delivery.id, problem, at)
    on conflict on constraint delivery_sends_pkey do update set content = null, last_error = excluded.last_error;
    update public.notification_deliveries d set status = 'canceled' where d.id = delivery.id and d.status = 'queued';
    return null;
  end if;
  quiet_to := private.end_of_recipient_quiet_hours(delivery, at);
  if quiet_to is not null then
    if delivery.status = 'queued' then
      -- as if no attempt had begun, so that reading cancels it, and its content is that of the morning
      delete from private.delivery_sends s where s.delivery_id = delivery.id;
      delete from private.push_sends s where s.delivery_id = delivery.id;
      update public.notification_deliveries d set status = 'pending', queued_at = null, due_at = quiet_to,
        -- another delivery may be collecting the group's messages by now; the device shows the later one
        collapse_key = case when d.collapse_key is not null then 'retry:' || d.id end
      where d.id = delivery.id;
    else
      perform private.fail_pushes(array[delivery.id], 'Quiet hours began', at);
    end if;
    return null;
  end if;
  if not begun then
    insert into private.delivery_sends (delivery_id, content, begun_at)
    select delivery.id, jsonb_build_object(
        'deliveryId', delivery.id,
        'notificationId', (n.notification).id,
        'title', concat((n.notification).title, ' (' || nullif(n.total_count, 1) || ')'),
        'body', (n.notification).body,
        'url', rtrim(private.get_setting('app_url'), '/') || coalesce((n.notification).link, ''),
        'count', n.total_count,
        'tag', coalesce(delivery.group_key, (n.notification).id::text)), at
    from private.delivery_notifications(delivery.id, 1, at) n
    on conflict on constraint delivery_sends_pkey do update set content = excluded.content;
    if found then
      insert into private.push_sends (delivery_id, subscription_id)
      select delivery.id, s.id from public.push_subscriptions s
      where s.user_id = delivery.user_id and s.is_active
        and coalesce(s.expiration_time > at, true);
    end if;
  end if;

  -- a subscription that was removed or moved to another user since then gets nothing
  select jsonb_build_object('content', d.content, 'priority', delivery.priority, 'subscriptions', s.subscriptions,
    'ttlSeconds', ceil(extract(epoch from expires_at - at)))
  into attempt
  from private.delivery_sends d
  cross join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'endpoint', s.endpoint, 'p256dh', k.p256dh, 'auth', k.auth,
      'problem', private.push_problem(s.endpoint, k.p256dh, k.auth)) order by s.id) as subscriptions
    from private.push_sends p
    join public.push_subscriptions s on s.id = p.subscription_id and s.is_active and s.user_id = delivery.user_id
    join private.push_subscription_keys k on k.subscription_id = s.id
    where p.delivery_id = delivery.id and p.outcome = 'pending') s
  where d.delivery_id = delivery.id and d.content is not null and s.subscriptions is not null;
  if not found then
    perform private.complete_push_delivery(delivery.id, at);
  end if;
  return attempt;
end $$;
grant execute on function private.begin_push_delivery to service_role;
comment on function private.begin_push_delivery is
  'Returns {content, priority, ttlSeconds, subscriptions: [{id, endpoint, p256dh, auth, problem}]} for an attempt. '
  'Null if '
  'there is nothing left to send, the user is banned or turned these pushes off, or it is too late '
  '(delivery_sends.last_error has the reason); the delivery is then complete. Null in quiet hours, too: the delivery '
  'is then pending until they end; a push that one device has received is not sent to the others.';
