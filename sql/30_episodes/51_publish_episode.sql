-- The episode's way through its statuses. Writing episodes.status does the same: the rules are the row's.
create function private.require_episode_role(episode_id uuid, role public.podcast_role) returns uuid
language plpgsql stable security definer  -- tells a missing episode from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select e.podcast_id into podcast_id from public.episodes e where e.id = require_episode_role.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform private.require_role(podcast_id, require_episode_role.role);
  return podcast_id;
end $$;
comment on function private.require_episode_role is 'The episode''s podcast, when the caller has at least this role on it; PT401, PT404 or PT403 otherwise.';
revoke all on function private.require_episode_role from public, anon, authenticated, service_role;
grant execute on function private.require_episode_role to authenticated, service_role;

create function public.publish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(publish_episode.episode_id, 'admin');
  update public.episodes e set status = 'published' where e.id = publish_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.publish_episode is
  'Publishes now; safe to repeat. Needs admin+. 403, 404, 409 podcast pending deletion, PT428 AUDIO_REQUIRED when a service-hosted episode has no audio.';
revoke all on function public.publish_episode from public, anon, authenticated, service_role;
grant execute on function public.publish_episode to authenticated;

create function public.schedule_episode(episode_id uuid, at timestamptz) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(schedule_episode.episode_id, 'admin');
  update public.episodes e set status = 'scheduled', scheduled_at = schedule_episode.at, published_at = null
  where e.id = schedule_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.schedule_episode is
  'Publishes at a time in the future, within a minute. Needs admin+. 400 time not in the future, 403, 404, 409, PT428 AUDIO_REQUIRED.';
revoke all on function public.schedule_episode from public, anon, authenticated, service_role;
grant execute on function public.schedule_episode to authenticated;

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
revoke all on function public.unpublish_episode from public, anon, authenticated, service_role;
grant execute on function public.unpublish_episode to authenticated;

create function public.archive_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(archive_episode.episode_id, 'admin');
  update public.episodes e set status = 'archived' where e.id = archive_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.archive_episode is 'Out of the feed, kept for the team. Needs admin+. 403, 404, 409.';
revoke all on function public.archive_episode from public, anon, authenticated, service_role;
grant execute on function public.archive_episode to authenticated;
