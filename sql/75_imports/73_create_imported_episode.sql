-- The item's audio is stored: it becomes an episode, published when it was first published elsewhere.
create function private.transcripts_from_feed(transcripts jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(b.entry order by b.n) from (
      select t.entry, t.n, sum(octet_length(t.entry::text) + 2) over (order by t.n) as bytes
      from (
        select a.n, jsonb_strip_nulls(jsonb_build_object('url', a.said ->> 'url', 
          'language', case when private.is_language_tag(a.said ->> 'language') then a.said ->> 'language' end,
          'rel', case when a.said ->> 'rel' = 'captions' then 'captions' end,
          'type', coalesce(a.said ->> 'type', case substring(lower(a.said ->> 'url') from '\.([a-z]+)(?:[?#]|$)')
            when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
            when 'html' then 'text/html' when 'txt' then 'text/plain' end))) as entry
        from jsonb_array_elements(case jsonb_typeof(transcripts_from_feed.transcripts) when 'array' then transcripts_from_feed.transcripts end)
          with ordinality a (said, n)
      ) t
      where private.is_http_url(t.entry ->> 'url') and t.entry ->> 'type' ~ '^[a-z]+/[a-z0-9.+-]+$'
    ) b
    where b.bytes <= 65000), '[]');
end $$;
comment on function private.transcripts_from_feed is 'A feed''s transcripts as an episode keeps them: those with an address and a type, as many as there is room for.';

create function private.jsonb_to_int(said jsonb) returns int
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case when jsonb_typeof(said) = 'number' and said::numeric between 0 and 2147483647 and said::numeric % 1 = 0 then said::numeric::int end;
end $$;
comment on function private.jsonb_to_int is 'A season or episode number that a column can hold; null for what is none.';

