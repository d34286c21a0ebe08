-- Factories of booking links and of busy calendars.

-- A link of a podcast for sessions of an hour on weekdays from 09:00 to 12:00 in Berlin; `fields` replace defaults.
create function tests.booking_link(name text, podcast text, fields jsonb default '{}') returns uuid
language plpgsql security definer as $$
declare
  link public.booking_links := jsonb_populate_record(null::public.booking_links, jsonb_build_object(
    'id', gen_random_uuid(), 'podcast_id', tests.id(podcast), 'slug', lower(booking_link.name),
    'name', booking_link.name, 'description', '', 'duration_minutes', 60, 'timezone', 'Europe/Berlin',
    'buffer_before_minutes', 0, 'buffer_after_minutes', 0, 'questions', '[]'::jsonb,
    'date_overrides', '[]'::jsonb, 'conflict_scope', 'link', 'requires_confirmation', true, 'is_active', true,
    'created_at', now(), 'updated_at', now(), 'availability_rules', (
      select jsonb_agg(jsonb_build_object('dayOfWeek', d, 'startTime', '09:00', 'endTime', '12:00'))
      from generate_series(1, 5) d)) || fields);
begin
  insert into public.booking_links values (link.*);
  return tests.remember(booking_link.name, link.id);
end $$;

create function tests.link(name text) returns public.booking_links language sql security definer as $$
  select l from public.booking_links l where l.id = tests.id(link.name)
$$;

-- A selected calendar of a user with busy times, remembered as <user>/<name>.
create function tests.calendar(name text, who text, busy text default '{}', is_selected boolean default true)
returns uuid
language plpgsql security definer as $$
declare
  connection uuid;
  created    uuid;
begin
  insert into public.calendar_connections (user_id, provider, account_name, status)
  values (tests.id(who), 'google', who || '@test.example', 'active') returning id into connection;
  insert into public.connected_calendars (connection_id, user_id, external_id, name, is_selected)
  values (connection, tests.id(who), calendar.name, calendar.name, calendar.is_selected) returning id into created;
  insert into private.calendar_busy_intervals select created, unnest(busy::tstzmultirange);
  update private.calendar_busy b set awaited_until = null where b.calendar_id = created;
  return tests.remember(who || '/' || name, created);
end $$;

select unnest(array['1..1', 'ok 1 - the factories of booking links are created']);  -- for pg_prove
