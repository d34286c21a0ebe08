-- Every five minutes: uploads that are temporary_object_ttl_hours old or larger than announced end, and staged objects without an open upload are deleted.
create function private.sweep_staging(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  unused  timestamptz := at - make_interval(hours => private.setting('temporary_object_ttl_hours')::int);
  orphans text[];
begin
  -- the row's lock and its end are one lease: a completion that holds the row is skipped, and later ones find it ended
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.created_at <= unused and d.ended_at is null and coalesce(d.lease_expires_at <= at, true)
    order by d.created_at limit 10000 for update skip locked), 'EXPIRED');
  -- what a client puts into staging is checked here as well, because it may never ask to complete it
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.ended_at is null and coalesce(d.lease_expires_at <= at, true)
      and private.stored_size(d.staged_path, 'staging') > d.declared_bytes
    order by d.id limit 10000 for update skip locked), 'LARGER_THAN_DECLARED');
  delete from private.direct_uploads d where d.id in (
    select o.id from private.direct_uploads o
    where o.created_at <= unused and o.ended_at <= at - interval '1 hour'  -- later, its completion finds why it ended
    for update skip locked);

  orphans := array(  -- also what a signed URL put after its upload had ended, or its episode was deleted
    select o.name from storage.objects o
    where o.bucket_id = 'staging'
      and not exists (select from private.direct_uploads d where d.staged_path = o.name and d.ended_at is null)
      and o.name not in (  -- queued already
        select jsonb_array_elements_text(q.message -> 'paths') from pgmq.q_storage_gc q where q.message ->> 'bucket' = 'staging')
    order by o.name limit 10000);
  perform private.enqueue_object_deletion(orphans, 'staging');
  return cardinality(orphans);
end $$;
comment on function private.sweep_staging is
  'Ends direct uploads that no completion holds and that are older than temporary_object_ttl_hours or larger than announced, and queues up to 10,000 staged objects without an open upload for deletion. Returns how many it queued.';
