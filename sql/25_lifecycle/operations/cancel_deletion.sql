-- Keeps a podcast that is pending deletion: it is paused again until its pause expires, else active.
create function private.cancel_deletion(_podcast_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the status
set search_path = ''
as $$
declare
  podcast public.podcasts := private.lock_podcast_as_owner(_podcast_id);
begin
  if podcast.status <> 'pending_deletion' then
    perform private.raise_invalid_podcast_status(podcast, 'it is not scheduled for deletion');
  end if;
  if podcast.pause_expires_at > at then
    podcast.status := 'paused';
  else
    podcast.last_pause_ended_at := coalesce(podcast.pause_expires_at, podcast.last_pause_ended_at);
    podcast.status := 'active';
    podcast.paused_at := null;
    podcast.pause_expires_at := null;
  end if;
  update public.podcasts p set
    status = podcast.status, paused_at = podcast.paused_at, pause_expires_at = podcast.pause_expires_at,
    last_pause_ended_at = podcast.last_pause_ended_at,
    deletion_requested_at = null, deletion_redirect_url = null, deletion_scheduled_at = null
  where p.id = podcast.id returning * into podcast;
  -- a dead letter would keep a later deletion of the podcast from being enqueued
  perform private.delete_jobs(jsonb_build_object('podcast_id', podcast.id), 'podcast_deletions');
  perform private.notify_repeatedly('podcast_deletion:' || podcast.id, 10, 'podcast.deletion_canceled',
    private.team_recipients(podcast.id, except_user_id => auth.uid()),
    jsonb_build_object('podcast_id', podcast.id, 'actor_id', auth.uid(), 'status', podcast.status), at => at);
  return private.podcast_lifecycle_json(podcast, at);
end $$;
grant execute on function private.cancel_deletion to authenticated;

create function public.cancel_deletion(podcast_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.cancel_deletion(podcast_id);
comment on function public.cancel_deletion is
  'POST /api/podcast-lifecycle/{podcastId}/cancel-deletion: the lifecycle resource, as get_podcast_lifecycle. Works '
  'until the podcast is deleted, also past deletion_scheduled_at. Requires the owner. 403, 404, 409 '
  'INVALID_PODCAST_STATUS.';
grant execute on function public.cancel_deletion to authenticated;
