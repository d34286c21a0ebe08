-- Shared by the lifecycle operations: the lock, the checks and the resource. Lock order: rate limit, podcast, then as
-- documented by the domains whose triggers follow the status. `for update` conflicts with `for key share`, which every
-- writer of a podcast's rows holds (private.require_writable_podcast).
create function private.lock_podcast_as_owner(_podcast_id uuid) returns public.podcasts
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform private.require_role(_podcast_id, 'owner');  -- others must not wait and lock
  select p.* into podcast from public.podcasts p where p.id = _podcast_id for update;
  perform private.require_role(_podcast_id, 'owner');  -- again, under the lock
  return podcast;
end $$;
comment on function private.lock_podcast_as_owner is
  'Returns the podcast, locked for a change of its status, to its owner. PT401, PT403, PT404.';
-- No grant: security definer functions call it.

create function private.raise_invalid_podcast_status(podcast public.podcasts, reason text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using hint = 'INVALID_PODCAST_STATUS',
    message = format('The podcast is %s; %s', podcast.status, reason);
end $$;
comment on function private.raise_invalid_podcast_status is
  'PT409 INVALID_PODCAST_STATUS: the podcast''s status does not allow the operation. The reason ends the message.';

-- Days count 24 hours and months count in UTC, because a client can change its session's time zone.
create function private.next_pause_available_at(podcast public.podcasts, at timestamptz) returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select next.at
  from (select (podcast.last_pause_ended_at at time zone 'UTC' + interval '12 months') at time zone 'UTC') next (at)
  where next.at > $2
$$;
comment on function private.next_pause_available_at is
  'Returns when the podcast can be paused again, 12 months after its last pause ended; null if that is past.';

create function private.podcast_lifecycle_json(podcast public.podcasts, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_paid_plan            boolean := private.has_paid_plan(podcast.owner_id);
  next_pause_available_at timestamptz := private.next_pause_available_at(podcast, at);
begin
  return jsonb_build_object(
    'status', podcast.status,
    'hosting_type', podcast.hosting_type,
    'paused_at', private.format_timestamp(podcast.paused_at),
    'pause_expires_at', private.format_timestamp(podcast.pause_expires_at),
    'last_pause_ended_at', private.format_timestamp(podcast.last_pause_ended_at),
    'can_pause', podcast.status = 'active' and is_paid_plan and next_pause_available_at is null,
    'is_paid_plan', is_paid_plan,
    'next_pause_available_at', private.format_timestamp(next_pause_available_at),
    'deletion_requested_at', private.format_timestamp(podcast.deletion_requested_at),
    'deletion_redirect_url', podcast.deletion_redirect_url,
    'deletion_scheduled_at', private.format_timestamp(podcast.deletion_scheduled_at),
    'feed_redirect_url', podcast.feed_redirect_url) || private.redirect_json(podcast.id);
end $$;
comment on function private.podcast_lifecycle_json is
  'Returns the lifecycle resource of a podcast. is_paid_plan and can_pause follow the owner''s plan.';
-- No grant: security definer functions call it.

create function private.announce_deleted_podcast(podcast public.podcasts, actor_id uuid, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.notify('podcast.deleted', private.team_recipients(podcast.id), jsonb_strip_nulls(jsonb_build_object(
      'podcast_id', podcast.id, 'podcast_title', podcast.title, 'actor_id', actor_id,
      'params', case when actor_id is not null then '{"variant": "at_once"}'::jsonb end)),
    _link => '/podcasts', at => at);
end $$;
comment on function private.announce_deleted_podcast is
  'Tells the whole team that a podcast is deleted, before its members are: at once by the actor, or by schedule.';
