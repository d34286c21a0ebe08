-- Creates the episode of an import item whose audio is stored, with its original publication date.
create function private.transcripts_from_feed(transcripts jsonb)
returns table (url text, type text, language text, rel text, n bigint)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return query
    select t.url, t.type, t.language, t.rel, t.n
    from (
      select a.n, a.element ->> 'url' as url,
        case when private.is_language_tag(a.element ->> 'language') then a.element ->> 'language' end as language,
        case when a.element ->> 'rel' = 'captions' then 'captions' end as rel,
        private.normalize_transcript_type(coalesce(a.element ->> 'type',
          case substring(lower(a.element ->> 'url') from '\.([a-z]+)(?:[?#]|$)')
            when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
            when 'html' then 'text/html' when 'txt' then 'text/plain' end)) as type
      from jsonb_array_elements(case jsonb_typeof(transcripts_from_feed.transcripts)
        when 'array' then transcripts_from_feed.transcripts end) with ordinality a (element, n)
    ) t
    where private.is_http_url(t.url) and t.type ~ '^[a-z]+/[a-z0-9.+-]+$' and char_length(t.type) <= 100
    order by t.n limit 20;
end $$;
comment on function private.transcripts_from_feed is
  'The first 20 transcripts of a feed''s item that have a URL and a type: rows of episode_transcripts, in their order.';

create function private.transcript_losses(transcripts jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('path', 'podcast:transcript' || l.attribute,
    'reason', l.reason, 'excerpt', left(l.excerpt, 80))) order by a.n), '[]')
  from jsonb_array_elements(case jsonb_typeof(transcripts) when 'array' then transcripts end)
    with ordinality a (element, n)
  left join private.transcripts_from_feed(transcripts) t on t.n = a.n
  left join (  -- the last that an episode may have
    select max(k.n) as n from private.transcripts_from_feed(transcripts) k having count(*) = 20) last on true
  cross join lateral (values
    ('', case when a.n > last.n then 'LIMIT' else 'INVALID' end, a.element ->> 'url', t.n is null),
    ('/@language', 'INVALID', a.element ->> 'language',
      t.n is not null and a.element ->> 'language' is distinct from t.language),
    ('/@rel', 'INVALID', a.element ->> 'rel', t.n is not null and a.element ->> 'rel' is distinct from t.rel)
  ) l (attribute, reason, excerpt, is_lost)
  where l.is_lost
$$;
comment on function private.transcript_losses is
  'The losses [{path, reason, excerpt}] of transcripts_from_feed.';

create function private.jsonb_to_int(value jsonb) returns int
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case when jsonb_typeof(value) = 'number' and value::numeric between 0 and 2147483647 and value::numeric % 1 = 0
    then value::numeric::int end;
end $$;
comment on function private.jsonb_to_int is 'A JSON number that is a non-negative int, or null.';

