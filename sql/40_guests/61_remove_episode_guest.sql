-- Takes a guest off an episode: the access token opens nothing any more. The row stays, as history. Safe to repeat.
create function private.drop_episode_guest(id uuid) returns jsonb
language plpgsql volatile security definer  -- guests have no write grants
set search_path = ''
as $$
declare
  guest public.episode_guests;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.episode_guests g where g.id = drop_episode_guest.id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found on any episode';
  end if;
  perform private.require_role(guest.podcast_id, 'admin');
  update public.episode_guests g set status = 'removed' where g.id = guest.id returning * into guest;
  return private.described_invitation(guest);
end $$;
comment on function private.drop_episode_guest is 'remove_episode_guest''s half behind the grants.';
revoke all on function private.drop_episode_guest from public, anon, authenticated, service_role;
grant execute on function private.drop_episode_guest to authenticated;  -- checks the role itself

create function public.remove_episode_guest(episode_guest_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.drop_episode_guest(remove_episode_guest.episode_guest_id);
end $$;
comment on function public.remove_episode_guest is
  'DELETE /api/guests/{episodeGuestId}: {episodeGuest, guest}, the status removed and the token void. Needs admin+. 403, 404, 409.';
revoke all on function public.remove_episode_guest from public, anon, authenticated, service_role;
grant execute on function public.remove_episode_guest to authenticated;
