-- Sitemaps of the listen pages, for search engines: https://www.sitemaps.org/protocol.html
-- A sitemap has 1,000 episodes of one podcast; their numbers count from the oldest episode, so that a new episode
-- changes only the last one. Blocked podcasts and episodes stay out: itunes:block asks directories to omit them.
-- An index has those of 1,000 podcasts, counting the ones that stay out, so that no request reads more podcasts than it
-- returns: their number, and those before a page, are read from an index.
create function private.sitemap_size() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 1000;
comment on function private.sitemap_size is
  'Returns how many episodes a sitemap lists, and podcasts an index of sitemaps.';

create view private.listed_podcasts with (security_invoker = true) as
  select p.id, p.slug, p.created_at from public.podcasts p
  where not p.is_being_deleted and not p.is_blocked
    and exists (select from public.episodes e where e.podcast_id = p.id and e.status = 'published');
comment on view private.listed_podcasts is 'Podcasts whose pages search engines may list.';

create function private.require_sitemap_pages() returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.get_setting('pages_url') = '' then
    raise sqlstate 'PT404' using message = 'This installation has no domain for pages';
  end if;
  return private.get_setting('pages_url');
end $$;
comment on function private.require_sitemap_pages is 'Returns pages_url; PT404 if it is empty.';

create function private.count_public_sitemaps() returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns public facts only
set search_path = ''
as $$
begin
  return jsonb_build_object('pagesUrl', private.get_setting('pages_url'), 'indexes', (
    select greatest(ceil(count(*) / private.sitemap_size()::numeric), 1) from public.podcasts));
end $$;
grant execute on function private.count_public_sitemaps to anon, authenticated, service_role;

create function public.count_public_sitemaps() returns jsonb
language sql stable security invoker set search_path = ''
return private.count_public_sitemaps();
comment on function public.count_public_sitemaps is
  'For /robots.txt: {pagesUrl, indexes}, the base URL of pages (empty: none) and the number of indexes of sitemaps.';
grant execute on function public.count_public_sitemaps to anon, authenticated, service_role;

create function private.list_public_sitemaps(_page int) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  size    constant int := private.sitemap_size();
  base    constant text := private.require_sitemap_pages();
  skipped constant bigint := (greatest(_page, 1) - 1)::bigint * size;
  ids     uuid[];
  result  jsonb;
begin
  if skipped > 0 and skipped >= (select count(*) from public.podcasts) then
    raise sqlstate 'PT404' using message = 'Sitemap not found';
  end if;
  ids := array(select p.id from public.podcasts p order by p.created_at, p.id offset skipped limit size);
  select jsonb_agg(jsonb_build_object(
      'url', format('%s/sitemap/%s.xml', base, private.encode_path_segment(s.slug))
        || case when part.n > 1 then '?page=' || part.n else '' end,
      'lastModified', case when part.n = f.parts then private.format_timestamp(d.last_modified) end)
    order by s.created_at, s.id, part.n)
  into result
  from private.listed_podcasts s
  cross join lateral (
    select ceil(count(*) / size::numeric)::int as parts
    from public.episodes e where e.podcast_id = s.id and e.status = 'published'
  ) f
  left join private.feed_documents d on d.podcast_id = s.id
  cross join lateral generate_series(1, f.parts) part (n)
  where s.id = any (ids);
  return jsonb_build_object('data', coalesce(result, '[]'));
end $$;
grant execute on function private.list_public_sitemaps to anon, authenticated, service_role;

create function public.list_public_sitemaps(page int default 1) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_public_sitemaps(page);
comment on function public.list_public_sitemaps is
  'For /sitemap.xml: {data: [{url, lastModified}]}, the sitemaps of 1,000 podcasts, the oldest first, without those '
  'that are blocked or have no published episode. lastModified is of the feed, which changes with what pages show; '
  'null without a feed, and unless a new episode would change the sitemap. 404 for other pages, and without a domain '
  'for pages.';
grant execute on function public.list_public_sitemaps to anon, authenticated, service_role;
