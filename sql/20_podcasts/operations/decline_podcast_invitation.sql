-- Declines an invitation, and optionally blocks the podcast for the address. Accepts every invitation that was not
-- accepted, so that a team which withdraws its invitations can be blocked; declining without block unblocks. A podcast
-- pending deletion can be declined too, because declining binds no one.
create function private.decline_podcast_invitation(
  _invitation_id uuid, _block boolean, at timestamptz default clock_timestamp())
returns public.podcast_invitations
language plpgsql volatile security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
declare
  invitation public.podcast_invitations := private.lock_my_podcast_invitation(_invitation_id);
begin
  if invitation.status = 'accepted' then
    perform private.require_pending_podcast_invitation(invitation);
  elsif invitation.status = 'pending' then
    update public.podcast_invitations i set status = 'declined' where i.id = invitation.id returning * into invitation;
    perform private.notify('podcast.invitation_declined', private.user_recipients(invitation.invited_by),
      jsonb_build_object('podcast_id', invitation.podcast_id,
        'params', jsonb_build_object('email', invitation.email)), at => at);
  end if;
  if _block then
    insert into private.podcast_invitation_blocks (podcast_id, email, blocked_at)
    values (invitation.podcast_id, invitation.email, at)
    on conflict do nothing;
  else
    delete from private.podcast_invitation_blocks b
    where b.podcast_id = invitation.podcast_id and b.email = invitation.email;
  end if;
  return invitation;
end $$;
grant execute on function private.decline_podcast_invitation to authenticated;

create function public.decline_podcast_invitation(invitation_id uuid, block boolean default false)
returns public.podcast_invitations
language sql volatile security invoker set search_path = ''
return private.decline_podcast_invitation(invitation_id, block);
comment on function public.decline_podcast_invitation is
  'Returns the podcast_invitations row. With block, later invitations to this podcast are neither emailed nor shown. '
  'Requires the confirmed address that was invited. 404, 409 PODCAST_INVITATION_ANSWERED.';
grant execute on function public.decline_podcast_invitation to authenticated;
