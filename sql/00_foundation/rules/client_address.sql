-- The IP address of the caller, for rate limits and the audit log. An edge function passes it with the claims. For an
-- RPC call it is an entry of X-Forwarded-For: each proxy appends the address that connected to it, so the trusted
-- proxies wrote the last entries; a client can send any entry before them.
create function private.client_address() returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  hops    text[];
  address text;
begin
  if current_setting('castbase.called_by_edge_function', true) = 'yes' then
    address := nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'client_address';
  else
    hops := string_to_array(nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-forwarded-for', ',');
    address := hops[greatest(1, cardinality(hops) - private.get_setting('trusted_proxy_hops')::int + 1)];
  end if;
  return coalesce(nullif(left(btrim(address), 64), ''), 'unknown');
end $$;
comment on function private.client_address is
  'The IP address of the caller, as the trusted proxies report it; unknown if none did.';
