-- Emails a code to the caller's own address although it is suppressed.
create function private.request_email_confirmation(at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write codes
set search_path = ''
as $$
declare
  own_email text;
  status    jsonb;
begin
  perform private.require_account();
  own_email := private.my_confirmed_email();
  status := private.email_status_json(own_email);
  if (status -> 'isSuppressed')::boolean then
    -- each may bounce, which costs the service trust
    perform private.consume_rate_limit(private.email_rate_limit_key('email_confirmations', own_email),
      private.get_setting('max_email_confirmations_per_day')::int, interval '1 day', at);
    insert into private.email_confirmations as c (user_id, address_digest, code_key, expires_at)
    values (auth.uid(), private.email_digest(own_email),
      sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), at + interval '1 hour')
    on conflict on constraint email_confirmations_pkey do update set address_digest = excluded.address_digest,
      code_key = excluded.code_key, code_hash = null, failed_attempts = 0, expires_at = excluded.expires_at;
    perform private.enqueue('email_confirmations', jsonb_build_object('user_id', auth.uid()));
  end if;
  return status;
end $$;
grant execute on function private.request_email_confirmation to authenticated;

create function public.request_email_confirmation() returns jsonb
language sql volatile security invoker set search_path = ''
return private.request_email_confirmation();
comment on function public.request_email_confirmation is
  'POST /api/notifications/email-status/confirmation: emails the caller''s own address a code, valid for an hour, that '
  'replaces an earlier one. {email, isSuppressed, reason, since}; nothing is sent if isSuppressed is false. 401, 403 '
  'ACCOUNT_REQUIRED, 429 with rate_limit_reset_at: 3 a day.';
grant execute on function public.request_email_confirmation to authenticated;
