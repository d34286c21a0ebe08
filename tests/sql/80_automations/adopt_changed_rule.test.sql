-- adopt_changed_rule and normalize_automation_rule: the author of a rule is the user who last decided what it does.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin');
select tests.template('greet', 'show'), tests.open_link('talk', 'show');

select tests.act_as('ada');
insert into public.automation_rules (podcast_id, name, trigger_type)
values (tests.id('show'), 'inserted', 'booking.confirmed');
select public.create_automation_rule(tests.id('show'), 'created', 'booking.confirmed');
select tests.act_as('service');
insert into public.automation_rules (podcast_id, name, trigger_type, is_paused)
values (tests.id('show'), 'by service', 'booking.confirmed', true);
insert into public.automation_rules (podcast_id, name, trigger_type, author_id)
values (tests.id('show'), 'for ada', 'booking.confirmed', tests.id('ada'));
select tests.act_as('postgres');
select results_eq($$ select r.name, i.name, r.is_paused, r.pause_reason from public.automation_rules r
    left join tests.ids i on i.id = r.author_id order by r.name $$,
  $$ values ('by service', null, true, 'author_left'), ('created', 'ada', false, null), ('for ada', 'ada', false, null),
    ('inserted', 'ada', false, null) $$, 'the creator of a rule is its author, and a rule without an author is paused');
delete from public.automation_rules;

-- Changes
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('greet'),
  tests.webhook_action()), author => 'ola');
create function pg_temp.author_after(who text, setup text, statement text) returns text language plpgsql as $$
declare
  author text;
begin
  execute setup;
  perform tests.act_as(who);
  execute statement;
  perform tests.act_as('postgres');
  select i.name into author from public.automation_rules r join tests.ids i on i.id = r.author_id
  where r.id = tests.id('rule');
  raise sqlstate 'ZZ999';  -- undoes it
exception when sqlstate 'ZZ999' then
  perform tests.act_as('postgres');
  return author;
end $$;
create temp table changes (author text, statement text, setup text);
insert into changes (author, statement, setup) values
  ('ola', $$ update public.automation_rules set name = 'New', description = 'New' $$, ''),
  ('ola', $$ update public.automation_rules
    set workflow_data = '{"nodes": [{"id": "a", "type": "b"}], "connections": []}' $$, ''),
  ('ola', 'update public.automation_rules set is_enabled = true, is_paused = false', ''),
  ('ola', 'update public.automation_rules set is_enabled = false', ''),
  ('ola', 'update public.automation_rules set is_paused = true', ''),
  ('ola', $$ update public.automation_rules set trigger_type = 'booking.confirmed', trigger_config = '{}' $$, ''),
  ('ada', $$ update public.automation_rules set trigger_type = 'episode.published' $$, ''),
  ('ada', $$ update public.automation_rules set trigger_config = jsonb_build_object('booking_link_id', tests.id('talk'))
    $$, ''),
  ('ada', 'update public.automation_rules set is_enabled = true',
    'update public.automation_rules set is_enabled = false'),
  ('ada', 'update public.automation_rules set is_paused = false',
    'update public.automation_rules set is_paused = true'),
  ('ada', $$ insert into public.automation_actions (rule_id, action_type, action_config, execution_order)
    values (tests.id('rule'), 'send_webhook', '{"url": "https://a.test"}', 5) $$, ''),
  ('ada', $$ update public.automation_actions set action_config = '{"url": "https://a.test"}'
    where execution_order = 1 $$,
    ''),
  ('ada', 'update public.automation_actions set continue_on_error = true', ''),
  ('ada', 'delete from public.automation_actions where execution_order = 1', ''),
  ('ola', 'select public.toggle_automation_rule(tests.id(''rule''))', ''),
  ('ola', 'select public.toggle_automation_rule(tests.id(''rule''), true)', ''),
  ('ada', 'select public.toggle_automation_rule(tests.id(''rule''))',
    'update public.automation_rules set is_enabled = false'),
  ('ola', $$ select public.update_automation_rule(tests.id('rule'), '{"name": "New", "is_paused": true}') $$, ''),
  ('ada', $$ select public.update_automation_rule(tests.id('rule'), '{"actions": []}') $$, ''),
  ('ada', $$ select public.update_automation_rule(tests.id('rule'), '{"trigger_type": "episode.published"}') $$, ''),
  ('ola', $$ select public.update_automation_rule(tests.id('rule'), '{}') $$, ''),
  ('ola', $$ select public.update_automation_rule(tests.id('rule'), jsonb_build_object('actions',
    public.get_automation_rule(tests.id('rule')) #> '{rule,automation_actions}')) $$, ''),
  ('ada', $$ select public.update_automation_rule(tests.id('rule'), '{"conditions": [
    {"field": "guest_email", "operator": "is_empty"}]}') $$, ''),
  ('ada', $$ update public.automation_rules set condition_mode = 'any' $$, ''),
  ('ola', $$ select public.rotate_webhook_secret(tests.id('rule/1'), 'whsec_' || repeat('A', 32)) $$, ''),
  ('ola', $$ select public.update_automation_template(tests.id('greet'), '{"subject": "New"}') $$, '');
select is(pg_temp.author_after('ada', coalesce(nullif(setup, ''), 'select'), statement), author,
  format('the author is %s after an admin runs: %s%s', author, statement, ' after:' || nullif(setup, ''))) from changes;
select is(pg_temp.author_after('service', coalesce(nullif(setup, ''), 'select'), statement), 'ola',
  format('the author stays after service runs: %s%s', statement, ' after:' || nullif(setup, '')))
from changes where statement not like '%select public.%';

select * from tests.finish();
rollback;
