-- Records a click on an email's button, and returns where it leads.
create function private.record_email_click(token text, at timestamptz default now()) returns text
language plpgsql volatile security definer  -- anonymous callers have no grants; the token authorizes the call
set search_path = ''
as $$
declare
  clicked private.email_tokens := private.find_email_token(record_email_click.token, 'click', record_email_click.at);
begin
  perform private.advance_delivery(clicked.delivery_id, 'clicked', record_email_click.at);
  return coalesce(clicked.destination, private.get_setting('app_url'));
end $$;
comment on function private.record_email_click is
  'Implementation of record_email_click (security definer). Checks the token itself.';
grant execute on function private.record_email_click to anon, authenticated;

create function public.record_email_click(token text) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.record_email_click(record_email_click.token);
end $$;
comment on function public.record_email_click is
  'GET /api/notifications/email/click/{token}: the delivery becomes clicked. Returns the stored destination; app_url '
  'if there is none, or for an unknown or expired token. Requires a token for clicks, no login.';
grant execute on function public.record_email_click to anon, authenticated;
