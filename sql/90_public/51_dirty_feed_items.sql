-- The episodes whose items must be rendered, newest first, as many as one batch may hold; `dirty` says how many there
-- are in all. Bounded by count and by the notes' size: 500 episodes of a megabyte each would not fit into a worker.
create function private.dirty_feed_items(podcast_id uuid, context text, most int default 500, most_bytes bigint default 8388608)
returns table (item jsonb, dirty bigint)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    with stale as (
      select e.id,
             count(*) over () as dirty,
             row_number() over newest as n,
             sum(coalesce(octet_length(e.notes_html), 0)) over newest as notes_bytes
      from public.episodes e
      left join private.feed_items i on i.episode_id = e.id
      where e.podcast_id = dirty_feed_items.podcast_id and e.status = 'published'
        and (i.rendered_from is distinct from e.updated_at or i.context is distinct from dirty_feed_items.context)
      window newest as (order by e.published_at desc, e.id desc)
    )
    select to_jsonb(e), s.dirty
    from stale s join public.episodes e on e.id = s.id
    where s.n = 1 or (s.n <= most and s.notes_bytes <= most_bytes)
    order by s.n;
end $$;
comment on function private.dirty_feed_items is 'The next batch of episodes to render. Their times are text with microseconds: store them as they came.';
revoke all on function private.dirty_feed_items from public, anon, authenticated, service_role;
