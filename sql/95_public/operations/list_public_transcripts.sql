-- Lists the transcripts of a published episode to anonymous callers, with the formats in which each can be read.
create function private.list_public_transcripts(episode_id uuid) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
begin
  return private.get_public_episode_by_id(episode_id) -> 'transcripts';
end $$;
grant execute on function private.list_public_transcripts to anon, authenticated, service_role;

create function public.list_public_transcripts(episode_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('data', private.list_public_transcripts(episode_id));
comment on function public.list_public_transcripts is
  'GET /v1/episodes/{episodeId}/transcripts: {data: [{id, type, language, rel, url, formats: [{type, url}]}]} of a '
  'published episode. 404.';
grant execute on function public.list_public_transcripts to anon, authenticated, service_role;

-- For the function that converts: it reads the object as the service.
create function private.get_public_transcript(id uuid) returns table (path text, type text, url text, podcast_slug text)
language sql stable security invoker set search_path = ''
as $$
  select private.own_object_path(t.url), t.type, t.url, p.slug
  from public.episode_transcripts t join public.episodes e on e.id = t.episode_id
  join public.podcasts p on p.id = e.podcast_id
  where t.id = $1 and t.bytes is not null and e.status = 'published' and not p.is_being_deleted
$$;
grant execute on function private.get_public_transcript to service_role;
comment on function private.get_public_transcript is 'The object of a stored transcript of a published episode.';
