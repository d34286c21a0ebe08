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
  whole := private.show_notes_source(notes, description, summary);
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
