-- The channel of a feed as the podcast's columns can hold it, and what they cannot.
create function private.channel_categories(categories jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  select nullif(a.accepted, '[]'), a.losses into accepted, losses
  from (
    select jsonb_agg(jsonb_build_object('path', 'itunes:category', 'excerpt', w.names, 'source', e.value,
      'key', concat_ws(' / ', c.category, s.subcategory), 'entry', case when c.category is not null
        then jsonb_strip_nulls(jsonb_build_object('category', c.category, 'subcategory', s.subcategory)) end,
      'losses', case when s.subcategory is null and e.value ->> 'subcategory' <> ''
        then private.loss('itunes:category', 'INVALID', w.names) end) order by e.n) as list
    from jsonb_array_elements(case jsonb_typeof(categories) when 'array' then categories end)
      with ordinality e (value, n)
    cross join lateral concat_ws(' / ', e.value ->> 'category', e.value ->> 'subcategory') w (names)
    left join public.podcast_categories c on c.category = e.value ->> 'category' and c.subcategory = ''
    left join public.podcast_categories s
      on s.category = c.category and s.subcategory = e.value ->> 'subcategory' and s.subcategory <> ''
  ) c
  cross join lateral private.accept_entries(coalesce(c.list, '[]'), 3) a;
end $$;
comment on function private.channel_categories is
  'The first three categories of a feed that directories know, and the losses. An unknown subcategory leaves its '
  'category.';

create function private.medium_error(channel jsonb) returns text
language sql stable security invoker set search_path = ''
return case when channel ->> 'medium' is not null then
  private.shape_error(channel -> 'medium', '"medium_name"', private.feed_shapes(), 'medium') end;
comment on function private.medium_error is 'What is wrong with the medium of a feed''s channel, or null.';

-- Single values that the podcast or its feed does not hold as they are.
create function private.channel_losses(channel jsonb, is_owner_lost boolean, is_email_lost boolean) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(private.loss(t.path, t.reason, t.excerpt) order by t.n) filter (where t.is_lost), '[]')
  from (values
    (1, 'title', 'TRUNCATED', null, char_length(channel ->> 'title') > 255),
    -- the feed's description has at most 4,000 bytes (functions/feed_writer/description.ts)
    (2, 'description', 'TRUNCATED', null, octet_length(channel ->> 'description') > 4000),
    (3, 'language', 'INVALID', channel ->> 'language', not private.is_language_tag(channel ->> 'language')),
    (4, 'link', 'INVALID', channel ->> 'link', not private.is_http_url(channel ->> 'link')),
    (5, 'copyright', 'TRUNCATED', null, char_length(channel ->> 'copyright') > 255),
    (6, 'itunes:author', 'TRUNCATED', null, char_length(channel ->> 'author') > 255),
    (7, 'itunes:owner/itunes:name', 'TRUNCATED', null, char_length(channel ->> 'ownerName') > 255),
    (8, 'itunes:owner/itunes:email', 'INVALID', null, is_email_lost),
    (9, 'itunes:owner', 'INVALID', 'The feed shows no owner without an email', is_owner_lost),
    (10, 'itunes:applepodcastsverify', 'LIMIT', null, char_length(channel ->> 'appleVerifyToken') > 1000),
    (11, 'podcast:guid', 'INVALID', channel ->> 'podcastGuid',
      not pg_input_is_valid(channel ->> 'podcastGuid', 'uuid')),
    (12, 'podcast:medium', 'INVALID', channel ->> 'medium', private.medium_error(channel) is not null),
    (13, 'podcast:locked', 'LOCK', null, num_nonnulls(channel ->> 'locked', channel ->> 'lockedOwner') > 0),
    (14, 'podcast:license', 'TRUNCATED', null, char_length(channel ->> 'license') > 128),
    (15, 'podcast:license/@url', 'INVALID', channel ->> 'licenseUrl',
      channel ->> 'licenseUrl' is not null and channel ->> 'license' is null
      or not private.is_http_url(channel ->> 'licenseUrl')),
    (16, 'podcast:txt', 'TRUNCATED', null, char_length(channel ->> 'aiDisclosure') > 4000),
    -- our feed writes RSS's image with the podcast's cover, title and link
    (17, 'image/url', 'REPEATED', channel #>> '{rssImage,url}', channel #> '{rssImage,url}' <> channel -> 'image'),
    (18, 'image/title', 'REPLACED_BY_OURS', channel #>> '{rssImage,title}',
      channel #> '{rssImage,title}' <> channel -> 'title'),
    (19, 'image/link', 'REPLACED_BY_OURS', channel #>> '{rssImage,link}',
      channel #> '{rssImage,link}' <> channel -> 'link'),
    (20, 'image/width', 'REPLACED_BY_OURS', channel #>> '{rssImage,width}', channel -> 'rssImage' ? 'width'),
    (21, 'image/height', 'REPLACED_BY_OURS', channel #>> '{rssImage,height}', channel -> 'rssImage' ? 'height'),
    (22, 'image/description', 'REPLACED_BY_OURS', channel #>> '{rssImage,description}',
      channel -> 'rssImage' ? 'description')
  ) t (n, path, reason, excerpt, is_lost)
$$;
comment on function private.channel_losses is
  'The losses [{path, reason, excerpt?}] of the single values of a feed''s channel.';

create function private.channel_fields(channel jsonb, out fields jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  title       constant text := left(private.normalize_line(channel ->> 'title'), 255);
  owner_email constant text := private.normalize_line(channel ->> 'ownerEmail');
  owner_name  constant text := left(private.normalize_line(channel ->> 'ownerName'), 255);
  has_email   constant boolean := coalesce(
    char_length(owner_email) <= 254 and owner_email ~ '^[^@\s]+@[^@\s]+$', false);
  categories  record;
  credits     record;
  values      record;
begin
  categories := private.channel_categories(channel -> 'categories');
  credits := private.imported_credits(channel -> 'persons', 50);
  values := private.imported_feed_values(channel, array['funding', 'locations', 'updateFrequency', 'podroll',
    'remoteItems', 'publisher', 'directoryBlocks', 'images', 'socialInteractions', 'valueBlocks', 'keywords',
    'tags', 'extraTags']);
  fields := jsonb_strip_nulls(jsonb_build_object(
    'title', case when not private.is_blank(title) then title end,
    'description', left(channel ->> 'description', 10000),
    'language', case when private.is_language_tag(channel ->> 'language') then channel ->> 'language' end,
    'author', nullif(left(private.normalize_line(channel ->> 'author'), 255), ''),
    'owner', case when num_nonnulls(owner_email, owner_name) > 0 then jsonb_build_object('name', owner_name,
      'email', case when has_email then owner_email end) end,
    'categories', categories.accepted,
    'medium', case when private.medium_error(channel) is null then channel ->> 'medium' end,
    'type', case when channel ->> 'type' in ('episodic', 'serial') then channel ->> 'type' end,
    'explicit', (channel ->> 'explicit')::boolean,
    'copyright', nullif(left(private.normalize_line(channel ->> 'copyright'), 255), ''),
    'link', case when private.is_http_url(channel ->> 'link') then channel ->> 'link' end,
    'image', case when private.is_http_url(channel ->> 'image') then channel ->> 'image' end,
    'isBlocked', (channel ->> 'isBlocked')::boolean,
    'isComplete', (channel ->> 'isComplete')::boolean,
    'license', case when channel ->> 'license' is not null then jsonb_build_object(
      'name', left(channel ->> 'license', 128),
      'url', case when private.is_http_url(channel ->> 'licenseUrl') then channel ->> 'licenseUrl' end) end,
    'persons', credits.accepted
  )) || coalesce((
    select jsonb_object_agg(m.key, values.accepted -> private.snake_case(m.key)) from jsonb_object_keys(channel) m (key)
    where values.accepted ? private.snake_case(m.key)), '{}');
  losses := categories.losses || credits.losses || values.losses
    || (private.imported_feed_values(channel, '{verifyTexts}')).losses || private.channel_losses(
      channel, owner_name is not null and not has_email, owner_email is not null and not has_email);
end $$;
comment on function private.channel_fields is
  'The fields of a feed''s channel that applyChannel may name, as the podcast''s columns hold them, and what they '
  'lose. A field without a usable value is absent.';

create function private.value_block_warnings(blocks jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if coalesce(blocks, '[]') in ('[]', 'null') or not (
       private.imported_feed_value('value_blocks', private.snake_case_members(blocks))).losses
       @> '[{"reason": "MONEY"}]' then
    return '[]';
  end if;
  return '[{"code": "VALUE_BLOCK_LOST", "message":
    "A value block has an invalid part and will be left out as a whole; check who is paid"}]';
end $$;
comment on function private.value_block_warnings is
  'The warning [{code, message}] of an item or channel that loses one of these value blocks, as the reader has them; '
  '[] if it loses none.';

create function private.channel_warnings(import public.podcast_imports, channel jsonb) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(w.warning), '[]')
  from (
    select jsonb_build_object('code', 'CHANNEL_BLOCKED', 'count', 1, 'message',
      'The feed asks directories to hide the podcast; it stays listed unless you apply isBlocked or directoryBlocks')
    where channel -> 'isBlocked' = 'true'
      or jsonb_path_exists(channel, '$.directoryBlocks[*] ? (@.isBlocked == true)')
    union all
    select min(v.warning::text)::jsonb || jsonb_build_object('count', count(*))
    from (
      select jsonb_array_elements(private.value_block_warnings(channel -> 'valueBlocks'))
      union all
      select jsonb_path_query(i.warnings, '$[*] ? (@.code == "VALUE_BLOCK_LOST")')
      from public.podcast_import_items i where i.import_id = import.id and i.warnings <> '[]') v (warning)
    having count(*) > 0) w (warning)
$$;
comment on function private.channel_warnings is
  'The warnings [{code, message, count}] about what a channel would do to the podcast, and about lost value blocks.';
