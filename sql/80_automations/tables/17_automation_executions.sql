-- Executions: what each occurrence of a trigger made a rule do.
create type public.automation_execution_status as enum ('pending', 'running', 'completed', 'failed', 'canceled');

create table public.automation_executions (
  id              uuid primary key default gen_random_uuid(),
  podcast_id      uuid not null references public.podcasts on delete cascade,
  rule_id         uuid references public.automation_rules on delete set null,  -- null: the rule was deleted
  rule_name       text not null,                    -- when the trigger fired
  trigger_type    public.automation_trigger not null,
  occurrence_key  text,                             -- of the trigger; null: of a retry
  occurrence_id   uuid not null default gen_random_uuid(),  -- by which receivers recognize a repeated action
  retry_of_id     uuid references public.automation_executions on delete set null,
  test_action_id  uuid,                             -- of a test: the only action that runs; it can be deleted
  status          public.automation_execution_status not null default 'pending',
  context_data    jsonb not null,                   -- {podcast_id, episode_id, booking_id, timezone, tags}; of a test
                                                    -- also tested_by, and is_sample without an occurrence
  action_results  jsonb not null default '[]',      -- [{action_id, action_type, status, result}]
  error_message   text,
  started_at      timestamptz,
  completed_at    timestamptz,
  next_attempt_at timestamptz,                      -- of one that waits for an hourly limit: its turn
  waits_for       public.automation_action_type,    -- the type of action whose limit that is
  waits_for_units int,                              -- how much of a limit it asked for last
  held_until      timestamptz,                      -- while the rule is paused: then it is canceled
  resumed_at      timestamptz,                      -- when a pause ended: waits for limits count from then
  created_at      timestamptz not null default now(),
  is_test         boolean not null generated always as (test_action_id is not null) stored,
  -- of a completed one; an email that is canceled when it is sent changes it
  outcome         text generated always as (case when status = 'completed' then case
    when action_results @> '[{"status": "completed"}]' then 'done' else 'nothing_to_do' end end) stored,
  outcome_reason  text generated always as (case  -- why nothing was to do
    when status = 'completed' and not action_results @> '[{"status": "completed"}]' then left(coalesce(
      action_results #>> '{0,result,reason}', case when test_action_id is not null
        then 'The action was deleted or changed' else 'The rule has no actions' end), 1000) end) stored,
  -- for filters
  booking_id      uuid generated always as ((context_data ->> 'booking_id')::uuid) stored,
  episode_id      uuid generated always as ((context_data ->> 'episode_id')::uuid) stored,
  guest_email     text generated always as (context_data #>> '{tags,guest_email}') stored,
  constraint rule_runs_once_per_occurrence unique (rule_id, occurrence_key),
  constraint only_ended_has_completed_at
    check ((status in ('completed', 'failed', 'canceled')) = (completed_at is not null)),
  constraint failed_has_error_message check (status not in ('failed', 'canceled') or error_message is not null),
  constraint only_open_has_next_attempt check (next_attempt_at is null or status in ('pending', 'running')),
  constraint only_open_waits check (waits_for is null or status in ('pending', 'running')),
  constraint only_open_is_held check (held_until is null or status in ('pending', 'running')),
  constraint test_has_tester check (test_action_id is null or context_data ? 'tested_by'),
  constraint action_results_are_an_array check (jsonb_typeof(action_results) = 'array')
);
comment on table public.automation_executions is
  'Executions of automation rules. Admins read them; triggers, retry_automation_execution and the worker write them.';
comment on constraint action_results_are_an_array on public.automation_executions is
  'The results must be a list with one entry per action';
comment on constraint failed_has_error_message on public.automation_executions is
  'A failed or canceled execution must have an error message';
comment on constraint only_ended_has_completed_at on public.automation_executions is
  'Only an execution that has ended has a time of completion';
comment on constraint only_open_is_held on public.automation_executions is
  'Only an execution that has not ended can wait for its rule';
comment on constraint only_open_has_next_attempt on public.automation_executions is
  'Only an execution that has not ended has a next attempt';
comment on constraint only_open_waits on public.automation_executions is
  'Only an execution that has not ended waits for a limit';
comment on constraint rule_runs_once_per_occurrence on public.automation_executions is
  'The rule has run for this occurrence';
comment on constraint test_has_tester on public.automation_executions is
  'A test must name the user who asked for it';
create unique index automation_executions_retry_of_id_idx on public.automation_executions (retry_of_id)
  where retry_of_id is not null;  -- an execution is retried once
create index automation_executions_podcast_id_idx
  on public.automation_executions (podcast_id, created_at desc, id desc);
create index automation_executions_rule_id_idx on public.automation_executions (rule_id, created_at desc, id desc)
  include (status);
create index automation_executions_status_idx
  on public.automation_executions (podcast_id, status, created_at desc, id desc);
create index automation_executions_waits_for_idx
  on public.automation_executions (podcast_id, waits_for, next_attempt_at) where waits_for is not null;
create index automation_executions_booking_id_idx on public.automation_executions (booking_id)
  where booking_id is not null;
create index automation_executions_episode_id_idx on public.automation_executions (episode_id)
  where episode_id is not null;
create index automation_executions_guest_email_idx
  on public.automation_executions (guest_email, podcast_id, created_at desc, id desc) where guest_email is not null;
create index automation_executions_open_idx on public.automation_executions (rule_id)
  where status in ('pending', 'running');
create index automation_executions_held_idx on public.automation_executions (rule_id, held_until)
  where held_until is not null;
create index automation_executions_created_at_idx on public.automation_executions using brin (created_at);

-- Who
alter table public.automation_executions enable row level security;
create policy admins_read on public.automation_executions for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.automation_executions to authenticated, service_role;
-- No write grants: an execution is a record of what happened.

-- Always
create trigger t310_guard_status before update of status on public.automation_executions
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('An execution',
    'pending: running completed failed canceled', 'running: pending completed failed canceled');

-- The lock of the limits makes these wait for the runs of the podcast: a run sees the rule as it is now, or what it
-- wrote is seen here.
create function private.cancel_open_executions(rule public.automation_rules, reason text, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  canceled public.automation_executions;
begin
  perform private.lock_automation_limits(rule.podcast_id);
  -- first all executions, then all their webhooks: the update would lock each execution before its webhooks
  perform from public.automation_executions e
  where e.rule_id = rule.id and e.status in ('pending', 'running') and not e.is_test order by e.id for no key update;
  perform private.end_wait_of_webhooks(array(
    select a.id from public.automation_actions a where a.rule_id = rule.id and a.action_type = 'send_webhook'),
    null, at);
  with ended as (
    update public.automation_executions e set status = 'canceled', completed_at = at, next_attempt_at = null,
      waits_for = null, held_until = null, error_message = reason,
      action_results = private.skip_limited_results(e.action_results, reason)
    where e.rule_id = rule.id and e.status in ('pending', 'running')
      and not e.is_test  -- a disabled rule can be tested
    returning e.*)
  select e.* into canceled from ended e order by e.created_at desc, e.id limit 1;
  if found then
    perform private.notify_of_ended_execution(canceled, auth.uid(), at);
  end if;
end $$;
comment on function private.cancel_open_executions is
  'Cancels the executions of a rule that have not ended. The admins are notified, except the user who did it.';

create function private.cancel_executions_of_rule() returns trigger
language plpgsql security definer  -- admins may not write executions
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.cancel_open_executions(old, 'The rule was deleted', now());
    return old;
  end if;
  perform private.cancel_open_executions(new, 'The rule was disabled', now());
  return null;
end $$;
create trigger t900_cancel_executions before delete on public.automation_rules
  for each row when (pg_trigger_depth() = 0)  -- a deleted podcast deletes them
  execute function private.cancel_executions_of_rule();
create trigger t900_cancel_executions_of_disabled after update of is_enabled on public.automation_rules
  for each row when (old.is_enabled and not new.is_enabled) execute function private.cancel_executions_of_rule();

create function private.resume_executions_of_rule() returns trigger
language plpgsql security definer  -- admins may not write executions
set search_path = ''
as $$
declare
  resumed_id uuid;
begin
  perform private.lock_automation_limits(new.podcast_id);
  for resumed_id in
    update public.automation_executions e set held_until = null, resumed_at = now(), error_message = null
    where e.rule_id = new.id and e.held_until is not null
    returning e.id
  loop
    perform private.enqueue_execution(resumed_id, new.podcast_id, at => now());
  end loop;
  return null;
end $$;
create trigger t900_resume_executions after update of is_enabled, is_paused on public.automation_rules
  for each row when (old.is_paused and not new.is_paused and new.is_enabled)
  execute function private.resume_executions_of_rule();

create function private.automation_execution_json(execution public.automation_executions) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', execution.id, 'rule_id', execution.rule_id, 'podcast_id', execution.podcast_id,
    'trigger_type', execution.trigger_type, 'status', execution.status, 'context_data', execution.context_data,
    'action_results', execution.action_results, 'error_message', execution.error_message,
    'outcome', execution.outcome, 'outcome_reason', execution.outcome_reason,
    'retry_of_id', execution.retry_of_id, 'is_test', execution.is_test,
    'started_at', private.format_timestamp(execution.started_at),
    'completed_at', private.format_timestamp(execution.completed_at),
    'next_attempt_at', private.format_timestamp(execution.next_attempt_at), 'waits_for', execution.waits_for,
    'held_until', private.format_timestamp(execution.held_until),
    'created_at', private.format_timestamp(execution.created_at))
$$;
comment on function private.automation_execution_json is 'An execution, without the name of its rule.';
grant execute on function private.automation_execution_json to authenticated;
