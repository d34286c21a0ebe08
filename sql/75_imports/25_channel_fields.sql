-- The channel of a feed as the podcast's columns can hold it, and its transfer to the podcast.
create function private.channel_categories(categories jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  with entry as (
    select e.value, e.n, c.category, coalesce(s.subcategory, '') as subcategory,
      row_number() over (partition by c.category, coalesce(s.subcategory, '') order by e.n) as nth
    from jsonb_array_elements(case jsonb_typeof(categories) when 'array' then categories end)
      with ordinality e (value, n)
    left join public.podcast_categories c on c.category = e.value ->> 'category' and c.subcategory = ''
    left join public.podcast_categories s
      on s.category = c.category and s.subcategory = e.value ->> 'subcategory' and s.subcategory <> ''
  ), ranked as (
    select e.*, case when e.category is not null and e.nth = 1
      then row_number() over (partition by e.category is not null and e.nth = 1 order by e.n) end as rank
    from entry e
  )
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'category', r.category, 'subcategory', nullif(r.subcategory, ''))) order by r.n) filter (where r.rank <= 3),
    coalesce(jsonb_agg(jsonb_build_object('path', 'itunes:category',
      'reason', case when r.rank > 3 then 'LIMIT' else 'INVALID' end,
      'excerpt', concat_ws(' / ', r.value ->> 'category', r.value ->> 'subcategory')) order by r.n) filter (
      where r.category is null or r.rank > 3
        or (r.subcategory = '' and coalesce(r.value ->> 'subcategory', '') <> '')), '[]')
  into accepted, losses
  from ranked r;
end $$;
comment on function private.channel_categories is
  'The first three categories of a feed that directories know, and the losses. An unknown subcategory leaves its '
  'category.';

