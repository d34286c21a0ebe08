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
  with acceptance as (
    select private.push_authority(s.endpoint) as service, min(s.last_used_at) as first_at
    from public.push_subscriptions s
    where s.last_used_at > at - interval '1 day' group by 1
  ), rejected as (
    select s.id from public.push_subscriptions s
    join acceptance a on a.service = private.push_authority(s.endpoint) and a.first_at < s.last_failure_at
    where s.is_active and s.rejected_since < at - interval '7 days'
    order by s.id limit max_rows
    for no key update of s skip locked  -- record_push_sends locks several; a message may be accepted just now
  )
  update public.push_subscriptions s set is_active = false where s.id in (select r.id from rejected r);
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function private.end_rejected_push_subscriptions is
  'Makes subscriptions inactive, at most max_rows, that have been rejected for 7 days and were so again after their '
  'push service accepted a message to another one, within the last day. Cron calls it daily. Returns how many.';
