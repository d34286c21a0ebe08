-- Triggers: each occurrence makes one execution per matching rule, in the transaction of its cause.
create function private.fire_automations(
  _trigger_type public.automation_trigger, _podcast_id uuid, _booking_id uuid, _episode_id uuid, _occurrence_key text,
  at timestamptz, only_rule_id uuid default null, _episode_guest_id uuid default null, _import_id uuid default null,
  _previous_start timestamptz default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  link_id constant uuid := (select b.booking_link_id from public.bookings b where b.id = _booking_id);
  fired   int;
begin
  with matching as (
    select r.* from public.automation_rules r
    where r.podcast_id = _podcast_id and r.trigger_type = _trigger_type
      and r.is_enabled and not r.is_paused
      and (only_rule_id is null or r.id = only_rule_id)
      and (not r.trigger_config ? 'booking_link_id' or (r.trigger_config ->> 'booking_link_id')::uuid = link_id)
    order by r.id
    for key share of r  -- a deletion that runs ends first
  ), fired as (
    insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_key,
      context_data, created_at)
    select m.podcast_id, m.id, m.name, m.trigger_type, _occurrence_key,
      -- computed once, and only if there is a rule
      (select private.automation_context(_podcast_id, _booking_id, _episode_id, fire_automations.at,
        _episode_guest_id, _import_id, _previous_start)),
      fire_automations.at
    from matching m
    on conflict on constraint rule_runs_once_per_occurrence do nothing
    returning automation_executions.id)
  select count(private.enqueue_execution(f.id, _podcast_id)) into fired from fired f;
  return fired;
end $$;
comment on function private.fire_automations is
  'Enqueues an execution of each rule that an occurrence matches, once per rule and occurrence_key. Returns how many.';

create function private.enqueue_execution(
  execution_id uuid, podcast_id uuid, delay_seconds int default 0, at timestamptz default clock_timestamp())
returns bigint
language sql volatile security invoker set search_path = ''
return private.enqueue('automation_runs',
  jsonb_build_object('podcast_id', podcast_id, 'execution_id', execution_id), delay_seconds, at);
comment on function private.enqueue_execution is 'Enqueues {podcast_id, execution_id} for automation_runs.';

-- A request fires when the hosts are told of it: daily limits keep strangers from making them many.
create function private.fire_changed_booking() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
declare
  trigger_type constant public.automation_trigger := tg_argv[0];
  is_moved     constant boolean := trigger_type = 'booking.rescheduled';
begin
  perform private.fire_automations(trigger_type, new.podcast_id, new.id, new.episode_id,
    concat_ws(':', trigger_type, new.id, case when is_moved then new.sequence end), now(),
    _previous_start => case when is_moved then old.start_time end);
  return null;
end $$;
create trigger t900_fire_requested after update of hosts_told_at on public.bookings
  for each row when (old.hosts_told_at is null and new.hosts_told_at is not null)
  execute function private.fire_changed_booking('booking.requested');
create trigger t900_fire_confirmed after update of status on public.bookings
  for each row when (new.status = 'confirmed' and old.status <> 'confirmed')
  execute function private.fire_changed_booking('booking.confirmed');
create trigger t900_fire_declined after update of status on public.bookings
  for each row when (new.status = 'declined' and old.status <> 'declined')
  execute function private.fire_changed_booking('booking.declined');
-- Nothing is reported of a request that no host knew of, unless a host ends it.
create trigger t900_fire_cancelled after update of status on public.bookings
  for each row when (new.status = 'cancelled' and old.status <> 'cancelled'
    and (old.status = 'confirmed' or new.hosts_told_at is not null or new.cancelled_by = 'host'))
  execute function private.fire_changed_booking('booking.cancelled');
create trigger t900_fire_rescheduled after update of start_time on public.bookings
  for each row when (new.start_time <> old.start_time
    and (new.status = 'confirmed' or new.status = 'pending' and new.hosts_told_at is not null))
  execute function private.fire_changed_booking('booking.rescheduled');

-- Once per invitation: guests can decline and accept in a loop.
create function private.fire_accepted_guest() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
begin
  perform private.fire_automations('guest.accepted', new.podcast_id, null, new.episode_id,
    format('guest.accepted:%s:%s', new.id, private.format_timestamp(new.invited_at)), now(),
    _episode_guest_id => new.id);
  return null;
end $$;
create trigger t900_fire_inserted after insert on public.episode_guests
  for each row when (new.status = 'active') execute function private.fire_accepted_guest();
create trigger t900_fire_updated after update of status on public.episode_guests
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function private.fire_accepted_guest();

-- The first publication counts, as for notifications, and each scheduled time; imported episodes fire nothing.
create function private.fire_episode() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
declare
  trigger_type constant public.automation_trigger := 'episode.' || new.status;
begin
  perform private.fire_automations(trigger_type, new.podcast_id, null, new.id, concat_ws(':', trigger_type, new.id,
    case new.status when 'scheduled' then private.format_timestamp(new.scheduled_at) end), now());
  return null;
end $$;
create trigger t900_fire_inserted after insert on public.episodes
  for each row when (new.status in ('scheduled', 'published') and new.origin = 'app')
  execute function private.fire_episode();
create trigger t900_fire_published after update on public.episodes
  for each row when (new.status = 'published' and old.first_published_at is null and new.origin = 'app')
  execute function private.fire_episode();
create trigger t900_fire_scheduled after update of status, scheduled_at on public.episodes
  for each row when (new.status = 'scheduled' and new.origin = 'app'
    and (old.status <> 'scheduled' or old.scheduled_at is distinct from new.scheduled_at))
  execute function private.fire_episode();

-- An import can be continued, and completes again then.
create function private.fire_completed_import() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
begin
  perform private.fire_automations('import.completed', new.podcast_id, null, null,
    format('import.completed:%s:%s', new.id, private.format_timestamp(new.finished_at)), now(),
    _import_id => new.id);
  return null;
end $$;
create trigger t900_fire_completed after update on public.podcast_imports
  for each row when (new.status in ('completed', 'partial') and old.status <> new.status)
  execute function private.fire_completed_import();
