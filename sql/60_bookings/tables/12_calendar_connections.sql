-- Calendars of users: accounts at a provider, or URLs, and the calendars that these hold. Their busy times block
-- bookings of the podcasts on which the user is owner or admin.
create type public.calendar_provider as enum ('google', 'microsoft', 'caldav', 'ics');
create type public.calendar_connection_status as enum ('pending', 'active', 'failing', 'revoked');

create table public.calendar_connections (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references public.profiles on delete cascade,
  provider        public.calendar_provider not null,
  account_name    text not null,                 -- the address of the account, or the host of the URL
  status          public.calendar_connection_status not null default 'pending',
  last_error      text,                          -- for the user: why it is not active
  failing_since   timestamptz,                   -- the first failure after which not all its calendars could be read
  is_failure_told boolean not null default false,  -- its user was notified of this outage
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint account_name_is_1_to_254_chars check (char_length(account_name) between 1 and 254),
  constraint last_error_is_at_most_1000_chars check (char_length(last_error) <= 1000),
  constraint active_has_no_error check (status <> 'active' or last_error is null)
);
comment on table public.calendar_connections is
  'Accounts at calendar providers and calendar URLs that users connected. Users read their own; the calendar functions '
  'write them. Tokens, passwords and URLs are in Vault.';
comment on constraint account_name_is_1_to_254_chars on public.calendar_connections is
  'The account name must have 1 to 254 characters';
comment on constraint active_has_no_error on public.calendar_connections is 'An active connection must have no error';
comment on constraint last_error_is_at_most_1000_chars on public.calendar_connections is
  'The last error must have at most 1,000 characters';
create index calendar_connections_user_id_idx on public.calendar_connections (user_id);
alter table public.calendar_connections enable row level security;
create policy users_read_own on public.calendar_connections for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.calendar_connections to authenticated, service_role;
-- No write grants: finish_calendar_connection, add_calendar_url, remove_calendar_connection and the worker write.
create trigger t100_touch before update on public.calendar_connections
  for each row execute function private.touch_updated_at();
create trigger t310_guard_status before update of status on public.calendar_connections
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A calendar connection',
    'pending: active failing revoked', 'active: pending failing revoked', 'failing: pending active revoked',
    'revoked: pending active');

-- After
create function private.announce_revoked_calendar() returns trigger
language plpgsql security definer  -- the service writes events
set search_path = ''
as $$
begin
  perform private.notify_about_calendar('calendar.revoked', new);
  return null;
end $$;
comment on function private.announce_revoked_calendar is
  'Trigger: notifies the user whose calendar must be connected again.';
create trigger t900_announce_revoked after update of status on public.calendar_connections
  for each row when (old.status <> 'revoked' and new.status = 'revoked')
  execute function private.announce_revoked_calendar();

create function private.notify_about_calendar(_type text, connection public.calendar_connections,
  at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.notify(_type, private.user_recipients(connection.user_id), jsonb_build_object(
      'connection_id', connection.id, 'params', jsonb_build_object(
        'account', connection.account_name, 'reason', coalesce(connection.last_error, ''))),
    _group_key => 'calendar_connection:' || connection.id, _link => '/calendars', at => at);
end $$;
comment on function private.notify_about_calendar is
  'Notifies the user of a connection. What calendar_connection:<id> tells ends when the connection works again.';

create function private.is_calendar_warnings(warnings jsonb) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if jsonb_typeof(warnings) is distinct from 'array' or jsonb_array_length(warnings) > 10 then
    return false;
  end if;
  return not exists (
    select from jsonb_array_elements(warnings) w (warning)
    where (char_length(w.warning ->> 'text') between 1 and 300) is not true
      or jsonb_typeof(w.warning -> 'text') <> 'string'
      or (w.warning ->> 'count' ~ '^[1-9][0-9]{0,8}$') is not true or jsonb_typeof(w.warning -> 'count') <> 'number');
end $$;
comment on function private.is_calendar_warnings is
  'Whether a value is a list of at most 10 {text, count}, each text of 1 to 300 characters.';

create table public.connected_calendars (
  id              uuid primary key default gen_random_uuid(),
  connection_id   uuid not null references public.calendar_connections on delete cascade,
  user_id         uuid not null references public.profiles on delete cascade,  -- of the connection; the policy reads it
  external_id     text not null,                      -- the provider's id
  name            text not null,
  is_primary      boolean not null default false,
  is_writable     boolean not null default false,
  is_selected     boolean not null default false,     -- its busy times block bookings
  receives_events boolean not null default false,     -- sessions are written into it; at most one per user
  last_error      text,                               -- for the user: why its busy times are out of date
  events_error    text,                               -- for the user: why sessions cannot be written into it
  warnings        jsonb not null default '[]',        -- for the user: what the last reading had to leave out or guess
  fetched_at      timestamptz,                        -- when its busy times were last read
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint external_id_unique_per_connection unique (connection_id, external_id),
  constraint name_is_1_to_255_chars check (char_length(name) between 1 and 255),
  constraint external_id_is_1_to_1024_chars check (char_length(external_id) between 1 and 1024),
  constraint only_writable_receives_events check (is_writable or not receives_events),
  constraint last_error_is_at_most_1000_chars check (char_length(last_error) <= 1000),
  constraint events_error_is_at_most_1000_chars check (char_length(events_error) <= 1000),
  constraint only_without_error_receives_events check (events_error is null or not receives_events),
  constraint warnings_are_valid check (private.is_calendar_warnings(warnings))
);
comment on table public.connected_calendars is
  'Calendars of a connection. Users read their own; select_calendars chooses which block bookings and which one '
  'receives the sessions.';
comment on constraint events_error_is_at_most_1000_chars on public.connected_calendars is
  'The events error must have at most 1,000 characters';
comment on constraint external_id_is_1_to_1024_chars on public.connected_calendars is
  'The external id must have 1 to 1,024 characters';
comment on constraint last_error_is_at_most_1000_chars on public.connected_calendars is
  'The last error must have at most 1,000 characters';
comment on constraint name_is_1_to_255_chars on public.connected_calendars is 'The name must have 1 to 255 characters';
comment on constraint only_without_error_receives_events on public.connected_calendars is
  'A calendar with an error receives no events';
comment on constraint only_writable_receives_events on public.connected_calendars is
  'A calendar that receives events must be writable';
comment on constraint warnings_are_valid on public.connected_calendars is
  'The warnings must be a list of at most 10 texts of 1 to 300 characters with their counts';
comment on constraint external_id_unique_per_connection on public.connected_calendars is
  'The connection has this calendar already';
create index connected_calendars_user_id_idx on public.connected_calendars (user_id);
create unique index connected_calendars_receives_events_idx on public.connected_calendars (user_id)
  where receives_events;
alter table public.connected_calendars enable row level security;
create policy users_read_own on public.connected_calendars for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.connected_calendars to authenticated, service_role;
-- No write grants: finish_calendar_connection, add_calendar_url, select_calendars and the worker write.
create trigger t100_touch before update on public.connected_calendars
  for each row execute function private.touch_updated_at();
