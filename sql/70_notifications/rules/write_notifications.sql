-- Writes what the users and guests of events of one type receive: the notification, and a delivery per channel outside
-- the app. Each step is one statement about all recipients, of whom an event may have 20,000, and finds rows by keys
-- alone: a join of steps, of which plans expect one row, would compare each recipient with each.
create type private.notification_text as (title text, body text, link text, metadata jsonb);

create type private.addressee as (
  id uuid, event_id bigint, recipient_id uuid, user_id uuid, episode_guest_id uuid, text_no int, timezone text,
  in_app boolean, email boolean, push boolean, quiet_hours_start time, quiet_hours_end time, is_locked boolean);

create function private.write_notifications(event_ids bigint[], kind public.notification_types, is_past boolean)
returns table (event_id bigint, notified int, deduped int, waiting jsonb)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than a small fan-out, and no plan depends on values
as $$
declare
  texts      private.notification_text[];  -- one per event, language and zone
  addressees private.addressee[];
  notified   private.addressee[];          -- without those who have the dedupe key, or are locked
begin
  with recipient as materialized (
    select r.* from private.event_recipients(event_ids, kind) r
  ), language as materialized (
    select d.locale, private.text_locale_of(d.locale) as language from (select distinct r.locale from recipient r) d
  ), text as materialized (
    select row_number() over ()::int as n, d.event_id, d.language, d.timezone,
      (t.title, t.body, coalesce(e.link, private.notification_link(e.payload)),
        e.payload - '{user_id,actor_id,params}'::text[])::private.notification_text as text
    from (
      select distinct r.event_id, l.language, r.timezone from recipient r join language l on l.locale = r.locale) d
    join private.events e on e.id = d.event_id
    cross join lateral private.notification_texts(e.type, e.payload, d.language, d.timezone, false, false) t
  )
  select (select array_agg(t.text order by t.n) from text t), array_agg((gen_random_uuid(), r.event_id,
    coalesce(r.user_id, r.episode_guest_id), r.user_id, r.episode_guest_id, t.n, r.timezone, r.in_app, r.email, r.push,
    r.quiet_hours_start, r.quiet_hours_end, r.is_locked)::private.addressee)
  into texts, addressees
  from recipient r
  join language l on l.locale = r.locale
  join text t on t.event_id = r.event_id and t.language = l.language 
    and coalesce(t.timezone, '') = coalesce(r.timezone, '');

  if exists (select from private.events e
    where e.id = any (event_ids) and e.dedupe_key is not null and e.scheduled_for is not null) then
    perform private.delete_notifications(array(
      select n.id from unnest(addressees) a
      join private.events e on e.id = a.event_id and e.scheduled_for is not null
      join private.notification_keys k on k.dedupe_key = e.dedupe_key and k.recipient_id = a.recipient_id
      join public.notifications n on n.id = k.notification_id and n.scheduled_for > e.created_at));
  end if;
  insert into private.notification_keys (dedupe_key, recipient_id, notification_id)
  select e.dedupe_key, a.recipient_id, a.id from unnest(addressees) a join private.events e on e.id = a.event_id
  where e.dedupe_key is not null and not a.is_locked
  order by a.recipient_id, a.event_id  -- concurrent transactions write the same keys in the same order
  on conflict on constraint notification_keys_pkey do nothing;

  notified := array(
    select a from unnest(addressees) a join private.events e on e.id = a.event_id
    where not a.is_locked and (e.dedupe_key is null
      or exists (select from private.notification_keys k where k.notification_id = a.id)));

  insert into public.notifications (id, user_id, unlisted_user_id, episode_guest_id, type, category, priority,
    title, body, link, metadata, group_key, scheduled_for, read_at, created_at, updated_at)
  select a.id, case when a.in_app then a.user_id end, case when not a.in_app then a.user_id end, a.episode_guest_id,
    e.type, kind.category, coalesce(e.priority::public.notification_priority, kind.priority), t.title, t.body, t.link,
    t.metadata, e.group_key, e.scheduled_for, case when is_past or not a.in_app then e.created_at end, e.created_at,
    e.created_at
  from unnest(notified) a
  join private.events e on e.id = a.event_id
  cross join lateral (select (texts[a.text_no]).*) t;

  if not is_past then
    perform private.write_deliveries(notified, kind);
  end if;
  return query
    select a.event_id, count(*) filter (where a.is_written)::int,
      count(*) filter (where not a.is_written and not a.is_locked)::int,
      jsonb_agg(jsonb_strip_nulls(jsonb_build_object('user_id', a.user_id, 'episode_guest_id', a.episode_guest_id)))
        filter (where a.is_locked)
    from (
      select n.event_id, n.user_id, n.episode_guest_id, n.is_locked, true as is_written from unnest(notified) n
      union all
      select o.event_id, o.user_id, o.episode_guest_id, o.is_locked, false from unnest(addressees) o
      where o.is_locked
      union all
      select o.event_id, null, null, false, false from (
        select u.event_id, u.id from unnest(addressees) u where not u.is_locked
        except all select u.event_id, u.id from unnest(notified) u) o) a
    group by a.event_id;
