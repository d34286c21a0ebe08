-- Invites a person to an episode, or invites them again, and emails a link with an access token.
create function private.send_guest_invitation(
  invited public.episode_guests, guest public.podcast_guests, invitation private.guest_invitations, at timestamptz)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  send_at timestamptz;
begin
  perform private.reject_unsent_email(invited.email_status, invited.email_due_at, at);
  perform private.consume_rate_limit('guest_invitation_emails:' || invited.id,
    private.get_setting('max_guest_invitation_emails_per_episode')::int, interval '30 days', at);
  send_at := private.reserve_email(private.email_sender(), guest.email, at);
  perform private.notify('guest.invited', jsonb_build_array(jsonb_build_object(
      'email', guest.email, 'name', guest.display_name, 'locale', private.email_locale(guest.email, p.language),
      'url', private.get_setting('guest_url'), 'is_unsolicited', true,
      'access', jsonb_build_object('kind', 'guest_invitation', 'subject_id', invited.id,
        'expires_at', private.format_timestamp(private.guest_token_expires_at(send_at))),
      'subject', jsonb_build_object('table', 'episode_guests', 'id', invited.id),
      'sender_id', invitation.invited_by)),
    jsonb_build_object('podcast_id', invited.podcast_id, 'episode_id', invited.episode_id,
      'podcast_guest_id', guest.id, 'actor_id', invitation.invited_by,
      'params', jsonb_strip_nulls(jsonb_build_object('message', invitation.message,
        'expires_at', private.format_timestamp(private.guest_token_expires_at(send_at))))),
    _scheduled_for => nullif(send_at, at), at => at)
  from public.podcasts p where p.id = invited.podcast_id;
end $$;
comment on function private.send_guest_invitation is
  'Emails an invitation, now or on a later day (private.reserve_email). PT429 RATE_LIMITED over the emails per episode '
  'and guest, or while the last one is on its way; PT403 SENDING_STOPPED.';

create function private.invite_guest(
  _episode_id uuid, _email text, _display_name text, _message text, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on guests and queues
set search_path = ''
as $$
declare
  episode_podcast_id uuid := private.require_episode_role(_episode_id, 'admin');
  guest              public.podcast_guests;
  invited            public.episode_guests;
  invitation         private.guest_invitations;
begin
  perform private.require_email(private.normalize_email(_email), 'email');
  perform private.consume_rate_limit('guest_invitations:' || auth.uid(),
    private.get_setting('max_guest_invitations_per_hour')::int, interval '1 hour', at);

  insert into public.podcast_guests as g (podcast_id, display_name, email)
  values (episode_podcast_id, _display_name, _email)
  on conflict on constraint email_unique_per_podcast do nothing;  -- an existing guest keeps the name
  select g.* into strict guest from public.podcast_guests g
  where g.podcast_id = episode_podcast_id and g.email = private.normalize_email(_email);

  insert into public.episode_guests as g (episode_id, podcast_guest_id, invited_at)
  values (_episode_id, guest.id, at)
  on conflict on constraint guest_unique_per_episode do update set
    status = case when g.status in ('declined', 'removed') then 'invited' else g.status end,
    invited_at = case when g.status in ('declined', 'removed') then excluded.invited_at else g.invited_at end
  returning * into invited;

  insert into private.guest_invitations as i (episode_guest_id, message, invited_by)
  values (invited.id, case when not private.is_blank(btrim(_message)) then btrim(_message) end, auth.uid())
  on conflict (episode_guest_id) do update set message = excluded.message, invited_by = excluded.invited_by
  returning * into invitation;
  perform private.send_guest_invitation(invited, guest, invitation, at);
  select g.* into invited from public.episode_guests g where g.id = invited.id;  -- with its email_status
  return private.sent_guest_invitation_json(invited);
end $$;
grant execute on function private.invite_guest to authenticated;

create function public.invite_guest(episode_id uuid, email text, display_name text, message text default null)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.invite_guest(
    invite_guest.episode_id, invite_guest.email, invite_guest.display_name, invite_guest.message);
end $$;
comment on function public.invite_guest is
  'POST /api/guests: 201 {episodeGuest, guest}. Creates or reuses the guest by podcast and email, and emails the '
  'invitation; emailStatus says what becomes of it. A call for a guest who was invited, declined or was removed sends '
  'it again, or returns 429 with the time from which it can. Requires admin. 400, 403 SENDING_STOPPED, 404, 409, 429.';
grant execute on function public.invite_guest to authenticated;
