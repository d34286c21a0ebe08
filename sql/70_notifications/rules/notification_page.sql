-- A page of the caller's notifications, newest first. Each branch reads one index in its order; merges of branches read
-- hardly more rows than the page has. Postgres writes the SQL functions into the queries that call them.
create type private.notification_row as (
  id uuid, type text, category public.notification_category, priority public.notification_priority, title text,
  body text, link text, group_key text, scheduled_for timestamptz, read_at timestamptz, archived_at timestamptz,
  created_at timestamptz, metadata jsonb);

create function private.filtered_rows(
  caller uuid, is_archived int, category public.notification_category, priority public.notification_priority,
  before_at timestamptz, before_id uuid, max_rows int, at timestamptz
) returns setof private.notification_row
language sql stable security invoker
begin atomic
  select n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for, n.read_at,
    n.archived_at, n.created_at, n.metadata
  from public.notifications n
  where n.user_id = caller and num_nonnulls(n.archived_at) = is_archived and n.category = filtered_rows.category
    and n.priority = filtered_rows.priority and (n.created_at, n.id) < (before_at, before_id)
    and (is_archived = 1 or n.scheduled_for is null or n.scheduled_for <= at)
  order by n.created_at desc, n.id desc limit max_rows;
end;
comment on function private.filtered_rows is
  'Rows of one category and priority: due ones of the inbox (is_archived 0) or all of the archive (1), newest first.';

create function private.filtered_unread_rows(
  caller uuid, category public.notification_category, priority public.notification_priority, before_at timestamptz,
  before_id uuid, max_rows int, at timestamptz
) returns setof private.notification_row
language sql stable security invoker
begin atomic
  select n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for, n.read_at,
    n.archived_at, n.created_at, n.metadata
  from public.notifications n
  where n.user_id = caller and n.read_at is null and n.category = filtered_unread_rows.category
    and n.priority = filtered_unread_rows.priority and (n.created_at, n.id) < (before_at, before_id)
    and (n.scheduled_for is null or n.scheduled_for <= at)
  order by n.created_at desc, n.id desc limit max_rows;
end;
comment on function private.filtered_unread_rows is
  'Due unread rows of one category and priority, newest first.';

create function private.notification_page(
  archived_only boolean, unread_only boolean, category public.notification_category,
  priority public.notification_priority, before_at timestamptz, before_id uuid, max_rows int, at timestamptz
) returns setof private.notification_row
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- each branch has one good plan
as $$
declare
  caller      constant uuid := auth.uid();
  is_archived constant int := archived_only::int;
begin
  if archived_only and unread_only then
    return;  -- archived notifications are read
  elsif category is null and priority is null and unread_only then
    return query
    select n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for, n.read_at,
      n.archived_at, n.created_at, n.metadata
    from public.notifications n
    where n.user_id = caller and n.read_at is null and (n.created_at, n.id) < (before_at, before_id)
      and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and priority is null and archived_only then
    return query
    select n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for, n.read_at,
      n.archived_at, n.created_at, n.metadata
    from public.notifications n
    where n.user_id = caller and n.archived_at is not null and (n.created_at, n.id) < (before_at, before_id)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and priority is null then
    return query
    select n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key, n.scheduled_for, n.read_at,
      n.archived_at, n.created_at, n.metadata
    from public.notifications n
    where n.user_id = caller and n.archived_at is null and (n.created_at, n.id) < (before_at, before_id)
      and (n.scheduled_for is null or n.scheduled_for <= at)
    order by n.created_at desc, n.id desc limit max_rows;
  elsif category is null and unread_only then
    return query
    select * from private.filtered_unread_rows(caller, 'episode', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, 'collaboration', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, 'team', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, 'booking', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, 'system', priority, before_at, before_id, max_rows, at)
    order by created_at desc, id desc limit max_rows;
  elsif category is null then
    return query
    select * from private.filtered_rows(caller, is_archived, 'episode', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_rows(caller, is_archived, 'collaboration', priority, before_at, before_id, max_rows,
      at)
    union all
    select * from private.filtered_rows(caller, is_archived, 'team', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_rows(caller, is_archived, 'booking', priority, before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_rows(caller, is_archived, 'system', priority, before_at, before_id, max_rows, at)
    order by created_at desc, id desc limit max_rows;
  elsif priority is null and unread_only then
    return query
    select * from private.filtered_unread_rows(caller, category, 'low', before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, category, 'normal', before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_unread_rows(caller, category, 'immediate', before_at, before_id, max_rows, at)
    order by created_at desc, id desc limit max_rows;
  elsif priority is null then
    return query
    select * from private.filtered_rows(caller, is_archived, category, 'low', before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_rows(caller, is_archived, category, 'normal', before_at, before_id, max_rows, at)
    union all
    select * from private.filtered_rows(caller, is_archived, category, 'immediate', before_at, before_id, max_rows, at)
    order by created_at desc, id desc limit max_rows;
  elsif unread_only then
    return query
    select * from private.filtered_unread_rows(caller, category, priority, before_at, before_id, max_rows, at);
  else
    return query
    select * from private.filtered_rows(caller, is_archived, category, priority, before_at, before_id, max_rows, at);
  end if;
end $$;
comment on function private.notification_page is
  'The first max_rows notifications of the caller before (before_at, before_id), newest first: of the archive if '
  'archived_only, else due ones of the inbox, or the unread ones of these.';
-- No grant: list_notifications calls it.
