-- Counts of users' notifications. A statement that changes notifications appends what it changes to
-- notification_count_changes, so that writers never wait for each other; fold_notification_counts adds the changes to
-- notification_counts. The sum of both is exact at every moment. A scheduled row counts in inbox and unread once
-- release_due_notifications found it due; readers add the due rows that it did not find yet.
create table private.notification_counts (
  user_id         uuid not null references public.profiles on delete cascade,
  category        public.notification_category not null,
  inbox           int not null default 0,  -- not archived
  unread          int not null default 0,
  needs_attention int not null default 0,  -- unread and immediate
  archived        int not null default 0,
  primary key (user_id, category)
);
comment on table private.notification_counts is
  'Counts of notifications per user and category. t500_add_notification_counts writes the rows with the profile.';
alter table private.notification_counts enable row level security;
-- No policy, no grant.

create table private.notification_count_changes (
  user_id         uuid not null,  -- no foreign key: its lock would wait for a deletion of the account, and deadlock
  category        public.notification_category not null,
  inbox           int not null,
  unread          int not null,
  needs_attention int not null,
  archived        int not null
);
comment on table private.notification_count_changes is
  'Changes of notification_counts that are not yet folded into them.';
create index notification_count_changes_user_id_idx on private.notification_count_changes (user_id, category);
alter table private.notification_count_changes enable row level security;
-- No policy, no grant.

create function private.add_notification_counts() returns trigger
language plpgsql security definer  -- clients may not write counts
set search_path = ''
as $$
begin
  insert into private.notification_counts (user_id, category)
  select new.id, category from unnest(enum_range(null::public.notification_category)) category;
  return null;
end $$;
create trigger t500_add_notification_counts after insert on public.profiles
  for each row execute function private.add_notification_counts();

create function private.add_missing_notification_counts() returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.notification_counts (user_id, category)
  select f.id, k.category from public.profiles f, unnest(enum_range(null::public.notification_category)) k (category)
  where not exists (
    select from private.notification_counts c where (c.user_id, c.category) = (f.id, k.category))
  on conflict do nothing
$$;
comment on function private.add_missing_notification_counts is
  'Part of private.install(): writes the rows of profiles, or categories, from before they existed. Their changes then '
  'can be folded.';

-- Runs when the user's notifications are deleted, so that no other transaction can add a change of them.
create function private.delete_notification_count_changes() returns trigger
language plpgsql security definer  -- clients may not write counts
set search_path = ''
as $$
begin
  delete from private.notification_count_changes c where c.user_id in (select o.id from old_rows o);
  return null;
end $$;
create trigger t500_delete_notification_count_changes after delete on public.profiles
  referencing old table as old_rows for each statement
  execute function private.delete_notification_count_changes();