create function private.add_import_item_warnings(import_item_id uuid, warnings jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_import_items i set warnings = i.warnings || n.new
  from (
    select jsonb_agg(u.w order by u.n) as new from (
      select distinct on (e.w -> 'code') e.w, e.n from jsonb_array_elements(add_import_item_warnings.warnings) with ordinality e (w, n)
      where not exists (
        select from public.podcast_import_items k
        where k.id = add_import_item_warnings.import_item_id and k.warnings @> jsonb_build_array(jsonb_build_object('code', e.w -> 'code')))
      order by e.w -> 'code', e.n) u
  ) n
  where i.id = add_import_item_warnings.import_item_id and n.new is not null;
end $$;
comment on function private.add_import_item_warnings is 'Adds [{code, message}] to what the podcaster is told of an item, each code once.';

create function private.create_imported_episode(item public.podcast_import_items, path text, bytes bigint, content_type text, duration_seconds int, image jsonb)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  payload     constant jsonb := item.parsed_payload;
  import      public.podcast_imports;
  podcast     public.podcasts;
  titled      text := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  description text;
  notes       text;
  short       text;
  in_itunes   text := nullif(private.normalize_line(payload ->> 'itunesTitle'), titled);
  dated       timestamptz;
  is_cut      boolean := false;
begin
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  select t.description, t.content, t.summary into description, notes, short
  from public.podcast_import_item_texts t where t.import_item_id = item.id;

  if not private.has_content(notes) then  -- <p></p>
    notes := null;
  end if;
  -- What is too long for its column is cut or moves to the notes, which hold a megabyte
  if char_length(short) > 4000 and description is null then
    description := short;
    short := null;
  end if;
  if char_length(description) > 10000 then
    is_cut := true;
    notes := coalesce(notes, description);
    description := left(description, 10000);
  end if;
  if char_length(short) > 4000 then
    is_cut := is_cut or notes is not null;
    notes := coalesce(notes, short);
    short := null;
  end if;
  if octet_length(notes) > 1048576 then
    is_cut := true;
    notes := null;
  end if;
  if char_length(titled) > 255 then
    is_cut := true;
    titled := left(titled, 255);
  end if;
  if char_length(in_itunes) > 255 then
    is_cut := true;
    in_itunes := left(in_itunes, 255);
  end if;
  if coalesce(private.is_blank(titled), true) then
    titled := 'Untitled episode';
  end if;
  if is_cut then
    perform private.add_import_item_warnings(item.id, '[{"code": "TEXT_TRUNCATED", "message": "A text was too long and was truncated"}]');
  end if;
  -- staging dated every item (private.estimate_dates)
  dated := greatest('1970-01-01Z', least('9999-12-31Z', coalesce(item.published_at, import.created_at - interval '1 day')));

  insert into public.episodes (id, podcast_id, guid, title, itunes_title, summary, description, show_notes_html, status, origin, season_number,
    episode_number, episode_type, explicit, is_blocked, scheduled_at, published_at, first_published_at, created_by, transcripts, chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url)
  select item.id, item.podcast_id, item.guid, titled, case when not private.is_blank(in_itunes) then in_itunes end, short, coalesce(description, ''), notes,
    case when dated > now() then 'scheduled' else 'published' end::public.episode_status, 'import',
    private.jsonb_to_int(payload -> 'seasonNumber'), private.jsonb_to_int(payload -> 'episodeNumber'),
    case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType' else 'full' end::public.episode_type,
    case payload -> 'explicit' when 'true' then true when 'false' then false else coalesce(import.channel_explicit, podcast.explicit) end,
    coalesce(payload -> 'isBlocked' = 'true', false),
    case when dated > now() then dated end, case when dated <= now() then dated end, case when dated <= now() then dated end,
    import.created_by, private.transcripts_from_feed(payload -> 'transcripts'),
    case when private.is_http_url(payload ->> 'chapters') then payload ->> 'chapters' end,
    private.setting('media_url') || '/' || create_imported_episode.path, create_imported_episode.bytes, create_imported_episode.content_type,
    create_imported_episode.duration_seconds, case when image is not null then private.image_url(image ->> 'path') end;
  perform private.credit_imported_people(item.id, payload -> 'persons');
  insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
  select o.path, podcast.owner_id, podcast.id, item.id, o.usage, o.bytes, o.content_type, o.width, o.height
  from (values
    (create_imported_episode.path, 'audio', create_imported_episode.bytes, create_imported_episode.content_type, null::int, null::int),
    (image ->> 'path', 'episode_cover', (image ->> 'bytes')::bigint, image ->> 'contentType', (image ->> 'width')::int, (image ->> 'height')::int)
  ) o (path, usage, bytes, content_type, width, height)
  where o.path is not null order by o.path;
end $$;
comment on function private.create_imported_episode is 'The episode of an item that is held, with its credits and its objects in the ledger, charged to the podcast''s account.';

-- Locks as every upload: the objects, then podcast, import, item, and the ledger and the account last.
create function private.finish_import_item(
  import_item_id uuid, path text, bytes bigint, content_type text, duration_seconds int, image jsonb default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item   public.podcast_import_items;
  cover  jsonb := case when image ? 'path' then image end;
  prefix text;
begin
  perform private.lock_object_for_finish(finish_import_item.path);
  perform private.lock_object_for_finish(cover ->> 'path') where cover is not null;
  item := private.lock_import_item(finish_import_item.import_item_id);
  if item.id is null then
    raise sqlstate 'PT404' using message = 'The import is gone';
  end if;
  if item.status in ('pending', 'processing') then  -- pending: tried again while this went on, which has come to its end
    perform private.require_writable_podcast(item.podcast_id);
    prefix := format('podcasts/%s/e/%s/', item.podcast_id, item.id);
    if not starts_with(finish_import_item.path, prefix || 'audio/') or not starts_with(coalesce(cover ->> 'path', prefix || 'images/'), prefix || 'images/') then
      raise sqlstate 'PT500' using message = 'The object lies outside the episode';
    end if;
    if private.episode_guid_exists(item) then
      perform private.close_import_item(item, 'skipped_duplicate', 'The podcast has an episode with this GUID');
    else
      perform private.require_stored_size(finish_import_item.path, finish_import_item.bytes);
      perform private.require_stored_size(cover ->> 'path', (cover ->> 'bytes')::bigint) where cover is not null;
      perform private.add_import_item_warnings(item.id, jsonb_build_array(image -> 'warning')) where image ? 'warning';
      perform private.create_imported_episode(item, finish_import_item.path, finish_import_item.bytes, finish_import_item.content_type,
        finish_import_item.duration_seconds, cover);
      update public.podcast_import_items i set status = 'completed', episode_id = item.id, error_message = null, error_code = null,
        next_attempt_at = null
      where i.id = item.id;
      delete from private.import_transfers t where t.import_item_id = item.id;
    end if;
    select * into item from public.podcast_import_items i where i.id = item.id;
  end if;
  return jsonb_build_object('status', item.status, 'episodeId', item.episode_id,
    'kept', exists (select from private.media_objects m where m.path = finish_import_item.path));
end $$;
comment on function private.finish_import_item is
  'The item becomes an episode with these objects: {status, episodeId, kept}; `image` is null, {path, bytes, contentType, width, height}, or {warning} where there was one that could not be had. Safe to repeat; not `kept` are objects of an item that ended otherwise. PT404 gone, PT409 allowance or podcast on its way out, PT500 SIZE_MISMATCH.';
