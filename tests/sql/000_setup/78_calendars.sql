-- Factories of connections and of their calendars. The first readings are not awaited.
create function tests.connection(name text, person text, provider public.calendar_provider default 'google')
returns uuid
language plpgsql security definer as $$
declare created uuid;
begin
  insert into public.calendar_connections (user_id, provider, account_name, status)
  values (tests.id(person), provider, name || '@calendars.example', 'active') returning id into created;
  return tests.remember(name, created);
end $$;

create function tests.connected_calendar(name text, connection text, is_selected boolean default true) returns uuid
language plpgsql security definer as $$
declare created uuid;
begin
  insert into public.connected_calendars (connection_id, user_id, external_id, name, is_selected)
  select n.id, n.user_id, connected_calendar.name, connected_calendar.name,
    connected_calendar.is_selected
  from public.calendar_connections n where n.id = tests.id(connection)
  returning id into created;
  update private.calendar_busy b set awaited_until = null where b.calendar_id = created;
  return tests.remember(name, created);
end $$;

-- The busy times of a calendar as text
create function tests.busy_times(calendar text) returns text
language plpgsql security definer set timezone = 'UTC' as $$
begin
  return (select range_agg(i.during)::text from private.calendar_busy_intervals i
    where i.calendar_id = tests.id(calendar));
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factories of connections are created']);
