-- Adds a confirmed user to the team, by e-mail address.
create function private.seat_member(podcast_id uuid, email text, role public.podcast_role) returns public.podcast_members
language plpgsql volatile security definer  -- looks people up by address, which no client may
set search_path = ''
as $$
declare
  found_user uuid;
  seated     public.podcast_members;
begin
  perform private.require_role(seat_member.podcast_id, 'admin');
  select u.id into found_user from auth.users u
  join public.profiles p on p.id = u.id
  where u.email = lower(btrim(seat_member.email)) and u.is_sso_user = false  -- the service keeps addresses in lower case
    and u.email_confirmed_at is not null;
  if not found then
    raise sqlstate 'PT404' using message = 'Nobody with this address has a confirmed account', hint = 'USER_NOT_FOUND';
  end if;
  insert into public.podcast_members as m (podcast_id, user_id, role)
  values (seat_member.podcast_id, found_user, seat_member.role)
  on conflict on constraint podcast_members_pkey do nothing
  returning m.* into seated;
  if seated.user_id is null then
    raise sqlstate 'PT409' using message = 'This person is already on the team', hint = 'ALREADY_MEMBER';
  end if;
  return seated;
end $$;
comment on function private.seat_member is 'add_podcast_member''s half behind the grants.';
revoke all on function private.seat_member from public, anon, authenticated, service_role;
grant execute on function private.seat_member to authenticated;  -- checks the role itself

create function public.add_podcast_member(podcast_id uuid, email text, role public.podcast_role default 'member')
returns public.podcast_members
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.seat_member(add_podcast_member.podcast_id, add_podcast_member.email, add_podcast_member.role);
end $$;
comment on function public.add_podcast_member is
  'Adds a confirmed user to a podcast''s team as member or admin. Needs admin+. 403, 404 podcast or USER_NOT_FOUND, 409 ALREADY_MEMBER, OWNER_STAYS.';
revoke all on function public.add_podcast_member from public, anon, authenticated, service_role;
grant execute on function public.add_podcast_member to authenticated;
