-- A page of the caller's notifications, newest first. Each branch reads one index in its order. Where one filter is
-- absent, a view names its values: Postgres merges their rows from the index, so it reads hardly more than the page.
create view private.notification_rows with (security_invoker = true) as
select n.id, n.user_id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for,
  n.read_at, n.archived_at, n.created_at, n.metadata
from public.notifications n;
comment on view private.notification_rows is 'What lists show of notifications, and their user.';

create view private.notifications_by_category with (security_invoker = true) as
(select * from private.notification_rows n where n.category = 'episode' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.category = 'collaboration' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.category = 'team' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.category = 'booking' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.category = 'system' order by n.created_at desc, n.id desc);
comment on view private.notifications_by_category is 'All notifications, as one ordered part per category.';

create view private.notifications_by_priority with (security_invoker = true) as
(select * from private.notification_rows n where n.priority = 'low' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.priority = 'normal' order by n.created_at desc, n.id desc)
union all
(select * from private.notification_rows n where n.priority = 'immediate' order by n.created_at desc, n.id desc);
comment on view private.notifications_by_priority is 'All notifications, as one ordered part per priority.';

create function private.notification_page(
  archived_only boolean, unread_only boolean, category public.notification_category,
  priority public.notification_priority, before_at timestamptz, before_id uuid, max_rows int, at timestamptz
) returns setof private.notification_rows
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_sort = off  -- each branch has one good plan: an index in its order
as $$
declare
  caller      constant uuid := auth.uid();
  is_archived constant int := archived_only::int;
begin
  if archived_only and unread_only then
    return;  -- archived notifications are read
  elsif category is null and priority is null and unread_only then
    return query select * from private.notification_rows n
    where n.user_id = caller and n.read_at is null
      and (n.created_at, n.id) < (before_at, before_id) and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and priority is null and archived_only then
    return query select * from private.notification_rows n
    where n.user_id = caller and n.archived_at is not null and (n.created_at, n.id) < (before_at, before_id)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and priority is null then
    return query select * from private.notification_rows n
    where n.user_id = caller and n.archived_at is null
      and (n.created_at, n.id) < (before_at, before_id) and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and unread_only then
    return query select * from private.notifications_by_category n
    where n.user_id = caller and n.read_at is null and n.priority = notification_page.priority
      and (n.created_at, n.id) < (before_at, before_id) and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null then
    return query select * from private.notifications_by_category n
    where n.user_id = caller and num_nonnulls(n.archived_at) = is_archived and n.priority = notification_page.priority
      and (n.created_at, n.id) < (before_at, before_id)
      and (is_archived = 1 or n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif priority is null and unread_only then
    return query select * from private.notifications_by_priority n
    where n.user_id = caller and n.read_at is null and n.category = notification_page.category
      and (n.created_at, n.id) < (before_at, before_id) and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif priority is null then
    return query select * from private.notifications_by_priority n
    where n.user_id = caller and num_nonnulls(n.archived_at) = is_archived and n.category = notification_page.category
      and (n.created_at, n.id) < (before_at, before_id)
      and (is_archived = 1 or n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif unread_only then
    return query select * from private.notification_rows n
    where n.user_id = caller and n.read_at is null
      and (n.category, n.priority) = (notification_page.category, notification_page.priority)
      and (n.created_at, n.id) < (before_at, before_id) and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  else
    return query select * from private.notification_rows n
    where n.user_id = caller and num_nonnulls(n.archived_at) = is_archived
      and (n.category, n.priority) = (notification_page.category, notification_page.priority)
      and (n.created_at, n.id) < (before_at, before_id)
      and (is_archived = 1 or n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  end if;
end $$;
comment on function private.notification_page is
  'The first max_rows notifications of the caller before (before_at, before_id), newest first: of the archive if '
  'archived_only, else due ones of the inbox, or the unread ones of these.';
-- No grant: list_notifications calls it.
