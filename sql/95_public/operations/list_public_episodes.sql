-- Lists published episodes to anonymous callers, newest first, by keyset cursor: all, or those that a search finds.
create function private.list_public_episodes(_slug text, page_size int, _cursor text, _q text default null)
returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  podcast record;
  before  record;
  query   tsquery;
  ids     uuid[];
  page    record;
begin
  perform private.require_page_size(page_size, 100);
  select p.id, p.language into podcast from public.podcasts p
  where p.slug = _slug and not p.is_being_deleted
    and exists (select from public.episodes e where e.podcast_id = p.id and e.status = 'published');
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select c.at, c.id into before from private.decode_cursor(_cursor) c;
  if _q is null then
    ids := array(
      select e.id from public.episodes e
      where e.podcast_id = podcast.id and e.status = 'published' and (e.published_at, e.id) < (before.at, before.id)
      order by e.published_at desc, e.id desc limit page_size + 1);
  else
    query := private.search_query(podcast.id, private.search_dictionary(podcast.language), _q);
    ids := array(
      select s.episode_id from private.episode_search s
      where s.words @@ query and s.podcast_id = podcast.id and (s.published_at, s.episode_id) < (before.at, before.id)
      order by s.published_at desc, s.episode_id desc limit page_size + 1);
  end if;
  with candidate as (
    select e.id, e.published_at, i.n, sum(octet_length(e.show_notes_safe_html)) over (order by i.n) as show_notes_bytes
    from unnest(ids) with ordinality i (id, n) join public.episodes e on e.id = i.id
  ), fitting as (  -- a page ends early after a megabyte of show notes, to bound the size of a response
    select c.id, c.published_at, c.n from candidate c
    where c.n = 1 or (c.n <= page_size and coalesce(c.show_notes_bytes, 0) <= 1048576)
  )
  select coalesce(jsonb_agg(e.body order by f.n), '[]') as data,
    (array_agg(private.encode_cursor(f.published_at, f.id) order by f.n desc))[1] as cursor,
    count(*) < cardinality(ids) as has_more
  into page
  from fitting f join private.published_episodes e on e.id = f.id;
  return jsonb_build_object(
    'data', page.data, 'pagination', private.pagination_json(page.cursor, page.has_more));
end $$;
grant execute on function private.list_public_episodes to anon, authenticated, service_role;

create function public.list_public_episodes(
  slug text, "limit" int default 25, cursor text default null, q text default null)
returns jsonb
language sql stable security invoker set search_path = ''
return private.list_public_episodes(slug, "limit", cursor, q);
comment on function public.list_public_episodes is
  'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. With q, '
  'the episodes whose title, description or notes have its words: in the podcast''s language, accents ignored, the '
  'last word also as a beginning, quoted words in this order. 400 limit, cursor or q, 404.';
grant execute on function public.list_public_episodes to anon, authenticated, service_role;
