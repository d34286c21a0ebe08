-- The daily sweep: objects that nothing names, and has not for the guard age, go to the collector. What was only ever
-- meant to be temporary goes after a day.
create function private.sweep_storage(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  oldest    timestamptz := at - make_interval(hours => private.setting('orphan_retention_hours')::int);
  unused    timestamptz := at - make_interval(hours => private.setting('temporary_object_ttl_hours')::int);
  temporary text[];
  orphans   text[];
begin
  orphans := array(
    select o.name from storage.objects o
    left join private.media_objects m on m.path = o.name
    where o.bucket_id = 'media'
      and case when m.path is null then o.created_at < oldest and not private.is_object_referenced(o.name) else m.released_at < oldest end
    order by o.name limit 10000);
  perform private.enqueue_object_deletion(orphans);
  delete from private.media_objects m
  where m.released_at < oldest and not exists (select from storage.objects o where o.bucket_id = 'media' and o.name = m.path);

  temporary := array(  -- last, for this locks accounts
    select m.path from private.media_objects m
    where m.usage = 'temporary' and m.released_at is null and m.created_at < unused order by m.path limit 10000);
  perform private.release_media_objects(temporary, false);
  return cardinality(temporary) + cardinality(orphans);
end $$;
comment on function private.sweep_storage is
  'Queues for deletion, at most 10,000 of each a run: orphans older than the setting orphan_retention_hours, counted from when they were replaced; artwork imports that were not used within temporary_object_ttl_hours.';
