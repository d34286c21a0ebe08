-- Text and web addresses as people write them.
create function private.slugify(title text, otherwise text) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  slug text;
begin
  -- Letters and digits of any script and their marks stay; everything else parts words. The collation is named, so that
  -- a letter is one whatever the database's locale; the ranges are the viramas that Unicode counts among the marks only.
  slug := lower(normalize(extensions.unaccent(normalize(left(title, 300), NFKC)), NFC) collate pg_c_utf8);
  slug := regexp_replace(slug, '[''’ʼ\u200b-\u200d\u2060]', '', 'g');
  slug := regexp_replace(slug collate pg_c_utf8,
    '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0f71-\u0f84\u1037-\u103a\u17c9-\u17d3]+', '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return case when slug collate pg_c_utf8 ~ '[[:alnum:]]' then slug else otherwise end;
end $$;
comment on function private.slugify is 'A slug from a title in any script, at most 80 characters, or `otherwise` when nothing of it can stand in a URL.';

create function private.free_slug(wanted text, taken text[]) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case when wanted = any (taken) then wanted || '-' || min(n) else wanted end
  from generate_series(2, cardinality(taken) + 2) n
  left join unnest(taken) t (slug) on t.slug = wanted || '-' || n
  where t.slug is null
$$;
comment on function private.free_slug is 'The wanted slug, or the first of wanted-2, wanted-3 … that is not taken.';

create function private.unseen(words text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return regexp_replace(words,
    '[^[:space:]\u0001-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffe\uffff]+', '', 'g');
end $$;
comment on function private.unseen is 'Of the characters those that cannot be seen: spaces of any kind, control characters, joiners, direction marks.';
grant execute on function private.unseen to authenticated, service_role;  -- is_blank runs as its caller

create function private.is_blank(words text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return private.unseen(words) = words;
end $$;
comment on function private.is_blank is 'True when nothing of it can be seen.';
grant execute on function private.is_blank to authenticated, service_role;  -- check constraints run as the writer

create function private.normalize_line(line text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if line ~ '^[^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+( [^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+)*$' then
    return line;  -- most are
  end if;
  return btrim(regexp_replace(line, '[ \t\n\v\f\r\u0085\u2028\u2029]+', ' ', 'g'), E' \u00a0');
end $$;
comment on function private.normalize_line is
  'A text of one line: line breaks, tabs and runs of spaces become one space, the ends are trimmed. U+00A0 inside stays, because it holds words together.';
grant execute on function private.normalize_line to authenticated, service_role;  -- triggers run as the writer

create function private.is_list_of_texts(list jsonb, keys text[]) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select not exists (
    select from jsonb_array_elements(case jsonb_typeof(list) when 'array' then list end) e (entry)
    where jsonb_typeof(e.entry) <> 'object' or exists (
      select from jsonb_each(case jsonb_typeof(e.entry) when 'object' then e.entry end) f (key, value)
      where f.key <> all (keys) or jsonb_typeof(f.value) not in ('string', 'null')))
$$;
comment on function private.is_list_of_texts is
  'False when an array holds something else than objects with text, or null, under these keys. So a list that clients write has no unknown field and no depth.';
grant execute on function private.is_list_of_texts to authenticated, service_role;  -- check constraints run as the writer

create function private.normalize_lines(list jsonb, keys text[]) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(e.entry || coalesce((
    select jsonb_object_agg(f.key, private.normalize_line(f.value))
    from jsonb_each_text(e.entry) f (key, value) where f.key = any (keys)), '{}') order by e.n), '[]')
  from jsonb_array_elements(list) with ordinality e (entry, n)
$$;
comment on function private.normalize_lines is 'A list of objects whose texts under these keys are of one line each.';

create function private.iso(at timestamptz) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
begin
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;
comment on function private.iso is 'ISO 8601 in UTC with Z and milliseconds, as timestamps leave the API.';
grant execute on function private.iso to anon, authenticated, service_role;

create function private.encode_path_segment(segment text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if segment ~ '^[A-Za-z0-9._~-]*$' then
    return segment;  -- most are
  end if;
  return (
    select string_agg(
      case when c.letter ~ '[A-Za-z0-9._~-]' then c.letter
        else regexp_replace(upper(encode(convert_to(c.letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by c.place)
    from regexp_split_to_table(segment, '') with ordinality c (letter, place));
end $$;
comment on function private.encode_path_segment is
  'A segment of a URI''s path: UTF-8, percent-encoded but for the unreserved characters (RFC 3986).';
grant execute on function private.encode_path_segment to anon, authenticated, service_role;  -- feed_url and listen_url run as the caller

create function private.is_http_url(url text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return url ~* '^https?://[^\s/?#@"<>\\]+([/?#][^\s"<>\\]*)?$' and url !~ '[[:cntrl:]]' and char_length(url) <= 2048;
end $$;
comment on function private.is_http_url is
  'True for an absolute http or https URL of at most 2,048 characters, without white space, control characters, quotes or a user name.';
grant execute on function private.is_http_url to authenticated, service_role;  -- check constraints run as the writer

create function private.is_language_tag(tag text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return char_length(tag) <= 35 and tag ~* concat('^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?',
    '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$');
end $$;
comment on function private.is_language_tag is
  'True for a well-formed language tag (BCP 47, RFC 5646 2.1) of at most 35 characters: en, de-AT, zh-Hans-TW.';
grant execute on function private.is_language_tag to authenticated, service_role;  -- check constraints run as the writer
