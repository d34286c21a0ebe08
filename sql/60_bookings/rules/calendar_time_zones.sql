-- The zone in which all-day events of a user's calendars are read, if the calendars name none.
create function private.calendar_time_zone(_user_id uuid) returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce(f.timezone, (
    select l.timezone from public.podcast_members m
    join public.booking_links l on l.podcast_id = m.podcast_id
    where m.user_id = f.id and m.role >= 'admin' order by l.is_active desc, l.created_at, l.id limit 1))
  from public.profiles f where f.id = $1
$$;
comment on function private.calendar_time_zone is
  'The zone that a user has set, or that of the oldest active booking link of which the user is a host, or of the '
  'oldest one. Null if there is neither.';
-- No grant: functions of the service call it.

-- After: all-day events are other hours in another zone. A page view reads calendars once a minute in any case; the
-- worker, which would come minutes later, reads them when a page view would.
create function private.expedite_calendar_reads(user_ids uuid[]) returns void
language sql volatile security invoker set search_path = ''
as $$
  with expedited as (
    select b.calendar_id from private.calendar_busy b
    join public.connected_calendars c on c.id = b.calendar_id
    where c.user_id = any ($1) and c.is_selected and b.failures = 0 and b.due_at > b.stale_at
    order by b.calendar_id for no key update of b
  )
  update private.calendar_busy b set due_at = b.stale_at from expedited e where b.calendar_id = e.calendar_id
$$;
comment on function private.expedite_calendar_reads is
  'Makes the calendars of users due as soon as their last readings are stale. Failing calendars keep their backoff.';

create function private.expedite_reads_of_profile() returns trigger
language plpgsql security definer  -- clients may not write readings
set search_path = ''
as $$
begin
  perform private.expedite_calendar_reads(array[new.id]);
  return null;
end $$;
comment on function private.expedite_reads_of_profile is 'Trigger: another zone of a user changes all-day events.';
create trigger t500_expedite_reads after update of timezone on public.profiles
  for each row when (old.timezone is distinct from new.timezone)
  execute function private.expedite_reads_of_profile();

create function private.expedite_reads_of_hosts() returns trigger
language plpgsql security definer  -- clients may not write readings
set search_path = ''
as $$
begin
  perform private.expedite_calendar_reads(array(
    select m.user_id from public.podcast_members m join public.profiles f on f.id = m.user_id and f.timezone is null
    where m.podcast_id = coalesce(new.podcast_id, old.podcast_id) and m.role >= 'admin'));
  return null;
end $$;
comment on function private.expedite_reads_of_hosts is
  'Trigger: a link can decide the zone of hosts who set none.';
create trigger t500_expedite_reads after insert or delete on public.booking_links
  for each row execute function private.expedite_reads_of_hosts();
create trigger t501_expedite_reads_of_change after update of timezone, is_active on public.booking_links
  for each row when ((old.timezone, old.is_active) is distinct from (new.timezone, new.is_active))
  execute function private.expedite_reads_of_hosts();
