-- Requests to a user that are no longer open: invitations to a team, and offered transfers. The notification that asks
-- for an answer is read then.
create function private.read_notification_of_request() returns trigger
language plpgsql security definer  -- clients have no write grant on notifications
set search_path = ''
as $$
declare
  request      constant jsonb := to_jsonb(new);
  request_key  constant text := tg_argv[0] || ':' || new.id;
  user_ids     constant uuid[] := array(
    select (request ->> 'user_id')::uuid
    union all select u.id from auth.users u where u.email = request ->> 'email');
begin
  update public.notifications n set read_at = now(), updated_at = now()
  where n.user_id = any (user_ids) and n.group_key = request_key and n.read_at is null;
  -- reading cancels the push only, and not that of a user who turned the app off
  update public.notification_deliveries d set status = 'canceled'
  from public.notifications n
  where coalesce(d.user_id, d.episode_guest_id) = any (user_ids) and d.status in ('pending', 'queued')
    and (d.channel = 'push' or d.status = 'pending')
    and not exists (select from private.delivery_sends s where s.delivery_id = d.id)
    and n.id = d.notification_id and n.group_key = request_key;
  return null;
end $$;
comment on function private.read_notification_of_request is
  'Trigger: marks the notification of a request that is no longer pending as read, which cancels its push, and cancels '
  'its email. The argument is the prefix of its group_key.';
create trigger t500_read_notification after update on public.podcast_invitations
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.read_notification_of_request('podcast_invitation');
create trigger t500_read_notification after update on public.podcast_transfers
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.read_notification_of_request('podcast_transfer');

-- A later change of a booking writes an email of its own, or the request has expired before its first email was due.
create function private.cancel_waiting_email_of_booking() returns trigger
language plpgsql security definer  -- clients have no write grant on deliveries
set search_path = ''
as $$
begin
  with canceled as (
    update public.notification_deliveries d set status = 'canceled'
    from private.delivery_addresses a
    where a.email = old.guest_email and a.access ->> 'subject_id' = old.id::text and d.id = a.delivery_id
      and d.status = 'pending'
    returning d.id
  )
  insert into private.delivery_sends as s (delivery_id, last_error)
  select c.id, 'The booking changed before the email was sent' from canceled c
  on conflict on constraint delivery_sends_pkey do update set last_error = excluded.last_error;
  return null;
end $$;
comment on function private.cancel_waiting_email_of_booking is
  'Trigger: cancels the emails to the guest of a changed booking that still wait.';
create trigger t500_cancel_waiting_email after update on public.bookings
  for each row when (old.sequence <> new.sequence)
  execute function private.cancel_waiting_email_of_booking();
create trigger t500_cancel_waiting_email_of_deleted after delete on public.bookings
  for each row when (old.status in ('pending', 'confirmed'))  -- else the email tells how it ended
  execute function private.cancel_waiting_email_of_booking();