end $$;
comment on function private.write_notifications is
  'Writes notifications and deliveries of users and guests for events of one type. Past events become read '
  'notifications without deliveries. Locked recipients receive nothing yet: they are `waiting`. A scheduled event '
  'replaces the notifications with its dedupe key that are not due.';

create function private.write_deliveries(notified private.addressee[], kind public.notification_types) returns void
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- as above
as $$
begin
  with delivery as materialized (
    select a.*, e.group_key, e.created_at, c.channel, c.due_at,
      coalesce(e.priority::public.notification_priority, kind.priority) as priority,
      case when kind.collapses then private.collapse_key(e.group_key, a.recipient_id, c.channel) end as collapse_key
    from unnest(notified) a
    join private.events e on e.id = a.event_id
    cross join lateral (select greatest(e.created_at, e.scheduled_for) as at) due
    cross join lateral (
      values ('email'::public.notification_channel, a.email, due.at + greatest(kind.email_delay, (
          select b.delay from private.email_backoffs b  -- until it is read, which one without a row in the app is not
          where a.in_app and b.recipient_id = a.recipient_id and b.group_key = e.group_key))),
        ('push', a.push, case when a.quiet_hours_start is null
            or kind.passes_quiet_hours and coalesce(e.priority, kind.priority::text) = 'immediate' then due.at
          else coalesce(private.end_of_quiet_hours(due.at, coalesce(a.timezone, 'UTC'), a.quiet_hours_start,
            a.quiet_hours_end), due.at) end)
    ) c (channel, is_wanted, due_at)
    where c.is_wanted
  ), sent_alone as (
    insert into public.notification_deliveries (notification_id, user_id, episode_guest_id, type, channel, priority,
      group_key, due_at, created_at)
    select d.id, d.user_id, d.episode_guest_id, kind.type, d.channel, d.priority, d.group_key, d.due_at, d.created_at
    from delivery d where d.collapse_key is null
  )
  insert into public.notification_deliveries as o (user_id, episode_guest_id, type, channel, priority, group_key,
    collapse_key, due_at, created_at)
  select distinct on (d.collapse_key) d.user_id, d.episode_guest_id, kind.type, d.channel, d.priority, d.group_key,
    d.collapse_key, d.due_at, d.created_at
  from delivery d where d.collapse_key is not null
  order by d.collapse_key, d.event_id
  on conflict (collapse_key) where status = 'pending' do update set  -- locks it against the scheduler
    due_at = least(o.due_at, excluded.due_at), priority = greatest(o.priority, excluded.priority),
    type = case when excluded.priority > o.priority then excluded.type else o.type end;

  if kind.collapses then
    insert into private.collapsed_notifications (notification_id, delivery_id)
    select a.id, d.id
    from unnest(notified) a
    join private.events e on e.id = a.event_id
    cross join lateral (
      values ('email'::public.notification_channel, a.email), ('push', a.push)) c (channel, is_wanted)
    join public.notification_deliveries d on d.status = 'pending'
      and d.collapse_key = private.collapse_key(e.group_key, a.recipient_id, c.channel)
    where c.is_wanted;
  end if;
end $$;
comment on function private.write_deliveries is
  'Part of write_notifications: an email and a push for those who want them, or a place in one that waits.';

create function private.collapse_key(group_key text, recipient_id uuid, channel public.notification_channel)
returns text
language sql immutable parallel safe security invoker set search_path = ''
return $1 || '/' || $2 || case $3 when 'push' then '/push' else '' end;
comment on function private.collapse_key is
  'The key under which a delivery that waits takes further notifications of a group; null without a group.';
