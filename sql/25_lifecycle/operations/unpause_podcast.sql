-- Ends a podcast's pause.
create function private.unpause_podcast(_podcast_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the status
set search_path = ''
as $$
declare
  podcast public.podcasts := private.lock_podcast_as_owner(_podcast_id);
begin
  if podcast.status <> 'paused' then
    perform private.raise_invalid_podcast_status(podcast, 'only a paused podcast can be unpaused');
  end if;
  update public.podcasts p set
    status = 'active', paused_at = null, pause_expires_at = null,
    last_pause_ended_at = least(at, p.pause_expires_at)  -- end_expired_pauses has not run yet
  where p.id = podcast.id;
  perform private.notify('podcast.unpaused', private.team_recipients(podcast.id, except_user_id => auth.uid()),
    jsonb_build_object('podcast_id', podcast.id, 'actor_id', auth.uid()), at => at);
  return jsonb_build_object('status', 'active');
end $$;
grant execute on function private.unpause_podcast to authenticated;

create function public.unpause_podcast(podcast_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.unpause_podcast(podcast_id);
comment on function public.unpause_podcast is
  'POST /api/podcast-lifecycle/{podcastId}/unpause: {status: active}. Requires the owner. 403, 404, 409 '
  'INVALID_PODCAST_STATUS.';
grant execute on function public.unpause_podcast to authenticated;