create function private.channel_fields(channel jsonb, out fields jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  owner_email constant text := private.normalize_line(channel ->> 'ownerEmail');
  owner_name  constant text := left(private.normalize_line(channel ->> 'ownerName'), 255);
  categories  record;
  credits     record;
  values      record;
begin
  categories := private.channel_categories(channel -> 'categories');
  credits := private.imported_credits(channel -> 'persons');
  values := private.imported_feed_values(channel, array['funding', 'locations', 'update_frequency', 'podroll',
    'remote_items', 'publisher', 'directory_blocks', 'images', 'social_interactions', 'value_blocks', 'keywords',
    'tags', 'extra_tags']);
  fields := jsonb_strip_nulls(jsonb_build_object(
    'title', nullif(left(private.normalize_line(channel ->> 'title'), 255), ''),
    'description', left(channel ->> 'description', 10000),
    'language', case when private.is_language_tag(channel ->> 'language') then channel ->> 'language' end,
    'author', nullif(left(private.normalize_line(channel ->> 'author'), 255), ''),
    'owner', case when num_nonnulls(owner_email, owner_name) > 0 then jsonb_build_object('name', owner_name,
      'email', case when char_length(owner_email) <= 254 and owner_email ~ '^[^@\s]+@[^@\s]+$'
        then owner_email end) end,
    'categories', categories.accepted,
    'type', case when channel ->> 'type' in ('episodic', 'serial') then channel ->> 'type' end,
    'explicit', (channel ->> 'explicit')::boolean,
    'copyright', nullif(left(private.normalize_line(channel ->> 'copyright'), 255), ''),
    'link', case when private.is_http_url(channel ->> 'link') then channel ->> 'link' end,
    'image', case when private.is_http_url(channel ->> 'image') then channel ->> 'image' end,
    'isBlocked', (channel ->> 'isBlocked')::boolean,
    'isComplete', (channel ->> 'isComplete')::boolean,
    'license', case when char_length(channel ->> 'license') <= 128 then jsonb_build_object(
      'name', channel ->> 'license',
      'url', case when private.is_http_url(channel ->> 'licenseUrl') then channel ->> 'licenseUrl' end) end,
    'persons', jsonb_path_query_array(credits.accepted, '$[0 to 49]')
  )) || coalesce((
    select jsonb_object_agg(m.key, values.accepted -> private.snake_case(m.key)) from jsonb_object_keys(channel) m (key)
    where values.accepted ? private.snake_case(m.key)), '{}');
  losses := categories.losses || credits.losses || values.losses || (
    select coalesce(jsonb_agg(jsonb_build_object('path', t.path, 'reason', 'TRUNCATED')), '[]')
    from (values ('title', 'title', 255), ('description', 'description', 10000), ('author', 'itunes:author', 255),
      ('copyright', 'copyright', 255)) t (name, path, max_chars)
    where char_length(channel ->> t.name) > t.max_chars);
end $$;
comment on function private.channel_fields is
  'The fields of a feed''s channel that applyChannel may name, as the podcast''s columns hold them, and what they '
  'lose. A field without a usable value is absent.';

create function private.channel_warnings(channel jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case when channel -> 'isBlocked' = 'true'
      or jsonb_path_exists(channel, '$.directoryBlocks[*] ? (@.isBlocked == true)')
    then jsonb_build_array(jsonb_build_object('code', 'CHANNEL_BLOCKED', 'count', 1, 'message',
      'The feed asks directories to hide the podcast; it stays listed unless you apply isBlocked or directoryBlocks'))
    else '[]' end
$$;
comment on function private.channel_warnings is
  'The warnings [{code, message, count}] about what a channel would do to the podcast.';

-- Texts are searched as JSON writes them; `***=` makes an address a literal pattern.
create function private.mask_emails(value jsonb, emails text[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  masked text := value::text;
  email  text;
begin
  foreach email in array emails loop
    masked := regexp_replace(masked, '***=' || substring(to_json(email)::text from '^.(.*).$'),
      replace(substring(to_json(private.mask_email(email))::text from '^.(.*).$'), '\', '\\'), 'gi');
  end loop;
  return masked::jsonb;
end $$;
comment on function private.mask_emails is 'Masks these email addresses in all texts: j***@e***.com.';

create function private.owner_emails(channel jsonb) returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select array(
    select distinct m[1]
    from regexp_matches(concat_ws(' ', channel ->> 'ownerEmail', channel ->> 'lockedOwner'),
      '[^\s@,;:<>()]{1,64}@[^\s@,;:<>()]{1,255}', 'g') m order by 1)
$$;
comment on function private.owner_emails is 'The addresses that a channel gives for its owner.';

create function private.store_import_channel(import public.podcast_imports, channel jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  emails constant text[] := private.owner_emails(channel);
  taken  record := private.channel_fields(channel);
begin
  insert into private.import_channels (import_id, fields) values (import.id, taken.fields);
  insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
  values (import.id, import.podcast_id, private.mask_emails(taken.fields, emails),
    private.mask_emails(coalesce(channel -> 'losses', '[]') || taken.losses, emails));
end $$;
comment on function private.store_import_channel is
  'Stores the channel of a staged feed: masked for the podcast''s admins, unmasked for apply_import_channel.';

create function private.apply_import_channel(import public.podcast_imports, field_names text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  fields  jsonb;
  missing text;
begin
  if cardinality(field_names) = 0 then
    return;
  end if;
  select c.fields into fields from private.import_channels c where c.import_id = import.id;
  select name into missing from unnest(field_names) name
  where not coalesce(fields, '{}') ? coalesce(name, '') limit 1;
  if found then
    raise sqlstate 'PT400' using hint = 'INVALID_SELECTION',
      message = format('The feed''s channel has no %s to apply', coalesce(left(missing, 100), 'field null')),
      detail = 'Fields of this channel: '
        || coalesce((select string_agg(key, ', ' order by key) from jsonb_object_keys(fields) key), 'none');
  end if;
  -- only the named fields; each other column keeps its value
  select jsonb_object_agg(f.key, f.value) into fields from jsonb_each(fields) f where f.key = any (field_names);
  update public.podcasts p set
    title = coalesce(fields ->> 'title', p.title),
    description = coalesce(fields ->> 'description', p.description),
    language = coalesce(fields ->> 'language', p.language),
    author = coalesce(fields ->> 'author', p.author),
    owner_name = case when fields ? 'owner' then fields #>> '{owner,name}' else p.owner_name end,
    owner_email = case when fields ? 'owner' then fields #>> '{owner,email}' else p.owner_email end,
    categories = coalesce(fields -> 'categories', p.categories),
    type = coalesce((fields ->> 'type')::public.podcast_type, p.type),
    explicit = coalesce((fields ->> 'explicit')::boolean, p.explicit),
    copyright = coalesce(fields ->> 'copyright', p.copyright),
    link = coalesce(fields ->> 'link', p.link),
    is_blocked = coalesce((fields ->> 'isBlocked')::boolean, p.is_blocked),
    is_complete = coalesce((fields ->> 'isComplete')::boolean, p.is_complete),
    license = case when fields ? 'license' then fields #>> '{license,name}' else p.license end,
    license_url = case when fields ? 'license' then fields #>> '{license,url}' else p.license_url end,
    funding = coalesce(fields -> 'funding', p.funding),
    locations = coalesce(fields -> 'locations', p.locations),
    update_frequency = coalesce(fields -> 'updateFrequency', p.update_frequency),
    podroll = coalesce(fields -> 'podroll', p.podroll),
    remote_items = coalesce(fields -> 'remoteItems', p.remote_items),
    publisher = coalesce(fields -> 'publisher', p.publisher),
    directory_blocks = coalesce(fields -> 'directoryBlocks', p.directory_blocks),
    images = coalesce(fields -> 'images', p.images),
    social_interactions = coalesce(fields -> 'socialInteractions', p.social_interactions),
    value_blocks = coalesce(fields -> 'valueBlocks', p.value_blocks),
    keywords = coalesce(fields -> 'keywords', p.keywords),
    tags = coalesce(fields -> 'tags', p.tags),
    extra_tags = coalesce(fields -> 'extraTags', p.extra_tags)
  where p.id = import.podcast_id;
  perform private.replace_podcast_credits(import.podcast_id, fields -> 'persons') where fields ? 'persons';
  if fields ? 'image' then
    update private.import_channels c set confirmed_cover_url = p.cover_image_url
    from public.podcasts p where c.import_id = import.id and p.id = import.podcast_id;
    perform private.enqueue('import_files', jsonb_build_object(
      'type', 'import_file', 'kind', 'cover', 'import_id', import.id, 'podcast_id', import.podcast_id));
  end if;
end $$;
comment on function private.apply_import_channel is
  'Sets the named fields of the podcast, and no others, to those of the feed''s channel; the worker copies the image. '
  'PT400 INVALID_SELECTION names a field that the channel does not have.';
