-- delete_automation_rule: the rule with its actions and schedules; its history stays.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.open_link('talk', 'show'),
  tests.booking_in('session', 'talk', 30, 'confirmed'), tests.booking_in('second', 'talk', 40, 'confirmed'),
  tests.rule('rule', 'show', 'time.before_recording',
    jsonb_build_array(tests.email_action('greet'), tests.webhook_action()), '{"offset_minutes": 60}'),
  tests.rule('other', 'show', 'time.before_recording', jsonb_build_array(tests.webhook_action()),
    '{"offset_minutes": 60}');
insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_key, status,
  context_data, error_message, completed_at, next_attempt_at)
select tests.id('show'), tests.id(rule), 'old name', 'time.before_recording', status, status, '{}',
  case when status in ('failed', 'canceled') then 'It ' || status end,
  case when status in ('completed', 'failed', 'canceled') then '2026-01-01Z'::timestamptz end,
  case when status = 'pending' then now() end
from unnest(enum_range(null::public.automation_execution_status)) status, unnest('{rule,other}'::text[]) rule;

select tests.access('delete_automation_rule', $$ select public.delete_automation_rule(tests.id('rule')) $$,
  '42501: anon; PT403: otto vic; 42501: service');
select is(tests.value_as('ada', $$ select public.delete_automation_rule(tests.id('rule')) $$), '{"success": true}',
  'delete_automation_rule returns {success: true}');
select is(tests.value_as('ada', $$ select tests.outcome_of('select public.delete_automation_rule(tests.id(''rule''))')
  $$), 'PT404', 'delete_automation_rule returns 404 for a deleted rule');
select results_eq('select name from public.automation_rules order by name', $$ values ('other') $$,
  'delete_automation_rule deletes only the named rule');
select results_eq('select rule_id from public.automation_actions', $$ values (tests.id('other')) $$,
  'delete_automation_rule deletes the actions');
select results_eq('select distinct rule_id from private.automation_schedules', $$ values (tests.id('other')) $$,
  'delete_automation_rule deletes the schedules');
select is((select count(*) from private.webhook_secrets), 1::bigint, 'delete_automation_rule deletes the secrets');
select results_eq($$ select occurrence_key, status::text, error_message, completed_at, next_attempt_at is null,
    rule_name
    from public.automation_executions where rule_id is null order by occurrence_key $$,
  $$ values ('canceled', 'canceled', 'It canceled', '2026-01-01Z'::timestamptz, true, 'old name'),
    ('completed', 'completed', null, '2026-01-01Z', true, 'old name'),
    ('failed', 'failed', 'It failed', '2026-01-01Z', true, 'old name'),
    ('pending', 'canceled', 'The rule was deleted', now(), true, 'old name'),
    ('running', 'canceled', 'The rule was deleted', now(), true, 'old name') $$,
  'delete_automation_rule cancels the executions that have not ended, and keeps the others');
select is((select count(*) from public.automation_executions where rule_id = tests.id('other') and status in ('pending',
  'running')), 2::bigint, 'delete_automation_rule does not cancel the executions of another rule');
select is(tests.value_as('ada', $$ select count(*) || ' ' || string_agg(distinct e #>> '{automation_rules,name}', ',')
    from jsonb_array_elements(public.list_automation_executions(tests.id('show')) -> 'executions') e
    where e -> 'rule_id' = 'null' $$), '5 old name', 'executions of a deleted rule are listed with its name');
select is(tests.value_as('ada', $$ select string_agg(distinct e #>> '{automation_rules,name}', ',')
    from jsonb_array_elements(public.list_automation_executions(tests.id('show')) -> 'executions') e
    where e -> 'rule_id' <> 'null' $$), 'other', 'executions of a present rule are listed with its present name');
select is(tests.value_as('ada', $$ select public.get_automation_execution(id) #>> '{execution,status}'
    from public.automation_executions where rule_id is null and occurrence_key = 'completed' $$), 'completed',
  'an execution of a deleted rule can be read');
select is(tests.value_as('ada', $$ delete from public.automation_rules
  where id = tests.id('other') returning 'gone' $$), 'gone', 'a delete from automation_rules deletes a rule');
select is((select count(*) from public.automation_executions where status in ('pending', 'running')), 0::bigint,
  'a delete from automation_rules cancels the executions that have not ended');

select * from tests.finish();
rollback;
