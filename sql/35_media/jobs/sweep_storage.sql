-- Job: enqueues the daily deletion of objects that were orphaned longer ago than the retention, or that an upload
-- stored after its podcast was deleted, and releases artwork that nothing uses.
create function private.sweep_storage(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  orphaned_before timestamptz := at - make_interval(hours => private.get_setting('orphan_retention_hours')::int);
  expired_before  timestamptz := at - make_interval(hours => private.get_setting('temporary_object_ttl_hours')::int);
  expired         text[];
  orphans         text[];
begin
  orphans := array(
    select o.name from private.stored_objects('media') o
    left join private.media_objects m on m.path = o.name
    left join private.media_copies c on c.path = o.name
    where case  -- keeps the joins before the functions, which most objects then spare
      when m.path is null and c.path is null then not private.is_object_referenced(o.name)
        and (o.created_at < orphaned_before or private.is_of_deleted_podcast(o.name))
      else m.released_at < orphaned_before end
    limit 10000);
  perform private.enqueue_object_deletion(orphans);
  delete from private.media_objects m
  where m.released_at < orphaned_before
    and not exists (select from private.stored_objects('media') o where o.name = m.path);

  expired := array(  -- last, because releasing locks accounts
    select m.path from private.media_objects m
    where m.usage in ('temporary', 'chapter') and m.released_at is null and m.created_at < expired_before
      and not exists (
        select from public.episode_chapters c where c.episode_id = m.episode_id and strpos(c.image_url, m.path) > 0)
    order by m.path limit 10000);
  perform private.release_media_objects(expired, false, at);
  return cardinality(expired) + cardinality(orphans);
end $$;
comment on function private.sweep_storage is
  'Enqueues the deletion of at most 10,000 objects each per run: orphans older than orphan_retention_hours, counted '
  'from their replacement, objects of deleted podcasts, and artwork imports and images of chapters '
  'unused for temporary_object_ttl_hours. Returns the number of objects.';
