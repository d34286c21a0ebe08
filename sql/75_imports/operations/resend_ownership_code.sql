-- Emails the feed's owner a new code, which replaces the last one.
create function private.resend_ownership_code(_import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write the queue
set search_path = ''
as $$
declare
  import      public.podcast_imports := private.lock_import(_import_id);
  owner_email text;
  reset_at    timestamptz;
begin
  if (import.status, import.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.raise_invalid_import_state(import, 'it is not waiting for an ownership code');
  end if;
  perform private.consume_rate_limit(
    'ownership_code_resends_hourly:' || import.id, 5, interval '1 hour', at);
  perform private.consume_rate_limit(
    'ownership_code_resends:' || import.id, 1, interval '1 minute', at);
  select v.owner_email into owner_email from private.import_owner_verifications v where v.import_id = import.id;
  reset_at := private.try_reserve_ownership_code(import, owner_email, auth.uid(), at);
  if reset_at is not null then
    perform private.raise_email_limit(reset_at);
  end if;
  perform private.request_owner_verification(import.id, owner_email);
  return jsonb_build_object(
    'status', import.status, 'method', import.verification_method, 'ownerEmail', import.locked_owner_email);
end $$;
grant execute on function private.resend_ownership_code to authenticated;

create function public.resend_ownership_code(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.resend_ownership_code(import_id);
comment on function public.resend_ownership_code is
  'POST /api/imports/{id}/resend-code: {status, method, ownerEmail}. Invalidates the previous code. Requires admin. '
  '403, SENDING_STOPPED too, 404, 409 INVALID_IMPORT_STATE, 429 with rate_limit_reset_at: 1 a minute and 5 an hour per '
  'import, and over the budget of emails to the owner, which the owner''s own account does not have.';
grant execute on function public.resend_ownership_code to authenticated;
