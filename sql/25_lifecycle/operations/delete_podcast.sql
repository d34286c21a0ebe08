-- Schedules the deletion of a podcast after its redirect window. An external podcast is deleted at once, because its
-- feed is elsewhere: from the mark on no caller sees it, and the worker deletes its rows.
create function private.delete_podcast(
  _podcast_id uuid, confirm_name text, _redirect_url text, redirect_days numeric, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the status, and may not delete podcasts
set search_path = ''
as $$
declare
  podcast      public.podcasts;
  is_external  boolean;
  scheduled_at timestamptz;
  is_carried   boolean := false;
begin
  perform private.consume_plan_rate_limit('podcast_deletions', at);  -- each one informs the team
  perform private.require_fresh_sign_in(at) where private.get_setting('podcast_deletion_sign_in') = 'fresh';
  podcast := private.lock_podcast_as_owner(_podcast_id);
  perform private.reject_pending_deletion(podcast.status);
  if char_length(confirm_name) > 1000  -- white space may make it longer than a title
     or private.comparable_title(confirm_name) = private.comparable_title(podcast.title) is not true then
    raise sqlstate 'PT400' using hint = 'NAME_MISMATCH',
      message = 'confirm_name does not match the title of the podcast; enter the title to confirm its deletion';
  elsif (redirect_days between 0 and 90 and redirect_days % 1 = 0) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'redirect_days: must be a whole number of days from 0 to 90';
  end if;
  perform private.require_redirect_url(_redirect_url, podcast.id);

  is_external := podcast.hosting_type = 'external';
  scheduled_at := case when is_external then at else at + make_interval(hours => 24 * redirect_days::int) end;
  if is_external or redirect_days = 0 then
    _redirect_url := null;
  elsif _redirect_url is null then
    _redirect_url := podcast.feed_redirect_url;  -- else those who follow it would lose the podcast
    is_carried := _redirect_url is not null;
  end if;
  if is_external then
    perform private.announce_deleted_podcast(podcast, auth.uid(), at);
  else
    -- the whole team, the caller included, who may not be the person whose session it is
    perform private.notify_repeatedly('podcast_deletion:' || podcast.id, 10, 'podcast.deletion_scheduled',
      private.team_recipients(podcast.id), jsonb_build_object('podcast_id', podcast.id, 'actor_id', auth.uid(),
        'deletion_scheduled_at', private.format_timestamp(scheduled_at)),
      'podcast_deletion:' || podcast.id, at => at);
  end if;
  update public.podcasts p set
    status = 'pending_deletion', deletion_requested_at = at, deletion_scheduled_at = scheduled_at,
    deletion_redirect_url = _redirect_url
  where p.id = podcast.id returning * into podcast;
  if is_external then
    perform private.enqueue('podcast_deletions', jsonb_build_object('podcast_id', podcast.id));
    return jsonb_build_object(
      'status', 'deleted', 'deletion_requested_at', private.format_timestamp(at),
      'deletion_scheduled_at', null, 'deletion_redirect_url', null, 'immediate', true);
  end if;
  return jsonb_build_object(
    'status', podcast.status, 'deletion_requested_at', private.format_timestamp(podcast.deletion_requested_at),
    'deletion_scheduled_at', private.format_timestamp(podcast.deletion_scheduled_at),
    'deletion_redirect_url', podcast.deletion_redirect_url)
    || case when is_carried then '{"is_redirect_carried_over": true}' else '{}' end::jsonb;
end $$;
grant execute on function private.delete_podcast to authenticated;

create function public.delete_podcast(
  podcast_id uuid, confirm_name text, redirect_url text default null, redirect_days numeric default 90) returns jsonb
language sql volatile security invoker set search_path = ''
return private.delete_podcast(podcast_id, confirm_name, redirect_url, redirect_days);
comment on function public.delete_podcast is
  'POST /api/podcast-lifecycle/{podcastId}/delete: {status, deletion_requested_at, deletion_scheduled_at, '
  'deletion_redirect_url}. confirm_name must be the title; redirect_days is a whole number from 0 to 90, and 0 ends '
  'the redirect at once. Without redirect_url, a redirect of the feed is carried over: is_redirect_carried_over is '
  'then true. An external podcast is deleted at once: {status: deleted, …, immediate: true}. Requires the owner. 400 '
  'also NAME_MISMATCH or INVALID_REDIRECT_URL, 403 also REAUTHENTICATION_REQUIRED if podcast_deletion_sign_in is '
  'fresh, 404, 409 PODCAST_PENDING_DELETION, 429.';
grant execute on function public.delete_podcast to authenticated;
