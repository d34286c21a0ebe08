-- Rules: what the table requires of every writer, and its readers and writers. adopt_changed_rule.test.sql and
-- pause_rules_of_left_member.test.sql have their authors and pauses.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show'), tests.booking_link('foreign', 'theirs');
select tests.rule('greet', 'show', 'booking.confirmed');

-- Who
select tests.access('reading rules', $$ select from public.automation_rules $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select tests.access('inserting a rule', format($$ insert into public.automation_rules (podcast_id, name, trigger_type)
  values (%L, 'Thank', 'episode.published') $$, tests.id('show')),
  '42501: anon otto vic; ok 1: ada ola; PT400: service');
select is(tests.value_as('service', format('select tests.describe_error(%L)', format(
    'insert into public.automation_rules (podcast_id, name, trigger_type)
    values (%L, ''Thank'', ''episode.published'')', tests.id('show')))),
  'PT400 / Invalid request / author_id: is required, because the rule acts with the role of its author; or set '
  'is_paused', 'a rule that the service inserts without an author is rejected, not paused');
select tests.access('updating a rule', $$ update public.automation_rules set name = name where name = 'greet' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select is(tests.result_of('ola', format('update public.automation_rules set %I = %I', name, name)), '42501',
  format('clients may not change automation_rules.%s', name))
from unnest('{id,podcast_id,author_id,pause_reason,created_at,updated_at}'::text[]) name;
select is(tests.result_of('ola', format('insert into public.automation_rules (podcast_id, name, trigger_type, %I)
  values (%L, ''Thank'', ''episode.published'', %s)', name, tests.id('show'), value)), '42501',
  format('clients may not insert automation_rules.%s', name))
from (values ('id', 'gen_random_uuid()'), ('author_id', 'auth.uid()'), ('pause_reason', 'null'),
  ('created_at', 'now()'),
  ('updated_at', 'now()')) v (name, value);
select tests.access('deleting a rule', $$ delete from public.automation_rules where name = 'greet' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada');
select is(tests.result_of(who, $$ delete from public.automation_rules where ctid = (
  select min(ctid) from public.automation_rules) $$), 'ok 1', format('%s deletes a rule', who))
from unnest('{ola,service}'::text[]) who;
delete from public.automation_rules;

-- What is wrong
create function pg_temp.add(fields jsonb, podcast text default 'show') returns text language sql as $$
  select tests.describe_error(format('insert into public.automation_rules (podcast_id, name, description, trigger_type,
    trigger_config, workflow_data) values (%L, %L, %L, %L, %L, %L)', tests.id(podcast), f ->> 'name',
    f ->> 'description', f ->> 'trigger_type', f -> 'trigger_config', f -> 'workflow_data'))
  from (select '{"name": "Greet", "description": "", "trigger_type": "booking.confirmed", "trigger_config": {},
    "workflow_data": {"nodes": [], "connections": []}}'::jsonb || fields) v (f)
$$;
create function pg_temp.add_trigger(type text, config jsonb) returns text language sql as $$
  select pg_temp.add(jsonb_build_object('trigger_type', type, 'trigger_config', config))
$$;
select is(pg_temp.add_trigger(type, config::jsonb), 'PT400 / Invalid request / trigger_config' || problem,
  format('a rule for %s rejects the trigger_config %s', type, config))
from (values
  ('episode.published', '[]', ': must be an object'), ('booking.confirmed', 'null', ': must be an object'),
  ('time.before_recording', '7', ': must be an object'),
  ('episode.published', '{"offset_minutes": 5}', ': must be empty for episode.published'),
  ('booking.confirmed', '{"offset_minutes": 5}', ': may have only booking_link_id'),
  ('guest.accepted', '{"booking_link_id": null}', ': must be empty for guest.accepted'),
  ('episode.scheduled', '{"x": 1}', ': must be empty for episode.scheduled'),
  ('import.completed', '{"x": 1}', ': must be empty for import.completed'),
  ('booking.declined', '{"offset_minutes": 5}', ': may have only booking_link_id'),
  ('time.after_recording', '{}', '.offset_minutes: must be an integer from 0 to 43200'),
  ('time.after_recording', '{"offset_minutes": -1}', '.offset_minutes: must be an integer from 0 to 43200'),
  ('time.after_recording', '{"offset_minutes": 43201}', '.offset_minutes: must be an integer from 0 to 43200'),
  ('time.before_recording', '{}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": 0}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": 43201}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": 1e20}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": -5}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": 1.5}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": "60"}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": null}', '.offset_minutes: must be an integer from 1 to 43200'),
  ('time.before_recording', '{"offset_minutes": 60, "unit": "h"}', ': may have only offset_minutes, booking_link_id'),
  ('booking.confirmed', '{"booking_link_id": "talk"}', '.booking_link_id: must be the id of a booking link'),
  ('booking.confirmed', '{"booking_link_id": null}', '.booking_link_id: must be the id of a booking link'),
  ('time.before_recording', '{"offset_minutes": 60, "booking_link_id": 7}',
    '.booking_link_id: must be the id of a booking link'),
  ('booking.confirmed', jsonb_build_object('booking_link_id', tests.id('foreign'))::text,
    '.booking_link_id: must be a booking link of this podcast'),
  ('time.before_recording', jsonb_build_object('offset_minutes', 60, 'booking_link_id', gen_random_uuid())::text,
    '.booking_link_id: must be a booking link of this podcast')) v (type, config, problem);
select is(pg_temp.add_trigger(type, config), 'none',
  format('a rule for %s may have the trigger_config %s', type, config))
from (values ('time.before_recording', '{"offset_minutes": 1}'::jsonb),
  ('time.after_recording', '{"offset_minutes": 0}'), ('time.after_recording', '{"offset_minutes": 43200}'),
  ('time.after_recording', jsonb_build_object('offset_minutes', 0, 'booking_link_id', tests.id('talk'))),
  ('booking.requested', jsonb_build_object('booking_link_id', tests.id('talk'))), ('booking.declined', '{}'),
  ('booking.rescheduled', jsonb_build_object('booking_link_id', tests.id('talk'))),
  ('booking.cancelled', jsonb_build_object('booking_link_id', tests.id('talk'))), ('guest.accepted', '{}'),
  ('episode.scheduled', '{}'), ('import.completed', '{}'),
  ('time.before_recording', '{"offset_minutes": 43200}'),
  ('time.before_recording', jsonb_build_object('offset_minutes', 60, 'booking_link_id', tests.id('talk'))),
  ('booking.confirmed', jsonb_build_object('booking_link_id', tests.id('talk')))) v (type, config);
select is(left(pg_temp.add_trigger('booking.moved', '{}'), 5), '22P02', 'the trigger_type is one of the registry');

create function pg_temp.add_workflow(workflow jsonb) returns text language sql as $$
  select pg_temp.add(jsonb_build_object('workflow_data', workflow))
$$;
select is(pg_temp.add_workflow(workflow::jsonb), 'PT400 / Invalid request / workflow_data' || problem,
  format('a rule rejects the workflow_data %s', workflow))
from (values
  ('[]', ': must be an object with nodes and connections'), ('null', ': must be an object with nodes and connections'),
  ('{"nodes": {}, "connections": []}', '.nodes: must be a list'),
  ('{"nodes": null}', '.nodes: must be a list'), ('{"nodes": [], "connections": 7}', '.connections: must be a list'),
  ('{"nodes": [{"id": ""}]}', '.nodes[0].id: must be 1 to 100 characters, or a number'),
  ('{"nodes": [{}, {"id": null}]}', '.nodes[1].id: must be 1 to 100 characters, or a number'),
  ('{"nodes": [{"id": {}}]}', '.nodes[0].id: must be 1 to 100 characters, or a number'),
  ('{"nodes": [{"id": "a"}, {"id": "a"}]}', '.nodes[1].id: must differ from those of the other nodes'),
  ('{"nodes": [{"id": 1}, "b", {"id": "1"}]}', '.nodes[2].id: must differ from those of the other nodes'),
  ('{"nodes": [{"id": "a"}], "connections": [{"from": "a", "to": "a"}, {"from": "b", "to": "a"}]}',
    '.connections[1].from: must be the id of a node'),
  ('{"nodes": [{"id": "a"}, {}], "connections": [{"from": "a", "to": "b"}]}',
    '.connections[0].to: must be the id of a node'),
  ('{"nodes": [{"id": "a"}], "connections": [{"id": "e", "source": "b", "target": "a"}]}',
    '.connections[0].source: must be the id of a node'),
  ('{"nodes": [{"id": 1}], "connections": [{"source": 1, "target": 2}]}',
    '.connections[0].target: must be the id of a node'),
  ('{"connections": [{"from": "a"}]}', '.connections[0].from: must be the id of a node')) v (workflow, problem);
select is(pg_temp.add_workflow(format('{"deep": %s0%s}', repeat('[', levels - 1), repeat(']', levels - 1))::jsonb),
  result,
  format('workflow_data of %s levels gives %s', levels, result))
from (values (32, 'none'), (33, 'PT400 / Invalid request / workflow_data: must be at most 32 levels deep'))
  v (levels, result);
select is(pg_temp.add_workflow(jsonb_build_object(
    'nodes', (select jsonb_agg(jsonb_build_object('id', lpad(i::text, id_length, '0'), 'type', repeat('t', type_length),
      'data', jsonb_build_object('d', repeat('x', data_length)))) from generate_series(1, nodes) i),
    'connections', coalesce((select jsonb_agg(jsonb_build_object('from', lpad(least(i, 1)::text, id_length, '0'),
      'to', lpad('1', id_length, '0'))) from generate_series(1, connections) i), '[]'))), result,
  format('workflow_data of %s nodes with ids of %s, types of %s and data of %s characters, and %s connections gives %s',
    nodes, id_length, type_length, data_length, connections, result))
from (values (200, 100, 100, 10, 500, 'none'),
  (201, 3, 1, 1, 0, 'PT400 / Invalid request / workflow_data.nodes: must have at most 200 nodes'),
  (1, 3, 1, 1, 501, 'PT400 / Invalid request / workflow_data.connections: must have at most 500 connections'),
  (1, 101, 1, 1, 0, 'PT400 / Invalid request / workflow_data.nodes[0].id: must be 1 to 100 characters, or a number'),
  (1, 1, 1, 262069, 0, 'none'),
  (1, 1, 1, 262070, 0, 'PT400 / Invalid request / workflow_data: must be at most 262,144 bytes'))
  v (nodes, id_length, type_length, data_length, connections, result);
-- What editors store: React Flow, numbers as ids, ids elsewhere, and no objects
delete from public.automation_rules;
create temp table workflows (workflow) as values
  ('{"nodes": [{"id": "a", "type": "trigger", "position": {"x": -1.50, "y": 0}, "data": {"label": "Ä", "id": 7},
    "width": 150, "selected": false, "sourcePosition": null, "handles": [{"id": "out"}]}, {"id": "b"}],
    "connections": [{"id": "e", "source": "a", "target": "b", "sourceHandle": null, "targetHandle": "in",
    "label": "then"}], "viewport": {"x": 0, "y": 0, "zoom": 1.25}, "version": [1, "two"]}'::jsonb),
  ('{"nodes": [{"id": 1}, {"id": 2}], "connections": [{"from": 1, "to": 2}, {"from": {"node": 9}}]}'),
  ('{"nodes": [{"name": "a"}], "connections": [{"from": "a", "to": "z"}]}'),
  ('{"nodes": ["a", ["id"]], "connections": ["a-b", 7, null]}'),
  ('{"nodes": [], "connections": [{"id": "e", "label": "then"}]}');
select is(pg_temp.add_workflow(workflow), 'none', format('a rule may have the workflow_data %s', workflow))
from workflows;
select results_eq('select workflow_data::text from public.automation_rules order by 1',
  'select workflow::text from workflows order by 1', 'a rule keeps all members of its workflow_data');
delete from public.automation_rules;
select pg_temp.add_workflow('{"zoom": 1}'), pg_temp.add_workflow('{"nodes": [{}]}');
select results_eq($$ select workflow_data from public.automation_rules order by workflow_data ? 'zoom' $$,
  $$ values ('{"nodes": [{}], "connections": []}'::jsonb), ('{"zoom": 1, "nodes": [], "connections": []}') $$,
  'the workflow_data of a rule has lists of nodes and connections, empty if they are absent');
select is(left(pg_temp.add(fields::jsonb), 5), '23514', format('a rule cannot have %s', left(fields, 40)))
from unnest(array['{"name": " "}', '{"name": "\u200b"}', format('{"name": "%s"}', repeat('x', 201)),
  format('{"description": "%s"}', repeat('x', 2001))]) fields;
select is(pg_temp.add(jsonb_build_object(field, repeat('é', n))), 'none',
  format('a %s may have %s characters', field, n))
from (values ('name', 200), ('description', 2000)) v (field, n);
delete from public.automation_rules;
select pg_temp.add('{"name": " Say\n hello "}');
select results_eq('select name from public.automation_rules', $$ values ('Say hello') $$,
  'the name of a rule is one line');
update public.automation_rules set updated_at = '2026-01-01Z';
select ok(updated_at >= now(), 'an update of a rule sets updated_at') from public.automation_rules;
select is(tests.describe_error($$ update public.automation_rules set workflow_data = '{"nodes": 1}' $$),
  'PT400 / Invalid request / workflow_data.nodes: must be a list', 'an update of workflow_data meets the same rules');
select is(tests.describe_error($$ update public.automation_rules set trigger_type = 'time.before_recording' $$),
  'PT400 / Invalid request / trigger_config.offset_minutes: must be an integer from 1 to 43200',
  'an update of a rule meets the same rules');
alter table public.automation_rules disable trigger t100_normalize;
select is(tests.error_of(format('update public.automation_rules set %s', change)), '23514',
  format('a constraint of rules rejects: %s', change))
from unnest(array['is_paused = false, author_id = null', $$ is_paused = false, pause_reason = 'author_left' $$,
  $$ is_paused = true, pause_reason = 'bored' $$, $$ condition_mode = 'none' $$]) change;
alter table public.automation_rules enable trigger t100_normalize;

-- A deleted booking link
delete from public.automation_rules;
select tests.rule('by link', 'show', 'booking.confirmed', '[]',
  jsonb_build_object('booking_link_id', tests.id('talk')));
delete from public.booking_links where id = tests.id('talk');
select is(tests.result_of('ada', $$ update public.automation_rules set is_enabled = false, name = 'Old' $$), 'ok 1',
  'a rule for a deleted booking link can be disabled and renamed');
select is(tests.value_as('ada', $$ select tests.describe_error($q$ update public.automation_rules set trigger_type =
    'time.before_recording', trigger_config = trigger_config || '{"offset_minutes": 5}' $q$) $$),
  'PT400 / Invalid request / trigger_config.booking_link_id: must be a booking link of this podcast',
  'a changed trigger_config cannot keep a deleted booking link');

-- Number
delete from public.automation_rules;
select pg_temp.add('{}') from generate_series(1, 100);
select is(pg_temp.add('{}'), 'PT409 / A podcast can have at most 100 automation rules; delete one first / '
  'TOO_MANY_AUTOMATIONS', 'a podcast has at most 100 rules');
select is(pg_temp.add('{}', 'theirs'), 'none', 'the limit of rules is per podcast');

select * from tests.finish();
rollback;
