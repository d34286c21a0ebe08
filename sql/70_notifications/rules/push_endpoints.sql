-- Which subscriptions messages are sent to. The caller chooses an endpoint, and each notification would send a request
-- to it: the list of push services keeps callers from directing these requests at other sites.
create function private.is_listed_host(authority text, hosts text) returns boolean
language sql immutable security invoker set search_path = ''
as $$
  select exists (
    select from regexp_split_to_table(hosts, '[\s,]+') p (pattern)
    where lower(p.pattern) in ('*', authority, regexp_replace(authority, ':\d+$', ''))
      or (starts_with(p.pattern, '*.') and right(authority, length(p.pattern) - 1) = lower(substr(p.pattern, 2))))
$$;
comment on function private.is_listed_host is
  'Whether a comma-separated list has this host: as host, host:port, *.domain or *. `authority` is in lower case.';

create function private.push_authority(endpoint text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select lower(substring($1 from '^https?://([^/?#]+)'))
$$;
comment on function private.push_authority is 'The push service of an endpoint: host, or host:port, in lower case.';

create function private.is_push_endpoint(endpoint text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  authority text := private.push_authority(endpoint);
begin
  return coalesce(private.is_parsable_http_url(endpoint), false)
    and private.is_listed_host(authority, private.get_setting('push_service_hosts'))
    and (starts_with(endpoint, 'https://') and authority !~ ':\d+$'
      or private.is_allowed_host(endpoint))
    and private.blocked_url_reason(endpoint) is null;  -- the list of push services may have *
end $$;
comment on function private.is_push_endpoint is
  'Whether an endpoint is a URL of a push service in the setting push_service_hosts: https without a port, unless the '
  'host is in fetch_allowed_hosts too.';

create function private.push_problem(endpoint text, p256dh text, auth text) returns text
language sql stable security invoker set search_path = ''
as $$
  select case
    when private.is_push_endpoint($1) is not true then 'The endpoint is of no push service in push_service_hosts'
    when private.is_p256_point($2) is not true or $3 !~ '^[A-Za-z0-9_-]{22}$'
      then 'The keys are not a point of P-256 and a secret of 16 bytes' end
$$;
comment on function private.push_problem is
  'Why no message can be sent to a subscription; null if one can. Read at each attempt, because the setting changes.';
