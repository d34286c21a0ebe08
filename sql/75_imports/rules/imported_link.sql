-- The page of an imported episode. Pages of the old host end with its account, so an episode takes only a page of the
-- podcaster.
create function private.site_of(url text) returns text
language sql immutable strict parallel safe security invoker set search_path = ''
return (
  select coalesce(
    substring(host from '([^.]+[.](?:(?:ac|co|com|edu|go|gov|ne|net|or|org)[.][a-z]{2}|[^.]*[^.0-9][^.]*))$'), host)
  from (select substring(lower(url) from '^https?://([^/?#:]+)') as host) u);
comment on function private.site_of is
  'The domain that the owner of a URL''s site has registered: example.co.uk of https://www.example.co.uk/a; the host '
  'if it has none.';

create function private.imported_link(link text, feed_url text, enclosure_url text, channel_link text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  site     constant text := private.site_of(link);
  -- a podcaster who has a whole domain also has the feed and the files there
  own_site constant text := substring(lower(channel_link) from '^https?://(?:www[.])?([^/?#:]+)/?$');
begin
  if link is null or not private.is_http_url(link) or starts_with(link, private.get_setting('listen_url') || '/') then
    return null;
  end if;
  return case when site = own_site
    or site <> all (array_remove(array[private.site_of(feed_url), private.site_of(enclosure_url)], null)) then link end;
end $$;
comment on function private.imported_link is
  'The link of an item if it is a page of the podcaster: on another site than the feed and the enclosure, or on the '
  'site whose home page is the podcast''s link. Null for a page of the old host and for one of ours.';
