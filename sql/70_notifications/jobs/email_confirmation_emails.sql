-- How the worker sends a code: it reads the recipient, derives six digits from the request's key and its own secret,
-- stores their digest here and emails them. Only the email contains the digits.
create function private.email_confirmation_email(_user_id uuid, at timestamptz default now()) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('to', u.email, 'language', private.language_of(p.locale),
    'codeKey', encode(c.code_key, 'hex'))
  from private.email_confirmations c
  join public.profiles p on p.id = c.user_id
  cross join lateral private.confirmed_email_of(c.user_id) u (email)
  where c.user_id = $1 and c.expires_at > $2 and c.address_digest = private.email_digest(u.email)
    and private.is_reachable_user(c.user_id, $2)
$$;
grant execute on function private.email_confirmation_email to service_role;
comment on function private.email_confirmation_email is
  'The recipient of a code, {to, language, codeKey}; null once the code has expired or the address has changed.';

create function private.issue_email_confirmation(_user_id uuid, _code_key bytea, _digest bytea) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.email_confirmations c set code_hash = _digest where c.user_id = _user_id and c.code_key = _code_key;
  return found;
end $$;
grant execute on function private.issue_email_confirmation to service_role;
comment on function private.issue_email_confirmation is
  'Makes the code with this digest, sha256(codeKey || code), valid. False if another request or a confirmation has '
  'replaced the key.';
