-- Removes a guest from an episode and voids the access token. The row stays as history, and so does the credit, which
-- the response names. Safe to repeat.
create function private.remove_episode_guest(episode_guest_id uuid) returns jsonb
language plpgsql volatile security definer  -- guests have no write grants
set search_path = ''
as $$
declare
  guest  public.episode_guests;
  credit public.episode_credits;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.episode_guests g where g.id = remove_episode_guest.episode_guest_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found on any episode';
  end if;
  perform private.require_role(guest.podcast_id, 'admin');
  update public.episode_guests g set status = 'removed' where g.id = guest.id returning * into guest;
  select c.* into credit from public.episode_people p join public.episode_credits c on c.id = p.credit_id
  where p.guest_id = guest.id;
  return jsonb_strip_nulls(jsonb_build_object('warning', case when credit.id is not null then
      format('%s is still credited as %s; remove the credit to take the name out of the feed', credit.name, credit.role_label) end))
    || jsonb_build_object('data', private.guest_invitation_json(guest));
end $$;
comment on function private.remove_episode_guest is 'remove_episode_guest''s half behind the grants.';
grant execute on function private.remove_episode_guest to authenticated;  -- checks the role itself

create function public.remove_episode_guest(episode_guest_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.remove_episode_guest(remove_episode_guest.episode_guest_id);
end $$;
comment on function public.remove_episode_guest is
  'DELETE /api/guests/{episodeGuestId}: {data: {episodeGuest, guest}, warning?}; the status is removed, the token void, and the warning names a credit that stays. Needs admin+. 403, 404, 409.';
grant execute on function public.remove_episode_guest to authenticated;
