-- Lists the tags that an import carried, because no column holds them: those of the podcast, or of one episode. The
-- podcast's list counts those of its episodes by name, because they are too many to list.
create function private.list_extra_tags(_podcast_id uuid, _episode_id uuid) returns jsonb
language plpgsql stable security definer  -- one check of the role instead of one policy per episode
set search_path = ''
as $$
declare
  found_tags jsonb;
begin
  perform private.require_role(_podcast_id, 'admin');
  if _episode_id is not null then
    select e.extra_tags into found_tags from public.episodes e
    where e.id = _episode_id and e.podcast_id = _podcast_id;
    if found_tags is null then
      raise sqlstate 'PT404' using message = 'Episode not found';
    end if;
    return jsonb_build_object('data', jsonb_build_object('tags', private.describe_extra_tags(found_tags)));
  end if;

  return (
    select jsonb_build_object('data', jsonb_build_object(
      'tags', private.describe_extra_tags(p.extra_tags),
      'episodeTags', coalesce((
        select jsonb_agg(jsonb_build_object('name', c.name, 'tags', c.tags, 'episodes', c.episodes)
          order by c.episodes desc, c.name)
        from (
          select t.name, sum(t.count) as tags, count(*) as episodes
          from public.episodes e cross join lateral (
            select substring(t.xml from '^<([^\s/>]+)') as name, count(*) as count
            from jsonb_array_elements_text(e.extra_tags) t (xml) group by 1) t
          where e.podcast_id = _podcast_id and e.extra_tags <> '[]'
          group by t.name order by count(*) desc, t.name limit 200
        ) c), '[]')))
    from public.podcasts p where p.id = _podcast_id);
end $$;
grant execute on function private.list_extra_tags to authenticated;

create function private.describe_extra_tags(extra_tags jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('name', n.name, 'xml', t.xml) order by t.place), '[]')
    from jsonb_array_elements_text(extra_tags) with ordinality t (xml, place)
    join jsonb_array_elements_text(private.list_carried_tags(extra_tags)) with ordinality n (name, place)
      on n.place = t.place);
end $$;
comment on function private.describe_extra_tags is 'Carried tags in feed order: [{name, xml}].';

create function public.list_extra_tags(podcast_id uuid, episode_id uuid default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_extra_tags(podcast_id, episode_id);
comment on function public.list_extra_tags is
  'Tags that an import carried, of the podcast or of one episode: {data: {tags: [{name, xml}], episodeTags: [{name, '
  'tags, episodes}]}}. episodeTags counts the tags of all episodes by name, at most 200 names; episodes have none. '
  'Requires admin. 403, 404.';
grant execute on function public.list_extra_tags to authenticated;
