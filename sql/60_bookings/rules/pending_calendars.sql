-- Calendars that were not read yet block everything, for a short time: nothing is known of their busy hours.
create function private.has_pending_calendar(hosts uuid[], at timestamptz) returns boolean
language plpgsql stable security invoker set search_path = ''  -- language sql would plan the query at each call
as $$
begin
  return exists (
    select from public.connected_calendars c
    join public.calendar_connections n on n.id = c.connection_id and n.status <> 'revoked'
    join private.calendar_busy b on b.calendar_id = c.id
    where c.user_id = any (hosts) and c.is_selected and b.awaited_until > at);
end $$;
comment on function private.has_pending_calendar is
  'Whether a selected calendar of these users waits for its first reading, at most two minutes after it was connected, '
  'selected or renewed.';
