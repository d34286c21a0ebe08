-- Access to imports and the order of their locks: an object's lock, the podcast, the import, its items, the episode,
-- the media ledger, the account. The podcast is locked before the import because its deletion locks them in this
-- order.
create function private.require_import_role(import_id uuid) returns public.podcast_imports
language plpgsql stable security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.require_user();
  select * into import from public.podcast_imports i where i.id = require_import_role.import_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_role(import.podcast_id, 'admin');
  return import;
end $$;
comment on function private.require_import_role is
  'The import, if the caller is an admin or the owner of its podcast. PT401, PT404 or PT403 if not.';
-- No grant: only security definer functions call it.

create function private.lock_import(import_id uuid) returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id constant uuid := (private.require_import_role(lock_import.import_id)).podcast_id;
  import     public.podcast_imports;
begin
  perform from public.podcasts p where p.id = podcast_id for key share;
  perform private.require_writable_podcast(podcast_id);
  select * into import from public.podcast_imports i where i.id = lock_import.import_id for no key update;
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
as $$ select char_length($1) > 1000 or octet_length($1) > 2600 $$;
comment on function private.is_guid_too_long is
  'Whether the GUID of a feed''s item exceeds what an episode allows: 1,000 characters, or the bytes of an index '
  'entry.';
