-- Replaces all chapters of an episode.
create function private.chapter_error(chapter jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case
    when jsonb_typeof($1) <> 'object' then ': must be an object'
    when not $1 ? 'start_seconds' then '.start_seconds: is required'
    else coalesce((
      select case when t.types is null then format(': unknown field %s', left(f.key, 100))
        else format('.%s: must be %s', f.key, replace(t.types, ' ', ' or ')) end
      from jsonb_each($1) f
      left join (values ('start_seconds', 'number'), ('end_seconds', 'number null'), ('title', 'string null'),
        ('url', 'string null'), ('image_url', 'string null'), ('is_in_toc', 'boolean'), ('location', 'object null')
      ) t (key, types) using (key)
      where jsonb_typeof(f.value) = any (string_to_array(t.types, ' ')) is not true
      order by f.key limit 1),
      private.location_error(nullif($1 -> 'location', 'null'), '.location'))
  end
$$;
comment on function private.chapter_error is
  'What is wrong with the shape of a chapter of set_episode_chapters, after its path; null if nothing is.';
grant execute on function private.chapter_error to authenticated;

create function public.set_episode_chapters(episode_id uuid, chapters jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  problem text;
begin
  perform private.require_episode_role(set_episode_chapters.episode_id, 'admin');
  if jsonb_typeof(chapters) is distinct from 'array' or jsonb_array_length(chapters) > 500 then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'chapters: must be a list of at most 500 chapters';
  end if;
  select format('chapters[%s]%s', c.n - 1, c.problem) into problem
  from (
    select e.n, private.chapter_error(e.chapter) as problem
    from jsonb_array_elements(chapters) with ordinality e (chapter, n)) c
  where c.problem is not null order by c.n limit 1;
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
