-- Lists the pages of a podcast for its sitemap.
create function private.list_public_sitemap_urls(_slug text, _page int) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  size    constant int := private.sitemap_size();
  podcast record;
  listed  record;
  base    text;
begin
  perform private.require_sitemap_pages();
  base := private.get_setting('listen_url');
  select p.id, p.slug into podcast from private.listed_podcasts p where p.slug = _slug;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select count(*) as count, coalesce(jsonb_agg(jsonb_build_object(
      'url', private.listen_url(podcast.slug, e.slug, base), 'lastModified', private.format_timestamp(e.updated_at))
    order by e.published_at, e.id) filter (where not e.is_blocked), '[]') as urls
  into listed
  from (
    select x.id from public.episodes x where x.podcast_id = podcast.id and x.status = 'published'
    order by x.published_at, x.id offset (greatest(_page, 1) - 1)::bigint * size limit size
  ) part
  join public.episodes e on e.id = part.id;
  if listed.count = 0 then
    raise sqlstate 'PT404' using message = 'Sitemap not found';
  end if;
  return jsonb_build_object('data', case when _page > 1 then '[]' else jsonb_build_array(jsonb_build_object(
    'url', private.listen_url(podcast.slug, null, base), 'lastModified', null)) end || listed.urls);
end $$;
grant execute on function private.list_public_sitemap_urls to anon, authenticated, service_role;

create function public.list_public_sitemap_urls(slug text, page int default 1) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_public_sitemap_urls(slug, page);
comment on function public.list_public_sitemap_urls is
  'For /sitemap/{slug}.xml: {data: [{url, lastModified}]}, the page of the podcast and those of 1,000 episodes, the '
  'oldest first. 404 for other pages, and without a domain for pages.';
grant execute on function public.list_public_sitemap_urls to anon, authenticated, service_role;
