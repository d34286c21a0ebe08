-- A push that comes hours late is noise: the inbox has the notification. What is not delivered within its type's
-- push_ttl is lost, at the push service of a device that is offline, and here after an outage.
create function private.push_expires_at(delivery public.notification_deliveries) returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select $1.due_at + t.push_ttl from public.notification_types t where t.type = $1.type
$$;
comment on function private.push_expires_at is
  'When a push is too late to be sent. due_at is the end of quiet hours for one that waited for it.';

create function private.fail_pushes(delivery_ids uuid[], _reason text, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.delivery_sends as s (delivery_id, last_error, begun_at)
  select d.id, _reason, at
  from public.notification_deliveries d where d.id = any (delivery_ids)
  on conflict on constraint delivery_sends_pkey do update set content = null,
    last_error = concat_ws('; ', excluded.last_error, s.last_error);
  update public.notification_deliveries d set status = 'failed', failed_at = at
  where d.id = any (delivery_ids) and d.status in ('pending', 'queued');
end $$;
comment on function private.fail_pushes is
  'Fails these pushes, locked by the caller, for a reason. One that a device has received stays sent, and is sent to '
  'no other.';
