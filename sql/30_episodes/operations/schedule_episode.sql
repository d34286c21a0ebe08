-- Schedules the publication of an episode; publish_due_episodes publishes it.
create function public.schedule_episode(episode_id uuid, scheduled_at timestamptz) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(schedule_episode.episode_id, 'admin');
  update public.episodes e set status = 'scheduled', scheduled_at = schedule_episode.scheduled_at, published_at = null
  where e.id = schedule_episode.episode_id returning * into episode;
  return episode;
end $$;
comment on function public.schedule_episode is
  'Schedules an episode for a time in the future, published within a minute of it. Requires admin. 400, 403, 404, 409 '
  'PODCAST_PENDING_DELETION, 428 AUDIO_REQUIRED.';
grant execute on function public.schedule_episode to authenticated;
