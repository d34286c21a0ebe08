-- A feed that says where it has moved (itunes:new-feed-url).
create function private.feed_address(url text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return regexp_replace(url, '^https?://|/+$', '', 'gi');
comment on function private.feed_address is
  'The address of a feed to compare: without scheme and slashes at the end.';

create function private.moved_feed_warnings(import public.podcast_imports, new_feed_url text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select case
    when private.feed_address(new_feed_url) = private.feed_address(import.feed_url) then '[]'
    when private.feed_address(new_feed_url) = private.feed_address(private.feed_url(p.slug)) then
      '[{"code": "FEED_MOVED_HERE", "count": 1, "message": "The feed says that it has moved to this podcast"}]'
    when private.is_http_url(new_feed_url) then jsonb_build_array(jsonb_build_object(
      'code', 'FEED_HAS_MOVED', 'count', 1, 'url', shown.url,
      'message', 'The feed has moved; import its new address instead: ' || shown.url))
    else '[]' end::jsonb
  from public.podcasts p
  cross join lateral (select private.mask_addresses(to_jsonb(new_feed_url)::text) #>> '{}' as url) shown
  where p.id = import.podcast_id
$$;
comment on function private.moved_feed_warnings is
  'The warning [{code, message, count, url?}] about a feed that names another address as its own.';
