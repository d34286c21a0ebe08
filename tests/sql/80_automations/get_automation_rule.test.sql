-- get_automation_rule: one rule with its actions.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));

select tests.access('get_automation_rule', $$ select public.get_automation_rule(tests.id('rule')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.result_of('ola', $$ select public.get_automation_rule(gen_random_uuid()) $$), 'PT404',
  'get_automation_rule returns 404 for an unknown rule');
select is(tests.value_as('ada', $$ select public.get_automation_rule(tests.id('rule')) $$)::jsonb,
  jsonb_build_object('rule', jsonb_build_object('id', r.id, 'podcast_id', r.podcast_id, 'name', 'rule',
    'description', '', 'trigger_type', 'booking.confirmed', 'trigger_config', '{}'::jsonb,
    'workflow_data', '{"nodes": [], "connections": []}'::jsonb, 'conditions', '[]'::jsonb,
    'condition_mode', 'all', 'reply_to', 'host', 'is_enabled', true, 'is_paused', false,
    'pause_reason', null, 'created_at', private.format_timestamp(r.created_at),
    'updated_at', private.format_timestamp(r.updated_at), 'automation_actions', jsonb_build_array(jsonb_build_object(
      'id', tests.id('rule/0'), 'action_type', 'send_webhook', 'action_config',
        '{"url": "https://hooks.test/in"}'::jsonb, 'execution_order', 0, 'continue_on_error', false,
        'disabled_reason', null)))),
  'get_automation_rule returns the rule with its actions, without author and secret') from public.automation_rules r;

select * from tests.finish();
rollback;
