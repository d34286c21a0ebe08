-- Recipients of events that have an account or are guests of an episode, with the channels on which each is notified.
create function private.event_recipients(event_ids bigint[], kind public.notification_types)
returns table (event_id bigint, user_id uuid, episode_guest_id uuid, locale text, timezone text,
  in_app boolean, email boolean, push boolean, quiet_hours_start time, quiet_hours_end time, is_locked boolean)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than a small fan-out, and no plan depends on values
as $$
declare
  is_on jsonb := (  -- by channel, an expression over the preferences p
    select jsonb_object_agg(c.channel, case
      when not c.channel = any (kind.channels) then 'false'
      when c.channel = 'email' and kind.is_essential then 'true'
      else format('p.%I', c.channel || '_' || kind.preference) end)
    from unnest(enum_range(null::public.notification_channel)) c (channel));
begin
  -- Waiting for a recipient who is being deleted could end in a deadlock.
  return query execute format($users$
    with asked as materialized (
      select distinct e.id as event_id, u.user_id
      from private.events e cross join lateral jsonb_to_recordset(e.recipients) u (user_id uuid)
      where e.id = any ($1) and e.type = $2
    ), kept as materialized (
      select f.id from public.profiles f where f.id in (select a.user_id from asked a) for key share skip locked
    )
    select * from (
      select r.event_id, f.id, null::uuid, f.locale, private.timezone_or_utc(f.timezone), %1$s as in_app, %2$s as email,
        %3$s and exists (select from public.push_subscriptions s where s.user_id = f.id and s.is_active) as push,
        p.quiet_hours_start, p.quiet_hours_end, k.id is null
      from asked r
      join public.profiles f on f.id = r.user_id
      join public.notification_preferences p on p.user_id = f.id
      left join kept k on k.id = f.id) u
    where u.in_app or u.email or u.push$users$, is_on ->> 'in_app', is_on ->> 'email', is_on ->> 'push')
    using event_ids, kind.type;

  return query
    with asked as materialized (
      select distinct e.id as event_id, u.episode_guest_id
      from private.events e cross join lateral jsonb_to_recordset(e.recipients) u (episode_guest_id uuid)
      where e.id = any (event_ids) and e.type = kind.type
    ), kept as materialized (
      select g.id from public.episode_guests g where g.id in (select a.episode_guest_id from asked a)
      for key share skip locked
    )
    select r.event_id, null::uuid, g.id, coalesce(f.locale, p.language), private.timezone_or_utc(f.timezone),
      true, 'email' = any (kind.channels) and not private.is_email_suppressed(d.email, kind.type), false, null::time,
      null::time, k.id is null
    from asked r
    join public.episode_guests g on g.id = r.episode_guest_id
    join public.podcasts p on p.id = g.podcast_id
    join public.podcast_guests d on d.id = g.podcast_guest_id
    left join public.profiles f on f.id = d.user_id
    left join kept k on k.id = g.id;
end $$;
comment on function private.event_recipients is
  'The users and guests that events of one type notify, without those who turned off every channel. Keeps their rows '
  'until the transaction ends, except is_locked ones, which another transaction locked, perhaps to delete them.';
