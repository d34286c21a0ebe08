-- What recipients and providers report moves a delivery forward. Reports arrive late, twice and in any order.
create function private.advance_delivery(
  delivery_id uuid, status public.delivery_status, at timestamptz default now()
) returns void
language sql volatile security invoker set search_path = ''
as $$
  update public.notification_deliveries d set
    status       = greatest(d.status, $2),
    sent_at      = case when $2 = 'sent' then least(d.sent_at, $3) else d.sent_at end,
    delivered_at = case when $2 = 'delivered' then least(d.delivered_at, $3) else d.delivered_at end,
    opened_at    = case when $2 = 'opened' then least(d.opened_at, $3) else d.opened_at end,
    clicked_at   = case when $2 = 'clicked' then least(d.clicked_at, $3) else d.clicked_at end,
    failed_at    = case when $2 in ('bounced', 'failed') then least(d.failed_at, $3) else d.failed_at end
  where d.id = $1 and d.status <> 'canceled'
    -- a repeated report writes nothing
    and (d.status < $2 or coalesce(case $2 when 'sent' then d.sent_at when 'delivered' then d.delivered_at
      when 'opened' then d.opened_at when 'clicked' then d.clicked_at else d.failed_at end, 'infinity') > $3)
$$;
comment on function private.advance_delivery is
  'Records what happened to a delivery: sent, delivered, opened, clicked, bounced or failed. The status never goes '
  'back, and each time is the earliest reported one. A canceled delivery stays canceled.';
