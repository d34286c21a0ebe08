-- release_direct_upload_lease, and the lease that a completion of a direct upload takes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show');
select tests.access('release_direct_upload_lease',
  'select private.release_direct_upload_lease(gen_random_uuid(), now())', '42501: anon ana; ok 1: service');

select tests.begin_direct_upload('upload'), tests.stage_direct_upload('upload');
select is(tests.complete_direct_upload('upload'), '200', 'begin_direct_upload_completion succeeds for a staged object');
select isnt_empty($$ select from private.direct_uploads
  where lease_expires_at between now() + interval '2 minutes' and clock_timestamp() + interval '3 minutes' $$,
  'begin_direct_upload_completion takes a lease of three minutes');
select private.release_direct_upload_lease(id, lease_expires_at + interval '1 second') from private.direct_uploads;
select isnt((select lease_expires_at from private.direct_uploads), null,
  'release_direct_upload_lease leaves the lease of another completion');
select private.release_direct_upload_lease(id, lease_expires_at) from private.direct_uploads;
select is((select lease_expires_at from private.direct_uploads), null,
  'release_direct_upload_lease ends the lease of a completion that failed');

create function pg_temp.take_lease() returns text language plpgsql as $$
declare
  lease text;
begin
  perform tests.act_as('ana');
  lease := public.begin_direct_upload_completion(tests.direct_upload('upload', 'uploadId')::uuid) ->> 'lease';
  perform tests.act_as('postgres');
  return lease;
end $$;
create temp table taken as select pg_temp.take_lease() as lease;
select results_eq('select lease_expires_at from private.direct_uploads', 'select lease::timestamptz from taken',
  'begin_direct_upload_completion returns the lease that it took');
select is(pg_temp.take_lease(), null,
  'begin_direct_upload_completion returns no lease to release while another completion holds one');

-- an upload beyond temporary_object_ttl_hours
create temp table lease_before as select lease_expires_at from private.direct_uploads;
update private.direct_uploads set created_at = now() - interval '25 hours';
select is(tests.complete_direct_upload('upload'), '200',
  'begin_direct_upload_completion can be repeated at once after its process died');
select results_eq('select lease_expires_at from private.direct_uploads', 'select lease_expires_at from lease_before',
  'begin_direct_upload_completion does not extend the lease of an upload that is temporary_object_ttl_hours old');

select * from tests.finish();
rollback;
