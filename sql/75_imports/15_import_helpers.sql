-- Who may do what with an import, and in which order its rows are locked: an object's lock, the podcast, the import, its
-- items, the episode, the ledger, the account. The podcast comes before the import, because its deletion does.
create function private.require_import_role(import_id uuid) returns public.podcast_imports
language plpgsql stable security definer  -- tells a missing import from a forbidden one
set search_path = ''
as $$
declare
  found_import public.podcast_imports;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into found_import from public.podcast_imports i where i.id = require_import_role.import_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_role(found_import.podcast_id, 'admin');
  return found_import;
end $$;
comment on function private.require_import_role is 'The import, when the caller is an admin or the owner of its podcast; PT401, PT404 or PT403 otherwise.';
-- No grant: definers call it, who have the row already.

create function private.lock_import(import_id uuid) returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  show uuid := (private.require_import_role(lock_import.import_id)).podcast_id;
  held public.podcast_imports;
begin
  perform from public.podcasts p where p.id = show for key share;
  perform private.require_writable_podcast(show);
  select * into held from public.podcast_imports i where i.id = lock_import.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';  -- gone meanwhile
  end if;
  return held;
end $$;
comment on function private.lock_import is
  'The import as it is now, its row locked until the transaction ends, for a caller who may change it. PT401, PT404, PT403; PT409 when the podcast is on its way out.';
-- No grant: definers call it.

create function private.raise_invalid_import_state(import public.podcast_imports, reason text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using message = format('The import is %s; %s', replace(import.status::text, '_', ' '), reason), hint = 'INVALID_IMPORT_STATE';
end $$;
comment on function private.raise_invalid_import_state is 'PT409 INVALID_IMPORT_STATE: what was asked is not for an import in this state. `reason` says what is, as half a sentence.';

create function private.reject_hosting_migration(import public.podcast_imports) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if import.is_hosting_migration then
    raise sqlstate 'PT409' using message = 'This is a hosting migration, which is set in motion where it was set up', hint = 'MANAGED_BY_HOSTING_MIGRATION';
  end if;
end $$;
comment on function private.reject_hosting_migration is 'PT409 MANAGED_BY_HOSTING_MIGRATION: migrations have a podcast''s one place for imports, and are driven from elsewhere.';

create function private.is_guid_too_long(guid text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
as $$ select char_length($1) > 1000 or octet_length($1) > 2600 $$;
comment on function private.is_guid_too_long is 'Whether a feed''s GUID is none that an episode can have: over 1,000 characters, or over the bytes that an index of episodes holds.';

-- A confirmed import brings the feed's GUID along. Not before: who may not have proved anything yet must not take the
-- identity of another's show. And not once listeners know the podcast by its own.
create function private.adopt_feed_guid() returns trigger
language plpgsql security definer  -- podcast_guid is the server's column
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('podcast_guid:' || new.feed_podcast_guid, 0));
  if not exists (select from public.podcasts p where p.podcast_guid = new.feed_podcast_guid)
     and not exists (select from public.episodes e where e.podcast_id = new.podcast_id and e.first_published_at is not null) then
    perform private.adopt_podcast_guid(new.podcast_id, new.feed_podcast_guid);
  end if;
  return null;
end $$;
create trigger t500_adopt_feed_guid after update of status on public.podcast_imports
  for each row when (old.status = 'preview' and new.status in ('running', 'completed', 'partial', 'failed') and new.feed_podcast_guid is not null)
  execute function private.adopt_feed_guid();
