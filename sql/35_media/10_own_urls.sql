-- Which URLs lead to our own objects. Every caller asks own_object_path, so that all agree.
create function private.normalize_base_url(url text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  bare   text := regexp_replace(btrim(url), '[?#].*$', '');
  origin text := substring(bare from '^[A-Za-z]+://[^/]+');
begin
  -- scheme and host are the same in upper case, and with the scheme's own port (RFC 3986); a path is not
  return regexp_replace(regexp_replace(lower(origin), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
    || substr(bare, length(origin) + 1);
end $$;
comment on function private.normalize_base_url is 'A URL without query, fragment and default port, with its scheme and host in lower case; null for text that is no absolute URL.';
grant execute on function private.normalize_base_url to authenticated;  -- own_object_path runs as its caller

create function private.own_object_path(url text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  bare text := private.normalize_base_url(url);
  base text;
begin
  if bare is null then
    return null;
  end if;
  foreach base in array string_to_array(private.setting('media_url') || ',' || private.setting('former_media_urls'), ',') loop
    base := rtrim(private.normalize_base_url(base), '/') || '/';  -- a whole segment: …/media-old is another bucket
    if starts_with(bare, base) then
      return substr(bare, length(base) + 1);
    end if;
  end loop;
  return null;
end $$;
comment on function private.own_object_path is
  'The path in the bucket media of a URL that begins with the setting media_url or one of former_media_urls; null for every other URL.';
grant execute on function private.own_object_path to authenticated;  -- get_episode_cover runs as the caller
