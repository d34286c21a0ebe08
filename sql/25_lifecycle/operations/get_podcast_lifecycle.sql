-- Shows the owner a podcast's status, pause and deletion.
create function private.get_podcast_lifecycle(_podcast_id uuid, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- distinguishes a missing podcast (404) from a forbidden one (403)
set search_path = ''
as $$
begin
  perform private.require_role(_podcast_id, 'owner');
  return (
    select private.podcast_lifecycle_json(p, at) from public.podcasts p
    where p.id = _podcast_id);
end $$;
grant execute on function private.get_podcast_lifecycle to authenticated;

create function public.get_podcast_lifecycle(podcast_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_podcast_lifecycle(podcast_id);
comment on function public.get_podcast_lifecycle is
  'GET /api/podcast-lifecycle/{podcastId}: {status, hosting_type, paused_at, pause_expires_at, last_pause_ended_at, '
  'can_pause, is_paid_plan, next_pause_available_at, deletion_requested_at, deletion_redirect_url, '
  'deletion_scheduled_at, feed_redirect_url, redirect_starts_at, redirect_check}. redirect_starts_at is when the feed '
  'begins to redirect, or began; redirect_check is {checked_at, code, message, is_same_podcast, matching_episodes, '
  'episodes}: what the last check of the target found, with a code if it failed. Requires the owner. 403, 404.';
grant execute on function public.get_podcast_lifecycle to authenticated;
