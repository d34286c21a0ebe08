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
create function private.cancel_waiting_emails_of_bookings() returns trigger
language plpgsql security definer  -- clients have no write grant on deliveries
set search_path = ''
as $$
declare
  booking_ids text[];
  emails      text[];
begin
  if tg_op = 'DELETE' then
    select array_agg(o.id), array_agg(o.guest_email) into booking_ids, emails from old_rows o
    where o.status in ('pending', 'confirmed');  -- else the email tells how it ended
  else
    select array_agg(o.id), array_agg(o.guest_email) into booking_ids, emails
    from old_rows o join new_rows n on n.id = o.id where n.sequence <> o.sequence;
  end if;
  with canceled as (
    update public.notification_deliveries d set status = 'canceled'
    from private.delivery_addresses a
    where a.email = any (emails) and a.access ->> 'subject_id' = any (booking_ids) and d.id = a.delivery_id
      and d.status = 'pending'
    returning d.id
  )
  insert into private.delivery_sends as s (delivery_id, last_error)
  select c.id, 'The booking changed before the email was sent' from canceled c
  on conflict on constraint delivery_sends_pkey do update set last_error = excluded.last_error;
  return null;
end $$;
comment on function private.cancel_waiting_emails_of_bookings is
  'Trigger: cancels the emails to the guests of changed bookings that still wait.';
create trigger t500_cancel_waiting_emails after update on public.bookings
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.cancel_waiting_emails_of_bookings();
create trigger t500_cancel_waiting_emails_of_deleted after delete on public.bookings referencing old table as old_rows
  for each statement execute function private.cancel_waiting_emails_of_bookings();
