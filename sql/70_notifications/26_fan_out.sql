-- Fan-out: an event becomes the notifications and deliveries of its recipients, in the transaction of its cause.
create function private.fan_out_events(event_ids bigint[], is_past boolean default false, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  kind public.notification_types;
begin
  for kind in
    select t.* from public.notification_types t
    where t.type in (select e.type from private.events e where e.id = any (event_ids))
    order by t.type
  loop
    if kind.email_delay > interval '0' and not is_past then
      -- one transaction at a time adds to the pending emails of a group, so that two never wait for each other
      perform pg_advisory_xact_lock(hashtextextended('notifications/' || g.group_key, 0))
      from (
        select distinct e.group_key from private.events e
        where e.id = any (event_ids) and e.type = kind.type and e.group_key is not null order by 1) g;
    end if;
    update private.events e set notified_count = c.notified, deduped_count = c.deduped
    from (
      select w.event_id, sum(w.notified) as notified, sum(w.deduped) as deduped
      from (
        select * from private.write_notifications(event_ids, kind, is_past)
        union all
        select * from private.write_address_deliveries(event_ids, kind) where not is_past) w
      group by w.event_id) c
    where e.id = c.event_id;
  end loop;
  update private.events e set processed_at = fan_out_events.at, recipients = null, payload = e.payload - 'params'
  where e.id = any (event_ids);
end $$;
comment on function private.fan_out_events is
  'Writes notifications and deliveries of events, then forgets their recipients. Past events become read notifications '
  'without deliveries.';

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