create function private.create_imported_episode(
  item public.podcast_import_items, path text, bytes bigint, content_type text, duration_seconds int, image jsonb,
  at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  payload      constant jsonb := item.parsed_payload;
  cover        constant jsonb := case when image ? 'path' then image end;
  image_url    constant text := case when private.is_http_url(payload ->> 'image') then payload ->> 'image' end;
  import       public.podcast_imports;
  podcast      public.podcasts;
  title        text := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  itunes_title text := nullif(private.normalize_line(payload ->> 'itunesTitle'), title);
  description  text;
  notes        text;
  summary      text;
  moved_from   text := 'description';  -- the element of the text in the description
  published_at timestamptz;
  is_truncated boolean := false;
  truncated    text[] := '{}';  -- elements of which no column has the whole text
  carried      jsonb;
  feed_values  record;
  chapters     record := private.imported_chapters(payload -> 'simpleChapters');
  lost         jsonb;
begin
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  select t.description, t.content, t.summary, t.extra_tags into description, notes, summary, carried
  from public.podcast_import_item_texts t where t.import_item_id = item.id;

  feed_values := private.imported_feed_values(
    payload || jsonb_build_object('extraTags', carried), array['funding', 'texts',
      'locations', 'images', 'social_interactions', 'value_blocks', 'keywords', 'tags', 'soundbites', 'content_links',
      'alternate_enclosures', 'extra_tags']);
  if not private.has_content(notes) then  -- <p></p>
    notes := null;
  end if;
  -- A text that is too long for its column moves to the show notes, which hold a megabyte, or is truncated.
  if char_length(summary) > 4000 and description is null then
    description := summary;
    summary := null;
    moved_from := 'itunes:summary';
  end if;
  if char_length(description) > 10000 then
    is_truncated := true;
    truncated := truncated || case when notes is not null then array[moved_from] else '{}' end;
    notes := coalesce(notes, description);
    description := left(description, 10000);
  end if;
  if char_length(summary) > 4000 then
    is_truncated := is_truncated or notes is not null;
    truncated := truncated || case when notes is not null then '{itunes:summary}'::text[] else '{}' end;
    notes := coalesce(notes, summary);
    summary := null;
  elsif octet_length(summary) > 4000 and coalesce(notes, description) is not null then
    truncated := truncated || 'itunes:summary'::text;
  end if;
  -- the feed shows 4,000 bytes of a description, and the show notes in full
  if octet_length(description) > 4000 and notes is not null and left(notes, 10000) is distinct from description
    and not truncated @> array[moved_from] then
    truncated := truncated || moved_from;
  end if;
  if octet_length(notes) > 1048576 then
    is_truncated := true;
    truncated := truncated || 'content:encoded'::text;
    notes := null;
  end if;
  if char_length(title) > 255 then
    is_truncated := true;
    truncated := truncated || 'title'::text;
    title := left(title, 255);
  end if;
  if char_length(private.normalize_line(payload ->> 'itunesTitle')) > 255 then  -- also if it is the title
    is_truncated := true;
    truncated := truncated || 'itunes:title'::text;
    itunes_title := left(itunes_title, 255);
  end if;
  truncated := truncated || array(
    select t.element from (values ('seasonName', 'podcast:season/@name', 128),
      ('episodeDisplay', 'podcast:episode/@display', 32), ('license', 'podcast:license', 128))
      t (member, element, max_chars)
    where char_length(payload ->> t.member) > t.max_chars);
  if coalesce(private.is_blank(title), true) then
    title := 'Untitled episode';
  end if;
  if is_truncated then
    perform private.add_import_item_warnings(
      item.id, '[{"code": "TEXT_TRUNCATED", "message": "A text was too long and was truncated"}]');
  end if;
  -- private.estimate_dates has dated every item
  published_at := greatest('1970-01-01Z', least('9999-12-31Z',
    coalesce(item.published_at, import.created_at - interval '1 day')));

  -- cron wakes the worker once for all episodes imported meanwhile, so that it renders their feed together
  perform private.leave_waking_to_cron(true);
  insert into public.episodes (
    id, podcast_id, guid, title, itunes_title, summary, description, show_notes_html, status, origin,
    season_number, season_name, episode_number, episode_display, episode_type,
    explicit,
    is_blocked, scheduled_at, published_at, first_published_at, created_by,
    chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url,
    license, license_url,
    funding, texts, locations, images, social_interactions, value_blocks, keywords, tags, soundbites, content_links,
    alternate_enclosures, extra_tags)
  select
    item.id, item.podcast_id, item.guid, title, case when not private.is_blank(itunes_title) then itunes_title end,
    summary, coalesce(description, ''), notes,
    case when published_at > at then 'scheduled' else 'published' end::public.episode_status, 'import',
    private.jsonb_to_int(payload -> 'seasonNumber'), left(payload ->> 'seasonName', 128),
    private.jsonb_to_int(payload -> 'episodeNumber'), left(payload ->> 'episodeDisplay', 32),
    case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType'
      else 'full' end::public.episode_type,
    case payload -> 'explicit' when 'true' then true when 'false' then false
      else coalesce(import.channel_explicit, podcast.explicit) end,
    coalesce(payload -> 'isBlocked' = 'true', false),
    case when published_at > at then published_at end, case when published_at <= at then published_at end,
    case when published_at <= at then published_at end, import.created_by,
    case when private.is_http_url(payload ->> 'chapters') then payload ->> 'chapters' end,
    private.get_setting('media_url') || '/' || create_imported_episode.path, create_imported_episode.bytes,
    create_imported_episode.content_type, create_imported_episode.duration_seconds,
    -- an object of ours belongs to something else, which may delete it
    case when cover is not null then private.image_url(cover ->> 'path', at)
      when private.own_object_path(image_url) is null then image_url end,
    left(payload ->> 'license', 128),
    case when payload ->> 'license' is not null and private.is_http_url(payload ->> 'licenseUrl')
      then payload ->> 'licenseUrl' end,
    coalesce(feed_values.accepted -> 'funding', '[]'), coalesce(feed_values.accepted -> 'texts', '[]'),
    coalesce(feed_values.accepted -> 'locations', '[]'), coalesce(feed_values.accepted -> 'images', '[]'),
    coalesce(feed_values.accepted -> 'social_interactions', '[]'),
    coalesce(feed_values.accepted -> 'value_blocks', '[]'), coalesce(feed_values.accepted -> 'keywords', '[]'),
    coalesce(feed_values.accepted -> 'tags', '[]'), coalesce(feed_values.accepted -> 'soundbites', '[]'),
    coalesce(feed_values.accepted -> 'content_links', '[]'),
    coalesce(feed_values.accepted -> 'alternate_enclosures', '[]'),
    coalesce(feed_values.accepted -> 'extra_tags', '[]');
  insert into public.episode_transcripts (episode_id, type, language, rel, url, display_order)
  select item.id, t.type, t.language, t.rel, t.url, t.n - 1
  from private.transcripts_from_feed(payload -> 'transcripts') t;
  perform private.insert_episode_chapters(item.id, chapters.accepted) where chapters.accepted <> '[]';
  lost := private.credit_imported_people(item.id, payload -> 'persons') || feed_values.losses || chapters.losses
    || private.transcript_losses(payload -> 'transcripts') || coalesce((
    select jsonb_agg(jsonb_build_object('path', t.path, 'reason', 'INVALID', 'excerpt', left(t.excerpt, 80)))
    from (values
      -- the namespace requires the number
      ('podcast:season/@name', payload ->> 'seasonName', private.jsonb_to_int(payload -> 'seasonNumber') is null),
      ('podcast:episode/@display', payload ->> 'episodeDisplay',
        private.jsonb_to_int(payload -> 'episodeNumber') is null
        and payload ->> 'episodeDisplay' !~ '^[0-9]{1,9}[.][0-9]{1,9}$'),
      ('podcast:license/@url', payload ->> 'licenseUrl',
        payload ->> 'license' is null or not private.is_http_url(payload ->> 'licenseUrl')),
      ('podcast:chapters', payload ->> 'chapters', not private.is_http_url(payload ->> 'chapters'))
    ) t (path, excerpt, is_lost) where t.is_lost and t.excerpt is not null), '[]') || coalesce((
    select jsonb_agg(jsonb_build_object('path', t.name, 'reason', 'TRUNCATED')) from unnest(truncated) t (name)), '[]')
    || case when image ? 'warning'
      then jsonb_build_array(private.copy_loss('itunes:image', payload ->> 'image', image #>> '{warning,message}'))
      else '[]' end;
  perform private.enqueue_import_files(item);
  perform private.leave_waking_to_cron(false);
  update public.podcast_import_item_texts t set losses = t.losses || lost, copies = t.copies || (
    select coalesce(jsonb_agg(jsonb_build_object('path', c.path, 'url', c.url)), '[]')
    from (values ('enclosure', payload #>> '{enclosure,url}'),
      ('itunes:image', case when cover is not null then payload ->> 'image' end)) c (path, url)
    where c.url is not null)
  where t.import_item_id = item.id;
  insert into private.media_objects (
    path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
  select o.path, podcast.owner_id, podcast.id, item.id, o.usage, o.bytes, o.content_type, o.width, o.height
  from (values
    (create_imported_episode.path, 'audio', create_imported_episode.bytes, create_imported_episode.content_type,
      null::int, null::int),
    (cover ->> 'path', 'episode_cover', (cover ->> 'bytes')::bigint, cover ->> 'contentType',
      (cover ->> 'width')::int, (cover ->> 'height')::int)
  ) o (path, usage, bytes, content_type, width, height)
  where o.path is not null order by o.path;
end $$;
comment on function private.create_imported_episode is
  'Creates the episode of a locked item, with its transcripts, chapters and credits, adds its objects to the media '
  'ledger of the podcast''s account, and enqueues the copies of its other files. image: as in finish_import_item.';
