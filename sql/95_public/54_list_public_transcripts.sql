-- Lists the transcripts of a published episode to anonymous callers, with the formats in which each can be read.
create function private.transcript_formats(transcript public.episode_transcripts) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('type', f.type, 'url', format('%s/transcripts/%s.%s',
    private.get_setting('public_api_url'), $1.id, private.transcript_extension(f.type))) order by f.n), '[]')
  from unnest(private.transcript_types()) with ordinality f (type, n)
  where $1.bytes is not null and (
    f.type = $1.type or 'text/html' not in (f.type, $1.type) and 'text/plain' not in (f.type, $1.type))
$$;
comment on function private.transcript_formats is
  'The types in which a stored transcript can be read, with URLs: its own, and for a type with times the others with '
  'times. Empty for a transcript hosted elsewhere.';

create function private.list_public_transcripts(episode_id uuid) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
begin
  perform from public.episodes e where e.id = list_public_transcripts.episode_id and e.status = 'published';
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'language', t.language, 'rel', t.rel,
      'url', t.url, 'formats', private.transcript_formats(t)) order by t.display_order, t.id), '[]')
    from public.episode_transcripts t where t.episode_id = list_public_transcripts.episode_id);
end $$;
comment on function private.list_public_transcripts is
  'Implementation of list_public_transcripts (security definer). Lists the transcripts of a published episode. PT404.';
grant execute on function private.list_public_transcripts to anon, authenticated, service_role;

create function public.list_public_transcripts(episode_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('data', private.list_public_transcripts(list_public_transcripts.episode_id));
end $$;
comment on function public.list_public_transcripts is
  'GET /v1/episodes/{episodeId}/transcripts: {data: [{id, type, language, rel, url, formats: [{type, url}]}]} of a '
  'published episode. 404.';
grant execute on function public.list_public_transcripts to anon, authenticated, service_role;

-- For the function that converts: it reads the object as the service.
create function private.get_public_transcript(id uuid) returns table (path text, type text, url text)
language sql stable security invoker set search_path = ''
as $$
  select private.own_object_path(t.url), t.type, t.url
  from public.episode_transcripts t join public.episodes e on e.id = t.episode_id
  where t.id = $1 and t.bytes is not null and e.status = 'published'
$$;
comment on function private.get_public_transcript is 'The object of a stored transcript of a published episode.';
