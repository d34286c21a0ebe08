-- Factories of connected accounts with credentials.

-- An account with a primary calendar of its address and a second one that is read only.
create function tests.calendar_account(address text) returns jsonb language sql immutable as $$
  select jsonb_build_object('id', address, 'address', address, 'calendars', jsonb_build_array(
    jsonb_build_object('externalId', address, 'name', 'Mine', 'isPrimary', true, 'isWritable', true),
    jsonb_build_object('externalId', 'team-' || address, 'name', 'Team', 'isPrimary', false, 'isWritable', false)))
$$;

-- Connects an account of Google, and remembers connection, <name>/mine and <name>/team.
create function tests.connect_account(name text, who text, address text default null) returns jsonb
language plpgsql security definer as $$
declare
  stored jsonb := private.finish_calendar_connection(tests.id(who), 'google',
    tests.calendar_account(coalesce(address, name || '@mail.example')),
    '{"accessToken": "ACCESS", "refreshToken": "REFRESH", "expiresInSeconds": 3600}');
begin
  perform tests.remember(connect_account.name, (stored #>> '{connection,id}')::uuid)
  where not tests.exists(connect_account.name);
  perform tests.remember(connect_account.name || '/' || lower(c ->> 'name'), (c ->> 'id')::uuid)
  from jsonb_array_elements(stored #> '{connection,calendars}') c
  where not tests.exists(connect_account.name || '/' || lower(c ->> 'name'));
  return stored;
end $$;

create function tests.calendar_secrets() returns setof jsonb language sql stable security definer as $$
  select s.decrypted_secret::jsonb from vault.decrypted_secrets s where s.name like 'calendar\_connection\_%'
$$;

-- Whether and how the calendars of a user count: <name>[*] with a star for the one that receives events.
create function tests.selection(who text) returns text language sql stable security definer as $$
  select string_agg(c.external_id || case when c.receives_events then '*' else '' end, ' ' order by c.external_id)
  from public.connected_calendars c where c.user_id = tests.id(who) and (c.is_selected or c.receives_events)
$$;

select unnest(array['1..1', 'ok 1 - the factories of connected accounts are created']);  -- for pg_prove
