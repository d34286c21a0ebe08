-- The daily sweep: objects that no row refers to, and has not for the guard age, go to the collector.
create function private.sweep_storage(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  oldest timestamptz := at - make_interval(hours => private.setting('orphan_guard_hours')::int);
  paths  text[];
begin
  paths := array(
    select o.name from storage.objects o
    left join private.media_objects m on m.path = o.name
    where o.bucket_id = 'media'
      and case when m.path is null then o.created_at < oldest else m.released_at < oldest end
    order by o.name
    limit 10000);
  perform private.collect_objects(paths);
  return cardinality(paths);
end $$;
comment on function private.sweep_storage is
  'Queues orphans older than the setting orphan_guard_hours for deletion, at most 10,000 a run; the age counts from when an object was replaced.';
revoke all on function private.sweep_storage from public, anon, authenticated, service_role;
