-- Lists a page of a podcast's published episodes to anonymous callers. Pages have numbers from the oldest episode, so
-- that a new episode changes none but the last.
create function private.list_public_episode_page(_slug text, _page int) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  page_size constant int := 20;
  _podcast_id uuid;
  total       bigint;
  pages       int;
  first_page  int;  -- the oldest and the newest page of the result
  last_page   int;
  skipped     bigint;  -- episodes that are newer
  ids         uuid[];
begin
  if _page < 1 then
    raise sqlstate 'PT400' using message = 'page must be 1 or more';
  end if;
  select p.id into _podcast_id from public.podcasts p where p.slug = _slug and not p.is_being_deleted;
  select count(*) into total from public.episodes e where e.podcast_id = _podcast_id and e.status = 'published';
  if total = 0 then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  pages := ceil(total / page_size::numeric);
  if _page > pages then
    raise sqlstate 'PT404' using message = format('The podcast has only %s pages of episodes', pages);
  end if;
  -- the newest two make 21 to 40 episodes: a page of one episode would look like an end
  first_page := coalesce(_page, greatest(pages - 1, 1));
  last_page := coalesce(_page, pages);
  skipped := greatest(total - last_page::bigint * page_size, 0);
  if skipped <= total / 2 then
    ids := array(
      select e.id from public.episodes e where e.podcast_id = _podcast_id and e.status = 'published'
      order by e.published_at desc, e.id desc
      offset skipped limit least(last_page::bigint * page_size, total) - (first_page - 1)::bigint * page_size);
  else
    ids := array(
      select e.id from public.episodes e where e.podcast_id = _podcast_id and e.status = 'published'
      order by e.published_at, e.id
      offset (first_page - 1)::bigint * page_size limit page_size);
  end if;
  return jsonb_build_object(
    'data', (
      select jsonb_agg(e.brief order by e.published_at desc, e.id desc)
      from private.published_episodes e where e.id = any (ids)),
    'olderPage', nullif(first_page - 1, 0),
    'newerPage', case when last_page < pages - 2 then last_page + 1 end);
end $$;
grant execute on function private.list_public_episode_page to anon, authenticated, service_role;

create function public.list_public_episode_page(slug text, page int default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_public_episode_page(slug, page);
comment on function public.list_public_episode_page is
  'For listen pages: {data, olderPage, newerPage}, 20 published episodes without notes, with 500 characters of '
  'the description, newest first. Page 1 has the oldest; without a number, the newest two pages. newerPage is null if '
  'it is among these. 400 page, 404.';
grant execute on function public.list_public_episode_page to anon, authenticated, service_role;
