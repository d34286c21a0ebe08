-- Which URLs the server requests, as far as the URL tells. functions/safe_fetch/target.ts and ip_address.ts have the
-- same rules, which a test compares, and apply them again with what a name resolves to.
create function private.parse_ipv4(host text) returns inet
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  parts   constant text[] := string_to_array(regexp_replace(host, '\.$', ''), '.');
  last    constant int := cardinality(parts);
  address bigint := 0;
  literal text;  -- as Postgres writes it
begin
  for n in 1 .. last loop
    literal := case
      when parts[n] ~ '^0x[0-9a-f]+$' then parts[n]
      when parts[n] = '0x' then '0'
      when parts[n] ~ '^0[0-7]+$' then '0o' || substr(parts[n], 2)
      when parts[n] ~ '^(0|[1-9][0-9]*)$' then parts[n] end;
    if last > 4 or not coalesce(pg_input_is_valid(literal, 'bigint'), false) then
      return null;
    elsif n < last and literal::bigint < 256 then
      address := address + (literal::bigint << 8 * (4 - n));
    elsif n = last and literal::bigint < 1::bigint << 8 * (5 - n) then
      address := address + literal::bigint;
    else
      return null;
    end if;
  end loop;
  return inet '0.0.0.0' + address;
end $$;
comment on function private.parse_ipv4 is
  'The IPv4 address that URL parsers read in a host of one to four numbers, which are decimal, octal (0…) or '
  'hexadecimal (0x…); the last one fills the rest. Null for others.';

create function private.fetch_target(url text, out host text, out address inet, out port int)
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  parts constant text[] := regexp_match(lower(url),
    '^(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]*))?(?:[/?#]|$)');
begin
  host := regexp_replace(parts[2], '\.$', '');
  port := case when pg_input_is_valid(parts[3], 'int') then parts[3]::int
    when coalesce(parts[3], '') <> '' then 65536 when parts[1] = 'https' then 443 else 80 end;
  if starts_with(host, '[') then
    address := case when pg_input_is_valid(btrim(host, '[]'), 'inet') then btrim(host, '[]')::inet end;
    host := '[' || host(address) || ']';
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    address := private.parse_ipv4(host);
    host := host(address);
  end if;
  if port > 65535 or host = '' then
    host := null;
  end if;
end $$;
comment on function private.fetch_target is
  'Host, port and literal address of an http or https URL. The host is null if only a URL parser can read it, such as '
  'one with other letters than ASCII, or if none can.';

create function private.embedded_ipv4(address inet, at int) returns inet
language sql immutable strict parallel safe security invoker set search_path = ''
as $$
  -- inet_send has four bytes before those of the address
  select format('%s.%s.%s.%s', get_byte(a, 4 + $2), get_byte(a, 5 + $2), get_byte(a, 6 + $2), get_byte(a, 7 + $2))::inet
  from inet_send($1) a
$$;
comment on function private.embedded_ipv4 is 'The IPv4 address in an IPv6 address, from the byte `at` on.';

create function private.is_public_address(address inet) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when family(address) = 4 then not address <<= any ('{0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8,
      168.63.129.16/32, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24, 192.88.99.0/24, 192.168.0.0/16,
      198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4}'::inet[])
    when address <<= inet '64:ff9b::/96' then  -- NAT64
      private.is_public_address(private.embedded_ipv4(address, 12))
    when address <<= inet '2002::/16' then  -- 6to4
      private.is_public_address(private.embedded_ipv4(address, 2))
    when address <<= inet '2001::/32' then  -- Teredo: its server, and its client with inverted bits
      private.is_public_address(private.embedded_ipv4(address, 4))
      and private.is_public_address(~private.embedded_ipv4(address, 12))
    else address <<= inet '2000::/3'
      and not address <<= any ('{2001::/23, 2001:db8::/32, 3fff::/20}'::inet[]) end;
end $$;
comment on function private.is_public_address is
  'Whether an address is unicast that the whole internet routes (functions/safe_fetch/ip_address.ts has the sources).';

create function private.is_allowed_host(url text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (
    select from private.fetch_target(url) t,
      regexp_split_to_table(private.get_setting('fetch_allowed_hosts'), '[\s,]+') entry
    where lower(entry) in (t.host, concat(t.host, ':', t.port)));
end $$;
comment on function private.is_allowed_host is
  'Whether the setting fetch_allowed_hosts has the host of a URL, as host or host:port.';

create function private.is_private_name(host text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return host ~ '(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.*$';
comment on function private.is_private_name is 'Whether a host is named as one of a private network.';

create function private.is_private_url(url text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  target constant record := private.fetch_target(url);
begin
  return not private.is_allowed_host(url) and (
    coalesce(private.is_private_name(target.host), false)
    or not coalesce(private.is_public_address(target.address), true));
end $$;
comment on function private.is_private_url is
  'Whether the host of a URL is a name or an address of a private network, and fetch_allowed_hosts does not list it.';

create function private.blocked_url_reason(url text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  target constant record := private.fetch_target(url);
begin
  return case
    when target.host is null or private.is_allowed_host(url) then null
    when private.is_private_name(target.host) then 'The URL does not point to the public internet'
    when target.port < 1024 and target.port not in (80, 443) then format('Port %s is not allowed', target.port)
    when private.is_private_url(url) then 'The URL does not point to the public internet' end;
end $$;
comment on function private.blocked_url_reason is
  'Why the server does not request a URL, or null: its host is a private name or address, or its port is not allowed, '
  'and fetch_allowed_hosts does not list it. Null also for a host that fetch_target cannot read: callers that save a '
  'URL require is_parsable_http_url.';

create function private.require_public_url(url text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  reason constant text := private.blocked_url_reason(url);
begin
  if reason is not null then
    raise sqlstate 'PT400' using message = reason, hint = 'BLOCKED_URL';
  end if;
end $$;
comment on function private.require_public_url is 'PT400 BLOCKED_URL for a URL that the server does not request.';
