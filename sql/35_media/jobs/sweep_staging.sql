-- Job: ends uploads that are temporary_object_ttl_hours old or larger than declared, and enqueues the deletion of
-- staged objects without an open upload.
create function private.sweep_staging(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  expired_since timestamptz := at - make_interval(hours => private.get_setting('temporary_object_ttl_hours')::int);
  orphans       text[];
begin
  -- skips uploads whose row a completion has locked; a later completion finds the upload ended
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.created_at <= expired_since and d.ended_at is null and coalesce(d.lease_expires_at <= at, true)
    order by d.created_at limit 10000 for update skip locked), 'EXPIRED', at);
  -- checks sizes here too, because a client may never ask for the completion
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.ended_at is null and coalesce(d.lease_expires_at <= at, true)
      and private.stored_size(d.staged_path, 'staging') > d.declared_bytes
    order by d.id limit 10000 for update skip locked), 'UPLOAD_LARGER_THAN_DECLARED', at);
  delete from private.direct_uploads d where d.id in (
    select o.id from private.direct_uploads o
    where o.created_at <= expired_since
      and o.ended_at <= at - interval '1 hour'  -- until then a completion reads the rejection code
    for update skip locked);

  orphans := array(  -- includes objects that a signed URL stored after its upload ended or its episode was deleted
    select o.name from private.stored_objects('staging') o
    where not exists (select from private.direct_uploads d where d.staged_path = o.name and d.ended_at is null)
      and o.name not in (  -- already enqueued
        select jsonb_array_elements_text(q.message -> 'paths') from pgmq.q_storage_gc q
        where q.message ->> 'bucket' = 'staging')
    limit 10000);
  perform private.enqueue_object_deletion(orphans, 'staging');
  return cardinality(orphans);
end $$;
comment on function private.sweep_staging is
  'Ends direct uploads without a lease that are older than temporary_object_ttl_hours or larger than declared, and '
  'enqueues the deletion of up to 10,000 staged objects without an open upload. Returns the number of objects.';
