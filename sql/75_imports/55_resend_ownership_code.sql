-- Mails the feed's owner another code, in the place of the last.
create function private.resend_ownership_code(import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- the queue is the server's
set search_path = ''
as $$
declare
  held public.podcast_imports := private.lock_import(resend_ownership_code.import_id);
begin
  if (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.raise_invalid_import_state(held, 'no code is asked for');
  end if;
  perform private.consume_rate_limit('ownership_code_resends_hourly:' || held.id, 5, interval '1 hour', resend_ownership_code.at);
  perform private.consume_rate_limit('ownership_code_resends:' || held.id, 1, interval '1 minute', resend_ownership_code.at);
  perform private.request_owner_verification(held.id, o.owner_email, resend_ownership_code.at) from private.import_owner_verifications o where o.import_id = held.id;
  return jsonb_build_object('status', held.status, 'method', held.verification_method, 'ownerEmail', held.locked_owner_email);
end $$;
comment on function private.resend_ownership_code is 'resend_ownership_code''s half behind the grants.';
grant execute on function private.resend_ownership_code to authenticated;  -- checks the role itself

create function public.resend_ownership_code(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.resend_ownership_code(resend_ownership_code.import_id);
end $$;
comment on function public.resend_ownership_code is
  'POST /api/imports/{id}/resend-code: {status, method, ownerEmail}. The code before opens nothing any more. Needs admin+. 403, 404, 409 INVALID_IMPORT_STATE, 429 with rate_limit_reset_at: once a minute, five times an hour, and six times an hour and ten times a day to one address over all imports.';
grant execute on function public.resend_ownership_code to authenticated;
