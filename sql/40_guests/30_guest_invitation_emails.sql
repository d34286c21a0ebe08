-- Emails of invitations: invite_guest enqueues them within the limits, and the worker sends them.
-- The caller's response never depends on the limits. The caller holds the lock on the episode guest, so that concurrent
-- invitations are counted one after another.
create function private.enqueue_guest_invitation_email(
  episode_guest_id uuid, email text, at timestamptz default now()
) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from private.guest_invitations i
  where i.episode_guest_id = enqueue_guest_invitation_email.episode_guest_id
    and i.email_count < private.get_setting('max_guest_invitation_emails_per_episode')::int;
  if not found or private.try_consume_rate_limit(
      private.email_rate_limit_key('guest_invitation_emails', enqueue_guest_invitation_email.email),
      private.get_setting('max_guest_invitation_emails_per_day')::int, interval '1 day',
      enqueue_guest_invitation_email.at) is not null then
    return;
  end if;
  update private.guest_invitations i
  set email_count = i.email_count + 1, requested_at = default, sent_at = null
  where i.episode_guest_id = enqueue_guest_invitation_email.episode_guest_id;
  perform private.enqueue('guest_invitations', jsonb_build_object('episode_guest_id', g.id, 'podcast_id', g.podcast_id))
  from public.episode_guests g where g.id = enqueue_guest_invitation_email.episode_guest_id;
end $$;
comment on function private.enqueue_guest_invitation_email is
  'Enqueues the email of an invitation, unless it exceeds the limit per guest and episode or per recipient and day.';

-- The worker reads the email's facts, derives the token, stores its digest, sends the email, and marks it as sent.
-- A request that a newer one superseded does nothing.
create function private.guest_invitation_email(episode_guest_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'requestedAt', i.requested_at::text,  -- in microseconds, because it identifies the request
    'to', jsonb_build_object('name', g.display_name, 'address', g.email),
    'language', private.email_language(g.email, p.language),
    'podcastTitle', p.title, 'episodeTitle', e.title, 'invitedBy', inviter.display_name, 'message', i.message,
    'guestUrl', private.get_setting('guest_url'))
  from private.guest_invitations i
  join public.episode_guests eg on eg.id = i.episode_guest_id
  join public.podcast_guests g on g.id = eg.podcast_guest_id
  join public.episodes e on e.id = eg.episode_id
  join public.podcasts p on p.id = eg.podcast_id
  left join public.profiles inviter on inviter.id = i.invited_by
  where i.episode_guest_id = $1 and i.sent_at is null and eg.status <> 'removed' and p.status in ('active', 'paused')
    and not private.is_email_suppressed(g.email)
$$;
comment on function private.guest_invitation_email is
  'The facts of an invitation''s email. Null if it was sent, the guest was removed, the podcast is '
  'pending deletion, or the address gets no email.';

create function private.issue_guest_token(
  episode_guest_id uuid, requested_at timestamptz, token_hash bytea, at timestamptz default now()
) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  valid_until timestamptz := at + private.get_setting('guest_token_ttl_days')::int * interval '1 day';
begin
  update private.guest_invitations i set
    pending_token_hash = issue_guest_token.token_hash,
    -- attempts of a day send the same email; providers keep idempotency keys for a day
    pending_expires_at = case when i.pending_token_hash = issue_guest_token.token_hash
      and i.pending_expires_at >= valid_until - interval '1 day' then i.pending_expires_at else valid_until end
  where i.episode_guest_id = issue_guest_token.episode_guest_id
    and i.requested_at = issue_guest_token.requested_at and i.sent_at is null
  returning i.pending_expires_at into valid_until;
  return case when found then valid_until end;
end $$;
comment on function private.issue_guest_token is
  'Makes the token with this digest valid besides the token of the last sent email, and returns when it expires. '
  'Null if the request was superseded.';

create function private.mark_guest_invitation_sent(
  token_hash bytea, requested_at timestamptz, at timestamptz default now()
) returns void
language sql volatile security invoker set search_path = ''
as $$
  update private.guest_invitations i set
    token_hash = i.pending_token_hash, expires_at = i.pending_expires_at,
    pending_token_hash = null, pending_expires_at = null,
    sent_at = case when i.requested_at = $2 then $3 end
  where i.pending_token_hash = $1
$$;
comment on function private.mark_guest_invitation_sent is
  'Records that the email with this token was sent, which revokes the token before it. '
  'Does nothing after a later attempt.';

-- After: the worker drops the messages of a podcast that is pending deletion.
create function private.enqueue_unsent_guest_invitations() returns trigger
language plpgsql security definer  -- clients may not write queues
set search_path = ''
as $$
begin
  perform private.enqueue('guest_invitations', jsonb_build_object('episode_guest_id', g.id, 'podcast_id', new.id))
  from public.episode_guests g join private.guest_invitations i on i.episode_guest_id = g.id
  where g.podcast_id = new.id and i.sent_at is null and i.email_count > 0;
  return null;
end $$;
create trigger t900_enqueue_unsent_guest_invitations after update of status on public.podcasts
  for each row when (old.status = 'pending_deletion' and new.status in ('active', 'paused'))
  execute function private.enqueue_unsent_guest_invitations();