-- After
create function private.broadcast_inboxes(user_ids uuid[], at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- direct, because realtime.send takes one message and a subtransaction for each
  insert into realtime.messages (topic, extension, event, private, payload)
  select 'inbox:' || c.user_id, 'broadcast', 'inbox_changed', true,
    jsonb_build_object('inbox', sum(c.inbox), 'unread', sum(c.unread), 'archived', sum(c.archived),
      'needsAttention', sum(c.needs_attention))
  from private.count_notifications_of(array(
    select u.id from (select distinct unnest(user_ids)) u (id)
    order by (
      select max(coalesce(s.refreshed_at at time zone 'utc', s.created_at)) from auth.sessions s
      where s.user_id = u.id) desc nulls last
    limit private.get_setting('max_inbox_broadcasts')::int), at) c
  group by c.user_id;
exception
  when check_violation then  -- no partition of today: Realtime sleeps, because there are no subscribers
    null;
  when others then
    raise warning 'Changed inboxes are not broadcast: %', sqlerrm;
end $$;
comment on function private.broadcast_inboxes is
  'Tells front ends that these inboxes changed: one message with the counts per user, on the private topic '
  'inbox:<user id>. Realtime drops everyone''s messages above its rate, so a statement sends at most '
  'max_inbox_broadcasts of them, to users whose session was used last. A failure is a warning: a broadcast may be '
  'lost, the change of the caller may not.';

create function private.count_notifications() returns trigger
language plpgsql security definer  -- clients may not write counts
set search_path = ''
as $$
declare
  added_to     uuid[];
  removed_from uuid[];
begin
  if tg_op <> 'DELETE' then
    with counted as (
      insert into private.notification_count_changes (user_id, category, inbox, unread, needs_attention, archived)
      select n.user_id, n.category,
        count(*) filter (where n.archived_at is null and n.scheduled_for is not distinct from n.released_for),
        count(*) filter (where n.read_at is null and n.scheduled_for is not distinct from n.released_for),
        count(*) filter (where n.read_at is null and n.priority = 'immediate'), count(n.archived_at)
      from new_rows n where n.user_id is not null
      group by n.user_id, n.category
      returning user_id
    )
    select array_agg(c.user_id) into added_to from counted c;
  end if;
  if tg_op <> 'INSERT' then
    with counted as (
      insert into private.notification_count_changes (user_id, category, inbox, unread, needs_attention, archived)
      select n.user_id, n.category,
        - count(*) filter (where n.archived_at is null and n.scheduled_for is not distinct from n.released_for),
        - count(*) filter (where n.read_at is null and n.scheduled_for is not distinct from n.released_for),
        - count(*) filter (where n.read_at is null and n.priority = 'immediate'), - count(n.archived_at)
      from old_rows n where n.user_id is not null
      group by n.user_id, n.category
      returning user_id
    )
    select array_agg(c.user_id) into removed_from from counted c;
  end if;
  if added_to is not null or removed_from is not null then
    perform private.broadcast_inboxes(added_to || removed_from);
  end if;
  return null;
end $$;
create trigger t900_count_insert after insert on public.notifications
  referencing new table as new_rows for each statement execute function private.count_notifications();
create trigger t900_count_update after update on public.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_notifications();
create trigger t900_count_delete after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.count_notifications();

-- Readers
create function private.count_notifications_of(user_ids uuid[], at timestamptz default now())
returns table (
  user_id uuid, category public.notification_category, inbox int, unread int, needs_attention int, archived int)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning each call would take longer than the call
as $$
begin
  return query
  select c.user_id, c.category, sum(c.inbox)::int, sum(c.unread)::int, sum(c.needs_attention)::int,
    sum(c.archived)::int
  from (
    select n.user_id, n.category, n.inbox, n.unread, n.needs_attention, n.archived
    from private.notification_counts n where n.user_id = any (user_ids)
    union all
    select n.user_id, n.category, n.inbox, n.unread, n.needs_attention, n.archived
    from private.notification_count_changes n where n.user_id = any (user_ids)
    union all
    select n.user_id, n.category, 1, (n.read_at is null)::int, 0, 0
    from public.notifications n
    where n.user_id = any (user_ids) and n.archived_at is null and n.scheduled_for is distinct from n.released_for
      and n.scheduled_for <= at
  ) c
  group by c.user_id, c.category;
end $$;
comment on function private.count_notifications_of is
  'Counts of users'' notifications by category, exact at that time: inbox and unread without rows that are not due, '
  'needs_attention and archived with them.';

create function private.my_notification_counts(at timestamptz default now())
returns table (category public.notification_category, inbox int, unread int, needs_attention int, archived int)
language plpgsql stable security definer  -- clients may not read the counts
set search_path = ''
as $$
begin
  return query
  select c.category, c.inbox, c.unread, c.needs_attention, c.archived
  from private.count_notifications_of(array[auth.uid()], at) c;
end $$;
comment on function private.my_notification_counts is 'The caller''s own rows of count_notifications_of.';
grant execute on function private.my_notification_counts to authenticated;
