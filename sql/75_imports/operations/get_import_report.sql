-- What becomes of each part of a feed. Every element and attribute is in one of four lists: modelled (a field of the
-- channel or of parsed_payload), carried (an extra tag), copied (a file in our storage) or lost. Repairs are listed
-- besides, because a repaired value is modelled as well.
create function private.list_modelled_fields(fields jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''  -- keeps its plan between calls
as $$
begin
  return (
    select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_each(fields) f
    where f.value not in ('null', '[]', '{}'));
end $$;
comment on function private.list_modelled_fields is 'The names of the fields that have a value, as a JSON array.';

-- Detected numbers stand beside the feed's; the texts have a table of their own; the link may be lost.
create function private.list_modelled_of_item(payload jsonb, texts public.podcast_import_item_texts) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return private.list_modelled_fields(
    payload - '{episodeNumber,seasonNumber}'::text[]
      - case when texts.losses @> '[{"path": "link"}]' then 'link' else '' end
    || jsonb_build_object('description', nullif(texts.description is not null, false),
        'content', nullif(texts.content is not null, false), 'summary', nullif(texts.summary is not null, false),
        'subtitle', nullif(texts.subtitle is not null, false)));
end $$;
comment on function private.list_modelled_of_item is 'The names of the values of an item that its episode has.';

create function private.list_carried_tags(extra_tags jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(substring(t.tag from '^<([^\s/>]+)') order by t.n), '[]')
    from jsonb_array_elements_text(extra_tags) with ordinality t (tag, n));
end $$;
comment on function private.list_carried_tags is 'The names of carried elements in feed order, as a JSON array.';

-- The enclosure of every completed item is copied, so that only other copies are stored.
create function private.list_copies(item public.podcast_import_items, copies jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when item.status = 'completed' and item.parsed_payload #>> '{enclosure,url}' is not null
      then jsonb_build_array(jsonb_build_object('path', 'enclosure', 'url', item.parsed_payload #> '{enclosure,url}'))
    else '[]' end || copies;
end $$;
comment on function private.list_copies is
  'The files [{path, url}] of an item that were copied: its enclosure, and those in the column copies.';

create function private.import_report_summary(import public.podcast_imports) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  with items as materialized (
    select private.list_modelled_of_item(i.parsed_payload, t) as modelled,
      t.extra_tags, t.losses, private.list_copies(i, t.copies) as copies, i.warnings
    from public.podcast_import_items i join public.podcast_import_item_texts t on t.import_item_id = i.id
    where i.import_id = import.id
  ), entries as (
    select 'modelled' as list, f.name as path, null as reason, count(*) as count
    from items i, jsonb_array_elements_text(i.modelled) f (name) group by 2
    union all
    select 'carried', t.name, null, count(*)
    from items i, jsonb_array_elements_text(private.list_carried_tags(i.extra_tags)) t (name) group by 2
    union all
    select 'copied', c ->> 'path', null, count(*) from items i, jsonb_array_elements(i.copies) c group by 2
    union all
    select 'lost', l ->> 'path', l ->> 'reason',
      sum(case when l ->> 'path' = '*' then substring(l ->> 'excerpt' from '^[0-9]{1,9}')::bigint else 1 end)
    from items i, jsonb_array_elements(i.losses) l group by 2, 3
  ), repairs as (  -- of the feed and its items when it was read, and of items since
    select code, coalesce(r.message, i.message) as message, greatest(r.count, i.count) as count
    from jsonb_to_recordset(import.warnings) r (code text, message text, count int)
    full join (
      select w ->> 'code' as code, min(w ->> 'message') as message, count(*)
      from items i, jsonb_array_elements(i.warnings) w group by 1) i using (code)
    -- warnings, not repairs
    where code not in ('CHANNEL_BLOCKED', 'FEED_HAS_MOVED', 'FEED_MOVED_HERE', 'VALUE_BLOCK_LOST')
  ), ranked as (
    select e.*, row_number() over (partition by e.list order by coalesce(e.reason = 'MONEY', false) desc,
        e.count desc, e.path, e.reason) as rank,
      sum(e.count) over (partition by e.list) as total
    from entries e
  )
  select jsonb_object_agg(l.list, jsonb_build_object('count', coalesce(s.total, 0), 'list', coalesce(s.list, '[]')))
    || jsonb_build_object('repaired', (
      select jsonb_build_object('count', coalesce(sum(r.count), 0),
        'list', coalesce(jsonb_agg(to_jsonb(r) order by r.count desc, r.code), '[]'))
      from repairs r))
  from unnest('{modelled,carried,copied,lost}'::text[]) l (list)
  left join (
    select r.list as name, max(r.total) as total, jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'path', r.path, 'reason', r.reason, 'count', r.count)) order by r.rank) as list
    from ranked r where r.rank <= 500 group by r.list
  ) s on s.name = l.list
$$;
comment on function private.import_report_summary is
  'The four lists and the repairs of all items: {count, list: [{path, reason?, count}]} each, at most 500 entries, '
  'those about money first, then the most frequent.';

create function private.get_import_report(_import_id uuid, max_items int, _cursor text) returns jsonb
language plpgsql stable security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import     public.podcast_imports := private.require_import_role(_import_id);
  after_item public.podcast_import_items;
  items      jsonb;
begin
  perform private.require_page_size(max_items, 500);
  after_item := private.import_item_of_cursor(import, _cursor);
  select coalesce(jsonb_agg(p.item order by p.created_at, p.position), '[]') into items from (
    select i.created_at, i.position, jsonb_build_object(
      'itemId', i.id, 'guid', i.guid, 'title', i.title, 'status', i.status,
      'modelled', private.list_modelled_of_item(i.parsed_payload, t),
      'carried', private.list_carried_tags(t.extra_tags), 'copied', private.list_copies(i, t.copies),
      'repaired', i.warnings, 'lost', t.losses) as item
    from public.podcast_import_items i join public.podcast_import_item_texts t on t.import_item_id = i.id
    where i.import_id = import.id
      and (i.created_at, i.position)
        > (coalesce(after_item.created_at, '-infinity'), coalesce(after_item.position, -1))
    order by i.created_at, i.position limit max_items + 1) p;
  return jsonb_build_object(
    'data', jsonb_build_object(
      'importId', import.id, 'status', import.status,
      'channel', (
        select jsonb_build_object('modelled', private.list_modelled_fields(c.fields - 'extraTags'),
          'carried', private.list_carried_tags(coalesce(c.fields -> 'extraTags', '[]')), 'copied', c.copies,
          'lost', c.losses)
        from public.podcast_import_channels c where c.import_id = import.id),
      'summary', case when after_item.id is null then private.import_report_summary(import) end,
      'items', items #- array[max_items::text]),
    'pagination', private.pagination_json(
      items #>> array[(max_items - 1)::text, 'itemId'], jsonb_array_length(items) > max_items));
end $$;
grant execute on function private.get_import_report to authenticated;

create function public.get_import_report(import_id uuid, "limit" int default 100, cursor text default null)
returns jsonb
language sql stable security invoker set search_path = ''
return private.get_import_report(import_id, "limit", cursor);
comment on function public.get_import_report is
  'GET /api/imports/{id}/report: {data: {importId, status, channel, summary, items}, pagination: {nextCursor, '
  'hasMore}}: the lists modelled, carried, copied, repaired and lost of the channel, of each item and, on the first '
  'page, of all items; limit 1 to 500. Requires admin. 400, 403, 404.';
grant execute on function public.get_import_report to authenticated;
