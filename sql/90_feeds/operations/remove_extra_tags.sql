-- Removes tags that an import carried: from the podcast, from one episode, or from all episodes in batches, so that no
-- call exceeds its time.
create function private.remove_extra_tags(_podcast_id uuid, tags text[], _episode_id uuid, all_episodes boolean)
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on carried tags
set search_path = ''
as $$
declare
  max_episodes constant int := 500;
  removed int;
  matched int;
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.require_writable_podcast(_podcast_id);
  if not coalesce(cardinality(tags) between 1 and 100 and array_position(tags, null) is null, false) then
    raise sqlstate 'PT400' using message = 'tags must list 1 to 100 names or elements';
  elsif all_episodes and _episode_id is not null then
    raise sqlstate 'PT400' using message = 'all_episodes and episode_id exclude each other';
  end if;

  if _episode_id is null and not coalesce(all_episodes, false) then
    with found as (
      select p.id, jsonb_array_length(p.extra_tags) as before from public.podcasts p
      where p.id = _podcast_id and private.without_tags(p.extra_tags, remove_extra_tags.tags) <> p.extra_tags
      for no key update
    ), changed as (
      update public.podcasts p set extra_tags = private.without_tags(p.extra_tags, remove_extra_tags.tags)
      from found f where p.id = f.id
      returning f.before - jsonb_array_length(p.extra_tags) as removed
    )
    select coalesce(sum(c.removed), 0), 0 into removed, matched from changed c;
  else
    perform from public.episodes e where e.id = _episode_id and e.podcast_id = _podcast_id;
    if _episode_id is not null and not found then
      raise sqlstate 'PT404' using message = 'Episode not found';
    end if;
    with found as (
      select e.id, jsonb_array_length(e.extra_tags) as before from public.episodes e
      where e.podcast_id = _podcast_id and (_episode_id is null or e.id = _episode_id) and e.extra_tags <> '[]'
        and exists (
          select from jsonb_array_elements_text(e.extra_tags) t (xml)
          where t.xml = any (remove_extra_tags.tags)
            or substring(t.xml from '^<([^\s/>]+)') = any (remove_extra_tags.tags))
      order by e.id limit max_episodes for no key update
    ), changed as (
      update public.episodes e set extra_tags = private.without_tags(e.extra_tags, remove_extra_tags.tags)
      from found f where e.id = f.id
      returning f.before - jsonb_array_length(e.extra_tags) as removed
    )
    select coalesce(sum(c.removed), 0), count(*) into removed, matched from changed c;
  end if;
  return jsonb_build_object('data', jsonb_build_object('removed', removed, 'hasMore', matched = max_episodes));
end $$;
grant execute on function private.remove_extra_tags to authenticated;

create function private.without_tags(extra_tags jsonb, tags text[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(t.xml order by t.place), '[]')
    from jsonb_array_elements_text(extra_tags) with ordinality t (xml, place)
    where t.xml <> all (tags) and substring(t.xml from '^<([^\s/>]+)') <> all (tags));
end $$;
comment on function private.without_tags is 'The carried tags without those whose name or XML is listed.';

create function public.remove_extra_tags(
  podcast_id uuid, tags text[], episode_id uuid default null, all_episodes boolean default false) returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_extra_tags(podcast_id, tags, episode_id, all_episodes);
comment on function public.remove_extra_tags is
  'Removes carried tags by their names or their whole XML from the podcast, from one episode, or from all episodes: '
  '{data: {removed, hasMore}}. With all_episodes, a call changes at most 500 episodes: repeat it while hasMore. '
  'Requires admin. 400, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.remove_extra_tags to authenticated;
