-- Feed values of an import: what the reader found, in the form of the columns of podcasts and episodes. An entry that a
-- column rejects is lost with the reason; the others are kept.
create function private.snake_case_members(value jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case jsonb_typeof(value)
    when 'array' then (select coalesce(jsonb_agg(private.snake_case_members(e.entry) order by e.n), '[]')
      from jsonb_array_elements(value) with ordinality e (entry, n))
    when 'object' then (
      select coalesce(jsonb_object_agg(private.snake_case(m.key), private.snake_case_members(m.value)), '{}')
      from jsonb_each(value) m where m.value <> 'null')
    else value end;
end $$;
comment on function private.snake_case_members is
  'A value of the feed reader, whose depth its shapes bound, with the members of a column. Members that are null are '
  'removed.';

-- The element that each column comes from. The reader's member is the column's name in camel case.
create function private.feed_value_elements() returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return '{
  "funding": "podcast:funding", "texts": "podcast:txt", "locations": "podcast:location", "images": "podcast:image",
  "social_interactions": "podcast:socialInteract", "value_blocks": "podcast:value", "keywords": "itunes:keywords",
  "tags": "category", "soundbites": "podcast:soundbite", "content_links": "podcast:contentLink",
  "alternate_enclosures": "podcast:alternateEnclosure", "update_frequency": "podcast:updateFrequency",
  "verify_texts": "podcast:txt",
  "podroll": "podcast:podroll", "remote_items": "podcast:remoteItem", "publisher": "podcast:publisher",
  "directory_blocks": "podcast:block", "extra_tags": "extra tags"
}'::jsonb;
comment on function private.feed_value_elements is 'The element of a feed that each column of feed values holds.';

create function private.imported_feed_value(column_name text, value jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  shape     constant jsonb := private.feed_shapes() -> column_name;
  is_list   constant boolean := shape ? 'list';
  max_bytes constant int := coalesce((shape ->> 'max_text_bytes')::int, 131072) - 2;
begin
  with entry as materialized (
    select e.entry, e.n, private.feed_value_error(column_name, case when is_list then jsonb_build_array(e.entry)
      else e.entry end) as error
    from jsonb_array_elements(case when is_list then value else jsonb_build_array(value) end)
      with ordinality e (entry, n)
  ), valid as (
    select e.entry, e.n, row_number() over (order by e.n) as rank,
      sum(octet_length(e.entry::text) + 2) over (order by e.n) as bytes,
      row_number() over (partition by coalesce(e.entry ->> (shape ->> 'unique'), e.n::text) order by e.n) as nth
    from entry e where e.error is null
  ), kept as (
    select * from valid v
    where v.nth = 1 and v.rank <= coalesce((shape ->> 'max')::int, 1) and v.bytes <= max_bytes
  )
  select (select case when is_list then jsonb_agg(k.entry order by k.n) else min(k.entry::text)::jsonb end from kept k),
    coalesce((
      select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'path', private.feed_value_elements() ->> column_name,
        'reason', case when e.error is null then 'LIMIT' else 'INVALID' end, 'excerpt', e.error)) order by e.n)
      from entry e where e.n not in (select k.n from kept k)), '[]')
  into accepted, losses;
end $$;
comment on function private.imported_feed_value is
  'The valid entries of a value for this column (null without any), and the losses [{path, reason, excerpt?}].';

create function private.imported_feed_values(source jsonb, members text[], out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  given jsonb;
begin
  accepted := '{}';
  losses := '[]';
  select jsonb_object_agg(m.key, m.value) into given
  from jsonb_each(source) m where m.key = any (members) and m.value not in ('null', '[]', '{}');
  if given is null then
    return;  -- the usual case
  end if;
  select coalesce(jsonb_object_agg(m.column_name, v.accepted) filter (where v.accepted is not null), '{}'),
    coalesce(jsonb_path_query_array(jsonb_agg(v.losses order by m.column_name), '$[*][*]'), '[]')
  into accepted, losses
  from (
    select private.snake_case(m.key) as column_name, m.value from jsonb_each(given) m) m
  cross join lateral private.imported_feed_value(m.column_name, private.snake_case_members(m.value)) v;
end $$;
comment on function private.imported_feed_values is
  'The values of these members of a feed''s item or channel, {column: value}, and the losses.';
