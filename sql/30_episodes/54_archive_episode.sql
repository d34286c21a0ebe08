-- Takes an episode out of the feed for good, kept for the team.
create function public.archive_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(archive_episode.episode_id, 'admin');
  update public.episodes e set status = 'archived' where e.id = archive_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.archive_episode is 'Out of the feed, kept for the team. Needs admin+. 403, 404, 409.';
grant execute on function public.archive_episode to authenticated;
