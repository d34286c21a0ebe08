-- Garbage collection: which objects may be deleted from storage. An object is kept while the ledger has it as live, or
-- while the column for which it was stored references it. Other columns keep no object: kept objects are charged. A
-- copy of an image is kept while the ledger has its original.
create function private.is_object_referenced(path text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  id    constant text := '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
  parts text[] := regexp_match(path,
    format('^podcasts/%1$s/(?:images/([a-z]+)|e/%1$s/(audio|images|transcripts|chapters))/', id));
  url   text;
begin
  if path like 'podcasts/%/derived/%' then
    return exists (select from private.media_copies c where c.path = is_object_referenced.path);
  elsif parts[4] = 'transcripts' then
    return exists (
      select from public.episode_transcripts t
      where t.episode_id = parts[3]::uuid and t.podcast_id = parts[1]::uuid and t.bytes is not null
        and strpos(t.url, path) > 0 and private.own_object_path(t.url) = path);
  elsif parts[4] = 'chapters' then
    return exists (
      select from public.episode_chapters c
      where c.episode_id = parts[3]::uuid and c.podcast_id = parts[1]::uuid
        and strpos(c.image_url, path) > 0 and private.own_object_path(c.image_url) = path);
  elsif parts[3] is null then
    select private.podcast_image_url(p, parts[2]) into url from public.podcasts p where p.id = parts[1]::uuid;
  else
    select case parts[4] when 'audio' then e.audio_url else e.cover_image_url end into url
    from public.episodes e where e.id = parts[3]::uuid and e.podcast_id = parts[1]::uuid;
  end if;
  return coalesce(strpos(url, path) > 0 and private.own_object_path(url) = path, false);  -- cheap test first
end $$;
comment on function private.is_object_referenced is
  'Whether the column of the podcast, episode, transcript or chapter for which an object was stored references it. Of '
  'a copy of an image: whether its original is in the ledger.';

create function private.is_of_deleted_podcast(path text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (
    select from private.podcast_tombstones t
    where t.podcast_id = substring(path from '^podcasts/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/')::uuid);
end $$;
comment on function private.is_of_deleted_podcast is 'Whether an object was stored for a podcast that was deleted.';

-- Deletes the ledger rows before the caller deletes the objects, so that no column revives them in between. If the
-- caller dies, its retry claims the same paths again, because the ledger no longer has them.
create function private.claim_orphaned_objects(bucket text, paths text[]) returns text[]
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if bucket <> 'media' then
    return array(
      select input.path from unnest(paths) input (path)
      where not exists (
        select from private.direct_uploads d where d.staged_path = input.path and d.ended_at is null));
  end if;
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is not null and not private.is_object_referenced(o.path)
    order by o.path for update);
  return array(
    with orphans as materialized (
      select input.path from unnest(paths) input (path)
      where not exists (select from private.media_objects m where m.path = input.path)
        and not private.is_object_referenced(input.path))
    select o.path from orphans o
    union all  -- names instead of rows, which a repetition no longer finds
    select private.image_copy_path(o.path, f.size, f.content_type)
    from orphans o cross join private.image_copy_forms() f
    where private.image_copy_path(o.path, f.size, f.content_type) is not null);
end $$;
grant execute on function private.claim_orphaned_objects to service_role;
comment on function private.claim_orphaned_objects is
  'Returns the given paths of a bucket that no column and no open upload references, with the paths of the copies that '
  'an image may have, and deletes them from the ledger. The caller deletes the objects.';
