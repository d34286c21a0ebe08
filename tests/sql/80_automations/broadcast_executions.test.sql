-- broadcast_executions: one message per podcast and statement, which the podcast's admins alone may receive.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'otto'), tests.person('eve');
select tests.episode('pilot', 'show'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
select tests.rule('greet', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"'))),
  tests.rule('call', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action())),
  tests.rule('thank', 'other', 'booking.confirmed');
delete from realtime.messages;
create function pg_temp.insert_many(rule text, n int) returns void language sql as $$
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data)
  select r.podcast_id, r.id, r.name, 'booking.confirmed', '{}' from tests.rule_row(rule) r, generate_series(1, n)
$$;

-- The messages since the last call: whose, and their executions
create function pg_temp.sent() returns text language sql as $$
  with taken as (
    delete from realtime.messages m using tests.ids i where m.topic = 'automations:' || i.id
    returning i.name, m.payload
  )
  select string_agg(format('%s: %s', t.name, (
    select string_agg(distinct concat_ws(' ', coalesce(i.name, '-'), e ->> 'status'), ', ')
    from jsonb_array_elements(t.payload -> 'executions') e left join tests.ids i on i.id = (e ->> 'rule_id')::uuid)),
    '; ' order by t.name) from taken t
$$;

-- What is sent
select pg_temp.insert_many('greet', 1);
select results_eq('select topic, extension, event, private, payload from realtime.messages',
  $$ values ('automations:' || tests.id('show'), 'broadcast', 'executions_changed', true, jsonb_build_object(
    'executions', jsonb_build_array(jsonb_build_object('id', (tests.execution('greet')).id,
      'rule_id', tests.id('greet'), 'status', 'pending', 'is_test', false)), 'has_more', false)) $$,
  'a new execution sends a private broadcast with its id, rule, status and whether it is a test');
delete from realtime.messages;
delete from automation_executions;
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'), 'a',
  now());
select is(pg_temp.sent(), 'show: call pending, greet pending', 'an occurrence sends one message for all of its rules');
select private.run_automation_executions(array(select id from automation_executions)) is not null;
select is(pg_temp.sent(), 'show: call running, greet completed',
  'run_automation_executions sends one message per podcast');
select private.begin_webhook((tests.execution('call')).id, tests.id('call/0')) is not null;
select private.record_webhook_attempt((tests.execution('call')).id, tests.id('call/0'), 'No response');
select is(pg_temp.sent(), null, 'a change that keeps the status sends nothing');
select tests.run_rule('call', jsonb_build_object('action_id', tests.id('call/0'), 'status', 'completed', 'result',
  '{}'::jsonb));
select is(pg_temp.sent(), 'show: call completed', 'run_automation_execution sends a message');
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data)
select r.podcast_id, r.id, r.name, 'booking.confirmed', '{}'
from unnest(array['greet', 'thank']) name, tests.rule_row(name) r, generate_series(1, 60);
select is((select string_agg(concat_ws(' ', jsonb_array_length(payload -> 'executions'), payload -> 'has_more'), ', ')
    from realtime.messages), '50 true, 50 true',
  'a message has at most 50 executions, and says whether there are more');
select is(pg_temp.sent(), 'other: thank pending; show: greet pending', 'a statement sends one message per podcast');
delete from automation_rules where id = tests.id('greet');
select is(pg_temp.sent(), 'show: greet canceled', 'the deletion of a rule sends one message');
delete from automation_executions;
select is(pg_temp.sent(), null, 'a purge sends nothing');

-- Who receives
delete from realtime.messages;
create function pg_temp.received_by(who text, topic text) returns text language sql as $$
  select set_config('realtime.topic', $2, true);
  select coalesce(tests.value_as($1, 'select string_agg(m.extension, '','') from realtime.messages m'), 'nothing')
$$;
insert into realtime.messages (topic, extension, private)
select topic, extension, true
from unnest(array['automations:' || tests.id('show'), 'automations:']) topic,
  unnest(array['broadcast', 'presence']) extension;
select is(pg_temp.received_by(who, topic), received, format('%s receives %s on %s', who, received, said)) from (values
  ('ola', 'automations:' || tests.id('show'), 'broadcast,broadcast', 'the automations of their podcast'),
  ('ada', 'automations:' || tests.id('show'), 'broadcast,broadcast', 'the automations of a podcast with them as admin'),
  ('mel', 'automations:' || tests.id('show'), 'nothing', 'the automations of a podcast with them as member'),
  ('otto', 'automations:' || tests.id('show'), 'nothing', 'the automations of another podcast'),
  ('eve', 'automations:' || tests.id('show'), 'nothing', 'the automations of a podcast'),
  ('anon', 'automations:' || tests.id('show'), 'nothing', 'the automations of a podcast'),
  ('ola', 'automations:', 'nothing', 'automations without a podcast'),
  ('ola', tests.id('show')::text, 'nothing', 'another topic')) v (who, topic, received, said);
select is(tests.result_of(who, format(
    'insert into realtime.messages (topic, extension, private) values (%L, ''broadcast'', true)',
    'automations:' || tests.id('show'))), '42501', format('%s may not send about automations', who))
from unnest(array['ola', 'eve', 'anon']) who;
select is(tests.result_of(who, 'select private.broadcast_executions(array[]::uuid[])'), '42501',
  format('%s may not call broadcast_executions', who)) from unnest(array['ola', 'anon', 'service']) who;

-- Realtime fails
create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  raise sqlstate '23514' using message = 'no partition';
end $$;
create trigger fails before insert on realtime.messages for each row execute function pg_temp.fail();
delete from realtime.messages;
select pg_temp.insert_many('call', 1);
select is((select count(*) from automation_executions), 1::bigint,
  'an execution is written on a day for which Realtime has no partition');
create or replace function pg_temp.fail() returns trigger language plpgsql as $$
begin
  raise sqlstate '42501' using message = 'Realtime changed its grants';
end $$;
select pg_temp.insert_many('call', 1);
select is((select count(*) from automation_executions), 2::bigint,
  'an execution is written when its broadcast fails');
select is_empty('select from realtime.messages', 'a broadcast of executions that fails sends nothing');

select * from tests.finish();
rollback;
