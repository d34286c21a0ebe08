-- Accepts an invitation, for the guest who holds its access token.
create function public.accept_guest_invitation(access_token text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.respond_to_guest_invitation(access_token, accepts => true);
comment on function public.accept_guest_invitation is
  'POST /api/guests/accept: {episodeGuest, guest} with status active. Safe to repeat. '
  'Requires the access token, no login. 401 INVALID or EXPIRED, 409 PODCAST_PENDING_DELETION, '
  '429 RATE_LIMITED over 30 an hour.';
grant execute on function public.accept_guest_invitation to anon, authenticated;
