-- Nothing is deleted after a downgrade, so only reminders end that an account stores more than it pays for.
create function private.remind_of_storage(at timestamptz default now(), max_accounts int default 5000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  days   constant int := private.get_setting('storage_reminder_days')::int;
  events jsonb;
begin
  with due as (
    select o.user_id from private.storage_overages o
    where days > 0 and coalesce(o.reminded_at, o.over_since) <= at - make_interval(hours => 24 * days)
    order by coalesce(o.reminded_at, o.over_since) limit max_accounts
    for update skip locked
  ), told as (
    update private.storage_overages o set reminded_at = at from due d where o.user_id = d.user_id
    returning o.user_id
  )
  select jsonb_agg(jsonb_build_object(
    'recipients', private.user_recipients(a.user_id),
    'payload', jsonb_set(private.billing_facts(a), '{params,used_gigabytes}',
      to_jsonb(ceil(a.storage_bytes_used / 1073741824.0)::bigint - 1)),
    'group_key', 'storage_overage:' || a.user_id) order by a.user_id)
  into events
  from told t join public.billing_accounts a on a.user_id = t.user_id;
  perform private.notify_each('billing.storage_exceeded', events, at);
  return coalesce(jsonb_array_length(events), 0);
end $$;
comment on function private.remind_of_storage is
  'Reminds users whose account has been over its storage allowance for storage_reminder_days, and again after each '
  'further such time, at most max_accounts per run. Cron calls it daily. Returns how many.';
