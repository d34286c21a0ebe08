-- Accepts an invitation, for the guest who holds its access token.
create function private.accept_guest_invitation(_access_token text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
begin
  return private.respond_to_guest_invitation(_access_token, 'active', at);
end $$;
grant execute on function private.accept_guest_invitation to anon, authenticated;

create function public.accept_guest_invitation(access_token text) returns jsonb
language sql volatile security invoker
return private.accept_guest_invitation(access_token);
comment on function public.accept_guest_invitation is
  'POST /api/guests/accept: {episodeGuest, guest} with status active. Safe to repeat. '
  'Requires the access token, no login. 401 INVALID or EXPIRED, 409 PODCAST_PENDING_DELETION, '
  '429 RATE_LIMITED over 30 an hour.';
grant execute on function public.accept_guest_invitation to anon, authenticated;
