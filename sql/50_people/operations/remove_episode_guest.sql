-- Removes a guest from an episode and revokes the access token. Row and credit stay. This function is not in 40_guests,
-- because its response names the credit. Safe to repeat.
create function private.remove_episode_guest(_episode_guest_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on guests
set search_path = ''
as $$
declare
  guest  public.episode_guests;
  credit public.episode_credits;
begin
  perform private.require_user();
  select * into guest from public.episode_guests g where g.id = _episode_guest_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode guest not found';
  end if;
  perform private.require_role(guest.podcast_id, 'admin');
  update public.episode_guests g set status = 'removed' where g.id = guest.id returning * into guest;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Episode guest not found';
  end if;
  select c.* into credit from public.episode_people p join public.episode_credits c on c.id = p.credit_id
  where p.guest_id = guest.id;
  return jsonb_strip_nulls(jsonb_build_object('warning', case when credit.id is not null then
      format('%s is still credited as %s; remove the credit to remove the name from the feed',
        credit.name, credit.role_label) end))
    || jsonb_build_object('data', private.sent_guest_invitation_json(guest));
end $$;
grant execute on function private.remove_episode_guest to authenticated;

create function public.remove_episode_guest(episode_guest_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_episode_guest(episode_guest_id);
comment on function public.remove_episode_guest is
  'DELETE /api/guests/{episodeGuestId}: {data: {episodeGuest, guest}, warning?} with status removed; '
  'the warning names a credit that stays. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION '
  'unless the guest has not answered the invitation.';
grant execute on function public.remove_episode_guest to authenticated;
