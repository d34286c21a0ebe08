-- Writes what the users and guests of events of one type receive: the notification, and a delivery per channel outside
-- the app. Set-based, because an event may have 20,000 recipients.
create function private.write_notifications(event_ids bigint[], kind public.notification_types, is_past boolean)
returns table (event_id bigint, notified int, deduped int, waiting jsonb)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than a small fan-out, and no plan depends on values
set enable_nestloop = off  -- plans expect one row of each step: 20,000 recipients, or 1,000 events, would take minutes
set jit = off  -- a plan that has no other join costs so much on paper that it would be compiled
as $$
begin
  return query
  with recipient as materialized (
    select r.*, gen_random_uuid() as id, coalesce(r.user_id, r.episode_guest_id) as recipient_id
    from private.event_recipients(event_ids, kind) r
  ), language as materialized (
    select d.locale, private.text_locale_of(d.locale) as language from (select distinct r.locale from recipient r) d
  ), event as materialized (
    select e.id, e.type, e.payload, e.payload - '{user_id,actor_id,params}'::text[] as metadata,
      coalesce(e.link, private.notification_link(e.payload)) as link,
      coalesce(e.priority::public.notification_priority, kind.priority) as priority,
      e.group_key, e.dedupe_key, e.scheduled_for, e.created_at,
      greatest(e.created_at, e.scheduled_for) as due_at,
      case when kind.collapses then e.group_key end as collapse_group
    from private.events e where e.id = any (event_ids) and e.type = kind.type
  ), texts as materialized (
    select d.event_id, d.language, d.timezone, t.title, t.body
    from (
      select distinct r.event_id, l.language, r.timezone from recipient r join language l on l.locale = r.locale) d
    join event e on e.id = d.event_id
    cross join lateral private.notification_texts(e.type, e.payload, d.language, d.timezone, false, false) t
  ), keyed as (
    insert into private.notification_keys as k (dedupe_key, recipient_id, notification_id)
    select e.dedupe_key, r.recipient_id, r.id from recipient r join event e on e.id = r.event_id
    where e.dedupe_key is not null and not r.is_locked
    order by r.recipient_id, r.event_id  -- concurrent transactions write the same keys in the same order
    on conflict on constraint notification_keys_pkey do nothing
    returning k.notification_id
  ), written as (
    insert into public.notifications as n (id, user_id, unlisted_user_id, episode_guest_id, type, category, priority,
      title, body, link, metadata, group_key, scheduled_for, read_at, created_at, updated_at)
    select r.id, case when r.in_app then r.user_id end, case when not r.in_app then r.user_id end, r.episode_guest_id,
      e.type, kind.category, e.priority, t.title, t.body, e.link, e.metadata, e.group_key, e.scheduled_for,
      case when is_past or not r.in_app then e.created_at end, e.created_at, e.created_at
    from recipient r
    join language l on l.locale = r.locale
    join event e on e.id = r.event_id
    join texts t on t.event_id = r.event_id and t.language = l.language and t.timezone = r.timezone
    where not r.is_locked and (e.dedupe_key is null or r.id in (select k.notification_id from keyed k))
    returning n.id
  ), delivery as materialized (
    select r.*, e.type, e.priority, e.group_key, e.created_at, c.channel, c.due_at,
      e.collapse_group || '/' || r.recipient_id || case c.channel when 'push' then '/push' else '' end as collapse_key
    from written w join recipient r on r.id = w.id join event e on e.id = r.event_id
    cross join lateral (
      values ('email'::public.notification_channel, r.email, e.due_at + greatest(kind.email_delay, (
          select b.delay from private.email_backoffs b
          where b.recipient_id = r.recipient_id and b.group_key = e.collapse_group))),
        ('push', r.push, case when r.quiet_hours_start is null
            or kind.passes_quiet_hours and e.priority = 'immediate' then e.due_at
          else coalesce(private.end_of_quiet_hours(e.due_at, r.timezone, r.quiet_hours_start, r.quiet_hours_end),
            e.due_at) end)
    ) c (channel, is_wanted, due_at)
    where not is_past and c.is_wanted
  ), sent_alone as (
    insert into public.notification_deliveries (notification_id, user_id, episode_guest_id, type, channel, priority,
      group_key, due_at, created_at)
    select d.id, d.user_id, d.episode_guest_id, d.type, d.channel, d.priority, d.group_key, d.due_at, d.created_at
    from delivery d where d.collapse_key is null
  ), collapsed as (
    insert into public.notification_deliveries as o (user_id, episode_guest_id, type, channel, priority, group_key,
      collapse_key, due_at, created_at)
    select distinct on (d.collapse_key) d.user_id, d.episode_guest_id, d.type, d.channel, d.priority, d.group_key,
      d.collapse_key, d.due_at, d.created_at
    from delivery d where d.collapse_key is not null
    order by d.collapse_key, d.event_id
    on conflict (collapse_key) where status = 'pending' do update set  -- locks it against the scheduler
      due_at = least(o.due_at, excluded.due_at), priority = greatest(o.priority, excluded.priority),
      type = case when excluded.priority > o.priority then excluded.type else o.type end
    returning o.id, o.collapse_key
  ), listed as (
    insert into private.collapsed_notifications (notification_id, delivery_id)
    select d.id, c.id from delivery d join collapsed c on c.collapse_key = d.collapse_key
  )
  select r.event_id, count(w.id)::int, (count(*) filter (where not r.is_locked) - count(w.id))::int,
    jsonb_agg(jsonb_strip_nulls(jsonb_build_object('user_id', r.user_id, 'episode_guest_id', r.episode_guest_id)))
      filter (where r.is_locked)
  from recipient r left join written w on w.id = r.id
  group by r.event_id;
end $$;
comment on function private.write_notifications is
  'Writes notifications and deliveries of users and guests for events of one type. Past events become read '
  'notifications without deliveries. Locked recipients receive nothing yet: they are `waiting`.';
