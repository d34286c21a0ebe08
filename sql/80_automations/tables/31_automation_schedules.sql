-- Schedules of rules with a trigger time.*: one row per rule and confirmed booking for which the rule is yet to run.
create table private.automation_schedules (
  rule_id    uuid not null references public.automation_rules on delete cascade,
  booking_id uuid not null references public.bookings on delete cascade,
  due_at     timestamptz not null,
  primary key (rule_id, booking_id)
);
comment on table private.automation_schedules is
  'When each rule runs before or after each recording. Triggers keep it in step with bookings and rules.';
create index automation_schedules_booking_id_idx on private.automation_schedules (booking_id);
create index automation_schedules_due_at_idx on private.automation_schedules (due_at);
alter table private.automation_schedules enable row level security;
-- No policy, no grant.

create function private.automation_due_at(
  trigger_type public.automation_trigger, trigger_config jsonb, start_time timestamptz, end_time timestamptz)
returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return case $1
  when 'time.before_recording' then $3 - make_interval(mins => ($2 ->> 'offset_minutes')::int)
  when 'time.after_recording' then $4 + make_interval(mins => ($2 ->> 'offset_minutes')::int) end;
comment on function private.automation_due_at is
  'When a rule runs for a recording: so many minutes before its start, or after its end. Null for other triggers.';

create function private.sync_automation_schedules(
  _podcast_id uuid, only_rule_id uuid, only_booking_id uuid, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- one writer per podcast: a rule and a booking that change at the same time would not see each other
  perform pg_advisory_xact_lock(hashtextextended('automation-schedules/' || _podcast_id, 0));
  with wanted as materialized (
    select r.id as rule_id, b.id as booking_id,
      private.automation_due_at(r.trigger_type, r.trigger_config, b.start_time, b.end_time) as due_at
    from public.automation_rules r join public.bookings b on b.podcast_id = r.podcast_id
    where r.podcast_id = _podcast_id and r.trigger_type in ('time.before_recording', 'time.after_recording')
      and r.is_enabled and not r.is_paused and b.status = 'confirmed'
      -- after a recording: its length of at most twelve hours, the offset, and a day in which what is due may wait
      and b.start_time > at - case r.trigger_type when 'time.before_recording' then interval '0'
        else make_interval(hours => 36, mins => (r.trigger_config ->> 'offset_minutes')::int) end
      and (only_rule_id is null or r.id = only_rule_id) and (only_booking_id is null or b.id = only_booking_id)
      and (not r.trigger_config ? 'booking_link_id'
        or (r.trigger_config ->> 'booking_link_id')::uuid = b.booking_link_id)
    for key share of r, b  -- a deletion that runs ends first
  ), outdated as (
    delete from private.automation_schedules s
    where (s.rule_id = only_rule_id or s.booking_id = only_booking_id)
      and not exists (
        select from wanted w where (w.rule_id, w.booking_id, w.due_at) = (s.rule_id, s.booking_id, s.due_at))
      and not exists (  -- updated below
        select from wanted w where (w.rule_id, w.booking_id) = (s.rule_id, s.booking_id)
          and w.due_at > at)
  )
  insert into private.automation_schedules as s (rule_id, booking_id, due_at)
  select w.rule_id, w.booking_id, w.due_at from wanted w
  where w.due_at > at  -- what is past already does not run late
  order by w.rule_id, w.booking_id
  on conflict on constraint automation_schedules_pkey do update set due_at = excluded.due_at
    where s.due_at <> excluded.due_at;
end $$;
comment on function private.sync_automation_schedules is
  'Makes the schedules of a rule, or of a booking, agree with both: a row for each confirmed recording for which the '
  'rule''s time has not passed. One that is due and unchanged stays.';

create function private.sync_schedules_of_booking() returns trigger
language plpgsql security definer  -- callers may not write schedules
set search_path = ''
as $$
begin
  perform private.sync_automation_schedules(new.podcast_id, null, new.id, now());
  return null;
end $$;
create trigger t900_sync_schedules after update of status, start_time, booking_link_id on public.bookings
  for each row when ('confirmed' in (old.status, new.status)) execute function private.sync_schedules_of_booking();

create function private.sync_schedules_of_rule() returns trigger
language plpgsql security definer  -- callers may not write schedules
set search_path = ''
as $$
begin
  perform private.sync_automation_schedules(new.podcast_id, new.id, null, now());
  return null;
end $$;
create trigger t900_sync_new after insert on public.automation_rules
  for each row when (new.trigger_type in ('time.before_recording', 'time.after_recording'))
  execute function private.sync_schedules_of_rule();
create trigger t900_sync_changed
  after update of trigger_type, trigger_config, is_enabled, is_paused, author_id on public.automation_rules
  for each row when (array[old.trigger_type, new.trigger_type]
      && '{time.before_recording,time.after_recording}'::public.automation_trigger[]
    and (old.trigger_type <> new.trigger_type or old.trigger_config <> new.trigger_config
      or old.is_enabled <> new.is_enabled or old.is_paused <> new.is_paused))
  execute function private.sync_schedules_of_rule();

create function private.start_due_automations(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  due     record;
  started int := 0;
begin
  for due in
    with taken as (
      delete from private.automation_schedules s
      where s.ctid = any (array(
        select d.ctid from private.automation_schedules d join public.automation_rules r on r.id = d.rule_id
        join public.podcasts p on p.id = r.podcast_id
        where d.due_at <= at
        order by d.due_at limit 500
        for update of d skip locked
        for key share of r, p skip locked))  -- waiting for a deletion of either could end in a deadlock
      returning s.rule_id, s.booking_id)
    select t.rule_id, r.trigger_type, b.id as booking_id, b.podcast_id, b.episode_id, b.start_time
    from taken t join public.automation_rules r on r.id = t.rule_id join public.bookings b on b.id = t.booking_id
    order by b.podcast_id, t.rule_id
  loop
    begin
      started := started + private.fire_automations(due.trigger_type, due.podcast_id, due.booking_id,
        due.episode_id, format('%s:%s:%s', due.trigger_type, due.booking_id,
          private.format_timestamp(due.start_time)), at, due.rule_id);
    exception when others then  -- does not stop the others
      raise warning 'castbase: rule % does not start for booking %: %', due.rule_id, due.booking_id, sqlerrm;
      insert into private.automation_schedules (rule_id, booking_id, due_at)
      values (due.rule_id, due.booking_id, at + interval '5 minutes') on conflict do nothing;
    end;
  end loop;
  return started;
end $$;
comment on function private.start_due_automations is
  'Starts the automations that are due before or after a recording, at most 500 per run. Each occurrence, a booking at '
  'one time, runs a rule once, regardless of how many schedulers run. Cron calls it every ten seconds. Returns how '
  'many.';
