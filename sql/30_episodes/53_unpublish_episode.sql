-- Takes an episode out of the feed, back to draft.
create function public.unpublish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(unpublish_episode.episode_id, 'admin');
  update public.episodes e set status = 'draft' where e.id = unpublish_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.unpublish_episode is 'Back to draft, out of the feed; its date is kept for a later publication. Needs admin+. 403, 404, 409.';
grant execute on function public.unpublish_episode to authenticated;
