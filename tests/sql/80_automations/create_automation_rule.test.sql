-- create_automation_rule: a rule with its actions. The files of the tables have the rules of the rows.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.template('foreign', 'theirs');

select tests.access('create_automation_rule', $$ select public.create_automation_rule(tests.id('show'), 'Greet',
  'booking.confirmed') $$, '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
delete from public.automation_rules;

select tests.act_as('ada');
create temp table made as select public.create_automation_rule(tests.id('show'), ' Greet ', 'time.before_recording',
  '{"offset_minutes": 60}', '{"nodes": [{"id": "a", "type": "start"}], "connections": []}', false, jsonb_build_array(
    tests.update_action('notes', '"Soon"', 'guest', '{"execution_order": 7, "continue_on_error": true}'),
    tests.email_action('greet', fields => '{"execution_order": 3}'), tests.webhook_action('{"execution_order": 20}')),
  'Before the session', '[{"field": "episode_title", "operator": "is_empty"}]', 'any', 'Ola@Test.example ') -> 'rule'
  as rule;
select is(rule - '{id,created_at,updated_at,automation_actions}'::text[], jsonb_build_object(
    'podcast_id', tests.id('show'), 'name', 'Greet', 'description', 'Before the session',
    'trigger_type', 'time.before_recording', 'trigger_config', '{"offset_minutes": 60}'::jsonb,
    'workflow_data', '{"nodes": [{"id": "a", "type": "start"}], "connections": []}'::jsonb,
    'conditions', '[{"field": "episode_title", "operator": "is_empty"}]'::jsonb, 'condition_mode', 'any',
    'reply_to', 'ola@test.example', 'is_enabled', false, 'is_paused', false, 'pause_reason', null),
  'create_automation_rule returns the fields of the row')
from made;
select is(current_setting('response.status'), '201', 'create_automation_rule answers 201');
select matches(rule ->> key, '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  format('create_automation_rule returns %s in ISO 8601 with Z', key))
from made, unnest('{created_at,updated_at}'::text[]) key;
select is(jsonb_agg(a - '{id,disabled_reason}'::text[] order by n), jsonb_build_array(
    jsonb_build_object('action_type', 'send_email', 'action_config',
      jsonb_build_object('template_id', tests.id('greet'), 'to', 'guest'),
      'execution_order', 3, 'continue_on_error', false),
    '{"action_type": "update_field", "action_config": {"entity": "guest", "field": "notes", "value": "Soon"},
      "execution_order": 7, "continue_on_error": true}'::jsonb,
    '{"action_type": "send_webhook", "action_config": {"url": "https://hooks.test/in"}, "execution_order": 20,
      "continue_on_error": false}'::jsonb), 'create_automation_rule returns the actions in their order')
from made, jsonb_array_elements(rule -> 'automation_actions') with ordinality e (a, n);
select results_eq($$ select (a ->> 'id')::uuid from made, jsonb_array_elements(rule -> 'automation_actions') a $$,
  'select id from public.automation_actions order by execution_order',
  'create_automation_rule returns the ids of the actions');
select is(public.create_automation_rule(tests.id('show'), 'Bare', 'episode.published') -> 'rule'
    @> '{"description": "", "trigger_config": {}, "workflow_data": {"nodes": [], "connections": []},
      "conditions": [], "condition_mode": "all", "is_enabled": true, "automation_actions": []}', true,
  'create_automation_rule has default values');
select is(public.create_automation_rule(tests.id('show'), 'Listed', 'episode.published', actions =>
    jsonb_build_array(tests.webhook_action(), tests.webhook_action()))
    @? 'strict $.rule.automation_actions ? (@[0].execution_order == 0 && @[1].execution_order == 1)', true,
  'the default execution_order of an action is its place in the list');
select tests.act_as('postgres');
select is((select r.author_id from public.automation_rules r where r.name = 'Greet'), tests.id('ada'),
  'the caller of create_automation_rule is the author');

-- What is wrong
delete from public.automation_rules;
create function pg_temp.create_with(arguments text) returns text language sql as $$
  select tests.value_as('ada', format('select tests.outcome_of(%L)', format(
    'select public.create_automation_rule(tests.id(''show''), ''Greet'', ''booking.confirmed'', %s)', arguments)))
$$;
select is(pg_temp.create_with(format('actions => %L', actions)), 'PT400 actions' || problem,
  format('create_automation_rule rejects the actions %s', left(actions, 120)))
from (values
  ('{}', ': must be a list'), ('null', ': must be a list'),
  ('[7]', '[0]: must be an object with action_type and action_config'),
  ('[{}]', '[0].action_type: must be send_email, send_webhook or update_field'),
  ('[{"action_type": "send_sms"}]', '[0].action_type: must be send_email, send_webhook or update_field'),
  ('[{"action_type": "send_webhook"}]', '[0].action_config: must be an object'),
  ('[{"action_type": "send_webhook", "action_config": "x"}]', '[0].action_config: must be an object'),
  ('[{"action_type": "send_webhook", "action_config": {"url": "https://a.test"}},
    {"action_type": "send_webhook", "action_config": {"url": "a"}}]',
    '[1].action_config.url: must be an http or https URL'),
  ('[{"action_type": "send_webhook", "action_config": {"url": "https://a.test", "secret": "x"}}]',
    '[0].action_config.secret: must be whsec_ and 24 to 64 bytes in base64'),
  ('[{"action_type": "send_webhook", "action_config": {"url": "https://a.test", "a": 1}}]',
    '[0].action_config: may have only url, secret, payload_template, headers, sign'),
  ('[{"action_type": "update_field", "action_config": {"entity": "episode", "field": "status", "value": "x"}}]',
    '[0].action_config.field: must be one of: title, itunes_title, summary, description, show_notes_html, '
    'season_number, episode_number, episode_type, explicit, is_blocked'),
  (jsonb_build_array(tests.webhook_action(), tests.email_action('foreign'))::text,
    '[1].action_config.template_id: must be a template of this podcast'),
  (jsonb_build_array(tests.email_action('greet', 'otto@test.example'))::text,
    '[0].action_config.to: must be a member, a guest who accepted an invitation, or an address that its holder '
    'confirmed; request the confirmation first'),
  (jsonb_build_array(tests.webhook_action('{"execution_order": 100}'))::text,
    '[0].execution_order: must be an integer from 0 to 99'),
  (jsonb_build_array(tests.webhook_action('{"execution_order": "1"}'))::text,
    '[0].execution_order: must be an integer from 0 to 99'),
  (jsonb_build_array(tests.webhook_action('{"execution_order": 1.5}'))::text,
    '[0].execution_order: must be an integer from 0 to 99'),
  (jsonb_build_array(tests.webhook_action('{"execution_order": null}'))::text,
    '[0].execution_order: must be an integer from 0 to 99'),
  (jsonb_build_array(tests.webhook_action('{"execution_order": 1}'), tests.webhook_action())::text,
    '[1].execution_order: must differ from those of the other actions'),
  (jsonb_build_array(tests.webhook_action('{"continue_on_error": 1}'))::text,
    '[0].continue_on_error: must be true or false'),
  (jsonb_build_array(tests.webhook_action('{"color": 1}'))::text,
    '[0]: may have only id, action_type, action_config, disabled_reason, execution_order, '
    'continue_on_error'),
  (jsonb_build_array(tests.webhook_action('{"id": 7}'))::text, '[0].id: must be an id'),
  (jsonb_build_array(tests.webhook_action('{"id": null}'))::text, '[0].id: must be an id'),
  (jsonb_build_array(tests.webhook_action(jsonb_build_object('id', gen_random_uuid())))::text,
    '[0].id: must be an action of this rule'),
  ((select jsonb_agg(tests.webhook_action()) from generate_series(1, 11))::text, ': must have at most 10 actions'))
  v (actions, problem);
select is(pg_temp.create_with(arguments), outcome, format('create_automation_rule(%s) returns %s', arguments, outcome))
from (values
  ($$ '{"offset_minutes": 5}' $$, 'PT400 trigger_config: may have only booking_link_id'),
  ($$ workflow_data => '{"nodes": [{"id": ""}]}' $$,
    'PT400 workflow_data.nodes[0].id: must be 1 to 100 characters, or a number'),
  ($$ conditions => '[{"field": "guest_email", "operator": "like", "value": "%"}]' $$, 'PT400 conditions[0].operator: '
    'must be equals, not_equals, contains, before, after, is_empty or is_not_empty'),
  ($$ condition_mode => 'none' $$, '23514')) v (arguments, outcome);
select is_empty('select from public.automation_rules', 'a rejected create_automation_rule leaves no rule');
select is_empty('select from public.automation_actions', 'a rejected create_automation_rule leaves no action');
select is_empty('select from private.webhook_secrets', 'a rejected create_automation_rule leaves no secret');

select * from tests.finish();
rollback;
