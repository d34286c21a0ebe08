-- Withdraws a pending invitation.
create function private.withdraw_podcast_invitation(_invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
declare
  invitation public.podcast_invitations :=
    private.lock_podcast_invitation_for_edit(_invitation_id, ends_it => true);
begin
  update public.podcast_invitations i set status = 'withdrawn' where i.id = invitation.id returning * into invitation;
  return invitation;
end $$;
grant execute on function private.withdraw_podcast_invitation to authenticated;

create function public.withdraw_podcast_invitation(invitation_id uuid) returns public.podcast_invitations
language sql volatile security invoker set search_path = ''
return private.withdraw_podcast_invitation(invitation_id);
comment on function public.withdraw_podcast_invitation is
  'Returns the podcast_invitations row. Requires admin. 403, 404, 409 PODCAST_INVITATION_ANSWERED, '
  'PODCAST_INVITATION_EXPIRED or PODCAST_INVITATION_WITHDRAWN.';
grant execute on function public.withdraw_podcast_invitation to authenticated;
