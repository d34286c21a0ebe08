-- Declines an invitation, for the guest who holds its access token. A guest who accepted can decline later.
create function public.decline_guest_invitation(access_token text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.respond_to_guest_invitation(access_token, accepts => false);
comment on function public.decline_guest_invitation is
  'POST /api/guests/decline: {episodeGuest, guest} with status declined. Safe to repeat. '
  'Requires the access token, no login. 401 INVALID or EXPIRED, 429 RATE_LIMITED over 30 an hour.';
grant execute on function public.decline_guest_invitation to anon, authenticated;
