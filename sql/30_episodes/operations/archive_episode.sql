-- Archives an episode, which removes it from the feed; the team keeps it.
create function public.archive_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(archive_episode.episode_id, 'admin');
  update public.episodes e set status = 'archived' where e.id = archive_episode.episode_id returning * into episode;
  return episode;
end $$;
comment on function public.archive_episode is
  'Archives an episode: out of the feed, kept for the team. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.archive_episode to authenticated;
