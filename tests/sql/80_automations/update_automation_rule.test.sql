-- update_automation_rule: the named fields of a rule, and its list of actions. adopt_changed_rule.test.sql has the
-- author.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(
    tests.webhook_action(), tests.email_action('greet', fields => '{"continue_on_error": true}'),
    tests.webhook_action())), tests.rule('other', 'show', 'booking.confirmed',
      jsonb_build_array(tests.webhook_action())),
  tests.rule('foreign', 'theirs', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));

select tests.access('update_automation_rule',
  $$ select public.update_automation_rule(tests.id('rule'), '{"name": "A"}') $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');

-- Fields
create function pg_temp.change(changes text, rule text default 'rule') returns text language sql as $$
  select tests.value_as('ada', format('select tests.outcome_of(%L)', format(
    'select public.update_automation_rule(tests.id(%L), %L) -> ''rule''', rule, changes)))
$$;
create temp table before as
select tests.value_as('ada', $$ select public.get_automation_rule(tests.id('rule')) -> 'rule' $$)::jsonb as rule;
select is(pg_temp.change(changes)::jsonb - 'updated_at', rule - 'updated_at' || changes::jsonb,
  format('update_automation_rule(%s) changes the named fields and keeps the others', changes))
from before, (values (1, '{"name": "B"}'), (2, '{"name": "B", "description": "For guests", "is_enabled": false}'),
  (3, '{"name": "C", "description": "", "is_enabled": true, "is_paused": true, "trigger_type": "time.before_recording",
    "trigger_config": {"offset_minutes": 5}, "workflow_data": {"nodes": [{"id": "a", "type": "b"}],
    "connections": []}, "condition_mode": "any", "conditions": [{"field": "guest_email", "operator": "is_empty"}]}'))
  v (n, changes) order by n;
select is(pg_temp.change(changes), outcome, format('update_automation_rule(%s) returns %s', changes, outcome))
from (values
  ('[]', 'PT400 changes must be a JSON object'), ('{"color": "red"}', 'PT400 Unknown field: color'),
  ('{"author_id": "x"}', 'PT400 Unknown field: author_id'),
  ('{"name": null}', 'PT400 name: must be string'),
  ('{"is_enabled": "true"}', 'PT400 is_enabled: must be boolean'),
  ('{"trigger_config": null}', 'PT400 trigger_config: must be an object'),
  ('{"workflow_data": []}', 'PT400 workflow_data: must be an object with nodes and connections'),
  ('{"workflow_data": null}', 'PT400 workflow_data: must be an object with nodes and connections'),
  ('{"actions": {}}', 'PT400 actions: must be a list'),
  ('{"actions": null}', 'PT400 actions: must be a list'), ('{"trigger_type": "x"}', '22P02'),
  ('{"trigger_type": "booking.confirmed"}', 'PT400 trigger_config: may have only booking_link_id'),
  ('{"trigger_config": {}}', 'PT400 trigger_config.offset_minutes: must be an integer from 1 to 43200'),
  ('{"workflow_data": {"nodes": [], "connections": [{"from": "a", "to": "a"}]}}',
    'PT400 workflow_data.connections[0].from: must be the id of a node'),
  ('{"conditions": null}', 'PT400 conditions: must be a list'),
  ('{"conditions": {}}', 'PT400 conditions: must be a list'),
  ('{"conditions": [{"field": "import_title", "operator": "is_empty"}]}', 'PT400 conditions[0].field: must be a tag '
    'that time.before_recording can have, see the table automation_tags, or booking_answer:<question> of a booking'),
  ('{"trigger_type": "episode.published", "trigger_config": {}, "conditions": [
    {"field": "booking_link_name", "operator": "is_empty"}]}', 'PT400 conditions[0].field: must be a tag that '
    'episode.published can have, see the table automation_tags, or booking_answer:<question> of a booking'),
  ('{"condition_mode": null}', 'PT400 condition_mode: must be string'),
  ('{"actions": [{}]}', 'PT400 actions[0].action_type: must be send_email, send_webhook or update_field'),
  ('{"actions": [{"action_type": "send_webhook", "action_config": {}}]}',
    'PT400 actions[0].action_config.url: must be an http or https URL'),
  (jsonb_build_object('name', 'New', 'actions', jsonb_build_array(tests.update_action('title', '"New"'),
      tests.update_action('status', '"published"', 'guest')))::text,
    'PT400 actions[1].action_config.field: must be one of: display_name, notes, bio'),
  (jsonb_build_object('actions', jsonb_build_array(tests.webhook_action(jsonb_build_object('id', tests.id('rule/0'))),
      tests.webhook_action(jsonb_build_object('id', upper(tests.id('rule/0')::text)))))::text,
    'PT400 actions[1].id: must differ from those of the other actions'),
  (jsonb_build_object('actions', jsonb_build_array(tests.webhook_action(jsonb_build_object('id', tests.id('rule/0'))),
      tests.webhook_action(jsonb_build_object('id', replace(tests.id('rule/0')::text, '-', '')))))::text,
    'PT400 actions[1].id: must differ from those of the other actions'),
  (jsonb_build_object('actions', (select jsonb_agg(tests.webhook_action()) from generate_series(1, 11)))::text,
    'PT400 actions: must have at most 10 actions')) v (changes, outcome);
