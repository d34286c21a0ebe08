-- Lists the caller's notifications, newest first. The result is json, because building jsonb takes three times as long.
create type private.listed_notification as (
  id uuid, type text, category text, priority text, title text, body text, link text, group_key text,
  scheduled_for text, read_at text, archived_at text, created_at text, metadata jsonb);

create function private.list_notifications(
  page_size int, _cursor text, _archived_only boolean, _unread_only boolean, _category public.notification_category,
  _priority public.notification_priority, at timestamptz default now()
) returns json
language plpgsql stable security definer  -- enum_eq is not leakproof: under the policy it would use no index
set search_path = ''
as $$
declare
  before_at timestamptz := 'infinity';
  before_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  row_count int;
  page      json;
begin
  perform private.require_user();
  perform private.require_page_size(page_size, 100);
  if _cursor is not null then
    select c.at, c.id into before_at, before_id from private.decode_cursor(_cursor) c;
  end if;
  select count(*), json_build_object(
    'notifications', coalesce(json_agg((n.id, n.type, n.category, n.priority, n.title, n.body, n.link, n.group_key,
      private.format_timestamp(n.scheduled_for), private.format_timestamp(n.read_at),
      private.format_timestamp(n.archived_at), private.format_timestamp(n.created_at), n.metadata
    )::private.listed_notification) filter (where n.ordinality <= page_size), '[]'),
    'cursor', case when count(*) > page_size then
      max(case when n.ordinality = page_size then private.encode_cursor(n.created_at, n.id) end) end,
    'hasMore', count(*) > page_size)
  into row_count, page
  from private.notification_page(_archived_only, _unread_only,
    _category, _priority, before_at, before_id, page_size + 1, at) with ordinality n;
  if row_count = 0 then
    perform private.require_account();  -- rows belong to an account
  end if;
  return page;
end $$;
grant execute on function private.list_notifications to authenticated;

create function public.list_notifications(
  "limit" int default 25, cursor text default null, archived_only boolean default false,
  unread_only boolean default false, category public.notification_category default null,
  priority public.notification_priority default null
) returns json
language sql stable security invoker set search_path = ''
return private.list_notifications("limit", cursor, coalesce(archived_only, false), coalesce(unread_only, false),
  category, priority);
comment on function public.list_notifications is
  'GET /api/notifications: {notifications, cursor, hasMore}, newest first. Due notifications of the inbox; only unread '
  'ones with unread_only; archived ones, due or not, with archived_only. limit is 1 to 100. 400, 401, '
  '403 ACCOUNT_REQUIRED.';
grant execute on function public.list_notifications to authenticated;
