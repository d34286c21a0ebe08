-- Extends the lease of an attempt before it writes. The caller read the event before: if another attempt begins after
-- this call, the event changes after that reading, and the provider rejects the caller's conditional write.
create function private.hold_calendar_sync(
  _booking_id uuid, _attempt_id uuid, renews_creation_key boolean default false, at timestamptz default now())
returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event private.calendar_events;
begin
  update private.calendar_events e set lease_expires_at = at + interval '1 minute',
    creation_key = case when renews_creation_key then gen_random_uuid() else e.creation_key end
  where e.booking_id = _booking_id and e.attempt_id = _attempt_id
  returning * into event;
  return event.creation_key;
end $$;
grant execute on function private.hold_calendar_sync to service_role;
comment on function private.hold_calendar_sync is
  'Extends the lease of an attempt to a minute and returns the creation key, a new one if the provider keeps the '
  'earlier one for a deleted event. Null if another attempt has begun.';
