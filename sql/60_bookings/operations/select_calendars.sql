-- Chooses which of the caller's calendars block bookings, and which one receives the sessions.
create function private.select_calendars(selected_ids uuid[], receiving_id uuid) returns void
language plpgsql volatile security definer  -- clients may not write calendars
set search_path = ''
as $$
declare
  asked_ids uuid[] := array(select distinct unnest(selected_ids || receiving_id));
begin
  perform from public.profiles f where f.id = auth.uid() for no key update;  -- calls of one user wait for each other
  perform private.require_account();
  if selected_ids is null or cardinality(selected_ids) > 1000 or array_position(selected_ids, null) is not null then
    raise sqlstate 'PT400' using message = 'selected_ids must be a list of at most 1,000 ids';
  end if;
  asked_ids := array_remove(asked_ids, null);
  if (select count(*) from public.connected_calendars c where c.user_id = auth.uid() and c.id = any (asked_ids))
     <> cardinality(asked_ids)
  then
    raise sqlstate 'PT404' using message = 'Calendar not found';
  end if;
  perform from public.connected_calendars c where c.id = receiving_id and not c.is_writable;
  if found then
    raise sqlstate 'PT422' using message = 'Events cannot be written into this calendar; choose another one',
      hint = 'CALENDAR_READ_ONLY';
  end if;
  -- before their calendars, as readers of busy times do
  perform from public.calendar_connections n where n.user_id = auth.uid() order by n.id for no key update;
  -- the earlier one first: two rows at once would violate the unique index
  update public.connected_calendars c set receives_events = false
  where c.user_id = auth.uid() and c.receives_events and c.id is distinct from receiving_id;
  update public.connected_calendars c set is_selected = c.id = any (selected_ids),
    receives_events = c.id is not distinct from receiving_id,
    events_error = case when c.id is distinct from receiving_id then c.events_error end
  where c.user_id = auth.uid() and (c.is_selected, c.receives_events)
    is distinct from (c.id = any (selected_ids), c.id is not distinct from receiving_id);
end $$;
grant execute on function private.select_calendars to authenticated;

create function public.select_calendars(selected_ids uuid[], receiving_id uuid default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.select_calendars(select_calendars.selected_ids, select_calendars.receiving_id);
  return private.calendars_json();
end $$;
comment on function public.select_calendars is
  'PUT /api/calendars/selection: {connections}, as list_calendars. Exactly selected_ids block bookings, and '
  'receiving_id, or none, receives the sessions, also after an eventsError. 400, 403 '
  'ACCOUNT_REQUIRED, 404 unknown or another user''s, 422 CALENDAR_READ_ONLY.';
grant execute on function public.select_calendars to authenticated;
