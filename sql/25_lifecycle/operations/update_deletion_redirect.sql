-- Changes where the feed of a podcast that is pending deletion redirects; null ends the redirect.
create function private.update_deletion_redirect(_podcast_id uuid, _redirect_url text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the redirect
set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform private.consume_plan_rate_limit('redirect_changes', at);  -- each one informs the team and is checked
  podcast := private.lock_podcast_as_owner(_podcast_id);
  if podcast.status <> 'pending_deletion' then
    perform private.raise_invalid_podcast_status(podcast, 'it has no deletion redirect');
  end if;
  perform private.require_redirect_url(_redirect_url, podcast.id);
  if podcast.deletion_scheduled_at = podcast.deletion_requested_at
     and _redirect_url is not null then
    raise sqlstate 'PT409' using hint = 'NO_REDIRECT_WINDOW', message =
      'The deletion has no redirect window; cancel it, and delete the podcast again with redirect_days of at least 1';
  end if;
  update public.podcasts p set deletion_redirect_url = _redirect_url
  where p.id = podcast.id returning * into podcast;
  return private.podcast_lifecycle_json(podcast, at);
end $$;
grant execute on function private.update_deletion_redirect to authenticated;

create function public.update_deletion_redirect(podcast_id uuid, redirect_url text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_deletion_redirect(podcast_id, redirect_url);
comment on function public.update_deletion_redirect is
  'PUT /api/podcast-lifecycle/{podcastId}/deletion-redirect: the lifecycle resource, as get_podcast_lifecycle. Null '
  'ends the redirect. Requires the owner. 400 INVALID_REDIRECT_URL, 403, 404, 409 INVALID_PODCAST_STATUS unless '
  'pending deletion, or NO_REDIRECT_WINDOW, 429.';
grant execute on function public.update_deletion_redirect to authenticated;
