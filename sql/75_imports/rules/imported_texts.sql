-- The texts of an imported episode: what a column has no room for moves to the show notes, or is truncated.
create function private.imported_texts(
  item public.podcast_import_items,
  inout description text, inout notes text, inout summary text,
  out title text, out itunes_title text,
  out truncated text[],      -- elements of which no column has the whole text
  out is_truncated boolean)  -- of an episode's own text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  payload    constant jsonb := item.parsed_payload;
  moved_from text := 'description';  -- the element of the text in the description
begin
  title := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  itunes_title := private.normalize_line(payload ->> 'itunesTitle');
  truncated := '{}';
  is_truncated := false;
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
end $$;
comment on function private.imported_texts is
  'The texts of the episode of an item, from those of its feed. truncated has the elements of which no column has the '
  'whole text; is_truncated says that the importer is warned.';

create function private.imported_value_losses(payload jsonb, truncated text[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  losses jsonb := '[]';
begin
  if coalesce(payload ->> 'seasonName', payload ->> 'episodeDisplay', payload ->> 'license', payload ->> 'licenseUrl',
       payload ->> 'chapters') is not null then
    select coalesce(jsonb_agg(jsonb_build_object(
      'path', t.path, 'reason', 'INVALID', 'excerpt', left(payload ->> t.member, 80))), '[]') into losses
    from (values
      -- the namespace requires the number
      ('podcast:season/@name', 'seasonName', private.jsonb_to_int(payload -> 'seasonNumber') is null),
      ('podcast:episode/@display', 'episodeDisplay', private.jsonb_to_int(payload -> 'episodeNumber') is null
        and payload ->> 'episodeDisplay' !~ '^[0-9]{1,9}[.][0-9]{1,9}$'),
      ('podcast:license/@url', 'licenseUrl',
        payload ->> 'license' is null or not private.is_http_url(payload ->> 'licenseUrl')),
      ('podcast:chapters', 'chapters', not private.is_http_url(payload ->> 'chapters'))
    ) t (path, member, is_lost)
    where t.is_lost and payload ->> t.member is not null;
    truncated := truncated || array(
      select t.path
      from (values ('seasonName', 'podcast:season/@name', 128), ('episodeDisplay', 'podcast:episode/@display', 32),
        ('license', 'podcast:license', 128)) t (member, path, max_chars)
      where char_length(payload ->> t.member) > t.max_chars);
  end if;
  if truncated <> '{}' then
    losses := losses || (
      select jsonb_agg(jsonb_build_object('path', t.path, 'reason', 'TRUNCATED')) from unnest(truncated) t (path));
  end if;
  return losses;
end $$;
comment on function private.imported_value_losses is
  'The losses [{path, reason, excerpt?}] of an item''s short texts and addresses, and of its truncated elements.';
