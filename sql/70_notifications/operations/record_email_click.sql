-- Records a click on an email's button, and returns where it leads.
create function private.record_email_click(_token text, at timestamptz default now()) returns text
language plpgsql volatile security definer  -- anonymous callers have no grants; the token authorizes the call
set search_path = ''
as $$
declare
  clicked private.email_tokens := private.find_email_token(_token, 'click', at);
begin
  perform private.advance_delivery(clicked.delivery_id, 'clicked', at);
  return coalesce(clicked.destination, private.get_setting('app_url'));
end $$;
grant execute on function private.record_email_click to anon, authenticated;

create function public.record_email_click(token text) returns text
language sql volatile security invoker set search_path = ''
return private.record_email_click(token);
comment on function public.record_email_click is
  'GET /api/notifications/email/click/{token}: the delivery becomes clicked. Returns the stored destination; app_url '
  'if there is none, or for an unknown or expired token. Requires a token for clicks, no login.';
grant execute on function public.record_email_click to anon, authenticated;
