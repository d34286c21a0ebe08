-- What a send_webhook action sends now, for its run and for the dry run.
create function private.webhook_id(execution public.automation_executions, action_id uuid) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return format('msg_%s%s_%s', case when execution.is_test then 'test_' end,
    replace(execution.occurrence_id::text, '-', ''), replace(action_id::text, '-', ''));
end $$;
comment on function private.webhook_id is
  'The id by which a receiver recognizes a repeated webhook: one per occurrence and action. That of a test begins with '
  'msg_test_, also where a payload_template leaves no room for another mark.';

create function private.webhook_payload(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  context constant jsonb := private.current_automation_context(execution.context_data, at);
begin
  if action.action_config ? 'payload_template' then
    return private.render_payload(action.action_config -> 'payload_template', context -> 'tags');
  end if;
  return case when execution.is_test then '{"test": true}' else '{}' end::jsonb || jsonb_build_object(
    'type', execution.trigger_type, 'timestamp', context -> 'occurred_at',
    'data', (context - '{occurred_at,timezone,tested_by,is_sample}'::text[]) || jsonb_build_object(
      'rule_id', execution.rule_id, 'rule_name', execution.rule_name));
end $$;
comment on function private.webhook_payload is
  'The payload of a webhook with the facts of now: its payload_template, or {type, timestamp, data: {podcast_id, '
  'episode_id, booking_id, rule_id, rule_name, tags}}, and test: true for a test. https://www.standardwebhooks.com';

create function private.plan_webhook(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  config  constant jsonb := action.action_config;
  payload constant jsonb := private.webhook_payload(execution, action, at);
begin
  return jsonb_build_object('url', config -> 'url', 'payload', payload,
    'header_names', coalesce((
      select jsonb_agg(n order by n) from jsonb_object_keys(config -> 'headers') n), '[]'),
    'is_signed', private.is_signed_webhook(config),
    'problem', case
      when action.disabled_reason is not null and not execution.is_test
        then 'The webhook is disabled, because its receiver responded with 410 (Gone); change its URL, or '
          'set disabled_reason to null'
      when octet_length(payload::text) > 262144 then 'The payload is too long with its values'
      else private.blocked_url_reason(config ->> 'url') end);
end $$;
comment on function private.plan_webhook is
  'What a send_webhook action would send now: {url, payload, header_names, is_signed, problem}. problem is why it '
  'sends nothing: it is disabled, the server does not request its URL, or the payload is longer than 256 KB.';
