-- Records an attempt: results is [{subscription_id, outcome, error}], with the outcomes of private.push_sends.
create function private.record_push_sends(_delivery_id uuid, results jsonb, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.notification_deliveries d where d.id = _delivery_id for update;
  if not found then
    return;
  end if;
  -- before push_sends, as the deletion of a subscription does, and in one order, because deliveries to one user are
  -- recorded at the same time
  perform from public.push_subscriptions s
  where s.id in (select r.subscription_id from jsonb_to_recordset(results) r (subscription_id uuid))
  order by s.id for no key update;
  update private.push_sends s set outcome = r.outcome, error = r.error
  from jsonb_to_recordset(results) r (subscription_id uuid, outcome text, error text)
  where s.delivery_id = _delivery_id and s.subscription_id = r.subscription_id
    and s.outcome = 'pending';
  -- retry_failed_deliveries deletes the rows, perhaps while an attempt is running
  insert into private.push_sends (delivery_id, subscription_id, outcome)
  select _delivery_id, s.id, r.outcome
  from jsonb_to_recordset(results) r (subscription_id uuid, outcome text)
  join public.push_subscriptions s on s.id = r.subscription_id
  where r.outcome = 'accepted'
  on conflict on constraint push_sends_pkey do nothing;
  update public.push_subscriptions s set
    is_active = s.is_active and r.outcome <> 'ended',
    last_used_at = case when r.outcome = 'accepted' then at else s.last_used_at end,
    last_failure_at = case when r.outcome = 'accepted' then s.last_failure_at else at end,
    rejected_since = case r.outcome when 'accepted' then null
      when 'rejected' then coalesce(s.rejected_since, at) else s.rejected_since end
  from jsonb_to_recordset(results) r (subscription_id uuid, outcome text)
  join public.notification_deliveries d on d.id = _delivery_id
  where s.id = r.subscription_id and s.user_id = d.user_id;  -- not one that moved to another user meanwhile

  if exists (
    select from private.push_sends s
    where s.delivery_id = _delivery_id and s.outcome = 'accepted') then
    perform private.advance_delivery(_delivery_id, 'sent', at);
  end if;
  if exists (select from private.delivery_sends s where s.delivery_id = _delivery_id)  -- not retried
    and not exists (
      select from private.push_sends s
      where s.delivery_id = _delivery_id and s.outcome = 'pending') then
    perform private.complete_push_delivery(_delivery_id, at);
  end if;
end $$;
grant execute on function private.record_push_sends to service_role;
comment on function private.record_push_sends is
  'Records what the push services made of an attempt. The delivery becomes sent with the first that accepted it, and '
  'failed when none did and none is pending. A subscription that has ended becomes inactive.';
