-- Returns the chapters of a published episode to anonymous callers, as the document that the feed names.
-- https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md
create function private.get_public_chapters(_episode_id uuid) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  document jsonb;
begin
  select jsonb_strip_nulls(jsonb_build_object(
    'version', '1.2.0', 'title', e.title, 'podcastName', p.title, 'author', p.author,
    'chapters', jsonb_agg(jsonb_build_object(
      'startTime', c.start_seconds, 'endTime', c.end_seconds, 'title', c.title, 'img', c.image_url,
      'imageCopies', nullif(private.image_url_copies(c.image_url), '[]'), 'url', c.url,
      'toc', case when not c.is_in_toc then false end, 'location', c.location) order by c.start_seconds)))
  into document
  from public.episodes e
  join public.podcasts p on p.id = e.podcast_id
  join public.episode_chapters c on c.episode_id = e.id
  where e.id = _episode_id and e.status = 'published' and not p.is_being_deleted
  group by e.id, p.id;
  if document is null then
    raise sqlstate 'PT404' using message = 'No chapters found for this episode';
  end if;
  return document;
end $$;
grant execute on function private.get_public_chapters to anon, authenticated, service_role;

create function public.get_public_chapters(episode_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_public_chapters(episode_id);
comment on function public.get_public_chapters is
  'GET /chapters/{episodeId}.json: the JSON chapters of the podcast namespace, version 1.2.0, of a published episode. '
  '404, also for an episode without chapters here.';
grant execute on function public.get_public_chapters to anon, authenticated, service_role;
