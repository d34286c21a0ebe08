-- Emails about one calendar event to one address: they are sent in the order of their sequence, and those that a newer
-- one replaces are not sent.
create function private.lock_calendar_emails(_delivery_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('calendar_emails/' || (a.calendar_event ->> 'uid') || '/' || a.email, 0))
  from private.delivery_addresses a
  where a.delivery_id = _delivery_id and a.calendar_event is not null;
end $$;
comment on function private.lock_calendar_emails is
  'Locks the emails to the same address about the calendar event of a delivery, so that their attempts to send begin '
  'one after the other. Nothing without an event.';

create function private.other_calendar_emails(
  delivery_id uuid, at timestamptz, out newest_id uuid, out is_other_running boolean)
language sql stable security invoker set search_path = ''
as $$
  select (array_agg(d.id order by (o.calendar_event -> 'sequence')::int desc, d.created_at desc, d.id desc))[1],
    coalesce(bool_or(s.attempt_expires_at > $2 and d.id <> $1), false)
  from private.delivery_addresses a
  join private.delivery_addresses o
    on o.calendar_event ->> 'uid' = a.calendar_event ->> 'uid' and o.email = a.email and o.calendar_event is not null
  join public.notification_deliveries d on d.id = o.delivery_id
  left join private.delivery_sends s on s.delivery_id = o.delivery_id
  where a.delivery_id = $1 and a.calendar_event is not null
$$;
comment on function private.other_calendar_emails is
  'Of the emails to the same address about the calendar event of a delivery: the newest, in any status because older '
  'ones are out of date even if it was not sent, and whether an attempt to send another one may be running. Null and '
  'false without an event.';
