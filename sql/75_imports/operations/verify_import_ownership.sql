-- Compares the code that was emailed to the feed's owner; the right one changes the import to preview.

-- A code is counted before it is compared, so that concurrent guesses wait for each other and a caller who is locked
-- out does not learn whether a code is right. The right one is taken back.
create function private.count_ownership_code(owner_email text, at timestamptz) returns text[]
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  all_callers constant text := private.email_rate_limit_key('ownership_code_attempts_daily', owner_email);
  caller      constant text :=
    private.email_rate_limit_key('ownership_code_attempts', auth.uid() || '/' || owner_email);
begin
  if owner_email = private.my_confirmed_email() then  -- strangers cannot lock out the holder of the address
    perform private.consume_rate_limit(caller, 20, interval '1 hour', at);
    return array[caller];
  end if;
  perform private.consume_rate_limit(all_callers, 50, interval '1 day', at);
  perform private.consume_rate_limit(caller, 20, interval '1 hour', at);
  return array[all_callers, caller];
exception when sqlstate 'PT429' then
  return null;  -- neither is counted
end $$;
comment on function private.count_ownership_code is
  'Counts a code that the caller tries for an owner''s address, and returns the keys of the counts, which a right code '
  'gives back. Null, counting nothing: the caller is locked out.';

create function private.verify_import_ownership(_import_id uuid, _code text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not read codes
set search_path = ''
as $$
declare
  import       public.podcast_imports := private.lock_import(_import_id);
  verification private.import_owner_verifications;
  counted      text[];
begin
  if coalesce(_code, '') !~ '^[0-9]{6}$' then
    raise sqlstate 'PT400' using message = 'The code must be exactly 6 digits';
  elsif (import.status, import.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.raise_invalid_import_state(import, 'it is not waiting for an ownership code');
  end if;
  select * into verification from private.import_owner_verifications v where v.import_id = import.id;
  -- From here errors are returned, not raised, so that the counts of wrong codes are committed.
  if verification.failed_attempts >= 5 then
    return private.error_response(400, 'Too many incorrect codes; request a new one', code => 'LOCKED_OUT');
  elsif verification.code_expires_at <= at then
    return private.error_response(400, 'The code has expired; request a new one', code => 'EXPIRED');
  end if;
  counted := private.count_ownership_code(verification.owner_email, at);
  if counted is null then
    return private.error_response(
      400, 'Too many incorrect codes for this email address; try again later', code => 'LOCKED_OUT');
  end if;
  -- The digests need no comparison in constant time: a client cannot choose their bytes.
  if verification.code_hash is distinct from
     sha256(verification.code_key || convert_to(_code, 'UTF8')) then
    update private.import_owner_verifications v set failed_attempts = v.failed_attempts + 1
    where v.import_id = import.id;
    return private.error_response(400, 'Incorrect code; use the one from the most recent email', code => 'INVALID');
  end if;
  perform private.return_rate_limit(key) from unnest(counted) key;
  delete from private.import_owner_verifications v where v.import_id = import.id;
  update public.podcast_imports i set status = 'preview', verification_method = null
  where i.id = import.id returning * into import;
  return private.staging_result_json(import);
end $$;
grant execute on function private.verify_import_ownership to authenticated;

create function public.verify_import_ownership(import_id uuid, code text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.verify_import_ownership(import_id, code);
comment on function public.verify_import_ownership is
  'POST /api/imports/{id}/verify-ownership: {importId, status: preview, totalItems, detection}. Requires admin. 400 '
  'not 6 digits, INVALID, EXPIRED (after 15 minutes) or LOCKED_OUT (after 5 incorrect codes of the import, 20 an hour '
  'of the caller for the owner''s address, or 50 a day of all callers but its holder), 403, 404, 409 '
  'INVALID_IMPORT_STATE.';
grant execute on function public.verify_import_ownership to authenticated;
