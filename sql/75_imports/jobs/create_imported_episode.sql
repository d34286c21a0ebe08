-- Creates the episode of an import item whose audio is stored, with its original publication date.
create function private.create_imported_episode(
  item public.podcast_import_items, _path text, _bytes bigint, _content_type text, _duration_seconds int, image jsonb,
  at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  payload     constant jsonb := item.parsed_payload;
  cover       constant jsonb := case when image ? 'path' then image end;
  image_url   constant text := case when private.is_http_url(payload ->> 'image') then payload ->> 'image' end;
  transcripts constant record := private.imported_transcripts(payload -> 'transcripts');
  chapters    constant record := private.imported_chapters(payload -> 'simpleChapters');
  source      record;
  taken       record;
  own         public.episodes;
  feed_values record;
  lost        jsonb;
begin
  select i as import, i.created_by, coalesce(i.channel_explicit, p.explicit) as explicit, p.owner_id,
    c.fields ->> 'link' as channel_link, t.description, t.content, t.summary, t.subtitle, t.extra_tags
  into source
  from public.podcast_imports i
  join public.podcasts p on p.id = i.podcast_id
  left join private.import_channels c on c.import_id = i.id
  left join public.podcast_import_item_texts t on t.import_item_id = item.id
  where i.id = item.import_id;
  taken := private.imported_episode(item, source.description, source.content, source.summary, source.subtitle,
    source.import, source.explicit, source.channel_link);
  own := taken.episode;
  perform private.warn_of_truncation(item.id) where taken.is_truncated;
  feed_values := private.imported_feed_values(
    case when source.extra_tags = '[]' then payload
      else payload || jsonb_build_object('extraTags', source.extra_tags) end,
    array['funding', 'texts', 'locations', 'images', 'socialInteractions', 'valueBlocks', 'keywords', 'tags',
      'soundbites', 'contentLinks', 'alternateEnclosures', 'extraTags']);

  -- cron wakes the worker once for all episodes imported meanwhile, so that it renders their feed together
  perform private.leave_waking_to_cron(true),
    private.announce_feed_elsewhere(true);  -- the import announces its episodes together
  insert into public.episodes (
    id, podcast_id, guid, title, itunes_title, subtitle, summary, description, link, show_notes_html, status, origin,
    season_number, season_name, episode_number, episode_display, episode_type, explicit,
    is_blocked, scheduled_at, published_at, first_published_at, created_by, chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url,
    license, license_url,
    funding, texts, locations, images, social_interactions, value_blocks, keywords, tags, soundbites, content_links,
    alternate_enclosures, extra_tags)
  select
    item.id, item.podcast_id, item.guid, own.title, own.itunes_title, own.subtitle, own.summary, own.description,
    own.link, own.show_notes_html,
    case when own.published_at > at then 'scheduled' else 'published' end::public.episode_status, 'import',
    own.season_number, own.season_name, own.episode_number, own.episode_display, own.episode_type, own.explicit,
    coalesce(payload -> 'isBlocked' = 'true', false),
    case when own.published_at > at then own.published_at end,
    case when own.published_at <= at then own.published_at end,
    case when own.published_at <= at then own.published_at end, source.created_by, own.chapters_url,
    private.get_setting('media_url') || '/' || _path, _bytes, _content_type, _duration_seconds,
    -- an object of ours belongs to something else, which may delete it
    case when cover is not null then private.image_url(cover ->> 'path', at)
      when private.own_object_path(image_url) is null then image_url end,
    own.license, own.license_url,
    coalesce(feed_values.accepted -> 'funding', '[]'), coalesce(feed_values.accepted -> 'texts', '[]'),
    coalesce(feed_values.accepted -> 'locations', '[]'), coalesce(feed_values.accepted -> 'images', '[]'),
    coalesce(feed_values.accepted -> 'social_interactions', '[]'),
    coalesce(feed_values.accepted -> 'value_blocks', '[]'), coalesce(feed_values.accepted -> 'keywords', '[]'),
    coalesce(feed_values.accepted -> 'tags', '[]'), coalesce(feed_values.accepted -> 'soundbites', '[]'),
    coalesce(feed_values.accepted -> 'content_links', '[]'),
    coalesce(feed_values.accepted -> 'alternate_enclosures', '[]'),
    coalesce(feed_values.accepted -> 'extra_tags', '[]');
  -- statements without rows would cost as much as those with
  if transcripts.accepted <> '[]' then
    insert into public.episode_transcripts (episode_id, type, language, rel, url, display_order)
    select item.id, t.transcript ->> 'type', t.transcript ->> 'language', t.transcript ->> 'rel',
      t.transcript ->> 'url', t.n - 1
    from jsonb_array_elements(transcripts.accepted) with ordinality t (transcript, n);
  end if;
  if chapters.accepted <> '[]' then
    perform private.insert_episode_chapters(item.id, chapters.accepted);
  end if;
  if transcripts.accepted <> '[]' or own.chapters_url is not null or image ? 'isPending' then
    perform private.enqueue_import_files(item, _with_image => coalesce(image ? 'isPending', false));
  end if;
  lost := private.credit_imported_people(item.id, payload -> 'persons') || feed_values.losses || chapters.losses
    || transcripts.losses || taken.losses;
  if image ? 'warning' then
    lost := lost || private.copy_loss('itunes:image', payload ->> 'image', image #>> '{warning,message}');
  elsif image ? 'isPending' and (image_url is null or private.own_object_path(image_url) is not null) then
    lost := lost || private.copy_loss('itunes:image', payload ->> 'image', 'The image could not be fetched');
  end if;
  perform private.announce_feed_elsewhere(false);
  if cover is not null or lost <> '[]' then
    update public.podcast_import_item_texts t set copies = t.copies || case
      when cover is not null then jsonb_build_object('path', 'itunes:image', 'url', payload -> 'image') else '[]' end,
      losses = private.join_losses(t.losses, private.mask_addresses(lost::text))
    where t.import_item_id = item.id;
  end if;
  insert into private.media_objects (
    path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
  select o.path, source.owner_id, item.podcast_id, item.id, o.usage, o.bytes, o.content_type, o.width, o.height
  from (values
    (_path, 'audio', _bytes, _content_type, null::int, null::int),
    (cover ->> 'path', 'episode_cover', (cover ->> 'bytes')::bigint, cover ->> 'contentType',
      (cover ->> 'width')::int, (cover ->> 'height')::int)
  ) o (path, usage, bytes, content_type, width, height)
  where o.path is not null order by o.path;
  perform private.leave_waking_to_cron(false);
end $$;
comment on function private.create_imported_episode is
  'Creates the episode of a locked item, with its transcripts, chapters and credits, adds its objects to the media '
  'ledger of the podcast''s account, and enqueues the copies of its other files. image: as in finish_import_item.';
