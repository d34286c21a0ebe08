-- Normalization, validation and comparison of text that people type.
create function private.slugify(title text, fallback text) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  slug text;
begin
  -- Keeps letters and digits of any script with their marks; all else separates words. The collation makes the result
  -- independent of the database's locale; the ranges are viramas, which Unicode counts as marks only.
  slug := lower(normalize(extensions.unaccent(normalize(left(title, 300), NFKC)), NFC) collate pg_c_utf8);
  slug := regexp_replace(slug, '[''’ʼ\u200b-\u200d\u2060]', '', 'g');
  slug := regexp_replace(slug collate pg_c_utf8,
    '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0f71-\u0f84\u1037-\u103a\u17c9-\u17d3]+',
    '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return case when slug collate pg_c_utf8 ~ '[[:alnum:]]' then slug else fallback end;
end $$;
comment on function private.slugify is
  'Makes a slug of at most 80 characters from a title in any script; `fallback` for a title without a letter or '
  'digit.';

create function private.next_available_slug(base_slug text, taken_slugs text[]) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if base_slug = any (taken_slugs) then
    return (
      select base_slug || '-' || min(n) from generate_series(2, cardinality(taken_slugs) + 2) n
      left join unnest(taken_slugs) t (slug) on t.slug = base_slug || '-' || n
      where t.slug is null);
  end if;
  return base_slug;
end $$;
comment on function private.next_available_slug is
  'Returns base_slug, or the first of base_slug-2, base_slug-3 … that is not among taken_slugs.';

create function private.invisible_characters(value text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return regexp_replace(value,
    '[^[:space:]\u0001-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000'
      '\ufeff\ufffe\uffff]+', '', 'g');
end $$;
comment on function private.invisible_characters is
  'Removes all visible characters; keeps white space, control characters, joiners and direction marks.';
grant execute on function private.invisible_characters to authenticated, service_role;  -- is_blank runs as its caller

create function private.is_blank(value text) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
begin
  -- most texts begin with a visible character
  return private.invisible_characters(left(value, 50)) = left(value, 50)
    and private.invisible_characters(value) = value;
end $$;
comment on function private.is_blank is 'True for a text without a visible character.';
grant execute on function private.is_blank to authenticated, service_role;  -- checks run as the writer

create function private.normalize_line(line text) returns text
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
begin
  if line ~ '^[^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+( [^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+)*$' then
    return line;  -- the usual case
  end if;
  return btrim(regexp_replace(line, '[ \t\n\v\f\r\u0085\u2028\u2029]+', ' ', 'g'), E' \u00a0');
end $$;
comment on function private.normalize_line is
  'Folds line breaks, tabs and runs of spaces into one space and trims the ends. Keeps U+00A0 inside, which joins '
  'words.';
grant execute on function private.normalize_line to authenticated, service_role;  -- triggers run as the writer

-- Keyboards differ in what they write: spaces, quotes, dashes, accents of two parts, invisible marks. Only ICU maps ß
-- to SS. Lower case comes first and last, because ẞ and İ have no upper case, and σ and ς have the same. The tags of
-- flags stay (U+E0020 to U+E007F): England and Scotland differ in nothing else.
create function private.comparable_title(title text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  line text := title;
begin
  if line ~ '[^ -_a-~]' then
    line := regexp_replace(line, '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e'
      '\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a'
      '\U000e0001\U000e0100-\U000e01ef]+', '', 'g');  -- default-ignorable
    line := normalize(translate(line, U&'\00b4\2033\2036', '''""'), NFKC);  -- of which NFKC would make two characters
    line := translate(line,
      U&'`\02b9\02bb\02bc\02bd\05f3\2018\2019\201a\201b\2032\2035\2039\203a\275b\275c\a78c'
        || U&'\00ab\00bb\02ba\05f4\201c\201d\201e\201f\275d\275e\301d\301e\301f'
        || U&'\058a\05be\1806\2010\2012\2013\2014\2015\2043\2212\2e3a\2e3b\301c',
      repeat('''', 17) || repeat('"', 13) || repeat('-', 12) || '~');
    line := lower(normalize(upper(lower(line collate pg_c_utf8) collate "und-x-icu"), NFC) collate pg_c_utf8);
    line := normalize(line, NFKC);
  end if;
  line := btrim(regexp_replace(lower(line collate pg_c_utf8),
    '[ \u0009-\u000d\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'));
  return coalesce(nullif(line, ''), title);  -- an empty text equals no title
end $$;
comment on function private.comparable_title is
  'Folds a title to compare it with one that a person typed: white space, letter case (ß as SS), Unicode forms (NFKC), '
  'quotes, apostrophes and dashes; without invisible characters. Keeps a text of only these. At most 18 times as long.';

create function private.is_list_of_texts(list jsonb, keys text[]) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return not exists (
    select from jsonb_array_elements(case jsonb_typeof(list) when 'array' then list end) e (entry)
    where jsonb_typeof(e.entry) <> 'object' or exists (
      select from jsonb_each(case jsonb_typeof(e.entry) when 'object' then e.entry end) f (key, value)
      where f.key <> all (keys) or jsonb_typeof(f.value) not in ('string', 'null')));
end $$;
comment on function private.is_list_of_texts is
  'True when every entry of an array is an object with only these keys, each text or null. Lists that clients write '
  'thus have no unknown field and no nesting.';
grant execute on function private.is_list_of_texts to authenticated, service_role;  -- checks run as the writer

create function private.normalize_lines(list jsonb, keys text[]) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(e.entry || coalesce((
    select jsonb_object_agg(f.key, private.normalize_line(f.value))
    from jsonb_each_text(e.entry) f (key, value) where f.key = any (keys)), '{}') order by e.n), '[]')
  from jsonb_array_elements(list) with ordinality e (entry, n)
$$;
comment on function private.normalize_lines is 'Applies normalize_line to these keys of every object in a list.';

create function private.format_timestamp(at timestamptz) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
begin
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;
comment on function private.format_timestamp is
  'Formats a timestamp for the API: ISO 8601 in UTC with milliseconds and Z.';
grant execute on function private.format_timestamp to anon, authenticated, service_role;

create function private.is_language_tag(tag text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return char_length(tag) <= 35 and tag ~* concat(
    '^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?',
    '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*',
    '(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$');
end $$;
comment on function private.is_language_tag is
  'True for a well-formed language tag (BCP 47, RFC 5646 2.1) of at most 35 characters: en, de-AT, zh-Hans-TW.';
grant execute on function private.is_language_tag to authenticated, service_role;  -- checks run as the writer

create function private.jsonb_to_int(value jsonb) returns int
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case when jsonb_typeof(value) = 'number' and value::numeric between 0 and 2147483647 and value::numeric % 1 = 0
    then value::numeric::int end;
end $$;
comment on function private.jsonb_to_int is 'A JSON number that is a non-negative int, or null.';

create function private.snake_case(name text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return lower(regexp_replace(name, '([A-Z])', '_\1', 'g'));
end $$;
comment on function private.snake_case is 'feedGuid as feed_guid.';

-- Mail programs link every address they find in a text. In emails to people who did not ask for them, names and titles
-- that strangers chose must not.
create function private.without_links(value text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return nullif(btrim(regexp_replace(regexp_replace(regexp_replace(regexp_replace($1,
  '\S*[[:alpha:]][[:alnum:]+.-]*:/+\S*|\S*\mwww\d*\.\S*', ' ', 'gi'),         -- https://…, ttps:/…, www.…
  '\S*[[:alnum:]][.。．｡][[:alpha:]-]{2,}[:/?#]\S*|\S+@\S+\.\S+', ' ', 'g'),   -- example.test/x, a@example.test
  '([[:alnum:]])([.。．｡])(?=[[:alpha:]]{2})', '\1' || U&'\2060' || '\2' || U&'\2060', 'g'),  -- example.test
  '\s+', ' ', 'g')), '');
comment on function private.without_links is
  'A name or title that no mail program turns into a link: URLs and email addresses are left out, and word joiners '
  'break bare domains, which can be a name (Node.js). Null if nothing is left.';

create function private.without_active_links(value text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return regexp_replace($1, '(\S)([.。．｡:@])(?=[[:alnum:]/])', '\1' || U&'\2060' || '\2' || U&'\2060', 'g');
comment on function private.without_active_links is
  'A message whose URLs and email addresses stay readable, but are not links to email programs: word joiners break '
  'them.';
