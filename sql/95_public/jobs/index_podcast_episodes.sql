-- Writes the search words of a podcast's episodes that have none, or stale ones, or those of another language.
create function private.index_podcast_episodes(
  _podcast_id uuid, _cursor text default null, max_rows int default 20, max_bytes bigint default 1048576)
returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  before record;
  page   record;
begin
  select c.at, c.id into before from private.decode_cursor(_cursor) c;
  select array_agg(e.id) as ids,
    (array_agg(private.encode_cursor(e.published_at, e.id) order by e.n desc))[1] as last_cursor
  into page
  from (
    select s.id, s.published_at, row_number() over newest as n, sum(s.bytes) over newest as bytes
    from (
      select x.id, x.published_at, octet_length(concat(x.description, x.summary, x.subtitle))
        + coalesce(octet_length(x.show_notes_safe_html), 0) as bytes
      from public.episodes x
      join public.podcasts p on p.id = x.podcast_id
      left join private.episode_search w on w.episode_id = x.id
      where x.podcast_id = _podcast_id and x.status = 'published' and (x.published_at, x.id) < (before.at, before.id)
        and w.dictionary is distinct from private.search_dictionary(p.language)
      order by x.published_at desc, x.id desc limit max_rows
    ) s
    window newest as (order by s.published_at desc, s.id desc)
  ) e
  where e.n = 1 or e.bytes <= max_bytes;
  -- the lock lets an edit finish first, which would else be overwritten with the words before it
  perform from public.episodes e where e.id = any (page.ids) order by e.id for no key update;
  perform private.index_episodes(page.ids);
  return page.last_cursor;
end $$;
grant execute on function private.index_podcast_episodes to service_role;
comment on function private.index_podcast_episodes is
  'Writes the next missing or outdated search words of published episodes of a podcast, newest first: of max_rows '
  'episodes and max_bytes of their texts, at least one episode. Returns the cursor of the next call, or null after the '
  'last row. An edit of one of them waits meanwhile.';
