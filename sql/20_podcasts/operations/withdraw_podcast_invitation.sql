-- Withdraws a pending invitation.
create function private.withdraw_podcast_invitation(invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
declare
  invitation public.podcast_invitations :=
    private.lock_podcast_invitation_for_edit(withdraw_podcast_invitation.invitation_id);
begin
  update public.podcast_invitations i set status = 'withdrawn' where i.id = invitation.id returning * into invitation;
  return invitation;
end $$;
comment on function private.withdraw_podcast_invitation is
  'Implementation of withdraw_podcast_invitation (security definer). Checks the caller itself.';
grant execute on function private.withdraw_podcast_invitation to authenticated;

create function public.withdraw_podcast_invitation(invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.withdraw_podcast_invitation(withdraw_podcast_invitation.invitation_id);
end $$;
comment on function public.withdraw_podcast_invitation is
  'Returns the podcast_invitations row. Requires admin. 403, 404, 409 PODCAST_INVITATION_ANSWERED, '
  'PODCAST_INVITATION_EXPIRED or PODCAST_INVITATION_WITHDRAWN.';
grant execute on function public.withdraw_podcast_invitation to authenticated;
