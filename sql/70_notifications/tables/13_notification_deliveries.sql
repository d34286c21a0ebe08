-- Deliveries: one row per notified recipient and channel outside the app. The scheduler enqueues pending deliveries
-- that are due, and the worker sends them.
-- In rank order: a delivery only moves back when quiet hours postpone a push, or retry_failed_deliveries starts a
-- failed one again.
create type public.delivery_status as enum (
  'pending', 'queued', 'sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed', 'canceled');

create table public.notification_deliveries (
  id               uuid primary key default gen_random_uuid(),
  notification_id  uuid,           -- null: an address, or collapsed; deleted with the notification
  user_id          uuid references public.profiles on delete cascade,
  episode_guest_id uuid references public.episode_guests on delete cascade,  -- no recipient: private.delivery_addresses
  type             text not null,  -- of the catalogue
  channel          public.notification_channel not null,
  priority         public.notification_priority not null,
  status           public.delivery_status not null default 'pending',
  group_key        text,   -- of the notification
  collapse_key     text,   -- a pending delivery with this key takes further notifications (collapsed_notifications)
  request_id       text default private.request_id(),  -- of the request that caused it
  due_at           timestamptz not null default now(),
  queued_at        timestamptz,
  sent_at          timestamptz,
  delivered_at     timestamptz,
  opened_at        timestamptz,
  clicked_at       timestamptz,
  failed_at        timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint has_at_most_one_recipient check (num_nonnulls(user_id, episode_guest_id) <= 1),
  constraint channel_is_outside_the_app check (channel <> 'in_app'),
  constraint push_has_user check (channel <> 'push' or user_id is not null)
);
comment on table public.notification_deliveries is
  'Emails and pushes of notifications, with their state. Users read their own. Addresses, content and provider ids are '
  'in private tables.';
comment on constraint channel_is_outside_the_app on public.notification_deliveries is
  'A delivery must be an email or a push';
comment on constraint has_at_most_one_recipient on public.notification_deliveries is
  'A delivery must not have two recipients';
comment on constraint push_has_user on public.notification_deliveries is 'A push must have a user';
create index notification_deliveries_notification_id_idx on public.notification_deliveries (notification_id);
create index notification_deliveries_user_id_idx on public.notification_deliveries (user_id, id);
create index notification_deliveries_episode_guest_id_idx on public.notification_deliveries (episode_guest_id);
create index notification_deliveries_purge_idx on public.notification_deliveries (created_at)
  where notification_id is null;
create index notification_deliveries_created_at_idx on public.notification_deliveries using brin (created_at);
create index notification_deliveries_due_idx on public.notification_deliveries
  (priority desc, due_at, created_at)
  where status = 'pending';
create index notification_deliveries_pending_pushes_idx
  on public.notification_deliveries (priority, type, due_at) where status = 'pending' and channel = 'push';
create index notification_deliveries_in_flight_idx
  on public.notification_deliveries ((coalesce(user_id, episode_guest_id))) where status in ('pending', 'queued');
create index notification_deliveries_group_key_idx on public.notification_deliveries (group_key)
  where status in ('pending', 'queued', 'failed');
create unique index notification_deliveries_collapse_key_idx on public.notification_deliveries (collapse_key)
  where status = 'pending';

-- Who
alter table public.notification_deliveries enable row level security;
create policy users_read_own on public.notification_deliveries for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.notification_deliveries to authenticated, service_role;
-- No write grants: the scheduler, the worker and the providers' events write deliveries.

-- Always
create trigger t100_normalize before update on public.notification_deliveries
  for each row execute function private.touch_updated_at();

create trigger t310_guard_status before update of status on public.notification_deliveries
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A delivery',
    -- retry_failed_deliveries cannot stop a last attempt, which may still succeed, or have been accepted before
    'pending: queued sent delivered opened clicked bounced failed canceled',
    'queued: pending sent delivered opened clicked bounced failed canceled',
    'sent: delivered opened clicked bounced failed',
    'delivered: opened clicked bounced failed',
    'opened: clicked bounced failed',
    'clicked: bounced failed',
    'bounced: failed',
    'failed: pending');

create trigger t500_delete_children after delete on public.notification_deliveries
  referencing old table as old_rows for each statement execute function private.delete_children(
    'private.delivery_addresses.delivery_id', 'private.delivery_sends.delivery_id',
    'private.collapsed_notifications.delivery_id', 'private.email_tokens.delivery_id',
    'private.push_sends.delivery_id');

-- Before their recipient: foreign keys cascade in the order of their creation, which migrations choose, while others
-- lock messages, then notifications, then deliveries. The recipient is locked, so that no others are written meanwhile.
create function private.delete_user_notifications() returns trigger
language plpgsql security definer  -- who may delete a user may not delete notifications
set search_path = ''
as $$
begin
  -- as an answer to a transfer, and the removal of a member, which ends the transfer
  perform from public.podcast_members m where m.user_id = old.id order by m.podcast_id for update;
  perform from public.podcast_transfers t where t.user_id = old.id order by t.id for update;
  delete from public.notifications n where n.user_id = old.id or n.unlisted_user_id = old.id;
  return old;
end $$;
create trigger t510_delete_notifications before delete on public.profiles  -- t500_keep_sender_name locks the messages
  for each row execute function private.delete_user_notifications();

create function private.delete_guest_notifications() returns trigger
language plpgsql security definer  -- who may delete a guest may not delete notifications
set search_path = ''
as $$
begin
  delete from public.episode_messages m where m.sender_guest_id = old.id;
  delete from public.notifications n where n.episode_guest_id = old.id;
  return old;
end $$;
create trigger t510_delete_notifications before delete on public.episode_guests
  for each row execute function private.delete_guest_notifications();
