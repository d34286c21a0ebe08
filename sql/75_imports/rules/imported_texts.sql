-- The texts of an imported episode, each in the column of its element. A text that is too long for its column is
-- truncated there, and the show notes have the whole one if they are free.
create function private.imported_texts(
  item public.podcast_import_items,
  inout description text, inout notes text, inout summary text, inout subtitle text,
  out title text, out itunes_title text,
  out truncated text[],      -- elements of which the feed does not show the whole text
  out is_truncated boolean)  -- whether a column has a part of a text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  payload constant jsonb := item.parsed_payload;
  whole   text;  -- what the show notes are made of
begin
  title := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  itunes_title := private.normalize_line(payload ->> 'itunesTitle');
  is_truncated := coalesce(greatest(char_length(description), char_length(summary)) > 10000, false);
  if not private.has_content(notes) then  -- <p></p>
    notes := null;
  end if;
  -- The feed shows 4,000 bytes of a description and of a summary, and the show notes in full.
  if greatest(octet_length(description), octet_length(summary)) > 4000 then
    whole := private.show_notes_source(notes, description, summary);
  end if;
  truncated := array_remove(array[
    case when octet_length(description) > 4000 and whole is distinct from description then 'description' end,
    case when octet_length(summary) > 4000 and whole is distinct from summary then 'itunes:summary' end,
    case when char_length(subtitle) > 255 then 'itunes:subtitle' end], null);
  if is_truncated then
    notes := whole;
    description := left(description, 10000);
    summary := left(summary, 10000);
  end if;
  subtitle := left(subtitle, 4000);
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
  if char_length(itunes_title) > 255 then
    is_truncated := true;
    truncated := truncated || 'itunes:title'::text;
    itunes_title := left(itunes_title, 255);
  end if;
  if itunes_title = title or private.is_blank(itunes_title) then
    itunes_title := null;
  end if;
  if coalesce(private.is_blank(title), true) then
    title := 'Untitled episode';
  end if;
  description := coalesce(description, '');
  subtitle := case when not private.is_blank(subtitle) then subtitle end;
end $$;
comment on function private.imported_texts is
  'The texts of the episode of an item, from those of its feed. truncated has the elements of which the feed does '
  'not show the whole text; is_truncated says that the importer is warned.';

-- The namespace requires a number beside a name of a season, and a license beside its address.
create function private.imported_short_values(payload jsonb, out accepted jsonb, out losses jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  accepted := '{}';
  losses := '[]';
  if coalesce(payload ->> 'seasonName', payload ->> 'episodeDisplay', payload ->> 'license', payload ->> 'licenseUrl',
       payload ->> 'chapters') is null then
    return;  -- the usual case
  end if;
  select coalesce(jsonb_object_agg(v.name, v.kept) filter (where v.kept is not null), '{}'),
    coalesce(jsonb_agg(private.loss(v.path, case when v.kept is null then 'INVALID' else 'TRUNCATED' end, v.written))
      filter (where v.written <> coalesce(v.kept, '')), '[]')
  into accepted, losses
  from (values
    ('season_name', 'podcast:season/@name', payload ->> 'seasonName',
      case when private.jsonb_to_int(payload -> 'seasonNumber') is not null
        then private.shorten(payload ->> 'seasonName', 128) end),
    ('episode_display', 'podcast:episode/@display', payload ->> 'episodeDisplay',
      case when private.jsonb_to_int(payload -> 'episodeNumber') is not null
          or payload ->> 'episodeDisplay' ~ '^[0-9]{1,9}[.][0-9]{1,9}$'
        then private.shorten(payload ->> 'episodeDisplay', 32) end),
    ('license', 'podcast:license', payload ->> 'license', private.shorten(payload ->> 'license', 128)),
    ('license_url', 'podcast:license/@url', payload ->> 'licenseUrl',
      case when payload ->> 'license' is not null and private.is_http_url(payload ->> 'licenseUrl')
        then payload ->> 'licenseUrl' end),
    ('chapters_url', 'podcast:chapters', payload ->> 'chapters',
      case when private.is_http_url(payload ->> 'chapters') then payload ->> 'chapters' end)
  ) v (name, path, written, kept);
end $$;
comment on function private.imported_short_values is
  'Season name, episode display, license and addresses of an item by column, and the losses [{path, reason, excerpt}].';
