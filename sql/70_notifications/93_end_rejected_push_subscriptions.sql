-- Ends push subscriptions that their push service rejects permanently without saying that they ended: each notification
-- would send them a request.
create function private.end_rejected_push_subscriptions(at timestamptz default now(), max_rows int default 10000)
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ended int;
begin
  -- with a wrong key of ours, a service accepts no message between the rejections
  with subscription as (
    select s.*, substring(s.endpoint from '^https?://([^/]+)') as service from public.push_subscriptions s
  ), acceptance as (
    select s.service, min(s.last_used_at) as first_at from subscription s
    where s.last_used_at > end_rejected_push_subscriptions.at - interval '1 day' group by s.service
  )
  update public.push_subscriptions s set is_active = false
  where s.id in (
    select r.id from subscription r join acceptance a on a.service = r.service and a.first_at < r.last_failure_at
    where r.is_active and r.rejected_since < end_rejected_push_subscriptions.at - interval '7 days'
    order by r.id limit max_rows)
    and s.rejected_since is not null;  -- a message may have been accepted meanwhile
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function private.end_rejected_push_subscriptions is
  'Makes subscriptions inactive, at most max_rows, that have been rejected for 7 days and were so again after their '
  'push service accepted a message to another one, within the last day. Cron calls it daily. Returns how many.';
