-- Deletes old notifications, earlier if they were read, deliveries to addresses, tokens, events and dead letters.
create function private.purge_notifications(at timestamptz default now(), max_rows int default 10000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  kept_since        constant timestamptz :=
    at - make_interval(days => private.get_setting('notification_retention_days')::int);
  unread_kept_since constant timestamptz :=
    at - make_interval(days => private.get_setting('unread_notification_retention_days')::int);
begin
  return private.delete_old_rows('public.notifications', 'created_at', kept_since, max_rows,
      'num_nonnulls(o.read_at) = 1')
    + private.delete_old_rows('public.notifications', 'created_at', unread_kept_since, max_rows,
      'num_nonnulls(o.read_at) = 0 and (o.scheduled_for is null or o.scheduled_for <= $1)')
    + private.delete_old_rows('public.notification_deliveries', 'created_at', kept_since, max_rows,
      'o.notification_id is null and o.due_at <= $1')
    + private.delete_old_rows('private.email_tokens', 'expires_at', at, max_rows)
    + private.delete_old_rows('private.email_confirmations', 'expires_at', at, max_rows)
    -- until then its holder is told that it has expired
    + private.delete_old_rows('private.access_tokens', 'expires_at', at - interval '30 days', max_rows)
    + private.delete_old_rows('private.ended_notifications', 'ended_at', at - interval '60 days', max_rows)
    + private.delete_old_rows('public.notification_mutes', 'muted_until', at - interval '30 days', max_rows)
    + private.delete_old_rows('private.calendar_invitations', 'ends_at', at - interval '30 days', max_rows)
    + private.delete_old_rows('private.email_backoffs', 'emailed_at', at - interval '7 days', max_rows)
    + private.delete_old_rows('private.resend_events', 'received_at', at - interval '7 days', max_rows)
    + private.delete_old_rows('private.events', 'created_at', at - interval '30 days', max_rows,
      'o.processed_at is not null')
    + private.delete_old_rows('pgmq.q_email_deliveries_dlq', 'enqueued_at', at - interval '30 days', max_rows)
    + private.delete_old_rows('pgmq.q_push_deliveries_dlq', 'enqueued_at', at - interval '30 days', max_rows);
end $$;
comment on function private.purge_notifications is
  'Deletes read notifications and deliveries to addresses that are older than the setting notification_retention_days, '
  'unread notifications older than unread_notification_retention_days, none before it is due, expired tokens and '
  'codes in emails, access tokens that expired 30 days ago, mutes that ended 30 days ago, invitations to calendar '
  'events that ended 30 days ago, back-offs of emails older than 7 days, events of Resend older than 7 days, which it '
  'repeats for less than two, events and dead letters of deliveries older than 30 days, and marks of ended '
  'notifications older than 60 days, at most max_rows of '
  'each. Cron calls it every minute, so that it keeps up with 160 notifications per second. Returns how many.';
