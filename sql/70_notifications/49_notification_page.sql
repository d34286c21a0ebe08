-- A page of the caller's notifications, newest first. Each branch reads one index in its order. A page of a category or
-- priority merges the first rows of each pair of both: at most 15 pairs.
create function private.notification_page(
  archived_only boolean, unread_only boolean, category public.notification_category,
  priority public.notification_priority, before_at timestamptz, before_id uuid, max_rows int, at timestamptz
) returns setof public.notifications
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- each branch has one good plan
as $$
declare
  caller      constant uuid := auth.uid();
  is_filtered constant boolean := notification_page.category is not null or notification_page.priority is not null;
  categories  constant public.notification_category[] := case when notification_page.category is null
    then enum_range(null::public.notification_category) else array[notification_page.category] end;
  priorities  constant public.notification_priority[] := case when notification_page.priority is null
    then enum_range(null::public.notification_priority) else array[notification_page.priority] end;
begin
  if archived_only and unread_only then
    return;  -- archived notifications are read
  elsif archived_only and is_filtered then
    return query
    select p.* from unnest(categories) c (category) cross join unnest(priorities) r (priority) cross join lateral (
      select n.* from public.notifications n
      where n.user_id = caller and num_nonnulls(n.archived_at) = 1 and n.category = c.category
        and n.priority = r.priority and (n.created_at, n.id) < (before_at, before_id)
      order by n.created_at desc, n.id desc limit max_rows) p
    order by p.created_at desc, p.id desc limit max_rows;
  elsif archived_only then
    return query
    select n.* from public.notifications n
    where n.user_id = caller and n.archived_at is not null and (n.created_at, n.id) < (before_at, before_id)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif unread_only and is_filtered then
    return query
    select p.* from unnest(categories) c (category) cross join unnest(priorities) r (priority) cross join lateral (
      select n.* from public.notifications n
      where n.user_id = caller and n.read_at is null and n.category = c.category and n.priority = r.priority
        and (n.created_at, n.id) < (before_at, before_id)
        and (n.scheduled_for is null or n.scheduled_for <= notification_page.at)
      order by n.created_at desc, n.id desc limit max_rows) p
    order by p.created_at desc, p.id desc limit max_rows;
  elsif unread_only then
    return query
    select n.* from public.notifications n
    where n.user_id = caller and n.read_at is null and (n.created_at, n.id) < (before_at, before_id)
      and (n.scheduled_for is null or n.scheduled_for <= notification_page.at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif is_filtered then
    return query
    select p.* from unnest(categories) c (category) cross join unnest(priorities) r (priority) cross join lateral (
      select n.* from public.notifications n
      where n.user_id = caller and num_nonnulls(n.archived_at) = 0 and n.category = c.category
        and n.priority = r.priority and (n.created_at, n.id) < (before_at, before_id)
        and (n.scheduled_for is null or n.scheduled_for <= notification_page.at)
      order by n.created_at desc, n.id desc limit max_rows) p
    order by p.created_at desc, p.id desc limit max_rows;
  else
    return query
    select n.* from public.notifications n
    where n.user_id = caller and n.archived_at is null and (n.created_at, n.id) < (before_at, before_id)
      and (n.scheduled_for is null or n.scheduled_for <= notification_page.at)
    order by n.created_at desc, n.id desc limit max_rows;
  end if;
end $$;
comment on function private.notification_page is
  'The first max_rows notifications of the caller before (before_at, before_id), newest first: of the archive if '
  'archived_only, else due ones of the inbox, or the unread ones of these.';
-- No grant: list_notifications calls it.
