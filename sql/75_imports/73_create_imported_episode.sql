-- Creates the episode of an import item whose audio is stored, with its original publication date.
create function private.transcripts_from_feed(transcripts jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(b.entry order by b.n) from (
      select t.entry, t.n, sum(octet_length(t.entry::text) + 2) over (order by t.n) as bytes
      from (
        select a.n, jsonb_strip_nulls(jsonb_build_object('url', a.element ->> 'url',
          'language', case when private.is_language_tag(a.element ->> 'language') then a.element ->> 'language' end,
          'rel', case when a.element ->> 'rel' = 'captions' then 'captions' end,
          'type', coalesce(a.element ->> 'type',
            case substring(lower(a.element ->> 'url') from '\.([a-z]+)(?:[?#]|$)')
              when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
              when 'html' then 'text/html' when 'txt' then 'text/plain' end))) as entry
        from jsonb_array_elements(case jsonb_typeof(transcripts_from_feed.transcripts)
          when 'array' then transcripts_from_feed.transcripts end) with ordinality a (element, n)
      ) t
      where private.is_http_url(t.entry ->> 'url') and t.entry ->> 'type' ~ '^[a-z]+/[a-z0-9.+-]+$'
    ) b
    where b.bytes <= 65000), '[]');
end $$;
comment on function private.transcripts_from_feed is
  'A feed''s transcripts as an episode stores them: those with a URL and a type, as many as the column can hold.';

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
  import       public.podcast_imports;
  podcast      public.podcasts;
  title        text := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  itunes_title text := nullif(private.normalize_line(payload ->> 'itunesTitle'), title);
  description  text;
  notes        text;
  summary      text;
  published_at timestamptz;
  is_truncated boolean := false;
begin
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  select t.description, t.content, t.summary into description, notes, summary
  from public.podcast_import_item_texts t where t.import_item_id = item.id;

  if not private.has_content(notes) then  -- <p></p>
    notes := null;
  end if;
  -- A text that is too long for its column moves to the show notes, which hold a megabyte, or is truncated.
  if char_length(summary) > 4000 and description is null then
    description := summary;
    summary := null;
  end if;
  if char_length(description) > 10000 then
    is_truncated := true;
    notes := coalesce(notes, description);
    description := left(description, 10000);
  end if;
  if char_length(summary) > 4000 then
    is_truncated := is_truncated or notes is not null;
    notes := coalesce(notes, summary);
    summary := null;
  end if;
  if octet_length(notes) > 1048576 then
    is_truncated := true;
    notes := null;
  end if;
  if char_length(title) > 255 then
    is_truncated := true;
    title := left(title, 255);
  end if;
  if char_length(itunes_title) > 255 then
    is_truncated := true;
    itunes_title := left(itunes_title, 255);
  end if;
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
    season_number, episode_number, episode_type,
    explicit,
    is_blocked, scheduled_at, published_at, first_published_at, created_by,
    transcripts, chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url)
  select
    item.id, item.podcast_id, item.guid, title, case when not private.is_blank(itunes_title) then itunes_title end,
    summary, coalesce(description, ''), notes,
    case when published_at > at then 'scheduled' else 'published' end::public.episode_status, 'import',
    private.jsonb_to_int(payload -> 'seasonNumber'), private.jsonb_to_int(payload -> 'episodeNumber'),
    case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType'
      else 'full' end::public.episode_type,
    case payload -> 'explicit' when 'true' then true when 'false' then false
      else coalesce(import.channel_explicit, podcast.explicit) end,
    coalesce(payload -> 'isBlocked' = 'true', false),
    case when published_at > at then published_at end, case when published_at <= at then published_at end,
    case when published_at <= at then published_at end, import.created_by,
    private.transcripts_from_feed(payload -> 'transcripts'),
    case when private.is_http_url(payload ->> 'chapters') then payload ->> 'chapters' end,
    private.get_setting('media_url') || '/' || create_imported_episode.path, create_imported_episode.bytes,
    create_imported_episode.content_type, create_imported_episode.duration_seconds,
    case when image is not null then private.image_url(image ->> 'path', at) end;
  perform private.credit_imported_people(item.id, payload -> 'persons');
  perform private.leave_waking_to_cron(false);
  insert into private.media_objects (
    path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
  select o.path, podcast.owner_id, podcast.id, item.id, o.usage, o.bytes, o.content_type, o.width, o.height
  from (values
    (create_imported_episode.path, 'audio', create_imported_episode.bytes, create_imported_episode.content_type,
      null::int, null::int),
    (image ->> 'path', 'episode_cover', (image ->> 'bytes')::bigint, image ->> 'contentType',
      (image ->> 'width')::int, (image ->> 'height')::int)
  ) o (path, usage, bytes, content_type, width, height)
  where o.path is not null order by o.path;
end $$;
comment on function private.create_imported_episode is
  'Creates the episode of a locked item, with its credits, and adds its objects to the media ledger of the podcast''s '
  'account.';
