-- Records that an email was opened: its pixel was loaded.
create function private.record_email_open(_token text, at timestamptz default now()) returns void
language plpgsql volatile security definer  -- anonymous callers have no grants; the token authorizes the call
set search_path = ''
as $$
declare
  opened private.email_tokens := private.find_email_token(_token, 'open', at);
begin
  update private.email_tokens t set used_at = at
  where t.digest = opened.digest and t.used_at is null;
  if found then
    perform private.advance_delivery(opened.delivery_id, 'opened', at);
  end if;
end $$;
grant execute on function private.record_email_open to anon, authenticated;

create function public.record_email_open(token text) returns void
language sql volatile security invoker set search_path = ''
return private.record_email_open(token);
comment on function public.record_email_open is
  'GET /api/notifications/email/open/{token}: the delivery becomes opened. Requires a token for opening, no login. '
  'Ignores a used, unknown or expired token.';
grant execute on function public.record_email_open to anon, authenticated;
