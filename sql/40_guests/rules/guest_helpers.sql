-- Shared by the guest functions: the role check and the JSON of guests.
create function private.require_guest_role(_guest_id uuid, _role public.podcast_role) returns public.podcast_guests
language plpgsql stable security definer  -- distinguishes a missing guest from a forbidden one
set search_path = ''
as $$
declare
  guest public.podcast_guests;
begin
  perform private.require_user();
  select * into guest from public.podcast_guests g where g.id = _guest_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found';
  end if;
  perform private.require_role(guest.podcast_id, _role);
  return guest;
end $$;
comment on function private.require_guest_role is
  'The guest, if the caller has at least this role on its podcast. PT401, PT403, PT404.';
-- No grant: it returns the row, so only definer functions call it.

create function private.guest_json(guest public.podcast_guests) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', guest.id, 'displayName', guest.display_name, 'email', guest.email, 'userId', guest.user_id,
    'avatarUrl', (select p.avatar_url from public.profiles p where p.id = guest.user_id))
$$;
comment on function private.guest_json is
  'A guest as {id, displayName, email, userId, avatarUrl}, with the linked user''s current avatar.';

create function private.guest_invitation_json(episode_guest public.episode_guests) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'episodeGuest', jsonb_build_object(
      'id', episode_guest.id, 'episodeId', episode_guest.episode_id, 'podcastGuestId', episode_guest.podcast_guest_id,
      'status', episode_guest.status, 'invitedAt', private.format_timestamp(episode_guest.invited_at),
      'lastAccessedAt', private.format_timestamp(episode_guest.last_accessed_at)),
    'guest', (select private.guest_json(g) from public.podcast_guests g where g.id = episode_guest.podcast_guest_id))
$$;
comment on function private.guest_invitation_json is 'An invitation as {episodeGuest, guest}, for the guest.';

create function private.sent_guest_invitation_json(episode_guest public.episode_guests) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'episodeGuest', (i.invitation -> 'episodeGuest') || jsonb_build_object(
      'emailStatus', episode_guest.email_status, 'emailDueAt', private.format_timestamp(episode_guest.email_due_at)),
    'guest', (i.invitation -> 'guest') - '{userId,avatarUrl}'::text[])
  from private.guest_invitation_json(episode_guest) i (invitation)
$$;
comment on function private.sent_guest_invitation_json is
  'An invitation as {episodeGuest, guest}, for the team: with what became of its email, and without whether the '
  'address has an account.';

create function private.has_accepted_invitation(podcast_guest_id uuid) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (select from public.episode_guests e where e.podcast_guest_id = $1 and e.status = 'active')
$$;
comment on function private.has_accepted_invitation is
  'Whether a guest accepted the invitation to an episode of the podcast, and was not removed since.';
