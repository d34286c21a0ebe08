-- Factories of automations.

-- A template of a podcast; `fields` replace defaults.
create function tests.template(name text, podcast text, fields jsonb default '{}') returns uuid
language plpgsql security definer as $$
declare
  created uuid;
begin
  insert into public.automation_templates (podcast_id, name, category, subject, body_html, body_text)
  select tests.id(podcast), template.name, coalesce((fields ->> 'category')::public.automation_template_category,
    'general'), coalesce(fields ->> 'subject', 'Hello {guest_first_name}'),
    coalesce(fields ->> 'body_html', '<p>See you at {recording_start}</p>'), coalesce(fields ->> 'body_text', '')
  returning id into created;
  return tests.remember(template.name, created);
end $$;

-- A rule that `author` creates, with its actions; null: the podcast's owner. The ids of the actions are remembered as
-- <rule>/0, <rule>/1 …
create function tests.rule(name text, podcast text, trigger_type public.automation_trigger,
  actions jsonb default '[]', trigger_config jsonb default '{}', author text default null) returns uuid
language plpgsql as $$
declare
  claims  text := coalesce(current_setting('request.jwt.claims', true), '');
  creator uuid := coalesce((select i.id from tests.ids i where i.name = author),
    (select p.owner_id from public.podcasts p where p.id = tests.id(podcast)));
  created jsonb;
begin
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', creator)::text, true);
  created := public.create_automation_rule(tests.id(podcast), rule.name, rule.trigger_type, rule.trigger_config,
    actions => rule.actions) -> 'rule';
  perform set_config('request.jwt.claims', claims, true), set_config('response.status', '', true);
  perform tests.remember(rule.name || '/' || (a ->> 'execution_order'), (a ->> 'id')::uuid)
  from jsonb_array_elements(created -> 'automation_actions') a;
  return tests.remember(rule.name, (created ->> 'id')::uuid);
end $$;

create function tests.rule_row(name text) returns public.automation_rules language sql security definer as $$
  select r from public.automation_rules r where r.id = tests.id(rule_row.name)
$$;

-- Actions by name: an email with a template, a webhook, a changed title.
create function tests.email_action(template text, target text default 'guest', fields jsonb default '{}')
returns jsonb language sql as $$
  select jsonb_build_object('action_type', 'send_email', 'action_config',
    jsonb_build_object('template_id', tests.id(template), 'to', target)) || fields
$$;
create function tests.webhook_action(fields jsonb default '{}') returns jsonb language sql as $$
  select '{"action_type": "send_webhook", "action_config": {"url": "https://hooks.test/in"}}' || fields
$$;
create function tests.update_action(field text, value jsonb, entity text default 'episode', fields jsonb default '{}')
returns jsonb language sql as $$
  select jsonb_build_object('action_type', 'update_field', 'action_config',
    jsonb_build_object('entity', entity, 'field', field, 'value', value)) || fields
$$;

-- The newest execution of a rule
create function tests.execution(rule text) returns public.automation_executions language sql security definer as $$
  select e from public.automation_executions e where e.rule_id = tests.id(rule)
  order by e.created_at desc, e.retry_of_id nulls last, e.id limit 1
$$;

-- Gives places to webhooks at once, as the end of each transaction does.
create function tests.release_webhooks_at_once() returns void language sql as $$
  set constraints private.t900_release_inserted, private.t900_release_changed, private.t900_release_deleted immediate
$$;

-- Runs an execution as the worker does, after the result of a webhook, {action_id, status, result}, if there is one.
-- Returns its status.
create function tests.finish_webhook(execution uuid, webhook_result jsonb, at timestamptz default clock_timestamp())
returns text language plpgsql as $$
begin
  if webhook_result is not null then
    perform private.record_webhook_result(execution, (webhook_result ->> 'action_id')::uuid,
      webhook_result ->> 'status', webhook_result -> 'result');
  end if;
  return private.run_automation_execution(execution, finish_webhook.at);
end $$;

-- Runs the newest execution of a rule as the worker does, and returns its status.
create function tests.run_rule(rule text, webhook_result jsonb default null, at timestamptz default clock_timestamp())
returns text language sql as $$
  select tests.finish_webhook((tests.execution(rule)).id, webhook_result, at)
$$;

-- The results of the newest execution: 'send_email completed'
create function tests.results_of(rule text) returns setof text language sql security definer as $$
  select concat_ws(' ', r ->> 'action_type', r ->> 'status') from jsonb_array_elements(
    (tests.execution(rule)).action_results) r
$$;

-- The emails of automations to an address, as they would be sent now: '<subject> | <html> | <text>', or why not
create function tests.automation_emails(address text) returns setof text language sql security definer as $$
  select concat_ws(' | ', c ->> 'title', c ->> 'html', c ->> 'body', c ->> 'problem') as email
  from private.delivery_addresses a
  join public.notification_deliveries d on d.id = a.delivery_id
  cross join lateral private.automation_email_content(a.source_id, now()) c
  where d.type = 'automation.email' and a.email = address order by d.created_at, email
$$;

select unnest(array['1..1', 'ok 1 - the factories of automations are created']);  -- a TAP report, for pg_prove
