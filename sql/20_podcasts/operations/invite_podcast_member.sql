-- Invites an address to the team. The response does not reveal whether the address has an account: the function never
-- looks the address up.
create function private.is_known_member(_podcast_id uuid, _email text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return _email = private.my_confirmed_email() or exists (
    select from public.podcast_invitations i
    join public.podcast_members m on m.podcast_id = i.podcast_id and m.user_id = i.accepted_by
    where i.podcast_id = _podcast_id and i.email = _email);
end $$;
comment on function private.is_known_member is
  'True for the caller''s own address, and for one that accepted an invitation to this team. Other members'' '
  'addresses stay unknown.';

create function private.invite_podcast_member(
  _podcast_id uuid, _email text, _role public.podcast_role, at timestamptz default now())
returns public.podcast_invitations
language plpgsql volatile security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
declare
  new_email  text := private.normalize_email(_email);
  invitation public.podcast_invitations;
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.require_email(new_email, 'email');
  if _role = 'owner' then
    raise sqlstate 'PT409' using
      message = 'Ownership can only be changed by transferring the podcast; invite a member or an admin',
      hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  perform private.consume_plan_rate_limit('podcast_invitations', at);
  perform private.lock_team_for_edit(_podcast_id);
  select i.* into invitation from public.podcast_invitations i
  where i.podcast_id = _podcast_id and i.email = new_email and i.status = 'pending' for update;
  if invitation.expires_at > at then
    raise sqlstate 'PT409' using
      message = 'This email has an open invitation; resend or withdraw it', hint = 'PODCAST_INVITATION_OPEN',
      detail = jsonb_build_object('invitation_id', invitation.id)::text;
  elsif private.is_known_member(_podcast_id, new_email) then
    raise sqlstate 'PT409' using message = 'This person is already on the team', hint = 'ALREADY_MEMBER';
  end if;
  update public.podcast_invitations i set status = 'expired' where i.id = invitation.id;
  insert into public.podcast_invitations (podcast_id, email, role, invited_by, expires_at)
  values (_podcast_id, new_email, _role, auth.uid(),
    at + make_interval(days => private.get_setting('podcast_invitation_ttl_days')::int))
  returning * into invitation;
  return private.send_podcast_invitation(invitation, at);
end $$;
grant execute on function private.invite_podcast_member to authenticated;

create function public.invite_podcast_member(podcast_id uuid, email text, role public.podcast_role default 'member')
returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.invite_podcast_member(
    invite_podcast_member.podcast_id, invite_podcast_member.email, invite_podcast_member.role);
end $$;
comment on function public.invite_podcast_member is
  '201 with the podcast_invitations row. Invites an address as member or admin and emails it; email_status says what '
  'becomes of the email. Requires admin. 400, 403 SENDING_STOPPED, 404, 409 ALREADY_MEMBER, PODCAST_INVITATION_OPEN or '
  'OWNERSHIP_TRANSFER_REQUIRED, 429.';
grant execute on function public.invite_podcast_member to authenticated;
