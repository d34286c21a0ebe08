-- Resends a pending invitation in the caller's name, valid for the full period.
create function private.resend_podcast_invitation(_invitation_id uuid, at timestamptz default now())
returns public.podcast_invitations
language plpgsql volatile security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
declare
  invitation  public.podcast_invitations;
  had_expired boolean;
begin
  perform private.consume_plan_rate_limit('podcast_invitations', at);
  invitation := private.lock_podcast_invitation_for_edit(_invitation_id);
  had_expired := invitation.expires_at <= at;
  update public.podcast_invitations i set invited_by = auth.uid(),
    expires_at = at
      + make_interval(days => private.get_setting('podcast_invitation_ttl_days')::int)
  where i.id = invitation.id returning * into invitation;
  return private.send_podcast_invitation(invitation, at, had_expired);
end $$;
grant execute on function private.resend_podcast_invitation to authenticated;

create function public.resend_podcast_invitation(invitation_id uuid) returns public.podcast_invitations
language sql volatile security invoker set search_path = ''
return private.resend_podcast_invitation(invitation_id);
comment on function public.resend_podcast_invitation is
  'Returns the podcast_invitations row with its new expires_at; a pending one may be past expires_at. Requires admin. '
  '403, 404, 409 PODCAST_INVITATION_ANSWERED, PODCAST_INVITATION_EXPIRED or PODCAST_INVITATION_WITHDRAWN, 429 while '
  'the last email is on its way, or over the emails to the address. email_status is suppressed if the address blocked '
  'the podcast.';
grant execute on function public.resend_podcast_invitation to authenticated;
