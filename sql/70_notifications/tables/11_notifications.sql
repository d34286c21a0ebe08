-- Notifications: what a user or a guest of an episode is shown in the app.
create table public.notifications (
  id               uuid primary key default gen_random_uuid(),
  user_id          uuid references public.profiles on delete cascade,
  unlisted_user_id uuid references public.profiles on delete cascade,  -- in place of user_id: the app is turned off
  episode_guest_id uuid references public.episode_guests on delete cascade,
  type             text not null,  -- of the catalogue
  category         public.notification_category not null,
  priority         public.notification_priority not null,
  title            text not null,   -- in the recipient's language
  body             text,
  link             text,            -- a path below app_url
  metadata         jsonb not null default '{}',  -- ids of what the notification is about
  group_key        text,            -- notifications with one key are a thread
  scheduled_for    timestamptz,     -- hidden until then
  released_for     timestamptz,     -- scheduled_for, once release_due_notifications found the row due
  read_at          timestamptz,
  archived_at      timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint has_one_recipient check (num_nonnulls(user_id, unlisted_user_id, episode_guest_id) = 1),
  constraint unlisted_is_read check (unlisted_user_id is null or read_at is not null),
  constraint archived_is_read check (archived_at is null or read_at is not null),
  -- Checks run again on each update, of 100,000 rows at once. private.events checks link and keys.
  constraint title_is_1_to_300_chars check (char_length(title) between 1 and 300),
  constraint body_is_at_most_2000_chars check (char_length(body) <= 2000)
);
comment on table public.notifications is
  'Notifications of users and guests. Users read their own; the notification functions write them. Front ends show '
  'rows that are due: scheduled_for is null or past. A user who turned the app off for a type finds no row of it: it '
  'names them as unlisted_user_id, and only its deliveries refer to it.';
comment on constraint archived_is_read on public.notifications is 'An archived notification must be read';
comment on constraint body_is_at_most_2000_chars on public.notifications is
  'The body must have at most 2,000 characters';
comment on constraint has_one_recipient on public.notifications is 'A notification must have one recipient';
comment on constraint title_is_1_to_300_chars on public.notifications is 'The title must have 1 to 300 characters';
comment on constraint unlisted_is_read on public.notifications is 'An unlisted notification must be read';
-- A page of the inbox, of its unread rows or of the archive reads one index in its order; a page of a category or
-- priority reads one of the filtered indexes in several places.
create index notifications_filtered_idx on public.notifications
  (user_id, num_nonnulls(archived_at), category, priority, created_at desc, id desc);
create index notifications_inbox_idx on public.notifications (user_id, created_at desc, id desc)
  where archived_at is null;
create index notifications_archived_idx on public.notifications (user_id, created_at desc, id desc)
  where archived_at is not null;
create index notifications_unread_idx on public.notifications (user_id, created_at desc, id desc)
  where read_at is null;
create index notifications_unread_filtered_idx
  on public.notifications (user_id, category, priority, created_at desc, id desc) where read_at is null;
create index notifications_group_key_idx on public.notifications (group_key, user_id) where read_at is null;
create index notifications_waiting_idx on public.notifications (user_id, scheduled_for)
  where archived_at is null and scheduled_for is distinct from released_for;
create index notifications_due_idx on public.notifications (scheduled_for)
  where archived_at is null and scheduled_for is distinct from released_for;
create index notifications_unlisted_user_id_idx on public.notifications (unlisted_user_id)
  where unlisted_user_id is not null;
create index notifications_episode_guest_id_idx on public.notifications (episode_guest_id)
  where episode_guest_id is not null;
-- num_nonnulls, so that no query of a user's unread rows is planned with it
create index notifications_purge_idx on public.notifications (num_nonnulls(read_at), created_at);

-- Who
alter table public.notifications enable row level security;
create policy users_read_own on public.notifications for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.notifications to authenticated, service_role;
-- No write grants: the notification functions keep read_at, archived_at, counts and deliveries consistent.

-- A recipient gets one notification per dedupe key. As a column, the key would double the time of a read-all.
create table private.notification_keys (
  dedupe_key      text not null,
  recipient_id    uuid not null,  -- the user or the guest
  notification_id uuid not null unique,
  primary key (dedupe_key, recipient_id)
);
comment on table private.notification_keys is
  'The dedupe keys of notifications. t500_delete_children deletes them with the notification.';
alter table private.notification_keys enable row level security;
-- No policy, no grant.

-- An email or push that failed may be sent again, and a user's verb may undo what ended a notification that it locked.
create table private.ended_notifications (
  notification_id uuid primary key,
  ended_at        timestamptz not null
);
comment on table private.ended_notifications is
  'Notifications about subjects that no longer wait. purge_notifications deletes rows after 60 days, when nothing can '
  'be sent again.';
create index ended_notifications_ended_at_idx on private.ended_notifications (ended_at);
alter table private.ended_notifications enable row level security;
-- No policy, no grant.

-- Foreign keys would look up the children of each deleted row, which takes four times as long for 100,000 rows.
create function private.delete_children() returns trigger
language plpgsql security definer  -- who may delete a row may not delete its children
set search_path = ''
as $$
declare
  child text;  -- the column that names the deleted row
begin
  if exists (select from old_rows) then
    foreach child in array tg_argv loop  -- dynamic, because a plan for few rows would not suit many
      execute format('delete from %s c using old_rows o where c.%s = o.id',
        substring(child from '^\w+\.\w+'), substring(child from '\w+$'));
    end loop;
  end if;
  return null;
end $$;
comment on function private.delete_children is
  'Trigger: deletes the rows whose columns, given as schema.table.column, name a row that the statement deleted.';
create trigger t500_delete_children after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.delete_children(
    'public.notification_deliveries.notification_id', 'private.notification_keys.notification_id',
    'private.collapsed_notifications.notification_id', 'private.ended_notifications.notification_id');
