-- Has the clock publish an episode at a time in the future.
create function public.schedule_episode(episode_id uuid, at timestamptz) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(schedule_episode.episode_id, 'admin');
  update public.episodes e set status = 'scheduled', scheduled_at = schedule_episode.at, published_at = null
  where e.id = schedule_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.schedule_episode is
  'Publishes at a time in the future, within a minute. Needs admin+. 400 time not in the future, 403, 404, 409, PT428 AUDIO_REQUIRED.';
grant execute on function public.schedule_episode to authenticated;
