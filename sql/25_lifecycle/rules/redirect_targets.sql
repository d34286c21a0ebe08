-- Where a feed may lead: any http or https URL, but no private address, and nothing of this service, because that would
-- lead nowhere or in a circle. The feed of another podcast of the owner is allowed: it merges the two.
create function private.podcast_of_feed_url(url text) returns uuid
language plpgsql stable security invoker set search_path = ''
as $$
declare
  base    text;
  segment text;
begin
  foreach base in array array[private.get_setting('public_api_url'), private.get_setting('base_url') || '/public'] loop
    base := private.comparable_url(base || '/feeds') || '/';
    if starts_with(private.comparable_url(url), base) and strpos(url, '?') = 0 then
      segment := private.decode_path_segment(substr(private.comparable_url(url), length(base) + 1));
    end if;
  end loop;
  return (
    select s.podcast_id from private.podcast_slugs s where s.slug = substring(segment from '^([^/]+)\.xml$'));
end $$;
comment on function private.podcast_of_feed_url is
  'The podcast, deleted ones included, whose feed has this URL, in any spelling; null for pages of feeds and all '
  'others.';

create function private.redirects_lead_to(_podcast_id uuid, _from_podcast_id uuid) returns boolean
language sql volatile security invoker set search_path = ''
as $$
  with recursive reached (podcast_id) as (
    select $2
    union  -- each podcast once, so that it ends
    select private.podcast_of_feed_url(u.url)
    from reached d
    cross join lateral (
      select unnest(array[r.url, r.former_url]) from private.feed_redirects r where r.podcast_id = d.podcast_id
      union all  -- to which the cancellation of a deletion returns
      select p.feed_redirect_url from public.podcasts p where p.id = d.podcast_id) u (url)
    where private.podcast_of_feed_url(u.url) is not null
  )
  select exists (select from (select * from reached limit 1000) d where d.podcast_id = $1)
$$;
comment on function private.redirects_lead_to is
  'Whether the redirects of feeds here, in effect or not, lead from a podcast to another one, directly or over further '
  'ones.';

create function private.is_own_address(url text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (
    select from private.settings s
    where (s.key in ('app_url', 'pages_url')
        or s.default_value ~ '^\{(public_api_url|app_url|pages_url)\}/|^\{public_url\}/functions/v1')
      and s.kind = 'url' and s.resolved_value <> ''
      and starts_with(private.comparable_url(url) || '/',
        rtrim(private.comparable_url(s.resolved_value), '/') || '/'));
end $$;
comment on function private.is_own_address is
  'Whether a URL, in any spelling, is below the address of a page, the API, a player or the feeds of this '
  'installation: the settings whose default is below such an address, and not those of services that it calls.';

create function private.require_redirect_url(url text, _podcast_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  target_id constant uuid := private.podcast_of_feed_url(url);
  target    public.podcasts;
begin
  if url is null then
    return;
  elsif not private.is_parsable_http_url(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must be an http or https URL of at most 2,048 characters, without a user name or password; '
      'write an international host name in punycode (xn--…)';
  elsif private.is_private_url(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must point to the public internet, where podcast apps can read the feed';
  end if;
  select p.* into target from public.podcasts p where p.id = target_id and p.hosting_type = 'native';
  if target_id = _podcast_id then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL',
      message = 'redirect_url must not be the feed of the podcast itself';
  elsif target.owner_id = coalesce(
      (select p.owner_id from public.podcasts p where p.id = _podcast_id),
      (select t.owner_id from private.podcast_tombstones t where t.podcast_id = _podcast_id)) then
    if target.status = 'pending_deletion' then
      raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL',
        message = 'redirect_url must not be the feed of a podcast that is scheduled for deletion';
    end if;
    -- of two calls that would each set one half of a circle, the second sees the first
    perform pg_advisory_xact_lock(hashtextextended('redirects to feeds', 0));
    if private.redirects_lead_to(_podcast_id, target.id) then
      raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL',
        message = 'redirect_url must not be a feed that redirects back to the podcast''s own';
    end if;
    return;
  end if;
  if private.is_own_address(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must not be a page, the API or a feed of this service, except the feed of another podcast that you '
      'own; enter the URL of the new feed';
  end if;
end $$;
comment on function private.require_redirect_url is
  'PT400 INVALID_REDIRECT_URL unless null, the feed of another podcast of the same owner that does not lead back, or '
  'an http(s) URL outside this service.';
-- No grant: security definer functions call it.
