-- The worker reads the facts of an invitation's email, sends it, and records that.
create function private.podcast_invitation_email(invitation_id uuid, at timestamptz default now()) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'requestedAt', e.requested_at::text,  -- with microseconds: it identifies the request
    'to', i.email, 'language', private.email_language(i.email, p.language),
    'podcastTitle', i.podcast_title, 'inviterName', i.inviter_name, 'role', i.role,
    'expiresAt', private.format_timestamp(i.expires_at),
    'url', rtrim(private.get_setting('app_url'), '/') || '/invitations/' || i.id)
  from private.podcast_invitation_emails e
  join public.podcast_invitations i on i.id = e.invitation_id
  join public.podcasts p on p.id = i.podcast_id
  left join private.podcast_invitation_recipients r on r.podcast_id = i.podcast_id and r.email = i.email
  where i.id = $1 and e.sent_at is null and i.status = 'pending' and i.expires_at > $2
    and p.status in ('active', 'paused') and r.blocked_at is null and not private.is_email_suppressed(i.email)
$$;
comment on function private.podcast_invitation_email is
  'Returns the facts of an invitation''s email; null if it was sent, the invitation is no longer '
  'open, or the address gets no email.';

create function private.mark_podcast_invitation_sent(
  invitation_id uuid, requested_at timestamptz, at timestamptz default now())
returns void
language sql volatile security invoker set search_path = ''
as $$
  update private.podcast_invitation_emails e set sent_at = $3 where e.invitation_id = $1 and e.requested_at = $2
$$;
comment on function private.mark_podcast_invitation_sent is
  'Records that the email of this request was sent. A later request stays open.';

-- After: the worker drops the messages of a podcast that is pending deletion.
create function private.enqueue_unsent_podcast_invitations() returns trigger
language plpgsql security definer  -- clients may not write queues
set search_path = ''
as $$
begin
  perform private.enqueue('podcast_invitations', jsonb_build_object('invitation_id', i.id, 'podcast_id', new.id))
  from public.podcast_invitations i join private.podcast_invitation_emails e on e.invitation_id = i.id
  where i.podcast_id = new.id and i.status = 'pending' and e.sent_at is null;
  return null;
end $$;
create trigger t900_enqueue_unsent_podcast_invitations after update of status on public.podcasts
  for each row when (old.status = 'pending_deletion' and new.status in ('active', 'paused'))
  execute function private.enqueue_unsent_podcast_invitations();
