-- Subjects that no longer wait: a request that was answered, withdrawn or moved, a deletion that was canceled, a
-- calendar that works again. What the catalogue's types of a subject tell is over then, for all recipients.
create function private.end_notifications(_subject text, subject_id text, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  key   constant text := _subject || ':' || subject_id;
  types constant text[] := array(select t.type from public.notification_types t where t.subject = _subject);
  ended uuid[];
begin
  -- of users who were locked; first, as fan_out_waiting_events locks an event before notifications
  update private.events e set recipients = '[]'
  where e.processed_at is null and e.recipients is not null and e.group_key = key and e.type = any (types);
  -- those whose email or push has failed may be read, and are sent again after an outage
  ended := array(
    select n.id from public.notifications n
    where n.group_key = key and n.read_at is null and n.type = any (types)
    union
    select d.notification_id from public.notification_deliveries d
    where d.group_key = key and d.status in ('pending', 'queued', 'failed') and d.type = any (types)
      and d.notification_id is not null);
  insert into private.ended_notifications (notification_id, ended_at)
  select e.id, at from unnest(ended) e (id) order by 1 on conflict do nothing;
  perform private.delete_notifications(array(  -- not shown yet, and never will be
    select n.id from public.notifications n where n.id = any (ended) and n.scheduled_for > at));
  -- a locked one is being read, archived or deleted, and no caller waits for a user who marks 100,000 as read
  update public.notifications n set read_at = at, updated_at = at
  where n.id = any (array(
    select o.id from public.notifications o where o.id = any (ended) and o.read_at is null
    for no key update skip locked));
  -- begun or not; reading has canceled the pushes of users who did not turn the app off
  with canceled as (
    update public.notification_deliveries d set status = 'canceled'
    where d.id = any (array(
      select o.id from public.notification_deliveries o
      where o.group_key = key and o.status in ('pending', 'queued') and o.type = any (types)
        and num_nonnulls(o.user_id, o.episode_guest_id) = 1
      order by o.collapse_key, o.id for update))
    returning d.id)
  insert into private.delivery_sends (delivery_id, last_error)
  select c.id, 'What it asks for is over' from canceled c
  on conflict on constraint delivery_sends_pkey do update set content = null, last_error = excluded.last_error;
end $$;
comment on function private.end_notifications is
  'Marks the notifications about a subject as read, deletes those that are not due, and cancels their emails and '
  'pushes, even between attempts and those that failed: all with the group_key <subject>:<id> and a type that '
  'notification_types gives to the subject.';

create function private.end_notifications_of_row() returns trigger
language plpgsql security definer  -- clients have no write grant on notifications
set search_path = ''
as $$
begin
  perform private.end_notifications(tg_argv[0], to_jsonb(old) ->> coalesce(tg_argv[1], 'id'));
  return null;
end $$;
comment on function private.end_notifications_of_row is
  'Trigger: ends the notifications about a row. Arguments: the subject, and the column of its id if that is not id.';
create trigger t500_end_notifications after update on public.podcast_invitations
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.end_notifications_of_row('podcast_invitation');
create trigger t500_end_notifications_of_expired after update on public.podcast_invitations  -- sent again
  for each row when (old.expires_at < new.expires_at and old.expires_at <= new.updated_at)
  execute function private.end_notifications_of_row('podcast_invitation');
create trigger t500_end_notifications_of_deleted after delete on public.podcast_invitations
  for each row when (old.status = 'pending') execute function private.end_notifications_of_row('podcast_invitation');
create trigger t500_end_notifications after update on public.podcast_transfers
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.end_notifications_of_row('podcast_transfer');
create trigger t500_end_notifications_of_deleted after delete on public.podcast_transfers
  for each row when (old.status = 'pending') execute function private.end_notifications_of_row('podcast_transfer');
create trigger t500_end_notifications after update on public.bookings  -- a moved one is a new one
  for each row when (old.status in ('pending', 'confirmed') and new.sequence <> old.sequence)
  execute function private.end_notifications_of_row('booking');
create trigger t500_end_notifications_of_deleted after delete on public.bookings
  for each row when (old.status in ('pending', 'confirmed'))
  execute function private.end_notifications_of_row('booking');
create trigger t500_end_notifications after update on public.podcasts
  for each row when (old.status = 'pending_deletion' and new.status <> 'pending_deletion')
  execute function private.end_notifications_of_row('podcast_deletion');
create trigger t500_end_notifications_of_deleted after delete on public.podcasts
  for each row when (old.status = 'pending_deletion')
  execute function private.end_notifications_of_row('podcast_deletion');
create trigger t500_end_pause_notifications after update on public.podcasts  -- after a canceled deletion it is paused
  for each row when (old.status <> 'active' and new.status = 'active')
  execute function private.end_notifications_of_row('podcast_pause');
create trigger t500_end_pause_notifications_of_deleted after delete on public.podcasts
  for each row when (old.status <> 'active') execute function private.end_notifications_of_row('podcast_pause');
create trigger t500_end_owner_email_notifications after update on public.podcasts
  for each row when (old.owner_email is null and new.owner_email is not null or old.owner_id <> new.owner_id)
  execute function private.end_notifications_of_row('podcast_owner_email');
create trigger t500_end_owner_email_notifications_of_deleted after delete on public.podcasts
  for each row when (old.owner_email is null) execute function private.end_notifications_of_row('podcast_owner_email');
create trigger t500_end_notifications after update on public.calendar_connections
  for each row when (old.status <> 'active' and new.status <> old.status)
  execute function private.end_notifications_of_row('calendar_connection');
create trigger t500_end_notifications_of_deleted after delete on public.calendar_connections
  for each row when (old.status <> 'active') execute function private.end_notifications_of_row('calendar_connection');
create trigger t500_end_payment_notifications after update on public.billing_accounts
  for each row when (old.subscription_status in ('past_due', 'unpaid')
    and new.subscription_status not in ('past_due', 'unpaid'))
  execute function private.end_notifications_of_row('payment', 'user_id');
create trigger t500_end_subscription_notifications after update on public.billing_accounts
  for each row when (old.cancel_at_period_end and not new.cancel_at_period_end)
  execute function private.end_notifications_of_row('subscription_end', 'user_id');

create function private.end_storage_notifications() returns trigger
language plpgsql security definer  -- who deletes a file has no write grant on notifications
set search_path = ''
as $$
begin
  if private.storage_level(new) <> private.storage_level(old) then
    perform private.end_notifications('storage', new.user_id::text);
  end if;
  return null;
end $$;
create trigger t500_end_storage_notifications after update on public.billing_accounts
  for each row when ((old.storage_bytes_used, old.plan_code) is distinct from (new.storage_bytes_used, new.plan_code))
  execute function private.end_storage_notifications();

create trigger t500_end_notifications after update on private.feed_redirects
  for each row when (old.check_code is not null and (new.check_code is null or old.url <> new.url))
  execute function private.end_notifications_of_row('redirect_failure', 'podcast_id');
create trigger t500_end_notifications_of_deleted after delete on private.feed_redirects
  for each row when (old.check_code is not null)
  execute function private.end_notifications_of_row('redirect_failure', 'podcast_id');
create trigger t500_end_notifications after delete on private.storage_overages
  for each row execute function private.end_notifications_of_row('storage_overage', 'user_id');

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
      and a.source_id is null  -- else it is rendered with the facts of now
      and (d.status = 'pending' or d.status = 'queued' and d.type = 'booking.reminder')  -- which names the time
    returning d.id
  )
  insert into private.delivery_sends as s (delivery_id, last_error)
  select c.id, 'The booking changed before the email was sent' from canceled c
  on conflict on constraint delivery_sends_pkey do update set last_error = excluded.last_error;
  return null;
end $$;
comment on function private.cancel_waiting_emails_of_bookings is
  'Trigger: cancels the emails to the guests of changed bookings that still wait, and reminders between attempts.';
create trigger t500_cancel_waiting_emails after update on public.bookings
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.cancel_waiting_emails_of_bookings();
create trigger t500_cancel_waiting_emails_of_deleted after delete on public.bookings referencing old table as old_rows
  for each statement execute function private.cancel_waiting_emails_of_bookings();
