-- Helpers of the invitation functions. Lock order: rate limit, podcast, profile, member, invitation, recipient.
create function private.lock_team_for_edit(podcast_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.podcasts p where p.id = lock_team_for_edit.podcast_id for no key update;
  perform from public.podcast_members m
  where m.podcast_id = lock_team_for_edit.podcast_id and m.user_id = auth.uid()
  for share;  -- keeps the role until the transaction ends
  perform private.require_role(lock_team_for_edit.podcast_id, 'admin');
  perform private.require_writable_podcast(lock_team_for_edit.podcast_id);
end $$;
comment on function private.lock_team_for_edit is
  'Locks the podcast and the caller''s membership; requires admin. PT401, PT403, PT404, PT409.';

create function private.lock_podcast_invitation_for_edit(invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  invitation public.podcast_invitations;
begin
  perform private.require_user();
  select i.* into invitation from public.podcast_invitations i
  where i.id = lock_podcast_invitation_for_edit.invitation_id and i.podcast_id = any (private.my_podcasts('member'));
  if not found then
    raise sqlstate 'PT404' using message = 'Invitation not found';
  end if;
  perform private.lock_team_for_edit(invitation.podcast_id);
  select i.* into invitation from public.podcast_invitations i where i.id = invitation.id for update;
  perform private.require_pending_podcast_invitation(invitation);
  return invitation;
end $$;
comment on function private.lock_podcast_invitation_for_edit is
  'Returns a pending invitation, locked, to an admin of its podcast. PT401, PT403, PT404, PT409.';

create function private.lock_my_podcast_invitation(invitation_id uuid) returns public.podcast_invitations
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  invitation public.podcast_invitations;
begin
  perform private.require_user();
  perform from public.podcasts p
  where p.id = (
      select i.podcast_id from public.podcast_invitations i where i.id = lock_my_podcast_invitation.invitation_id)
    and lock_my_podcast_invitation.invitation_id = any (private.my_podcast_invitation_ids())
  for share;  -- keeps the podcast's status until the transaction ends
  perform from public.profiles f where f.id = auth.uid() for key share;  -- account deletions lock in this order
  select i.* into invitation from public.podcast_invitations i
  where i.id = lock_my_podcast_invitation.invitation_id and i.id = any (private.my_podcast_invitation_ids()) for update;
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

create function private.invited_user_recipients(invitation_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.user_recipients(variadic array(
    select u.id from public.podcast_invitations i
    join auth.users u on u.email = i.email  -- Auth stores addresses in lower case
    where i.id = invited_user_recipients.invitation_id
      and u.email_confirmed_at is not null and not u.is_sso_user));  -- SSO does not prove an address
end $$;
comment on function private.invited_user_recipients is
  'The user whose confirmed address is invited, if any, as recipient of private.notify().';

-- The caller's response must not depend on its effect, so that it reveals nothing about the address.
create function private.enqueue_podcast_invitation_email(invitation public.podcast_invitations, at timestamptz)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  recipient private.podcast_invitation_recipients;
begin
  insert into private.podcast_invitation_recipients (podcast_id, email) values (invitation.podcast_id, invitation.email)
  on conflict do nothing;
  select r.* into recipient from private.podcast_invitation_recipients r
  where r.podcast_id = invitation.podcast_id and r.email = invitation.email for update;
  if recipient.blocked_at is not null
     or recipient.email_count >= private.get_setting('max_podcast_invitation_emails_per_recipient')::int
     or private.try_consume_rate_limit(private.email_rate_limit_key('podcast_invitation_emails', invitation.email),
       private.get_setting('max_podcast_invitation_emails_per_day')::int, interval '1 day',
       enqueue_podcast_invitation_email.at) is not null then
    return;
  end if;
  update private.podcast_invitation_recipients r set email_count = r.email_count + 1
  where r.podcast_id = invitation.podcast_id and r.email = invitation.email;
  insert into private.podcast_invitation_emails as e (invitation_id) values (invitation.id)
  on conflict (invitation_id) do update set requested_at = excluded.requested_at, sent_at = null;
  perform private.enqueue('podcast_invitations',
    jsonb_build_object('invitation_id', invitation.id, 'podcast_id', invitation.podcast_id));
  perform private.notify('podcast.member_invited', private.invited_user_recipients(invitation.id), jsonb_build_object(
    'invitation_id', invitation.id, 'podcast_id', invitation.podcast_id, 'actor_id', invitation.invited_by),
    dedupe_key => 'podcast_invitation:' || invitation.id, group_key => 'podcast_invitation:' || invitation.id,
    at => enqueue_podcast_invitation_email.at);
end $$;
comment on function private.enqueue_podcast_invitation_email is
  'Enqueues the email of an invitation, unless the recipient blocked the podcast or reached an email limit.';

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
