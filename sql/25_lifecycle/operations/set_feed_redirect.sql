-- Sets where the feed of a podcast redirects while the podcast stays, such as after a move; null ends the redirect.
create function private.set_feed_redirect(_podcast_id uuid, _redirect_url text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the redirect
set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform private.consume_plan_rate_limit('redirect_changes', at);  -- each one informs the team and is checked
  podcast := private.lock_podcast_as_owner(_podcast_id);
  perform private.reject_pending_deletion(podcast.status);
  if podcast.hosting_type = 'external' then
    raise sqlstate 'PT409' using hint = 'PODCAST_HOSTED_EXTERNALLY',
      message = 'The podcast is hosted elsewhere and has no feed here; set the redirect at its host';
  end if;
  perform private.require_redirect_url(_redirect_url, podcast.id);
  update public.podcasts p set feed_redirect_url = _redirect_url
  where p.id = podcast.id returning * into podcast;
  return private.podcast_lifecycle_json(podcast, at);
end $$;
grant execute on function private.set_feed_redirect to authenticated;

create function public.set_feed_redirect(podcast_id uuid, redirect_url text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.set_feed_redirect(podcast_id, redirect_url);
comment on function public.set_feed_redirect is
  'PUT /api/podcast-lifecycle/{podcastId}/feed-redirect: the lifecycle resource, as get_podcast_lifecycle. The feed '
  'redirects and names the URL while the podcast stays; null ends the redirect. Requires the owner. 400 '
  'INVALID_REDIRECT_URL, 403, 404, 409 PODCAST_PENDING_DELETION (update_deletion_redirect) or '
  'PODCAST_HOSTED_EXTERNALLY, 429.';
grant execute on function public.set_feed_redirect to authenticated;
