-- The channel between the preview and the podcast: stored when the feed was read, applied on confirmation.
create function private.store_import_channel(import public.podcast_imports, channel jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  taken constant record := private.channel_fields(channel);
begin
  insert into private.import_channels (import_id, fields) values (import.id, taken.fields);
  insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
  values (import.id, import.podcast_id, taken.fields, coalesce(channel -> 'losses', '[]') || taken.losses);
  perform private.mask_import(import.id, private.owner_emails(channel));
end $$;
comment on function private.store_import_channel is
  'Stores the channel of a staged feed, unmasked for apply_import_channel; admins see the owner''s addresses masked.';

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
    medium = coalesce(fields ->> 'medium', p.medium),
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
