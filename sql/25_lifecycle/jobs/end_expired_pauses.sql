-- Ends pauses that have expired. Cron calls it hourly; concurrent runs are harmless. One statement, so that one trigger
-- locks the subscriptions of all owners in order.
create function private.end_expired_pauses(at timestamptz default now(), max_podcasts int default 5000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_ids uuid[];
begin
  with expired as (
    select p.id from public.podcasts p
    where p.status = 'paused' and p.pause_expires_at <= at
    order by p.pause_expires_at limit max_podcasts
    for update skip locked  -- an owner is changing the status
  ), updated as (
    update public.podcasts p set
      status = 'active', paused_at = null, pause_expires_at = null, last_pause_ended_at = p.pause_expires_at
    from expired where p.id = expired.id
    returning p.id
  )
  select coalesce(array_agg(u.id), '{}') into podcast_ids from updated u;
  perform private.notify_each('podcast.unpaused', jsonb_agg(jsonb_build_object(
    'recipients', private.team_recipients(id), 'payload', jsonb_build_object('podcast_id', id, 'actor_id', null))), at)
  from unnest(podcast_ids) id;
  return cardinality(podcast_ids);
end $$;
comment on function private.end_expired_pauses is
  'Returns podcasts to active when their pause expires, at most max_podcasts per run. Returns how many.';
