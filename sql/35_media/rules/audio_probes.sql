-- Audio probes: new audio of ours is measured when its upload or feed named no duration, read for chapters when the
-- episode has none, and checked for a seek table.
create function private.takes_chapters_of_file(episode public.episodes) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return episode.chapters_url is null
    and not exists (select from public.episode_chapters c where c.episode_id = episode.id);
end $$;
comment on function private.takes_chapters_of_file is
  'Whether an episode has neither chapters nor the URL of a document of another host.';

create function private.needs_audio_probe(episode public.episodes) returns boolean
language sql stable security invoker set search_path = ''
return episode.audio_has_seek_table is null or episode.audio_duration_seconds is null
  or private.takes_chapters_of_file(episode);
comment on function private.needs_audio_probe is
  'Whether the audio of an episode was not yet read, or it has no duration, or takes the chapters of a file.';

create function private.is_audio_probe_due(_episode_id uuid, _path text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (
    select from public.episodes e
    where e.id = _episode_id
      and private.own_object_path(e.audio_url) = _path
      and private.needs_audio_probe(e));
end $$;
grant execute on function private.is_audio_probe_due to service_role;
comment on function private.is_audio_probe_due is
  'Whether this object is the audio of the episode, which needs a probe.';

-- Always
create function private.forget_audio_probe() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.audio_has_seek_table := null;  -- of the audio before
  return new;
end $$;
create trigger t500_forget_audio_probe before update of audio_url on public.episodes
  for each row when (new.audio_url is distinct from old.audio_url) execute function private.forget_audio_probe();

-- After: the lowest place that uploads, direct uploads and imports have in common.
create function private.enqueue_audio_probe() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
declare
  path text := private.own_object_path(new.audio_url);
begin
  if path is not null and private.needs_audio_probe(new) then
    perform private.enqueue('audio_probes', jsonb_build_object(
      'type', 'audio_probe', 'podcast_id', new.podcast_id, 'episode_id', new.id, 'path', path));
  end if;
  return null;
end $$;
create trigger t900_probe_inserted_audio after insert on public.episodes
  for each row when (new.audio_url is not null) execute function private.enqueue_audio_probe();
create trigger t900_probe_changed_audio after update of audio_url on public.episodes
  for each row when (new.audio_url is not null and new.audio_url is distinct from old.audio_url)
  execute function private.enqueue_audio_probe();
