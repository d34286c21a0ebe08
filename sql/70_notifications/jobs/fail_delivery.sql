-- Triggers on the queues of deliveries and on their dead-letter queues (private.install() creates them), so that every
-- failed attempt shows in its delivery.
create function private.delivery_id_of(message jsonb) returns uuid
language sql immutable parallel safe security invoker set search_path = ''
return case when pg_input_is_valid($1 ->> 'delivery_id', 'uuid') then ($1 ->> 'delivery_id')::uuid end;
comment on function private.delivery_id_of is
  'The delivery of a message of email_deliveries or push_deliveries; null if it has none.';

create function private.record_delivery_error(message jsonb, error text) returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  delivery_id uuid := private.delivery_id_of(message);
begin
  insert into private.delivery_sends as s (delivery_id, last_error)
  select d.id, left(error, 2000) from public.notification_deliveries d where d.id = delivery_id
  for update  -- the delivery first, as begin_email_delivery does
  on conflict on constraint delivery_sends_pkey do update set last_error = excluded.last_error;
  return delivery_id;
end $$;
comment on function private.record_delivery_error is
  'Writes the error of an attempt to the delivery of a message, and returns the delivery''s id.';

create function private.record_delivery_retry() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.record_delivery_error(new.message, new.headers ->> 'last_error');
  return null;
end $$;

create function private.fail_delivery_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  failed_id uuid := private.record_delivery_error(new.message -> 'message', new.message ->> 'error');
begin
  update public.notification_deliveries d set status = 'failed', failed_at = clock_timestamp()
  where d.id = failed_id and d.status = 'queued';
  update private.delivery_sends s set content = null where s.delivery_id = failed_id;
  return null;
end $$;
