-- Replaces all chapters of an episode.
create function private.chapters_error(chapters jsonb) returns text
language plpgsql immutable parallel safe security definer  -- callers may not execute the functions that it calls
set search_path = ''
as $$
begin
  return private.shape_error(coalesce(chapters, 'null'),
    jsonb_build_object('list', 'chapter', 'max', private.max_chapters()), private.feed_shapes() || '{
    "seconds": {"number": [0, 999999.999], "is_rounded": true},
    "chapter": {"required": ["start_seconds"], "object": {"start_seconds": "seconds", "end_seconds": "seconds",
      "title": "label", "url": "http_url", "image_url": "http_url", "is_in_toc": "flag", "location": "location"}}
    }', 'chapters');
end $$;
comment on function private.chapters_error is
  'What is wrong with the chapters of set_episode_chapters, such as `chapters[0].title must be …`, or null.';
grant execute on function private.chapters_error to authenticated;

create function public.set_episode_chapters(episode_id uuid, chapters jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  problem text;
begin
  perform private.require_episode_role(set_episode_chapters.episode_id, 'admin');
  problem := private.chapters_error(chapters);
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  perform private.lock_episode_chapters(set_episode_chapters.episode_id);
  delete from public.episode_chapters c where c.episode_id = set_episode_chapters.episode_id;
  perform private.insert_episode_chapters(set_episode_chapters.episode_id, chapters);
  return jsonb_build_object('chapterCount', jsonb_array_length(chapters), 'chaptersUrl',
    format('%s/%s.json', private.chapters_base_url(), set_episode_chapters.episode_id));
end $$;
comment on function public.set_episode_chapters is
  'Replaces all chapters of an episode by at most 500 {start_seconds, end_seconds?, title?, url?, image_url?, '
  'is_in_toc?, location?: {name, rel?, geo?, osm?, country?}}: {chapterCount, chaptersUrl}. A chapter of the table '
  'of contents (is_in_toc, the default) needs a title. Requires admin. 400, 403, 404, 409 two chapters with one start '
  'or PODCAST_PENDING_DELETION.';
grant execute on function public.set_episode_chapters to authenticated;
