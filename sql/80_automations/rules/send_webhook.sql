-- send_webhook: run_automation_execution enqueues a message, and the worker sends what begin_webhook returns. The queue
-- is one of its own, so that receivers which respond slowly delay no other action.
create function private.webhook_body(execution public.automation_executions) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('type', execution.trigger_type, 'timestamp', execution.context_data -> 'occurred_at',
    'data', (execution.context_data - '{occurred_at,timezone}'::text[]) || jsonb_build_object(
      'rule_id', execution.rule_id, 'rule_name', execution.rule_name))::text;
end $$;
comment on function private.webhook_body is
  'The payload of a webhook, the same at each attempt: {type, timestamp, data: {podcast_id, episode_id, booking_id, '
  'rule_id, rule_name, tags}}. https://www.standardwebhooks.com';

create function private.webhook_id(execution public.automation_executions, action_id uuid) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return format('msg_%s_%s', replace(execution.occurrence_id::text, '-', ''), replace(action_id::text, '-', ''));
end $$;
comment on function private.webhook_id is
  'The id by which a receiver recognizes a repeated webhook: one per occurrence and action.';

create function private.run_send_webhook(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reset_at timestamptz;
begin
  reset_at := private.consume_automation_limit(execution.podcast_id, 'send_webhook', 1, at, execution.id);
  if reset_at is not null then
    return private.rate_limited_result(action, reset_at, at);
  end if;
  perform private.enqueue('automation_webhooks', jsonb_build_object(
    'podcast_id', execution.podcast_id, 'execution_id', execution.id, 'action_id', action.id));
  return private.action_result(action, 'running',
    jsonb_build_object('webhook_id', private.webhook_id(execution, action.id)));
end $$;
comment on function private.run_send_webhook is
  'Enqueues {podcast_id, execution_id, action_id} for automation_webhooks, and returns the result: running or '
  'rate_limited.';

-- A podcast has at most 8 webhooks in flight, so that slow receivers of one cannot occupy all workers.
create function private.begin_webhook(_execution_id uuid, _action_id uuid, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution public.automation_executions := private.lock_execution(_execution_id);
  begun     jsonb := private.find_action_result(execution.action_results, _action_id);
  action    public.automation_actions;
  problem   text;
begin
  if begun ->> 'status' is distinct from 'running' then
    return null;
  end if;
  select a.* into action from public.automation_actions a
  where a.id = _action_id and a.rule_id = execution.rule_id and a.action_type = 'send_webhook';
  problem := case when execution.status <> 'running' then coalesce(execution.error_message, 'The webhook was deleted')
    when action.id is null then 'The webhook was deleted'
    else private.execution_problem(execution, at) end;
  -- serializes the attempts of a podcast, so that each counts the earlier ones
  perform pg_advisory_xact_lock(hashtextextended('automation-webhooks/' || execution.podcast_id, 0));
  if problem is not null then
    execution.action_results := private.put_action_result(execution.action_results,
      begun || jsonb_build_object('status', 'skipped', 'result',
        (begun -> 'result') || jsonb_build_object('reason', problem)));  -- an earlier attempt may have arrived
    if execution.status = 'running' then
      perform private.end_execution(execution, 'canceled', problem, at);
    else
      update public.automation_executions e set action_results = execution.action_results where e.id = execution.id;
    end if;
    return null;
  elsif at >= execution.created_at + interval '1 day' then  -- each wait is bounded
    perform private.record_webhook_result(execution.id, action.id, 'failed',
      '{"error": "The webhook could not be sent within a day"}', at);
    return null;
  elsif (
    select count(*) from public.automation_executions e
    where e.podcast_id = execution.podcast_id and e.status = 'running' and e.id <> execution.id
      and e.attempt_expires_at > at) >= 8
  then
    return '{"postponed": true}';
  end if;
  update public.automation_executions e set attempt_expires_at = at + interval '20 seconds'
  where e.id = execution.id;
  return jsonb_build_object('url', action.action_config -> 'url',
    'webhook_id', private.webhook_id(execution, action.id), 'body', private.webhook_body(execution),
    'secrets', private.webhook_secrets_of(action.id, at));
end $$;
grant execute on function private.begin_webhook to service_role;
comment on function private.begin_webhook is
  'Begins an attempt to send a webhook: {url, webhook_id, body, secrets}. Null if it needs none, because it has a '
  'result or the execution ended or is canceled now; {postponed: true} while the podcast has 8 others in flight.';

create function private.record_webhook_attempt(_execution_id uuid, _action_id uuid, _error text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution public.automation_executions := private.lock_execution(_execution_id);
  begun     jsonb := private.find_action_result(execution.action_results, _action_id);
begin
  if execution.status = 'running' and begun ->> 'status' = 'running' then
    update public.automation_executions e set error_message = left(_error, 1000), attempt_expires_at = null,
      action_results = private.put_action_result(e.action_results, begun || jsonb_build_object('result',
        begun -> 'result' || jsonb_build_object('error', left(_error, 1000))))
    where e.id = execution.id;
  end if;
end $$;
grant execute on function private.record_webhook_attempt to service_role;
comment on function private.record_webhook_attempt is
  'Records why an attempt to send a webhook failed. The queue retries it.';

-- In a transaction of its own: an error of a later action does not undo it.
create function private.record_webhook_result(
  _execution_id uuid, _action_id uuid, _status text, result jsonb, at timestamptz default clock_timestamp()
) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution public.automation_executions;
  begun     jsonb;
begin
  -- without the podcast, whose deletion waits for the message, which a dead letter has locked
  select e.* into execution from public.automation_executions e
  where e.id = _execution_id for no key update;
  begun := private.find_action_result(execution.action_results, _action_id);
  if begun ->> 'status' is distinct from 'running' then  -- another worker recorded it
    return;
  end if;
  update public.automation_executions e
  set attempt_expires_at = null, action_results = private.put_action_result(e.action_results,
      begun || jsonb_build_object('status', _status,
        'result', ((begun -> 'result') - 'error') || result)),
    error_message = case when e.status = 'running' then null else e.error_message end
  where e.id = execution.id;
  perform private.enqueue_execution(execution.id, execution.podcast_id, at => at)
  where execution.status = 'running';
end $$;
grant execute on function private.record_webhook_result to service_role;
comment on function private.record_webhook_result is
  'Records the result of a webhook, completed or failed, and continues its execution. The first one counts.';

create function private.fail_webhook_on_dead_letter() returns trigger
language plpgsql security definer  -- the worker's queue functions write dead letters
set search_path = ''
as $$
declare
  execution_id constant uuid := private.id_of_message(new.message, 'execution_id');
  action_id    constant uuid := private.id_of_message(new.message, 'action_id');
begin
  perform private.record_webhook_result(execution_id, action_id, 'failed', jsonb_build_object('error', coalesce(
    private.find_action_result(e.action_results, action_id) #>> '{result,error}',
    'The webhook could not be sent; try again later')))
  from public.automation_executions e where e.id = execution_id;
  return null;
end $$;
comment on function private.fail_webhook_on_dead_letter is
  'Trigger: fails the webhook whose retries are exhausted, and continues its execution with this result.';
