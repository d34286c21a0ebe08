-- The code of the mail to the feed's owner opens the import.
create function private.check_ownership_code(import_id uuid, code text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- codes are nobody's to read
set search_path = ''
as $$
declare
  held  public.podcast_imports := private.held_import(check_ownership_code.import_id);
  owner private.import_owners;
begin
  if coalesce(check_ownership_code.code, '') !~ '^[0-9]{6}$' then
    raise sqlstate 'PT400' using message = 'The code has exactly six digits';
  elsif (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.refuse_import_state(held, 'no code is asked for');
  end if;
  select * into owner from private.import_owners o where o.import_id = held.id;
  -- a refusal that must leave a mark is returned; what is compared are digests of which nobody can choose the bytes
  if owner.wrong_tries >= 5 then
    return private.error_response(400, 'Too many wrong codes; ask for a new one', code => 'LOCKED_OUT');
  elsif owner.code_expires_at <= check_ownership_code.at then
    return private.error_response(400, 'The code has expired; ask for a new one', code => 'EXPIRED');
  end if;
  begin
    perform private.consume_rate_limit(private.email_rate_limit_key('import-address', owner.owner_email) || '/tries', 20, interval '1 hour', check_ownership_code.at)
    where owner.import_id is not null;
  exception when sqlstate 'PT429' then
    return private.error_response(400, 'Too many codes were tried for this address; try again in an hour', code => 'LOCKED_OUT');
  end;
  if owner.code_hash is distinct from sha256(owner.code_key || convert_to(check_ownership_code.code, 'UTF8')) then
    update private.import_owners o set wrong_tries = o.wrong_tries + 1 where o.import_id = held.id;
    return private.error_response(400, 'The code is not the one that was mailed last', code => 'INVALID');
  end if;
  delete from private.import_owners o where o.import_id = held.id;
  update public.podcast_imports i set status = 'preview', verification_method = null where i.id = held.id returning * into held;
  return private.described_staging(held);
end $$;
comment on function private.check_ownership_code is 'verify_import_ownership''s half behind the grants.';
grant execute on function private.check_ownership_code to authenticated;  -- checks the role itself

create function public.verify_import_ownership(import_id uuid, code text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.check_ownership_code(verify_import_ownership.import_id, verify_import_ownership.code);
end $$;
comment on function public.verify_import_ownership is
  'POST /api/imports/{id}/verify-ownership: {importId, status: preview, totalItems, detection}. Needs admin+. 400 no six digits, INVALID, EXPIRED (after 15 minutes) or LOCKED_OUT (after five wrong ones, or twenty tries in an hour for one address), 403, 404, 409 IMPORT_STATE.';
grant execute on function public.verify_import_ownership to authenticated;
