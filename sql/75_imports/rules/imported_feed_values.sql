-- Feed values of an import: what the reader found, in the form of the columns of podcasts and episodes. A member that a
-- column rejects is repaired, or lost with the reason. An entry is lost if it stays invalid.
create function private.snake_case_members(value jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if value::text !~ '[A-Z][^"]*": |: null' then  -- quotes in texts are escaped, so a match is a member or harmless
    return value;
  elsif jsonb_typeof(value) = 'array' then
    return (select coalesce(jsonb_agg(private.snake_case_members(e.entry) order by e.n), '[]')
      from jsonb_array_elements(value) with ordinality e (entry, n));
  elsif jsonb_typeof(value) = 'object' then
    return (
      select coalesce(jsonb_object_agg(private.snake_case(m.key), private.snake_case_members(m.value)), '{}')
      from jsonb_each(value) m where m.value <> 'null');
  end if;
  return value;  -- an expression with a query costs ten times as much as another
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
  "podroll": "podcast:podroll/podcast:remoteItem", "remote_items": "podcast:remoteItem",
  "publisher": "podcast:publisher/podcast:remoteItem",
  "directory_blocks": "podcast:block", "extra_tags": "extra tags"
}'::jsonb;
comment on function private.feed_value_elements is 'The element of a feed that each column of feed values holds.';

-- The names of members in the feed, if they are not attributes of the member's name in camel case.
create function private.feed_member_names() returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return '{
  "locations.name": "", "soundbites.title": "", "text": "", "is_blocked": "",
  "start_seconds": "/@startTime", "duration_seconds": "/@duration", "aspect_ratio": "/@aspect-ratio",
  "recipients": "/podcast:valueRecipient", "time_splits": "/podcast:valueTimeSplit",
  "remote_item": "/podcast:remoteItem", "sources": "/podcast:source", "integrity": "/podcast:integrity"
}'::jsonb;
comment on function private.feed_member_names is
  'What the path of a feed value''s member adds to its element''s: nothing for the element''s text.';

create function private.feed_path(path text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  column_name constant text := split_part(path, '.', 1);
begin
  return (
    select private.feed_value_elements() ->> column_name || coalesce(string_agg(coalesce(
      private.feed_member_names() ->> concat(column_name, '.', p.member), private.feed_member_names() ->> p.member,
      '/@' || left(p.member, 1) || substr(replace(initcap(p.member), '_', ''), 2)), '' order by p.n), '')
    from string_to_table(path, '.') with ordinality p (member, n) where p.n > 1);
end $$;
comment on function private.feed_path is
  'The path of a column''s member in the feed: images.aspect_ratio as podcast:image/@aspect-ratio.';

-- One doubtful member costs that member; a doubtful part of a value block costs the block (is_whole).
create function private.repair_feed_value(
  column_name text, entry jsonb, out repaired jsonb, out losses jsonb, out error text)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  shape   jsonb := private.feed_shapes() -> column_name;
  is_list constant boolean := shape ? 'list';
  member  text;
begin
  repaired := entry;
  losses := '[]';
  error := private.feed_value_error(column_name, case when is_list then jsonb_build_array(entry) else entry end);
  if error is null then
    return;
  end if;
  shape := case when not is_list then shape when jsonb_typeof(shape -> 'list') = 'string'
    then private.feed_shapes() -> (shape ->> 'list') else shape -> 'list' end;
  select r.repaired, r.losses into repaired, losses
  from private.repair_by_shape(entry, shape, private.feed_shapes(), column_name) r;
  loop
    error := private.feed_value_error(column_name, case when is_list then jsonb_build_array(repaired)
      else repaired end);
    -- feed_rule_error begins with the member that breaks a rule
    member := substring(error from '^[a-z_]+(?:\[0\])?\.([a-z_]+)');
    exit when error is null or jsonb_typeof(repaired) <> 'object' or not repaired ? member or shape ? 'is_whole'
      or shape -> 'required' ? member;
    losses := losses || private.loss(concat(column_name, '.', member), 'INVALID',
      coalesce(nullif(repaired ->> member, ''), error));
    repaired := repaired - member;
  end loop;
  losses := coalesce((
    select jsonb_agg(l.loss || jsonb_build_object('path', private.feed_path(l.loss ->> 'path')) order by l.n)
    from jsonb_array_elements(losses) with ordinality l (loss, n)), '[]');
end $$;
comment on function private.repair_feed_value is
  'An entry of a feed column, or its object, without what the column rejects; the losses of its members, with the '
  'feed''s names; and the error that costs the whole entry, or null.';

create function private.imported_feed_value(column_name text, value jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  shape       constant jsonb := private.feed_shapes() -> column_name;
  is_list     constant boolean := shape ? 'list';
  max_entries constant int := coalesce((shape ->> 'max')::int, 1);
  max_walked  constant int := 65536;  -- bytes of doubtful entries; their repair takes about half a second
begin
  select a.accepted, a.losses into accepted, losses
  from (
    select jsonb_agg(jsonb_build_object('path', private.feed_value_elements() ->> column_name, 'excerpt', v.error,
      'entry', case when e.is_near and v.error is null then v.value end, 'losses', r.losses,
      'key', v.value ->> (shape ->> 'unique'), 'source', v.value,
      'reason', case when shape #> '{list,is_whole}' = 'true' then 'MONEY' when not e.is_near then 'LIMIT' end)
      order by e.n) as list
    from (
      select f.*, sum(octet_length(f.entry::text)) filter (where f.error is not null) over (order by f.n) as walked
      from (
        select l.entry, l.n, l.n <= 2 * max_entries as is_near,
          -- a feed can repeat a doubtful element endlessly
          case when l.n <= 2 * max_entries then private.feed_value_error(
            column_name, case when is_list then jsonb_build_array(l.entry) else l.entry end) end as error
        from jsonb_array_elements(case when is_list then value else jsonb_build_array(value) end)
          with ordinality l (entry, n)) f) e
    left join lateral (  -- offset 0: a condition of the join would be asked after the repair
      select * from private.repair_feed_value(column_name, e.entry)
      where e.error is not null and e.walked <= max_walked offset 0) r on true
    cross join lateral (
      select case when r.losses is null then e.error else r.error end as error, coalesce(r.repaired, e.entry) as value
    ) v
  ) c
  cross join lateral private.accept_entries(
    c.list, max_entries, coalesce((shape ->> 'max_text_bytes')::int, 131072) - 2) a;
  accepted := case when is_list then nullif(accepted, '[]') else accepted -> 0 end;
end $$;
comment on function private.imported_feed_value is
  'The valid entries of a value for this column (null without any), and the losses [{path, reason, excerpt?}]. A value '
  'block is lost as a whole, for the reason MONEY.';

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
