-- Confirms the caller's own address with the code of an email, which lifts its suppression.
create function private.confirm_email_address(_code text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not read codes
set search_path = ''
as $$
declare
  own_email    text;
  confirmation private.email_confirmations;
begin
  perform private.require_account();
  own_email := private.my_confirmed_email();
  if coalesce(_code, '') !~ '^[0-9]{6}$' then
    raise sqlstate 'PT400' using message = 'The code must be exactly 6 digits';
  end if;
  select * into confirmation from private.email_confirmations c
  where c.user_id = auth.uid() and c.address_digest = private.email_digest(own_email) for update;
  -- From here errors are returned, not raised, so that the counts of wrong codes are committed.
  if confirmation.failed_attempts >= 5 then
    return private.error_response(400, 'Too many incorrect codes; request a new one', code => 'LOCKED_OUT');
  elsif confirmation.user_id is null or confirmation.expires_at <= at then
    return private.error_response(400, 'The code has expired; request a new one', code => 'EXPIRED');
  -- The digests need no comparison in constant time: a client cannot choose their bytes.
  elsif confirmation.code_hash is distinct from sha256(confirmation.code_key || convert_to(_code, 'UTF8')) then
    update private.email_confirmations c set failed_attempts = c.failed_attempts + 1
    where c.user_id = confirmation.user_id;
    return private.error_response(400, 'Incorrect code; use the one from the most recent email', code => 'INVALID');
  end if;
  delete from private.email_confirmations c where c.user_id = confirmation.user_id;
  delete from private.email_suppressions s where s.digest = confirmation.address_digest and s.type is null;
  return private.email_status_json(own_email);
end $$;
grant execute on function private.confirm_email_address to authenticated;

create function public.confirm_email_address(code text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.confirm_email_address(code);
comment on function public.confirm_email_address is
  'POST /api/notifications/email-status/confirm: {email, isSuppressed: false, reason: null, since: null}. Emails to '
  'the caller''s own address are sent again; types that were turned off stay off. 400 not 6 digits, INVALID, EXPIRED '
  '(after an hour, or without a code for this address) or LOCKED_OUT (after 5 incorrect codes), 401, 403 '
  'ACCOUNT_REQUIRED.';
grant execute on function public.confirm_email_address to authenticated;
