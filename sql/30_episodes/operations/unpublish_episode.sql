-- Returns an episode to draft, which removes it from the feed.
create function public.unpublish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(unpublish_episode.episode_id, 'admin');
  update public.episodes e set status = 'draft' where e.id = unpublish_episode.episode_id returning * into episode;
  return episode;
end $$;
comment on function public.unpublish_episode is
  'Returns an episode to draft, out of the feed; keeps its date for a later publication. Requires admin. 403, 404, '
  '409 PODCAST_PENDING_DELETION.';
grant execute on function public.unpublish_episode to authenticated;
