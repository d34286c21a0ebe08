-- Adds the invited user to the team with the offered role. A member keeps the higher of both roles.
create function private.accept_podcast_invitation(_invitation_id uuid, at timestamptz default now())
returns public.podcast_members
language plpgsql volatile security definer  -- clients have no insert grant on members
set search_path = ''
as $$
declare
  invitation public.podcast_invitations := private.lock_my_podcast_invitation(_invitation_id);
  member     public.podcast_members;
begin
  perform private.require_pending_podcast_invitation(invitation);
  if invitation.expires_at <= at then
    raise sqlstate 'PT409' using message = 'The invitation has expired; ask the team for a new one',
      hint = 'PODCAST_INVITATION_EXPIRED';
  end if;
  perform private.require_writable_podcast(invitation.podcast_id);
  select m.* into member from public.podcast_members m
  where m.podcast_id = invitation.podcast_id and m.user_id = auth.uid() for update;
  if not found then
    insert into public.podcast_members (podcast_id, user_id, role)
    values (invitation.podcast_id, auth.uid(), invitation.role)
    returning * into member;
    perform private.notify_owner_of_member('member_joined', member);
  elsif member.role < invitation.role then
    update public.podcast_members m set role = invitation.role
    where m.podcast_id = member.podcast_id and m.user_id = member.user_id returning * into member;
  end if;
  update public.podcast_invitations i set status = 'accepted', accepted_by = auth.uid() where i.id = invitation.id;
  perform private.reset_rate_limit(private.podcast_invitation_email_key(invitation.podcast_id, invitation.email));
  return member;
end $$;
grant execute on function private.accept_podcast_invitation to authenticated;

create function public.accept_podcast_invitation(invitation_id uuid) returns public.podcast_members
language sql volatile security invoker set search_path = ''
return private.accept_podcast_invitation(invitation_id);
comment on function public.accept_podcast_invitation is
  'Returns the caller''s podcast_members row. Requires the confirmed address that was invited. 404, 409 '
  'PODCAST_INVITATION_ANSWERED, PODCAST_INVITATION_EXPIRED, PODCAST_INVITATION_WITHDRAWN or PODCAST_PENDING_DELETION.';
grant execute on function public.accept_podcast_invitation to authenticated;
