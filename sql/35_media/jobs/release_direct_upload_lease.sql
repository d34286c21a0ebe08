-- Releases the lease of a failed completion.
create function private.release_direct_upload_lease(_upload_id uuid, _lease timestamptz) returns void
language plpgsql volatile security definer  -- clients may not write the table
set search_path = ''
as $$
begin
  update private.direct_uploads d set lease_expires_at = null
  where d.id = _upload_id and d.lease_expires_at = _lease;
end $$;
comment on function private.release_direct_upload_lease is
  'Releases the lease of a failed completion, unless another completion has leased the upload since.';
grant execute on function private.release_direct_upload_lease to service_role;
