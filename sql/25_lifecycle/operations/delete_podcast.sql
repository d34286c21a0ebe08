-- Schedules the deletion of a podcast after its redirect window. An external podcast is deleted at once, because its
-- feed is elsewhere.
create function private.lock_and_delete_podcast(
  _podcast_id uuid, confirm_name text, _redirect_url text, redirect_days numeric, at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast      public.podcasts := private.lock_podcast_as_owner(_podcast_id);
  scheduled_at timestamptz;
begin
  perform private.reject_pending_deletion(podcast.status);
  if char_length(confirm_name) > 1000  -- white space may make it longer than a title
     or private.comparable_title(confirm_name) = private.comparable_title(podcast.title) is not true then
    raise sqlstate 'PT400' using hint = 'NAME_MISMATCH',
      message = 'confirm_name does not match the title of the podcast; enter the title to confirm its deletion';
  elsif (redirect_days between 0 and 90 and redirect_days % 1 = 0) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'redirect_days: must be a whole number of days from 0 to 90';
  end if;
  perform private.require_redirect_url(_redirect_url);

  if podcast.hosting_type = 'external' then
    perform private.announce_deleted_podcast(podcast, auth.uid(), at);
    perform set_config('lock_timeout', '200ms', true);  -- less than deadlock_timeout, 1 s
    delete from public.podcasts p where p.id = podcast.id;
    return jsonb_build_object(
      'status', 'deleted', 'deletion_requested_at', private.format_timestamp(at),
      'deletion_scheduled_at', null, 'deletion_redirect_url', null, 'immediate', true);
  end if;
  scheduled_at := at + make_interval(hours => 24 * redirect_days::int);
  -- the whole team, the caller included, who may not be the person whose session it is
  perform private.notify_repeatedly('podcast_deletion:' || podcast.id, 10, 'podcast.deletion_scheduled',
    private.team_recipients(podcast.id), jsonb_build_object('podcast_id', podcast.id, 'actor_id', auth.uid(),
      'deletion_scheduled_at', private.format_timestamp(scheduled_at))
    || case when redirect_days > 0 and _redirect_url is not null then jsonb_build_object('params', jsonb_build_object(
      'variant', 'redirected', 'redirect_url', _redirect_url)) else '{}' end,
    'podcast_deletion:' || podcast.id, at => at);
  update public.podcasts p set
    status = 'pending_deletion', deletion_requested_at = at, deletion_scheduled_at = scheduled_at,
    deletion_redirect_url = case when redirect_days > 0 then _redirect_url end
  where p.id = podcast.id returning * into podcast;
  return jsonb_build_object(
    'status', podcast.status, 'deletion_requested_at', private.format_timestamp(podcast.deletion_requested_at),
    'deletion_scheduled_at', private.format_timestamp(podcast.deletion_scheduled_at),
    'deletion_redirect_url', podcast.deletion_redirect_url);
end $$;
comment on function private.lock_and_delete_podcast is
  'One attempt of delete_podcast. 55P03 when a write keeps a row of an external podcast locked.';
-- No grant: delete_podcast calls it.

-- A write locks its row and then the podcast, because triggers run under the lock of the row; a deletion locks the
-- podcast and then its rows. The deletion gives way: it releases the podcast and starts over.
create function private.delete_podcast(
  _podcast_id uuid, confirm_name text, redirect_url text, redirect_days numeric, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the status, and may not delete podcasts
set search_path = ''
as $$
begin
  perform private.require_fresh_sign_in(at) where private.get_setting('podcast_deletion_sign_in') = 'fresh';
  perform private.consume_plan_rate_limit('podcast_deletions', at);  -- each one informs the team
  for attempt in 1 .. 10 loop
    begin
      return private.lock_and_delete_podcast(_podcast_id, confirm_name, redirect_url, redirect_days, at);
    exception when lock_not_available then
      perform pg_sleep(0.05);  -- the attempt has released the podcast: the write takes it
    end;
  end loop;
  raise sqlstate 'PT503' using message = 'The podcast is being changed; try again';
end $$;
grant execute on function private.delete_podcast to authenticated;

create function public.delete_podcast(
  podcast_id uuid, confirm_name text, redirect_url text default null, redirect_days numeric default 90) returns jsonb
language sql volatile security invoker set search_path = ''
return private.delete_podcast(podcast_id, confirm_name, redirect_url, redirect_days);
comment on function public.delete_podcast is
  'POST /api/podcast-lifecycle/{podcastId}/delete: {status, deletion_requested_at, deletion_scheduled_at, '
  'deletion_redirect_url}. confirm_name must be the title; redirect_days is a whole number from 0 to 90; 0 ends the '
  'redirect at once. An external podcast is deleted at once: {status: deleted, …, immediate: true}. Requires the '
  'owner. 400 also NAME_MISMATCH or INVALID_REDIRECT_URL, 403 also REAUTHENTICATION_REQUIRED if '
  'podcast_deletion_sign_in is fresh, 404, 409 PODCAST_PENDING_DELETION, 429, 503 while writes keep an external '
  'podcast busy.';
grant execute on function public.delete_podcast to authenticated;
