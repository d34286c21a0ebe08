-- The code of the mail to the feed's owner opens the import.
create function private.verify_import_ownership(import_id uuid, code text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- codes are nobody's to read
set search_path = ''
as $$
declare
  held  public.podcast_imports := private.lock_import(verify_import_ownership.import_id);
  owner private.import_owner_verifications;
begin
  if coalesce(verify_import_ownership.code, '') !~ '^[0-9]{6}$' then
    raise sqlstate 'PT400' using message = 'The code has exactly six digits';
  elsif (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.raise_invalid_import_state(held, 'no code is asked for');
  end if;
  select * into owner from private.import_owner_verifications o where o.import_id = held.id;
  -- a refusal that must leave a mark is returned; what is compared are digests of which nobody can choose the bytes
  if owner.failed_attempts >= 5 then
    return private.error_response(400, 'Too many wrong codes; ask for a new one', code => 'LOCKED_OUT');
  elsif owner.code_expires_at <= verify_import_ownership.at then
    return private.error_response(400, 'The code has expired; ask for a new one', code => 'EXPIRED');
  end if;
  begin
    perform private.consume_rate_limit(private.email_rate_limit_key('ownership_code_attempts', owner.owner_email), 20, interval '1 hour', verify_import_ownership.at)
    where owner.import_id is not null;
  exception when sqlstate 'PT429' then
    return private.error_response(400, 'Too many codes were tried for this address; try again in an hour', code => 'LOCKED_OUT');
  end;
  if owner.code_hash is distinct from sha256(owner.code_key || convert_to(verify_import_ownership.code, 'UTF8')) then
    update private.import_owner_verifications o set failed_attempts = o.failed_attempts + 1 where o.import_id = held.id;
    return private.error_response(400, 'The code is not the one that was mailed last', code => 'INVALID');
  end if;
  delete from private.import_owner_verifications o where o.import_id = held.id;
  update public.podcast_imports i set status = 'preview', verification_method = null where i.id = held.id returning * into held;
  return private.staging_result_json(held);
end $$;
comment on function private.verify_import_ownership is 'verify_import_ownership''s half behind the grants.';
grant execute on function private.verify_import_ownership to authenticated;  -- checks the role itself

create function public.verify_import_ownership(import_id uuid, code text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.verify_import_ownership(verify_import_ownership.import_id, verify_import_ownership.code);
end $$;
comment on function public.verify_import_ownership is
  'POST /api/imports/{id}/verify-ownership: {importId, status: preview, totalItems, detection}. Needs admin+. 400 no six digits, INVALID, EXPIRED (after 15 minutes) or LOCKED_OUT (after five wrong ones, or twenty tries in an hour for one address), 403, 404, 409 INVALID_IMPORT_STATE.';
grant execute on function public.verify_import_ownership to authenticated;
