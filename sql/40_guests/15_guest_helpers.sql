-- Who may do what with a guest, and how guests leave the API.
create function private.require_guest_role(guest_id uuid, role public.podcast_role) returns public.podcast_guests
language plpgsql stable security definer  -- tells a missing guest from a forbidden one
set search_path = ''
as $$
declare
  guest public.podcast_guests;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.podcast_guests g where g.id = require_guest_role.guest_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found';
  end if;
  perform private.require_role(guest.podcast_id, require_guest_role.role);
  return guest;
end $$;
comment on function private.require_guest_role is 'The guest record, when the caller has at least this role on its podcast; PT401, PT404 or PT403 otherwise.';
revoke all on function private.require_guest_role from public, anon, authenticated, service_role;
-- No grant: definers call it, who have the row already.

create function private.described_guest(guest public.podcast_guests) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', guest.id, 'displayName', guest.display_name, 'email', guest.email, 'userId', guest.user_id,
    'avatarUrl', (select p.avatar_url from public.profiles p where p.id = guest.user_id))
$$;
comment on function private.described_guest is 'Who a guest is: {id, displayName, email, userId, avatarUrl}. The avatar is that of the linked user''s profile, as it is now.';
revoke all on function private.described_guest from public, anon, authenticated, service_role;

create function private.described_invitation(invited public.episode_guests) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'episodeGuest', jsonb_build_object('id', invited.id, 'episodeId', invited.episode_id, 'podcastGuestId', invited.podcast_guest_id,
      'status', invited.status, 'invitedAt', private.iso(invited.invited_at), 'lastAccessedAt', private.iso(invited.last_accessed_at)),
    'guest', (select private.described_guest(g) from public.podcast_guests g where g.id = invited.podcast_guest_id))
$$;
comment on function private.described_invitation is 'A guest of an episode, {episodeGuest, guest}: what inviting, removing and answering return.';
revoke all on function private.described_invitation from public, anon, authenticated, service_role;
