-- send_webhook: run_automation_execution writes a row of automation_webhooks, release_webhooks enqueues its message,
-- and the worker sends what begin_webhook returns. The queue is one of its own, so that receivers which respond slowly
-- delay no other action.
create function private.run_send_webhook(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  plan     constant jsonb := private.plan_webhook(execution, action, at);
  id       constant text := private.webhook_id(execution, action.id);
  reset_at timestamptz;
begin
  if action.disabled_reason is not null and not execution.is_test then
    return private.action_result(action, 'skipped', jsonb_build_object('reason', plan -> 'problem'));
  elsif plan ->> 'problem' is not null then
    return private.action_result(action, 'failed', jsonb_build_object('error', plan -> 'problem'));
  end if;
  reset_at := private.consume_automation_limit(execution.podcast_id, 'send_webhook', 1, at, execution.id);
  if reset_at is not null then
    return private.rate_limited_result(action, reset_at, at);
  end if;
  insert into private.automation_webhooks (execution_id, action_id, podcast_id, webhook_id, receiver, body,
    next_attempt_at, begun_at)
  values (execution.id, action.id, execution.podcast_id, id, private.webhook_receiver(action.action_config ->> 'url'),
    (plan -> 'payload')::text, at, at);
  return private.action_result(action, 'running', jsonb_build_object('webhook_id', id,
    'begun_at', private.format_timestamp(at)));
end $$;
comment on function private.run_send_webhook is
  'Begins a webhook with the facts of now, which all its attempts send, and returns the result: running, rate_limited, '
  'skipped if the webhook is disabled, or failed.';

create function private.webhook_problem(
  execution public.automation_executions, _action_id uuid, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  action public.automation_actions;
  rule   public.automation_rules;
begin
  if execution.status not in ('pending', 'running') then
    return coalesce(execution.error_message, 'The execution ended before');
  end if;
  select r.* into rule from public.automation_rules r where r.id = execution.rule_id;
  rule.is_paused := false;  -- begin_webhook looks at it first, and a pause after that loses nothing
  select a.* into action from public.automation_actions a
  where a.id = _action_id and a.rule_id = execution.rule_id and a.action_type = 'send_webhook';
  return case
    when action.id is null then 'The webhook was deleted'
    when action.disabled_reason is not null and not execution.is_test
      then private.plan_webhook(execution, action, at) ->> 'problem'
    else coalesce(
      private.rule_problem(rule, (execution.context_data ->> 'tested_by')::uuid),
      private.reason_to_skip(execution, rule, at)) end;
end $$;
comment on function private.webhook_problem is
  'Why a webhook that has begun needs no further attempt: its action, rule or occurrence changed; null if it does, '
  'even if the rule is paused.';

create function private.begin_webhook(_execution_id uuid, _action_id uuid, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution public.automation_executions := private.lock_execution(_execution_id);
  webhook   private.automation_webhooks;
  action    record;
  problem   text;
begin
  select w.* into webhook from private.automation_webhooks w
  where (w.execution_id, w.action_id) = (_execution_id, _action_id) for update;
  if webhook.message_id is null then  -- it has its result, or waits
    return null;
  elsif at >= webhook.begun_at + interval '7 days' then  -- each wait is bounded
    perform private.record_webhook_result(execution.id, _action_id, 'failed',
      '{"error": "The webhook could not be sent within 7 days"}', at);
    return null;
  elsif execution.status in ('pending', 'running') and not execution.is_test and exists (
    select from public.automation_rules r where r.id = execution.rule_id and r.is_enabled and r.is_paused)
  then
    update private.automation_webhooks w set message_id = null, next_attempt_at = 'infinity'  -- until it is resumed
    where (w.execution_id, w.action_id) = (_execution_id, _action_id);
    return null;
  end if;
  problem := private.webhook_problem(execution, _action_id, at);
  if problem is not null then
    perform private.record_webhook_result(execution.id, _action_id, 'skipped',
      jsonb_build_object('reason', problem), at);  -- an earlier attempt may have arrived
    return null;
  elsif webhook.attempt_count >= private.max_webhook_attempts() then  -- the worker ended before the dead letter
    return jsonb_build_object('exhausted', webhook.last_error);
  end if;
  -- one statement, because an admin who changes the URL at this moment replaces the secrets too
  select a.action_config as config, private.webhook_headers_of(a.id) as headers,
    private.webhook_secrets_of(a.id, at) as secrets
  into strict action from public.automation_actions a where a.id = _action_id;
  return jsonb_build_object('url', action.config -> 'url', 'webhook_id', webhook.webhook_id, 'body', webhook.body,
    'headers', action.headers,
    'secrets', case when private.is_signed_webhook(action.config) then action.secrets else '[]' end);
end $$;
grant execute on function private.begin_webhook to service_role;
comment on function private.begin_webhook is
  'Begins an attempt to send a webhook: {url, webhook_id, body, headers, secrets}, without secrets if it is not '
  'signed. Null if it needs none, because it has a result, is skipped now, or waits until its rule is resumed; '
  '{exhausted} with the last error if all attempts failed.';

create function private.record_webhook_attempt(_execution_id uuid, _action_id uuid, _error text,
  retry_after_seconds int default null, at timestamptz default clock_timestamp()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution public.automation_executions := private.lock_execution(_execution_id);
  begun     jsonb := private.find_action_result(execution.action_results, _action_id);
  is_open   constant boolean := execution.status in ('pending', 'running') and begun ->> 'status' = 'running';
  webhook   private.automation_webhooks;
  is_last   boolean;
begin
  select w.* into webhook from private.automation_webhooks w
  where (w.execution_id, w.action_id) = (_execution_id, _action_id) and w.message_id is not null for update;
  if not found then
    return false;
  elsif is_open and execution.is_test then  -- its user waits for the result
    perform private.record_webhook_result(execution.id, _action_id, 'failed',
      jsonb_build_object('error', left(_error, 1000)), at);
    return false;
  end if;
  is_last := is_open and webhook.attempt_count + 1 >= private.max_webhook_attempts();
  update private.automation_webhooks w set attempt_count = w.attempt_count + 1, last_error = left(_error, 1000),
    message_id = case when is_last then w.message_id end,
    next_attempt_at = case when is_open then private.next_webhook_attempt(w, retry_after_seconds, at) else at end
  where (w.execution_id, w.action_id) = (_execution_id, _action_id)
  returning * into webhook;
  if not is_open then
    return false;
  end if;
  update public.automation_executions e set
    error_message = case when e.status = 'running' then webhook.last_error else e.error_message end,
    action_results = private.put_action_result(e.action_results, begun || jsonb_build_object('result',
      (begun -> 'result') - 'next_attempt_at' || jsonb_build_object('error', webhook.last_error)
        || case when is_last then '{}' else jsonb_build_object(
          'next_attempt_at', private.format_timestamp(webhook.next_attempt_at)) end))
  where e.id = execution.id;
  -- the later actions wait for two hours only
  perform private.enqueue_execution(execution.id, execution.podcast_id, greatest(0, ceil(extract(
    epoch from webhook.begun_at + interval '2 hours' - at)))::int, at)
  where not is_last and execution.status = 'running'
    and webhook.next_attempt_at > webhook.begun_at + interval '2 hours';
  return is_last;
end $$;
grant execute on function private.record_webhook_attempt to service_role;
comment on function private.record_webhook_attempt is
  'Records why an attempt to send a webhook failed, and schedules the next one. Returns true if there is none: the '
  'worker then makes the message a dead letter, which fails the webhook. The webhook of a test fails at once.';

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
  delete from private.automation_webhooks w where (w.execution_id, w.action_id) = (_execution_id, _action_id);
  begun := private.find_action_result(execution.action_results, _action_id);
  if begun ->> 'status' is distinct from 'running' then  -- another worker recorded it
    return;
  end if;
  update public.automation_executions e
  set action_results = private.put_action_result(execution.action_results,
      begun || jsonb_build_object('status', _status,
        'result', ((begun -> 'result') - '{error,next_attempt_at}'::text[]) || result)),
    error_message = case when e.status = 'running' then null else e.error_message end
  where e.id = execution.id;
  perform private.enqueue_execution(execution.id, execution.podcast_id, at => at)
  where execution.status = 'running';
end $$;
grant execute on function private.record_webhook_result to service_role;
comment on function private.record_webhook_result is
  'Records the result of a webhook, completed, failed or skipped, and continues its execution. The first one counts.';

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

create function private.disable_webhook(_action_id uuid, _url text, at timestamptz default clock_timestamp())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  action public.automation_actions;
  rule   public.automation_rules;
begin
  update public.automation_actions a set disabled_reason = 'gone', updated_at = at
  where a.id = _action_id and a.action_type = 'send_webhook' and a.disabled_reason is null
    and a.action_config ->> 'url' = _url  -- not one that an admin has just repaired
  returning a.* into action;
  if not found then
    return;
  end if;
  select r.* into strict rule from public.automation_rules r where r.id = action.rule_id;
  perform private.notify('automation.webhook_disabled', private.team_recipients(rule.podcast_id, 'admin', null),
    jsonb_build_object('podcast_id', rule.podcast_id, 'params', jsonb_build_object('rule', rule.name,
      'receiver', private.webhook_receiver(_url))),
    _dedupe_key => private.repeated_notice_key('webhook_disabled:' || action.id, 5, at),
    _group_key => 'automation:' || rule.id,
    _link => format('/podcasts/%s/automations/%s', rule.podcast_id, rule.id), at => at);
end $$;
grant execute on function private.disable_webhook to service_role;
comment on function private.disable_webhook is
  'Disables the webhook whose receiver, at this URL, responded with 410 Gone, and notifies the admins.';
