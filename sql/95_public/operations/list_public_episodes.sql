-- Lists published episodes to anonymous callers, newest first, by keyset cursor.
create function private.list_public_episodes(_slug text, page_size int, _cursor text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  podcast record;
  before  record;
  page    record;
begin
  perform private.require_page_size(page_size, 100);
  select p.id, p.slug into podcast from public.podcasts p
  where p.slug = _slug and not p.is_being_deleted
    and exists (select from public.episodes e where e.podcast_id = p.id and e.status = 'published');
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select c.at, c.id into before from private.decode_cursor(_cursor) c;
  with candidate as (
    select e.id, e.published_at, row_number() over newest as n, sum(e.show_notes_bytes) over newest as show_notes_bytes
    from private.published_episodes e
    where e.podcast_id = podcast.id and (e.published_at, e.id) < (before.at, before.id)
    window newest as (order by e.published_at desc, e.id desc)
    order by e.published_at desc, e.id desc
    limit page_size + 1
  ), fitting as (  -- a page ends early after a megabyte of show notes, to bound the size of a response
    select c.id, c.published_at, c.n from candidate c
    where c.n = 1 or (c.n <= page_size and c.show_notes_bytes <= 1048576)
  )
  select coalesce(jsonb_agg(e.body order by f.n), '[]') as data,
    (array_agg(private.encode_cursor(f.published_at, f.id) order by f.n desc))[1] as cursor,
    count(*) < (select count(*) from candidate) as has_more
  into page
  from fitting f join private.published_episodes e on e.id = f.id;
  return jsonb_build_object(
    'data', page.data, 'pagination', private.pagination_json(page.cursor, page.has_more));
end $$;
grant execute on function private.list_public_episodes to anon, authenticated, service_role;

create function public.list_public_episodes(slug text, "limit" int default 25, cursor text default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_public_episodes(slug, "limit", cursor);
comment on function public.list_public_episodes is
  'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400 '
  'limit or cursor, 404.';
grant execute on function public.list_public_episodes to anon, authenticated, service_role;
