-- What existing episodes would take over from the feed again, before it is confirmed.

create function private.excerpt_value(value jsonb, skipped_chars int, max_chars int) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return case when jsonb_typeof(value) = 'string' then to_jsonb(
  case when skipped_chars > 0 then '…' else '' end || substr(value #>> '{}', skipped_chars + 1, max_chars)
  || case when char_length(value #>> '{}') > skipped_chars + max_chars then '…' else '' end) end;
comment on function private.excerpt_value is 'A part of a text, with … for what is left out. Null for other values.';

-- Of two long texts, the part where they begin to differ
create function private.text_difference(inout old jsonb, inout new jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  max_chars constant int := 500;
  before    constant text := coalesce(old #>> '{}', '');
  after     constant text := coalesce(new #>> '{}', '');
  same      int := 0;  -- characters at the start that are equal in both
  differs   int := greatest(char_length(before), char_length(after)) + 1;
  middle    int;
begin
  if greatest(char_length(before), char_length(after)) <= max_chars then
    return;
  end if;
  while differs - same > 1 loop
    middle := (same + differs) / 2;
    if left(before, middle) = left(after, middle) then
      same := middle;
    else
      differs := middle;
    end if;
  end loop;
  same := greatest(0, same - 50);
  old := private.excerpt_value(old, same, max_chars);
  new := private.excerpt_value(new, same, max_chars);
end $$;
comment on function private.text_difference is
  'Two values, long texts shortened to 500 characters from shortly before the first difference.';

create function private.show_refresh_change(change jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  shown record := private.text_difference(change -> 'old', change -> 'new');
begin
  if change ->> 'field' = 'publishedAt' then
    shown.old := to_jsonb(private.format_timestamp((change ->> 'old')::timestamptz));
    shown.new := to_jsonb(private.format_timestamp((change ->> 'new')::timestamptz));
  end if;
  return jsonb_build_object('field', change -> 'field', 'from', shown.old,
    'to', private.mask_addresses(shown.new::text));
end $$;
comment on function private.show_refresh_change is
  'A change as the refresh lists it: {field, from, to}. The addresses of a feed are masked, as in its items.';

create function private.count_refresh_fields(import public.podcast_imports, at timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('field', f.field, 'count', f.count)
    order by array_position(private.refresh_fields(), f.field)), '[]')
  from (
    select c.field, count(*)
    from private.list_refreshes(import, private.refresh_fields(), has_values => false, at => at) r,
      unnest(r.changed) c (field)
    group by 1) f
$$;
comment on function private.count_refresh_fields is
  'How many episodes would take over each field, [{field, count}], without fields that none would.';

create function private.get_import_refresh(
  _import_id uuid, max_items int, _cursor text, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import     public.podcast_imports := private.require_import_role(_import_id);
  after_item public.podcast_import_items;
  items      jsonb;
begin
  perform private.require_page_size(max_items, 200);
  after_item := private.import_item_of_cursor(import, _cursor);
  select coalesce(jsonb_agg(jsonb_build_object(
      'itemId', r.item_id, 'episodeId', r.episode_id, 'guid', r.guid, 'title', r.title, 'changes', (
        select jsonb_agg(private.show_refresh_change(c) order by n)
        from jsonb_array_elements(r.changes) with ordinality e (c, n))) order by r.n), '[]') into items
  from private.list_refreshes(import, private.refresh_fields(), null, after_item, max_items + 1, at => at)
    with ordinality r (item_id, episode_id, guid, title, changed, changes, is_truncated, losses, n);
  return jsonb_build_object(
    'data', jsonb_build_object('importId', import.id, 'status', import.status,
      'fields', case when _cursor is null then private.count_refresh_fields(import, at) end,
      'items', items #- array[max_items::text]),
    'pagination', private.pagination_json(
      items #>> array[(max_items - 1)::text, 'itemId'], jsonb_array_length(items) > max_items));
end $$;
grant execute on function private.get_import_refresh to authenticated;

create function public.get_import_refresh(import_id uuid, "limit" int default 50, cursor text default null)
returns jsonb
language sql stable security invoker set search_path = ''
return private.get_import_refresh(import_id, "limit", cursor);
comment on function public.get_import_refresh is
  'GET /api/imports/{id}/refresh: {data: {importId, status, fields, items: [{itemId, episodeId, guid, title, changes: '
  '[{field, from, to}]}]}, pagination: {nextCursor, hasMore}}: what the episodes of duplicates would take over; '
  'fields: [{field, count}] over all items, only on the first page; limit 1 to 200. Long texts show 500 characters '
  'from shortly before the first difference. Requires admin. 400, 403, 404.';
grant execute on function public.get_import_refresh to authenticated;