select is(left(pg_temp.change('{"condition_mode": "none"}'), 5), '23514',
  'update_automation_rule rejects an unknown condition_mode');
select is(
  tests.value_as('ada', $$ select public.get_automation_rule(tests.id('rule')) -> 'rule' $$)::jsonb - 'updated_at',
  rule - 'updated_at' || '{"name": "C", "is_paused": true, "trigger_type": "time.before_recording",
    "trigger_config": {"offset_minutes": 5}, "workflow_data": {"nodes": [{"id": "a", "type": "b"}],
    "connections": []}, "condition_mode": "any", "conditions": [
    {"field": "guest_email", "operator": "is_empty"}]}'::jsonb,
  'a rejected update_automation_rule changes neither the rule nor an action') from before;

-- What a read showed
create temp table shown as
select tests.value_as('ada', $$ select public.get_automation_rule(tests.id('rule')) -> 'rule' $$)::jsonb as rule;
select is(pg_temp.change(changes::text)::jsonb, rule, format('update_automation_rule changes nothing by %s', title))
from shown, lateral (values
  ('no field', '{}'::jsonb), ('what get_automation_rule returned', rule),
  ('the actions that get_automation_rule returned', jsonb_build_object('actions', rule -> 'automation_actions')),
  ('read-only fields', '{"id": 7, "podcast_id": null, "created_at": "x", "updated_at": "x", "pause_reason": "x",
    "automation_actions": []}')) v (title, changes);
select is(pg_temp.change(changes)::jsonb -> 'description', description,
  format('update_automation_rule(%s) makes the description %s', changes, description))
from (values (1, '{"description": "For hosts"}', '"For hosts"'::jsonb), (2, '{"description": null}', '""'))
  v (n, changes, description) order by n;

-- The list of actions: what it is after an update by an admin, who then undoes it
create function pg_temp.put(actions jsonb) returns text language plpgsql as $$
declare
  result text;
begin
  result := pg_temp.change(jsonb_build_object('actions', actions)::text);
  if result like '{%' then
    select string_agg(concat_ws(' ', a.execution_order, coalesce(i.name, 'new'), a.action_type,
      case when s.action_id is not null then 'with secret' end,
      case when a.continue_on_error then 'continues' end), ', ' order by a.execution_order)
    into result from public.automation_actions a left join tests.ids i on i.id = a.id
    left join private.webhook_secrets s on s.action_id = a.id where a.rule_id = tests.id('rule');
  end if;
  raise sqlstate 'ZZ999';
exception when sqlstate 'ZZ999' then
  return coalesce(result, 'none');
end $$;
create function pg_temp.id(action text) returns jsonb language sql as $$
  select jsonb_build_object('id', tests.id(action))
$$;
select is(pg_temp.put(actions), result, format('update_automation_rule with actions %s', title)) from (values
  ('that are the same keeps their ids', jsonb_build_array(tests.webhook_action(), tests.email_action('greet', 'host'),
    tests.webhook_action()),
    '0 rule/0 send_webhook with secret, 1 rule/1 send_email, 2 rule/2 send_webhook with secret'),
  ('of an empty list deletes all', '[]', 'none'),
  ('of other types at the same places makes new ones', jsonb_build_array(tests.email_action('greet'),
    tests.webhook_action()), '0 new send_email, 1 new send_webhook with secret'),
  ('at other places makes new ones', jsonb_build_array(tests.webhook_action('{"execution_order": 5}')),
    '5 new send_webhook with secret'),
  ('at a kept place keeps the id', jsonb_build_array(tests.webhook_action('{"execution_order": 2}')),
    '2 rule/2 send_webhook with secret'),
  ('can swap two by their ids', jsonb_build_array(tests.webhook_action(pg_temp.id('rule/2')),
    tests.email_action('greet', fields => pg_temp.id('rule/1')), tests.webhook_action(pg_temp.id('rule/0'))),
    '0 rule/2 send_webhook with secret, 1 rule/1 send_email, 2 rule/0 send_webhook with secret'),
  ('can rotate ids of different types', jsonb_build_array(tests.email_action('greet', fields => pg_temp.id('rule/1')),
    tests.webhook_action(pg_temp.id('rule/2')), tests.webhook_action(pg_temp.id('rule/0'))),
    '0 rule/1 send_email, 1 rule/2 send_webhook with secret, 2 rule/0 send_webhook with secret'),
  ('does not give a named id to another action', jsonb_build_array(tests.webhook_action('{"execution_order": 2}'),
    tests.webhook_action('{"execution_order": 0}' || pg_temp.id('rule/2'))),
    '0 rule/2 send_webhook with secret, 2 new send_webhook with secret'),
  ('finds an id in upper case', jsonb_build_array(tests.webhook_action('{"execution_order": 2}'),
    tests.webhook_action(jsonb_build_object('id', upper(tests.id('rule/2')::text), 'execution_order', 0))),
    '0 rule/2 send_webhook with secret, 2 new send_webhook with secret'),
  ('can change the type of an action', jsonb_build_array(tests.update_action('title', '"New"', fields =>
    pg_temp.id('rule/0')), tests.webhook_action(pg_temp.id('rule/1'))),
    '0 rule/0 update_field, 1 rule/1 send_webhook with secret'),
  ('replaces continue_on_error', jsonb_build_array(tests.webhook_action('{"continue_on_error": true}')),
    '0 rule/0 send_webhook with secret continues'),
  ('that the rule does not have is rejected', jsonb_build_array(tests.webhook_action(),
    tests.webhook_action(jsonb_build_object('id', gen_random_uuid()))),
    'PT400 actions[1].id: must be an action of this rule'),
  ('of another rule is rejected', jsonb_build_array(tests.webhook_action(pg_temp.id('other/0'))),
    'PT400 actions[0].id: must be an action of this rule'),
  ('of another podcast is rejected', jsonb_build_array(tests.webhook_action(pg_temp.id('foreign/0'))),
    'PT400 actions[0].id: must be an action of this rule'),
  ('can be ten', (select jsonb_agg(tests.update_action('title', '"New"')) from generate_series(1, 10)),
    (select string_agg(format('%s new update_field', n), ', ' order by n) from generate_series(0, 9) n))
) v (title, actions, result);

-- Secrets
create function pg_temp.secret(action text) returns text language sql volatile as $$
  select private.webhook_secrets_of(tests.id(action), now()) ->> 0
$$;
create temp table secrets as select pg_temp.secret('rule/0') as first, pg_temp.secret('rule/2') as third;
select pg_temp.change(jsonb_build_object('actions', jsonb_build_array(tests.webhook_action(pg_temp.id('rule/2')),
  tests.webhook_action(pg_temp.id('rule/0'))))::text);
select results_eq($$ select pg_temp.secret('rule/0'), pg_temp.secret('rule/2') $$, 'select first, third from secrets',
  'update_automation_rule moves the secrets of webhooks with their ids');
select pg_temp.change(jsonb_build_object('actions', jsonb_build_array(jsonb_build_object('id', tests.id('rule/0'),
  'action_type', 'send_webhook', 'action_config', jsonb_build_object('url', 'https://b.test', 'secret',
  'whsec_' || repeat('A', 32)))))::text);
select is(pg_temp.secret('rule/0'), 'whsec_' || repeat('A', 32), 'update_automation_rule replaces a given secret');
select is((select count(*) from private.webhook_secrets s join vault.secrets v on v.id = s.secret_id), 3::bigint,
  'update_automation_rule deletes the secrets of removed actions');

-- Ten by ten
select pg_temp.change(jsonb_build_object('actions', (
  select jsonb_agg(tests.webhook_action()) from generate_series(1, 10)))::text);
create temp table ten as select array_agg(id) as ids from public.automation_actions where rule_id = tests.id('rule');
select pg_temp.change(jsonb_build_object('actions', (
  select jsonb_agg(tests.update_action('title', '"New"')) from generate_series(1, 10)))::text);
select results_eq($$ select action_type::text, count(*), bool_or(id = any (ids)) from public.automation_actions, ten
    where rule_id = tests.id('rule') group by 1 $$, $$ values ('update_field', 10::bigint, false) $$,
  'update_automation_rule replaces ten actions by ten others');
select results_eq($$ select rule_id, id from public.automation_actions where rule_id <> tests.id('rule')
    order by podcast_id = tests.id('show') desc $$,
  $$ values (tests.id('other'), tests.id('other/0')), (tests.id('foreign'), tests.id('foreign/0')) $$,
  'update_automation_rule does not touch the actions of other rules');

-- The reply address
select tests.team('replies', 'rae', 'ron', 'ren'), tests.rule('replied', 'replies', 'booking.confirmed');
insert into automation_addresses (podcast_id, email, confirmed_at) values
  (tests.id('replies'), 'press@news.example', now()), (tests.id('replies'), 'off@news.example', now()),
  (tests.id('replies'), 'new@news.example', null);
select private.suppress_email(private.email_digest('off@news.example'), 'unsubscribed', 'automation.email',
  podcast_id => tests.id('replies'));
select tests.episode('talk', 'replies'), tests.guest('gil', 'talk', 'active');
create function pg_temp.reply_to(address text) returns text language sql as $$
  select tests.result_of('rae', format('select public.update_automation_rule(%L, %L)', tests.id('replied'),
    jsonb_build_object('reply_to', address)))
$$;
select is(pg_temp.reply_to(address), expected, format('a rule with the reply address "%s" gives %s', address, expected))
from (values ('owner', 'ok 1'), ('none', 'ok 1'), ('host', 'ok 1'), (' Ron@Test.example', 'ok 1'),
  ('press@news.example', 'ok 1'),
  ('new@news.example', 'PT400'), ('off@news.example', 'PT400'), ('gil@test.example', 'PT400'),
  ('ren@test.example', 'PT400'), ('anyone@example.com', 'PT400'), ('', 'PT400'), ('team', 'PT400'))
  v (address, expected);
select is((tests.rule_row('replied')).reply_to, 'press@news.example', 'a rule keeps its valid reply address');
delete from automation_addresses where podcast_id = tests.id('replies');
update automation_rules set name = 'Renamed' where id = tests.id('replied');
select is((tests.rule_row('replied')).name, 'Renamed',
  'a rule whose reply address is no longer confirmed can be renamed');

select * from tests.finish();
rollback;
