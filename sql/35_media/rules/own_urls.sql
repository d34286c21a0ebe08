-- Recognizes URLs of our own objects. Every caller uses own_object_path, so that all agree.
create function private.normalize_base_url(url text) returns text
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  bare   text := regexp_replace(btrim(url), '[?#].*$', '');
  origin text := substring(bare from '^[A-Za-z]+://[^/]+');
begin
  -- scheme and host ignore case, and the scheme's default port may be written (RFC 3986); paths are case-sensitive
  return regexp_replace(regexp_replace(lower(origin), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
    || substr(bare, length(origin) + 1);
end $$;
comment on function private.normalize_base_url is
  'Returns a URL without query, fragment and default port, with scheme and host in lower case; null if it is not an '
  'absolute URL.';
grant execute on function private.normalize_base_url to authenticated;  -- own_object_path runs as its caller

create function private.own_object_path(url text) returns text
language plpgsql stable strict security invoker set search_path = ''
as $$
declare
  media_url constant text := private.get_setting('media_url');
  bare      text;
  base      text;
begin
  if starts_with(url, media_url || '/') and url !~ '[?#\s]' then
    return substr(url, length(media_url) + 2);  -- the usual case
  end if;
  bare := private.normalize_base_url(url);
  if bare is null then
    return null;
  end if;
  foreach base in array string_to_array(media_url || ',' || private.get_setting('former_media_urls'), ',') loop
    base := rtrim(private.normalize_base_url(base), '/') || '/';  -- whole segments: …/media-old is another bucket
    if starts_with(bare, base) then
      return substr(bare, length(base) + 1);
    end if;
  end loop;
  return null;
end $$;
comment on function private.own_object_path is
  'Returns the path in the bucket media of a URL below the setting media_url or one of former_media_urls; null for '
  'every other URL.';
grant execute on function private.own_object_path to authenticated;  -- get_episode_cover runs as the caller
