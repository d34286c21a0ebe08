-- Recipients of events that have an account or are guests of an episode, with the channels on which each is notified.
create function private.listed_people(recipients jsonb) returns table (user_id uuid, episode_guest_id uuid)
language plpgsql immutable parallel safe rows 5 security invoker set search_path = ''
as $$
begin
  return query
    select r.user_id, r.episode_guest_id from jsonb_to_recordset(recipients) r (user_id uuid, episode_guest_id uuid)
    where num_nonnulls(r.user_id, r.episode_guest_id) > 0;
end $$;
comment on function private.listed_people is
  'The users and guests among recipients of private.notify(). Plans expect few: most events have.';

create function private.event_recipients(event_ids bigint[], kind public.notification_types)
returns table (event_id bigint, user_id uuid, episode_guest_id uuid, locale text, timezone text,
  in_app boolean, email boolean, push boolean, quiet_hours_start time, quiet_hours_end time, is_locked boolean)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than a small fan-out, and no plan depends on values
set enable_seqscan = off  -- a small fan-out costs the same with a million users
as $$
begin
  return query
  with listed as materialized (
    select distinct e.id as event_id, u.user_id, u.episode_guest_id, e.payload ? 'email_only' as is_email_only
    from private.events e cross join lateral private.listed_people(e.recipients) u
    where e.id = any (event_ids) and e.type = kind.type
  ), kept_user as materialized (  -- waiting for a recipient who is being deleted could end in a deadlock
    select f.id from public.profiles f where f.id in (select l.user_id from listed l) for key share skip locked
  ), kept_guest as materialized (
    select g.id from public.episode_guests g where g.id in (select l.episode_guest_id from listed l)
    for key share skip locked
  ), asked as materialized (  -- before tables are joined, or a plan for few would scan the locked ones per recipient
    select l.*, coalesce(f.id, g.id) is null as is_locked
    from listed l
    left join kept_user f on f.id = l.user_id
    left join kept_guest g on g.id = l.episode_guest_id
  ), wanting as (
    select r.event_id, f.id as user_id, f.locale,
      case when f.timezone is not null then private.timezone_or_utc(f.timezone) end as timezone,
      (c.choices -> ('in_app_' || kind.preference))::boolean and not r.is_email_only as in_app,
      kind.is_essential or (c.choices -> ('email_' || kind.preference))::boolean as email,
      kind.can_wait and p.digest_frequency <> 'off' as has_digest,
      (c.choices -> ('push_' || kind.preference))::boolean and not r.is_email_only
        and exists (select from public.push_subscriptions s where s.user_id = f.id and s.is_active) as push,
      p.quiet_hours_start, p.quiet_hours_end, r.is_locked
    from asked r
    join public.profiles f on f.id = r.user_id
    join public.notification_preferences p on p.user_id = f.id
    -- by name, because planning a query per type takes as long as 20 recipients; offset 0 calls to_jsonb once
    cross join lateral (select to_jsonb(p) as choices offset 0) c
  )
  select w.event_id, w.user_id, null::uuid, w.locale, w.timezone, coalesce(w.in_app, false),
    coalesce(w.email and not w.has_digest, false),
    coalesce(w.push, false), w.quiet_hours_start, w.quiet_hours_end, w.is_locked
  from wanting w where w.in_app or w.email or w.push
  union all
  select r.event_id, null::uuid, g.id, coalesce(f.locale, p.language),
    case when f.timezone is not null then private.timezone_or_utc(f.timezone) end,
    true, 'email' = any (kind.channels) and not private.is_email_suppressed(d.email, kind.type, g.podcast_id)
      and coalesce((to_jsonb(c) -> ('email_' || kind.preference))::boolean, true), false, null::time, null::time,
    r.is_locked
  from asked r
  join public.episode_guests g on g.id = r.episode_guest_id
  join public.podcasts p on p.id = g.podcast_id
  join public.podcast_guests d on d.id = g.podcast_guest_id
  left join public.profiles f on f.id = d.user_id
  left join public.notification_preferences c on c.user_id = d.user_id
  where 'in_app' = any (kind.channels);
end $$;
comment on function private.event_recipients is
  'The users and guests that events of one type notify, with the zone that they set, without those who turned off '
  'every channel. Keeps their rows until the transaction ends, except is_locked ones, which another transaction '
  'locked, perhaps to delete them. Users get an event with `email_only` in its payload by email alone.';
