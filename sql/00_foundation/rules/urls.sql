-- Encoding, validation and comparison of URLs that people type.
create function private.encode_path_segment(segment text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if segment ~ '^[A-Za-z0-9._~-]*$' then
    return segment;  -- the usual case
  end if;
  return (
    select string_agg(
      case when m.part[1] ~ '^[A-Za-z0-9._~-]' then m.part[1]
        else regexp_replace(upper(encode(convert_to(m.part[1], 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
      '' order by m.n)
    from regexp_matches(segment, '[A-Za-z0-9._~-]+|[^A-Za-z0-9._~-]+', 'g') with ordinality m (part, n));
end $$;
comment on function private.encode_path_segment is
  'Percent-encodes a path segment of a URI as UTF-8, except the unreserved characters (RFC 3986).';
grant execute on function private.encode_path_segment to anon, authenticated, service_role;
-- Granted because URL functions run as the caller.

create function private.decode_path_segment(segment text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if strpos(segment, '%') = 0 then
    return segment;  -- the usual case
  end if;
  return (
    select convert_from(decode(string_agg(
      case when m.part[1] ~ '^%[0-9A-Fa-f]{2}$' then substr(m.part[1], 2)
        else encode(convert_to(m.part[1], 'UTF8'), 'hex') end, '' order by m.n), 'hex'), 'UTF8')
    from regexp_matches(segment, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality m (part, n));
exception when character_not_in_repertoire then
  return null;
end $$;
comment on function private.decode_path_segment is
  'Decodes a percent-encoded path segment of a URI; null if its bytes are not UTF-8.';

create function private.is_http_url(url text) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
begin
  return char_length(url) <= 2048 and url ~* '^https?://[^\s/?#@"<>\\]+([/?#][^\s"<>\\]*)?$' and url !~ '[[:cntrl:]]';
end $$;
comment on function private.is_http_url is
  'True for an absolute http or https URL of at most 2,048 characters, without white space, control characters, '
  'quotes or a user name.';
grant execute on function private.is_http_url to authenticated, service_role;  -- checks run as the writer

-- Octets have no leading zero, which means octal; a last label of digits would be read as an IPv4 address.
create function private.is_parsable_http_url(url text) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  authority text[] := regexp_match(left(url, 2048),
    '^[^:]+://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\])(?::([0-9]{1,5}))?(?:[/?#]|$)');
  host      text := authority[1];
begin
  return private.is_http_url(url) and host is not null and coalesce(authority[2]::int between 1 and 65535, true)
    and case when starts_with(host, '[') then pg_input_is_valid(btrim(host, '[]'), 'inet')
      else char_length(host) <= 253 and host ~ concat(
        '^(?:(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}',
        '|(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?)$') end;
end $$;
comment on function private.is_parsable_http_url is
  'Whether is_http_url accepts a URL and its host and port are such that every URL parser accepts them: a host name in '
  'ASCII, an IPv4 address or an IPv6 address in brackets.';
grant execute on function private.is_parsable_http_url to authenticated, service_role;  -- checks run as the writer

-- Apps subscribe by links whose scheme means https, or before an address with a scheme of its own.
create function private.normalize_feed_url(written text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case
    when m.address ~* '^https?://' then m.address
    when m.scheme is not null or m.address ~ '^//' then 'https://' || ltrim(m.address, '/')
    when m.address ~ '^[^[:space:]/?#@:.][^[:space:]/?#@:]*[.][^[:space:]/?#@:.]{2,}(:[0-9]{1,5})?([/?#]|$)'
      then 'https://' || m.address
    else m.address
  end
  from (
    select p.part[1] as scheme, p.part[2] as address
    from regexp_match(left(regexp_replace($1, '^[[:space:]\u200b\ufeff]+|[[:space:]\u200b\ufeff]+$', '', 'g'), 3000),
      '^(?:(feed|itpc|pcast|podcast):(?://)?)?(.*)$', 'i') p (part)
  ) m
$$;
comment on function private.normalize_feed_url is
  'Returns the http or https URL of an address of a feed as people copy it: trimmed; feed:, itpc:, pcast: and podcast: '
  'mean https, unless an http URL follows; a bare host means https. Anything else is returned as it is.';

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
