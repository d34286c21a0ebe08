-- Publishes an episode. Writing episodes.status does the same: the rules are the row's.
create function public.publish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(publish_episode.episode_id, 'admin');
  update public.episodes e set status = 'published' where e.id = publish_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.publish_episode is
  'Publishes now; safe to repeat. Needs admin+. 403, 404, 409 podcast pending deletion, PT428 AUDIO_REQUIRED when a service-hosted episode has no audio.';
grant execute on function public.publish_episode to authenticated;
