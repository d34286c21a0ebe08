-- Publishes an episode. An update of episodes.status does the same, under the same rules.
create function public.publish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(publish_episode.episode_id, 'admin');
  update public.episodes e set status = 'published' where e.id = publish_episode.episode_id returning * into episode;
  return episode;
end $$;
comment on function public.publish_episode is
  'Publishes an episode now; safe to repeat. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION, 428 '
  'AUDIO_REQUIRED for a natively hosted episode without audio.';
grant execute on function public.publish_episode to authenticated;
