-- Releases the lease of a failed completion.
create function private.release_direct_upload_lease(upload_id uuid, lease timestamptz) returns void
language plpgsql volatile security definer  -- clients may not write the table
set search_path = ''
as $$
begin
  update private.direct_uploads d set lease_expires_at = null
  where d.id = release_direct_upload_lease.upload_id and d.lease_expires_at = release_direct_upload_lease.lease;
end $$;
comment on function private.release_direct_upload_lease is
  'Releases the lease of a failed completion, unless another completion has leased the upload since.';
grant execute on function private.release_direct_upload_lease to service_role;
