-- What the verbs of the inbox share. Each acts on the caller's own notifications only.
-- Verbs that write many rows of a user wait for each other, because two of them could lock the same rows in different
-- order. New notifications do not wait: they lock the profile for key share.
create function private.lock_inbox() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_user();
  perform from public.profiles f where f.id = auth.uid() for no key update;
  if not found then
    perform private.require_account_of(auth.uid());
  end if;
end $$;
comment on function private.lock_inbox is 'Locks the caller''s profile. PT401, PT403 ACCOUNT_REQUIRED.';

-- One notification
create function private.change_notification(_notification_id uuid, change text, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
  allowed      boolean;
begin
  perform private.require_user();
  select * into notification from public.notifications n
  where n.id = _notification_id and n.user_id = auth.uid()
  for no key update;
  allowed := found and case change
    when 'read' then notification.archived_at is null
      and coalesce(notification.scheduled_for <= at, true)
    when 'unread' then notification.archived_at is null and notification.read_at is not null
    when 'archive' then true
    when 'unarchive' then notification.archived_at is not null end;
  if not allowed then
    raise sqlstate 'PT404' using message = 'Notification not found', detail = case change
      when 'read' then 'A notification that is due and not archived can be marked as read'
      when 'unread' then 'A notification that is read and not archived can be marked as unread'
      when 'unarchive' then 'An archived notification can be unarchived' else '' end;
  elsif change in ('unread', 'unarchive') or change = 'read' and notification.read_at is null
    or change = 'archive' and notification.archived_at is null then
    -- each sends a message of Realtime, whose rate all users of the project share
    perform private.consume_rate_limit('notification_changes:' || auth.uid(),
      private.get_setting('max_notification_changes_per_minute')::int, interval '1 minute', at);
    update public.notifications n set
      read_at = case when change <> 'unread' then coalesce(n.read_at, at) end,
      archived_at = case when change = 'archive' then at end,
      updated_at = at
    where n.id = notification.id
    returning * into notification;
  end if;
  return notification;
end $$;
comment on function private.change_notification is
  'Makes one change to a notification of the caller: read, unread, archive or unarchive. PT404 for other rows, and '
  'when the notification does not allow the change; PT429 over the changes of a minute.';
grant execute on function private.change_notification to authenticated;

-- Many notifications, in slices: a call of a client may take 8 s, and ends before the next slice would take it there.
create function private.change_inbox(
  counted_as text, changes text, condition text, category public.notification_category default null,
  group_key text default null, link text default null, in_id_order boolean default false,
  at timestamptz default now(), max_rows int default null, time_limit interval default '6 s',
  max_slice_rows int default 25000
) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  rows_left     int := greatest(coalesce(max_rows, private.get_setting('max_notifications_per_call')::int), 1);
  slice_rows    int;
  slice_count   int := 0;
  changed       int;
  changed_count int := 0;
  has_more      boolean := false;
  before_at     timestamptz := 'infinity';
  before_id     uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  last_at       timestamptz;  -- of a full slice
  last_id       uuid;
  rows_before   constant text :=
    format('n.user_id = auth.uid() and %s and (n.created_at, n.id) < ($5, $6)', condition);
  slice         constant text := rows_before || ' and (n.created_at, n.id) >= ($7, $8)';
begin
  loop
    slice_rows := least(rows_left, max_slice_rows);
    execute format('select n.created_at, n.id from public.notifications n where %s
        order by n.created_at desc, n.id desc offset %s limit 1', rows_before, slice_rows - 1)
      into last_at, last_id using at, category, group_key, link, before_at, before_id;
    execute format('update public.notifications n set %s, updated_at = $1 where %s', changes, case
        when in_id_order then format('n.id = any (array(
          select n.id from public.notifications n where %s order by n.id for no key update))', slice) else slice end)
      using at, category, group_key, link, before_at, before_id,
        coalesce(last_at, '-infinity'), coalesce(last_id, '00000000-0000-0000-0000-000000000000');
    get diagnostics changed = row_count;
    changed_count := changed_count + changed;
    slice_count := slice_count + 1;
    rows_left := rows_left - slice_rows;
    exit when last_at is null;
    before_at := last_at;
    before_id := last_id;
    if rows_left <= 0
      or (clock_timestamp() - statement_timestamp()) * (slice_count + 1) / slice_count > time_limit then
      execute format('select exists (select from public.notifications n where %s)', rows_before)
        into has_more using at, category, group_key, link, before_at, before_id;
      exit;
    end if;
  end loop;
  return jsonb_build_object(counted_as, changed_count, 'hasMore', has_more);
end $$;
comment on function private.change_inbox is
  'Changes the caller''s notifications that meet a condition on the row n, newest first: at most max_rows, by default '
  'the setting max_notifications_per_call, in one slice or as many as end within time_limit of the statement. Returns '
  '{<counted_as>, hasMore}. The texts may use the parameters $1 at, $2 category, $3 group_key, $4 link.';
-- No grant: the verbs below call it as their owner.

-- The due unread notifications of a group with a link. A null link finds rows without a link.
create function private.read_notification_group(
  counted_as text, _group_key text, _link text, is_archived boolean, at timestamptz default now(),
  max_rows int default null
) returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
begin
  perform private.lock_inbox();
  if (char_length(_group_key) between 1 and 200) is not true then
    raise sqlstate 'PT400' using message = 'group_key must be 1 to 200 characters';
  end if;
  return private.change_inbox(counted_as, 'read_at = $1' || case when is_archived then ', archived_at = $1' else '' end,
    'n.group_key = $3 and n.link is not distinct from $4 and n.read_at is null
      and (n.scheduled_for is null or n.scheduled_for <= $1)',
    group_key => _group_key, link => _link, at => at, max_rows => max_rows,
    in_id_order => true);  -- in which the deletion of a guest locks them
end $$;
comment on function private.read_notification_group is
  'Marks the caller''s due unread notifications of a group and link as read, and archives them if is_archived. Returns '
  '{<counted_as>, hasMore}.';
grant execute on function private.read_notification_group to authenticated;
