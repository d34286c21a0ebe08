-- What the sender of an email sees of it. A delivery to an address can name the record that it is about; its last
-- delivery shows there.
create function private.email_status_of(delivery public.notification_deliveries, email text, at timestamptz)
returns public.email_status
language sql stable security invoker set search_path = ''
as $$
  select (case
    when $1.status = 'pending' and $1.due_at > $3 then 'waiting'
    when $1.status <= 'queued' then 'queued'
    when $1.status = 'sent' then 'sent'
    when $1.status <= 'clicked' then 'delivered'
    when $1.status = 'bounced' then 'bounced'
    when private.is_email_suppressed($2) then 'suppressed'
    else $1.status::text end)::public.email_status
$$;
comment on function private.email_status_of is 'The state of a delivery to an address, as its sender sees it.';

create function private.show_email_status() returns trigger
language plpgsql security definer  -- the worker's functions may not write the records
set search_path = ''
as $$
declare
  address   private.delivery_addresses;
  new_state public.email_status;
begin
  select * into address from private.delivery_addresses a where a.delivery_id = new.id;
  if address.subject is null then
    return null;
  end if;
  -- waits for a transaction that writes a newer email, so that the next statement sees it
  execute format('select from public.%I s where s.id = $1 for no key update', address.subject ->> 'table')
  using (address.subject ->> 'id')::uuid;
  if exists (
    select from private.delivery_addresses o join public.notification_deliveries d on d.id = o.delivery_id
    where o.subject ->> 'id' = address.subject ->> 'id' and o.subject = address.subject
      and (d.created_at, d.id) > (new.created_at, new.id))
  then
    return null;
  end if;
  new_state := private.email_status_of(new, address.email,
    case tg_op when 'INSERT' then new.created_at else greatest(new.created_at, now()) end);
  execute format('update public.%I s set email_status = $1, email_due_at = $2
    where s.id = $3 and (s.email_status, s.email_due_at) is distinct from ($1, $2)', address.subject ->> 'table')
  using new_state, case when new_state = 'waiting' then new.due_at end, (address.subject ->> 'id')::uuid;
  return null;
end $$;
create trigger t900_show_status_of_new_email after insert on public.notification_deliveries
  for each row when (new.user_id is null and new.episode_guest_id is null)
  execute function private.show_email_status();
create trigger t900_show_email_status after update of status, due_at on public.notification_deliveries
  for each row when (new.user_id is null and new.episode_guest_id is null
    -- the job that queues many emails must not wait for records that tenants lock
    and not (old.status = 'pending' and new.status = 'queued'))
  execute function private.show_email_status();
