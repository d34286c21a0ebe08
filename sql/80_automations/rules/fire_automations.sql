-- Triggers: each occurrence makes one execution per matching rule, in the transaction of its cause.
create function private.fire_automations(
  _trigger_type public.automation_trigger, _podcast_id uuid, _booking_id uuid, _episode_id uuid, _occurrence_key text,
  at timestamptz, only_rule_id uuid default null) returns int
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
      (select private.automation_context(_podcast_id, _booking_id, _episode_id, fire_automations.at)),
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

create function private.fire_confirmed_booking() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
begin
  perform private.fire_automations('booking.confirmed', new.podcast_id, new.id, new.episode_id,
    'booking.confirmed:' || new.id, now());
  return null;
end $$;
create trigger t900_fire_automations after update of status on public.bookings
  for each row when (new.status = 'confirmed' and old.status <> 'confirmed')
  execute function private.fire_confirmed_booking();

-- The first publication counts, as for notifications; imported episodes fire nothing.
create function private.fire_published_episode() returns trigger
language plpgsql security definer  -- callers may not write executions
set search_path = ''
as $$
begin
  perform private.fire_automations('episode.published', new.podcast_id, null, new.id, 'episode.published:' || new.id,
    now());
  return null;
end $$;
create trigger t900_fire_inserted after insert on public.episodes
  for each row when (new.status = 'published' and new.origin = 'app')
  execute function private.fire_published_episode();
create trigger t900_fire_updated after update on public.episodes
  for each row when (new.status = 'published' and old.first_published_at is null and new.origin = 'app')
  execute function private.fire_published_episode();
