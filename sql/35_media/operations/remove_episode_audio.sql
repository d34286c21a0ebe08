-- Removes an episode's audio, unless the episode is published or scheduled.
create function private.remove_episode_audio(_episode_id uuid, at timestamptz default now())
returns public.episodes
language plpgsql volatile security definer  -- clients may not write the audio columns, the ledger or the queue
set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(_episode_id, 'admin');
  select * into episode from public.episodes e where e.id = _episode_id for update;
  if episode.status in ('published', 'scheduled') then
    raise sqlstate 'PT409' using
      message = format('The audio of a %s episode cannot be removed', episode.status), hint = 'AUDIO_IN_USE';
  end if;
  if episode.audio_url is null then
    return episode;
  end if;
  perform private.release_episode_audio(episode, at);
  update public.episodes e set
    audio_url = null, audio_file_size_bytes = null, audio_content_type = null, audio_duration_seconds = null
  where e.id = episode.id
  returning * into episode;
  return episode;
end $$;
grant execute on function private.remove_episode_audio to authenticated;

create function public.remove_episode_audio(episode_id uuid) returns public.episodes
language sql volatile security invoker set search_path = ''
return private.remove_episode_audio(episode_id);
comment on function public.remove_episode_audio is
  'Clears the audio columns. Deletes the object at once if the episode was never public, else with the sweep. Safe to '
  'repeat. Requires admin. 403, 404, 409 AUDIO_IN_USE if published or scheduled.';
grant execute on function public.remove_episode_audio to authenticated;
