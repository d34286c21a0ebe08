-- The URL to which a deleted podcast's feed redirects. Feeds of this service are rejected in every spelling, because
-- they would redirect in a circle, or to a feed that is deleted next.
create function private.decode_ascii_escapes(url text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(string_agg(
    case when m.part[1] ~* '^%[2-7][0-9a-f]$' then chr(('x' || substr(m.part[1], 2))::bit(8)::int)
      else m.part[1] end, '' order by m.n), '')
  from regexp_matches($1, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality m (part, n)
$$;
comment on function private.decode_ascii_escapes is 'Decodes the percent-encoded printable ASCII characters of a URL.';

create function private.comparable_url(url text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  host     text := substring(url from '^[A-Za-z]+://([^/?#]*)');
  path     text := private.decode_ascii_escapes(substring(url from '^[A-Za-z]+://[^/?#]*([^?#]*)'));
  segment  text;
  segments text[] := '{}';
begin
  host := rtrim(lower(regexp_replace(host, ':0*(80|443)$', '')), '.');
  foreach segment in array string_to_array(path, '/') loop
    if segment = '..' then
      segments := trim_array(segments, least(cardinality(segments), 1));
    elsif segment not in ('', '.') then
      segments := segments || segment;
    end if;
  end loop;
  return host || '/' || array_to_string(segments, '/');
end $$;
comment on function private.comparable_url is
  'Returns host, port and path of a URL, equal for its spellings: scheme, case of the host, its last dot, default '
  'ports, percent-encoding, dot segments, repeated slashes, query and fragment do not matter.';

create function private.require_redirect_url(url text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  base text;
begin
  if url is null then
    return;
  elsif not private.is_parsable_http_url(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must be an http or https URL of at most 2,048 characters, without a user name or password; '
      'write an international host name in punycode (xn--…)';
  end if;
  foreach base in array array[
    private.get_setting('public_api_url') || '/feeds', private.get_setting('base_url') || '/public/feeds'
  ] loop
    if starts_with(private.comparable_url(url) || '/', private.comparable_url(base) || '/') then
      raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL',
        message = 'redirect_url must not be a feed of this service; enter the URL of the new feed elsewhere';
    end if;
  end loop;
end $$;
comment on function private.require_redirect_url is
  'PT400 INVALID_REDIRECT_URL unless null or an http(s) URL that is not a feed of this service.';
-- No grant: security definer functions call it.
