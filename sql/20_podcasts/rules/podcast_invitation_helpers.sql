-- Helpers of the invitation functions. Lock order: rate limit, podcast, profile, member, invitation, recipient.
create function private.lock_team_for_edit(_podcast_id uuid, ends_invitation boolean default false) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.podcasts p where p.id = _podcast_id for no key update;
  perform from public.podcast_members m
  where m.podcast_id = _podcast_id and m.user_id = auth.uid()
  for share;  -- keeps the role until the transaction ends
  perform private.require_role(_podcast_id, 'admin');
  if not ends_invitation then
    perform private.require_writable_podcast(_podcast_id);
  end if;
end $$;
comment on function private.lock_team_for_edit is
  'Locks the podcast and the caller''s membership; requires admin. PT401, PT403, PT404, and PT409 '
  'PODCAST_PENDING_DELETION unless the edit ends an invitation.';

create function private.lock_podcast_invitation_for_edit(_invitation_id uuid, ends_it boolean default false)
returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  invitation public.podcast_invitations;
begin
  perform private.require_user();
  select i.* into invitation from public.podcast_invitations i
  where i.id = _invitation_id and i.podcast_id = any (private.my_podcasts('member'));
  if not found then
    raise sqlstate 'PT404' using message = 'Invitation not found';
  end if;
  perform private.lock_team_for_edit(invitation.podcast_id, ends_it);
  select i.* into invitation from public.podcast_invitations i where i.id = invitation.id for update;
  perform private.require_pending_podcast_invitation(invitation);
  return invitation;
end $$;
comment on function private.lock_podcast_invitation_for_edit is
  'Returns a pending invitation, locked, to an admin of its podcast. PT401, PT403, PT404, PT409; an edit that ends it '
  'is allowed while the podcast is pending deletion.';

create function private.lock_my_podcast_invitation(_invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  invitation public.podcast_invitations;
begin
  perform private.require_user();
  perform from public.podcasts p
  where p.id = (
      select i.podcast_id from public.podcast_invitations i where i.id = _invitation_id)
    and _invitation_id = any (private.my_podcast_invitation_ids())
  for share;  -- keeps the podcast's status until the transaction ends
  perform from public.profiles f where f.id = auth.uid() for key share;  -- account deletions lock in this order
  select i.* into invitation from public.podcast_invitations i
  where i.id = _invitation_id and i.id = any (private.my_podcast_invitation_ids()) for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Invitation not found';
  end if;
  return invitation;
end $$;
comment on function private.lock_my_podcast_invitation is
  'Returns an invitation, locked, to the user whose confirmed address is invited. PT401, and PT404 for other users.';

create function private.require_pending_podcast_invitation(invitation public.podcast_invitations) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if invitation.status in ('accepted', 'declined') then
    raise sqlstate 'PT409' using message = format('The invitation was already %s', invitation.status),
      hint = 'PODCAST_INVITATION_ANSWERED';
  elsif invitation.status = 'withdrawn' then
    raise sqlstate 'PT409' using message = 'The invitation was withdrawn; ask the team for a new one',
      hint = 'PODCAST_INVITATION_WITHDRAWN';
  elsif invitation.status = 'expired' then
    raise sqlstate 'PT409' using message = 'The invitation has expired; ask the team for a new one',
      hint = 'PODCAST_INVITATION_EXPIRED';
  end if;
end $$;
comment on function private.require_pending_podcast_invitation is
  'Requires a pending invitation. PT409 PODCAST_INVITATION_ANSWERED, PODCAST_INVITATION_WITHDRAWN or '
  'PODCAST_INVITATION_EXPIRED.';

create function private.invited_user_recipients(_invitation_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.user_recipients(variadic array(
    select u.id from public.podcast_invitations i
    join auth.users u on u.email = i.email  -- Auth stores addresses in lower case
    where i.id = _invitation_id
      and u.email_confirmed_at is not null and not u.is_sso_user));  -- SSO does not prove an address
end $$;
comment on function private.invited_user_recipients is
  'The user whose confirmed address is invited, if any, as recipient of private.notify().';

create function private.podcast_invitation_email_key(podcast_id uuid, email text) returns text
language sql immutable security invoker set search_path = ''
return private.email_rate_limit_key('podcast_invitation_emails', $1 || '/' || $2);
comment on function private.podcast_invitation_email_key is
  'The key of the rate limit of a podcast''s invitations to an address.';

create function private.send_podcast_invitation(
  invitation public.podcast_invitations, at timestamptz, had_expired boolean default false)
returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  payload  constant jsonb := jsonb_build_object(
    'invitation_id', invitation.id, 'podcast_id', invitation.podcast_id, 'actor_id', invitation.invited_by);
  role     constant text := invitation.role;
  locale   constant text := (
    select private.email_locale(invitation.email, p.language) from public.podcasts p
    where p.id = invitation.podcast_id);
  send_at  timestamptz;
begin
  perform private.reject_unsent_email(invitation.email_status, invitation.email_due_at, at);
  perform private.consume_rate_limit(
    private.podcast_invitation_email_key(invitation.podcast_id, invitation.email),
    private.get_setting('max_podcast_invitation_emails_per_recipient')::int, interval '30 days', at);
  if exists (select from private.podcast_invitation_blocks b
    where b.podcast_id = invitation.podcast_id and b.email = invitation.email)
  then
    update public.podcast_invitations i set email_status = 'suppressed', email_due_at = null
    where i.id = invitation.id returning * into invitation;
    return invitation;
  end if;
  send_at := private.reserve_email(private.email_sender(), invitation.email, at);
  perform private.notify('podcast.member_invited', private.invited_user_recipients(invitation.id), payload,
    _dedupe_key => 'podcast_invitation:' || invitation.id
      || case when had_expired then ':' || private.format_timestamp(invitation.expires_at) else '' end,
    _group_key => 'podcast_invitation:' || invitation.id,
    at => at);
  perform private.notify('podcast.member_invited', jsonb_build_array(jsonb_build_object(
      'email', invitation.email, 'locale', locale, 'is_unsolicited', true,
      'url', rtrim(private.get_setting('app_url'), '/') || '/invitations/' || invitation.id,
      'subject', jsonb_build_object('table', 'podcast_invitations', 'id', invitation.id),
      'sender_id', invitation.invited_by)),
    payload || jsonb_build_object('params', jsonb_build_object('email', invitation.email,
      'role_can', private.get_text(private.language_of(locale), 'team_role.' || role || '_can'),
      'expires_at', private.format_timestamp(invitation.expires_at))), _scheduled_for => nullif(send_at, at), at => at);
  select i.* into invitation from public.podcast_invitations i where i.id = invitation.id;  -- with its email_status
  return invitation;
end $$;
comment on function private.send_podcast_invitation is
  'Notifies the invited user, if there is one, once until the invitation expires, and emails the address, now or on a '
  'later day (private.reserve_email). Returns the invitation with its email_status, which is suppressed if the address '
  'blocked the podcast. PT429 RATE_LIMITED over the emails to the address, or while the last one is on its way; PT403 '
  'SENDING_STOPPED.';

create function private.skip_user_with_podcast_invitation() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from public.podcast_invitations i
  where i.email = new.email and i.status = 'pending' and i.expires_at > new.checked_at;
  return case when not found then new end;
end $$;
create trigger t300_skip_user_with_podcast_invitation before insert on private.reapable_users
  for each row execute function private.skip_user_with_podcast_invitation();
