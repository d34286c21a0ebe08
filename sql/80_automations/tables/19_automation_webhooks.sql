-- Webhooks that have begun and have no result yet: what each attempt sends, and when the next one is due.
create table private.automation_webhooks (
  execution_id    uuid not null references public.automation_executions on delete cascade,
  action_id       uuid not null,             -- no reference: begin_webhook skips the webhook of a deleted action
  podcast_id      uuid not null,
  webhook_id      text not null,             -- this and the body are the same at each attempt
  body            text not null,
  receiver        text not null,             -- whose share of the podcast's places it uses
  begun_at        timestamptz not null,
  attempt_count   int not null default 0,    -- that failed
  next_attempt_at timestamptz not null,      -- infinity: when the rule is resumed
  message_id      bigint,                    -- in the queue automation_webhooks: it has a place; null: it waits
  last_error      text,
  primary key (execution_id, action_id),
  constraint attempt_count_is_not_negative check (attempt_count >= 0)
);
comment on table private.automation_webhooks is
  'Webhooks without a result. run_send_webhook inserts them, release_webhooks gives them places, and '
  'record_webhook_result deletes them.';
create index automation_webhooks_waiting_idx on private.automation_webhooks
  (podcast_id, receiver, (attempt_count > 0), next_attempt_at) where message_id is null;
create index automation_webhooks_in_flight_idx on private.automation_webhooks (podcast_id, receiver)
  where message_id is not null;
create index automation_webhooks_next_attempt_at_idx on private.automation_webhooks (next_attempt_at)
  where message_id is null;
create index automation_webhooks_action_id_idx on private.automation_webhooks (action_id);
create index automation_webhooks_begun_at_idx on private.automation_webhooks (begun_at);
alter table private.automation_webhooks enable row level security;
-- No policy, no grant.

create function private.webhook_receiver(url text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(t.host || case when t.port in (80, 443) then '' else ':' || t.port end, '')
    from private.fetch_target(url) t);
end $$;
comment on function private.webhook_receiver is 'The host of a URL, with a port that is not 80 or 443.';

-- Always
-- Deferred: a transaction takes the lock of release_webhooks after all others, so it cannot deadlock with them.
create function private.release_changed_webhooks() returns trigger
language plpgsql security definer  -- callers may not write the queue
set search_path = ''
as $$
begin
  perform private.release_webhooks(case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end);
  return null;
end $$;
create constraint trigger t900_release_inserted after insert on private.automation_webhooks
  deferrable initially deferred for each row execute function private.release_changed_webhooks();
create constraint trigger t900_release_changed after update of message_id, next_attempt_at
  on private.automation_webhooks deferrable initially deferred
  for each row when (new.message_id is null) execute function private.release_changed_webhooks();
create constraint trigger t900_release_deleted after delete on private.automation_webhooks
  deferrable initially deferred
  for each row when (old.message_id is not null) execute function private.release_changed_webhooks();

-- A change by an admin ends the wait: the next attempt uses the new URL, or begin_webhook skips the webhook.
create function private.end_wait_of_webhooks(action_ids uuid[], execution_id uuid, at timestamptz)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  with waiting as (
    select w.execution_id, w.action_id from private.automation_webhooks w
    where (w.action_id = any ($1) or w.execution_id = $2) and w.message_id is null
    order by w.execution_id, w.action_id  -- every caller locks them in this order
    for update)
  update private.automation_webhooks w set next_attempt_at = least(w.next_attempt_at, at),
    receiver = coalesce((
      select private.webhook_receiver(a.action_config ->> 'url') from public.automation_actions a
      where a.id = w.action_id and a.action_type = 'send_webhook'), w.receiver)
  from waiting v where (w.execution_id, w.action_id) = (v.execution_id, v.action_id);
end $$;
comment on function private.end_wait_of_webhooks is
  'Makes the next attempts of the waiting webhooks of these actions, or of this execution, due now.';

create function private.end_wait_of_changed_action() returns trigger
language plpgsql security definer  -- admins may not write webhooks
set search_path = ''
as $$
begin
  perform private.end_wait_of_webhooks(array[old.id], null, now());
  return null;
end $$;
create trigger t900_end_wait_of_changed after update of action_type, action_config, disabled_reason
  on public.automation_actions for each row
  when (old.action_type = 'send_webhook' and ((old.action_config -> 'url') is distinct from (new.action_config -> 'url')
    or old.action_type <> new.action_type or old.disabled_reason is distinct from new.disabled_reason))
  execute function private.end_wait_of_changed_action();
create trigger t900_end_wait_of_deleted after delete on public.automation_actions
  for each row when (old.action_type = 'send_webhook' and pg_trigger_depth() = 0)  -- not cascades
  execute function private.end_wait_of_changed_action();

create function private.end_wait_of_changed_rule() returns trigger
language plpgsql security definer  -- admins may not write webhooks
set search_path = ''
as $$
begin
  perform private.end_wait_of_webhooks(array(
    select a.id from public.automation_actions a where a.rule_id = new.id and a.action_type = 'send_webhook'),
    null, now());
  return null;
end $$;
-- After the triggers that lock the limits and the executions: who runs or begins one locks its webhooks last.
create trigger t900_wake_webhooks after update of is_enabled, is_paused on public.automation_rules
  for each row when (old.is_enabled and not new.is_enabled or old.is_paused and not new.is_paused)
  execute function private.end_wait_of_changed_rule();

create function private.end_wait_of_ended_execution() returns trigger
language plpgsql security definer  -- a deletion of the rule ends its executions
set search_path = ''
as $$
begin
  perform private.end_wait_of_webhooks('{}', new.id, now());
  return null;
end $$;
create trigger t900_end_wait_of_webhooks after update of status on public.automation_executions
  for each row when (new.status in ('completed', 'failed', 'canceled') and old.status in ('pending', 'running')
    and new.action_results @> '[{"status": "running"}]')
  execute function private.end_wait_of_ended_execution();
