-- Lists the caller's connections with their calendars.
create function private.calendars_json() returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('connections', coalesce(
    (select jsonb_agg(private.calendar_connection_json(c) order by c.created_at, c.id)
    from public.calendar_connections c where c.user_id = auth.uid()), '[]'))
$$;
comment on function private.calendars_json is 'The caller''s connections as the API returns them: {connections}.';
grant execute on function private.calendars_json to authenticated;  -- public functions run as their caller

create function public.list_calendars() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_account();
  return private.calendars_json();
end $$;
comment on function public.list_calendars is
  'GET /api/calendars: {connections: [{id, provider, accountName, status, lastError, createdAt, calendars: [{id, name, '
  'isPrimary, isWritable, isSelected, receivesEvents, lastError, eventsError, warnings: [{text, count}], '
  'fetchedAt}]}]} of the caller, oldest first. 403 ACCOUNT_REQUIRED.';
grant execute on function public.list_calendars to authenticated;
