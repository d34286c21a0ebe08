-- Fan-out: an event becomes the notifications and deliveries of its recipients, in the transaction of its cause.
create function private.fan_out_events(event_ids bigint[], is_past boolean default false, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  kind         public.notification_types;
  to_people    bigint[];
  to_addresses bigint[];
begin
  for kind in
    select t.* from public.notification_types t
    where t.type in (select e.type from private.events e where e.id = any (event_ids))
    order by t.type
  loop
    if kind.collapses and not is_past then
      -- one transaction at a time adds to the pending deliveries of a group, so that two never wait for each other
      perform pg_advisory_xact_lock(hashtextextended('notifications/' || g.group_key, 0))
      from (
        select distinct e.group_key from private.events e
        where e.id = any (event_ids) and e.type = kind.type and e.group_key is not null order by 1) g;
    end if;
    select array_agg(e.id) filter (where e.recipients @? '$[*] ? (exists (@.user_id) || exists (@.episode_guest_id))'),
      array_agg(e.id) filter (where e.recipients @? '$[*].email' and not is_past)
    into to_people, to_addresses
    from private.events e where e.id = any (event_ids) and e.type = kind.type;
    with written as materialized (
      select w.event_id, w.notified, w.deduped, 0 as invalid, w.waiting
      from private.write_notifications(to_people, kind, is_past) w where to_people is not null
      union all
      select a.event_id, a.notified, a.deduped, a.invalid, null
      from private.write_address_deliveries(to_addresses, kind) a where to_addresses is not null
    )
    update private.events e set notified_count = e.notified_count + c.notified,
      deduped_count = e.deduped_count + c.deduped, invalid_count = e.invalid_count + c.invalid,
      recipients = c.waiting, processed_at = case when c.waiting is null then at end,
      payload = case when c.waiting is null then e.payload - 'params' else e.payload end
    from (
      select o.id, coalesce(sum(w.notified), 0) as notified, coalesce(sum(w.deduped), 0) as deduped,
        coalesce(sum(w.invalid), 0) as invalid,
        (array_agg(w.waiting) filter (where w.waiting is not null and not is_past))[1] as waiting
      from private.events o left join written w on w.event_id = o.id
      where o.id = any (event_ids) and o.type = kind.type
      group by o.id) c
    where e.id = c.id;
  end loop;
end $$;
comment on function private.fan_out_events is
  'Writes notifications and deliveries of events, then forgets their recipients, except those whom another transaction '
  'locked. Past events become read notifications without deliveries.';

create function private.fan_out_new_events() returns trigger
language plpgsql security definer  -- the callers of notify have no grants on notifications
set search_path = ''
as $$
declare
  unknown text := (
    select e.type from new_events e
    where not exists (select from public.notification_types t where t.type = e.type) limit 1);
begin
  if unknown is not null then
    raise foreign_key_violation using
      message = format('Notification type %L is not in the catalogue; add it to install_notification_types', unknown);
  end if;
  perform private.fan_out_events(array(select e.id from new_events e));
  return null;
end $$;
create trigger t900_fan_out after insert on private.events
  referencing new table as new_events for each statement execute function private.fan_out_new_events();

create function private.has_subject(payload jsonb) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select ($1 ? 'podcast_title' or $1 ->> 'podcast_id' is null
      or exists (select from public.podcasts p where p.id = ($1 ->> 'podcast_id')::uuid))
    and ($1 ->> 'episode_id' is null
      or exists (select from public.episodes e where e.id = ($1 ->> 'episode_id')::uuid))
    and ($1 ->> 'message_id' is null or exists (
      select from public.episode_messages m where m.id = ($1 ->> 'message_id')::uuid and m.deleted_at is null))
$$;
comment on function private.has_subject is
  'Whether podcast, episode and message of an event still exist. An event that has the podcast''s title outlives it.';

create function private.fan_out_waiting_events(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event_ids bigint[];
  event_id  bigint;
begin
  event_ids := array(
    with waiting as materialized (
      select e.id, (e.payload ->> 'message_id')::uuid as message_id from private.events e
      where e.processed_at is null and e.recipients is not null
      order by e.last_error is not null, e.id limit 1000 for update skip locked
    ), kept as materialized (  -- their deletion waits, so that it finds the notifications
      select m.id from public.episode_messages m where m.id in (select w.message_id from waiting w)
      for share skip locked
    )
    select w.id from waiting w
    where w.message_id is null or w.message_id in (select k.id from kept k)
      or not exists (select from public.episode_messages m where m.id = w.message_id));
  -- by group, because others lock pending emails in this order
  for event_id in select e.id from private.events e where e.id = any (event_ids) order by e.group_key, e.id loop
    begin
      update private.events e set last_error = null,
        recipients = case when private.has_subject(e.payload) then e.recipients else '[]' end
      where e.id = event_id;
      perform private.fan_out_events(array[event_id], at => at);
    exception when others then  -- does not stop the other events
      update private.events e set last_error = left(sqlerrm, 1000) where e.id = event_id;
    end;
  end loop;
  update private.events e set recipients = null, payload = e.payload - 'params', processed_at = at
  where e.id = any (event_ids) and e.last_error is not null
    and e.created_at <= at - interval '1 day';
  return cardinality(event_ids);
end $$;
comment on function private.fan_out_waiting_events is
  'Notifies recipients who were locked when their event was recorded, unless they or its subject were deleted '
  'meanwhile. An event whose message is locked, perhaps to delete it, waits for the next call, as does one whose '
  'fan-out fails: for a day, then it keeps its last_error and notifies no one. Cron calls it every 10 seconds. '
  'Returns how many events it tried.';
