-- What may be deleted from storage. An object is kept while the ledger says that it is live, or the column that it is
-- stored for names it, whoever stored it. Another column keeps nothing: what is kept is charged.
create function private.is_object_referenced(path text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  id    constant text := '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
  parts text[] := regexp_match(path, format('^podcasts/%1$s/(?:images/([a-z]+)|e/%1$s/(audio|images))/', id));
  url   text;
begin
  if parts[3] is null then
    select private.podcast_image_url(p, parts[2]) into url from public.podcasts p where p.id = parts[1]::uuid;
  else
    select case parts[4] when 'audio' then e.audio_url else e.cover_image_url end into url
    from public.episodes e where e.id = parts[3]::uuid and e.podcast_id = parts[1]::uuid;
  end if;
  return coalesce(strpos(url, path) > 0 and private.own_object_path(url) = path, false);  -- the cheap test first
end $$;
comment on function private.is_object_referenced is 'Whether the column of the podcast or episode that an object is stored for names it.';

-- Forgets first, then the bytes go: an object that a column names again meanwhile is not revived. A collector that dies
-- in between takes the same paths again, for nothing knows them any more.
create function private.claim_orphaned_objects(bucket text, paths text[]) returns text[]
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if bucket <> 'media' then
    return array(
      select given.path from unnest(paths) given (path)
      where not exists (select from private.direct_uploads d where d.staged_path = given.path and d.ended_at is null));
  end if;
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is not null and not private.is_object_referenced(o.path) order by o.path for update);
  return array(
    select given.path from unnest(paths) given (path)
    where not exists (select from private.media_objects m where m.path = given.path) and not private.is_object_referenced(given.path));
end $$;
comment on function private.claim_orphaned_objects is 'Those of a bucket''s paths that no column and no open upload names: forgotten here, and the caller''s to delete.';
