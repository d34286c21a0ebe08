-- Writes the search words of a podcast's episodes that have none, or those of another language.
create function private.index_podcast_episodes(_podcast_id uuid, _cursor text default null, max_rows int default 100)
returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  before record;
  page   record;
begin
  select c.at, c.id into before from private.decode_cursor(_cursor) c;
  select array_agg(e.id order by e.id) as ids,
    (array_agg(private.encode_cursor(e.published_at, e.id) order by e.published_at, e.id))[1] as last_cursor
  into page
  from (
    select x.id, x.published_at from public.episodes x
    where x.podcast_id = _podcast_id and x.status = 'published' and (x.published_at, x.id) < (before.at, before.id)
    order by x.published_at desc, x.id desc limit max_rows
  ) e;
  -- the lock lets an edit finish first, which would else be overwritten with the words before it
  perform from public.episodes e where e.id = any (page.ids) order by e.id for no key update;
  perform private.index_episodes(array(
    select e.id from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    left join private.episode_search s on s.episode_id = e.id
    where e.id = any (page.ids) and s.dictionary is distinct from private.search_dictionary(p.language)));
  return page.last_cursor;
end $$;
grant execute on function private.index_podcast_episodes to service_role;
comment on function private.index_podcast_episodes is
  'Writes missing and outdated search words among the next max_rows published episodes of a podcast, newest first. '
  'Returns the cursor of the next call, or null after the last row.';
