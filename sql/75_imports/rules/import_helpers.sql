-- Access to imports, checks of imports and items, and the order of their locks: an object's lock, the podcast, an item
-- in progress, the episode, the media ledger, the account, the import, its other items. The podcast is locked before
-- the import because its deletion locks them in this order. The import is locked after an item in progress because each
-- new episode updates its counters: transactions wait for each other only at their end. So no writer that has locked
-- an import waits for an item in progress.
create function private.require_import_role(_import_id uuid) returns public.podcast_imports
language plpgsql stable security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.require_user();
  select * into import from public.podcast_imports i where i.id = _import_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_role(import.podcast_id, 'admin');
  return import;
end $$;
comment on function private.require_import_role is
  'The import, if the caller is an admin or the owner of its podcast. PT401, PT404 or PT403 if not.';
-- No grant: only security definer functions call it.

create function private.import_item_of_cursor(import public.podcast_imports, _cursor text)
returns public.podcast_import_items
language plpgsql stable security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items;
begin
  if _cursor is not null then
    select * into item from public.podcast_import_items i
    where i.id::text = _cursor and i.import_id = import.id;
    if not found then
      perform private.raise_invalid_cursor();
    end if;
  end if;
  return item;
end $$;
comment on function private.import_item_of_cursor is
  'The last item of the page that a cursor of an import''s items ends; null without a cursor. PT400 for any other.';

create function private.lock_import(_import_id uuid) returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id constant uuid := (private.require_import_role(_import_id)).podcast_id;
  import     public.podcast_imports;
begin
  perform private.require_writable_podcast(podcast_id);
  select * into import from public.podcast_imports i where i.id = _import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';  -- deleted since the role check
  end if;
  return import;
end $$;
comment on function private.lock_import is
  'The current row of an import, locked until the transaction ends, for an admin of its podcast. PT401, PT404, PT403; '
  'PT409 when the podcast is pending deletion.';
-- No grant: only security definer functions call it.

create function private.raise_invalid_import_state(import public.podcast_imports, reason text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using hint = 'INVALID_IMPORT_STATE',
    message = format('The import is %s; %s', replace(import.status::text, '_', ' '), reason);
end $$;
comment on function private.raise_invalid_import_state is
  'PT409 INVALID_IMPORT_STATE: the import''s status does not allow the operation. The reason ends the message.';

create function private.raise_item_has_changed() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  raise sqlstate '40001' using message = 'The item or its import changed before the item was locked; try again';
end $$;
comment on function private.raise_item_has_changed is
  'A serialization failure (40001), after which the worker tries again: the locks taken do not fit the item''s status.';

create function private.reject_hosting_migration(import public.podcast_imports) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if import.is_hosting_migration then
    raise sqlstate 'PT409' using hint = 'MANAGED_BY_HOSTING_MIGRATION',
      message = 'Hosting migrations cannot be confirmed, resumed or retried here';
  end if;
end $$;
comment on function private.reject_hosting_migration is
  'PT409 MANAGED_BY_HOSTING_MIGRATION for a hosting migration: another API manages it.';

create function private.is_guid_too_long(guid text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return char_length(guid) > 1000 or octet_length(guid) > 2600;
comment on function private.is_guid_too_long is
  'Whether the GUID of a feed''s item exceeds what an episode allows: 1,000 characters, or the bytes of an index '
  'entry.';

create function private.require_no_import_in_flight(_podcast_id uuid, except_import_id uuid default null) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  in_flight uuid;
begin
  select i.id into in_flight from public.podcast_imports i
  where i.podcast_id = _podcast_id and i.id is distinct from except_import_id
    and i.status <= 'running';
  if found then
    raise sqlstate 'PT409' using message = 'An import is already in progress for this podcast',
      hint = 'IMPORT_IN_FLIGHT', detail = jsonb_build_object('importId', in_flight)::text;
  end if;
end $$;
comment on function private.require_no_import_in_flight is
  'PT409 IMPORT_IN_FLIGHT with importId when an import of the podcast other than except_import_id is in flight.';

create function private.episode_guid_exists(item public.podcast_import_items) returns boolean
language plpgsql stable security invoker set search_path = ''
set enable_seqscan = off  -- a plan made before the first episodes would read all of them for each item
as $$
begin
  return exists (select from public.episodes e where e.podcast_id = item.podcast_id and e.guid = item.guid);
end $$;
comment on function private.episode_guid_exists is 'Whether the podcast has an episode with the item''s GUID.';

create function private.add_import_item_warnings(_import_item_id uuid, _warnings jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_import_items i set warnings = i.warnings || n.new
  from (
    select jsonb_agg(u.warning order by u.n) as new from (
      select distinct on (e.warning -> 'code') e.warning, e.n
      from jsonb_array_elements(_warnings) with ordinality e (warning, n)
      where not exists (
        select from public.podcast_import_items k where k.id = _import_item_id
          and k.warnings @> jsonb_build_array(jsonb_build_object('code', e.warning -> 'code')))
      order by e.warning -> 'code', e.n) u
  ) n
  where i.id = _import_item_id and n.new is not null;
end $$;
comment on function private.add_import_item_warnings is
  'Adds warnings [{code, message}] to an item, each code at most once.';
