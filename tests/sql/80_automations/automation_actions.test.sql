-- Actions: what the table requires of every writer, and its readers and writers. webhook_secrets.test.sql has the
-- secrets.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.template('foreign', 'theirs'), tests.episode('pilot', 'show'),
  tests.guest('gus', 'pilot', 'active'), tests.guest('nia', 'pilot'), tests.episode('other', 'theirs'),
  tests.guest('ivy', 'other', 'active');
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('greet'))),
  tests.rule('theirs/rule', 'theirs', 'booking.confirmed');

-- Who
select tests.access('reading actions', $$ select from public.automation_actions $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select is(tests.result_of(who, format($$ insert into public.automation_actions (rule_id, action_type, action_config,
  execution_order) values (%L, 'send_webhook', '{"url": "https://a.test"}', %s) $$, tests.id('rule'), n)), result,
  format('inserting an action as %s gives %s', who, result))
from (values ('anon', '42501', 1), ('otto', '42501', 1), ('vic', '42501', 1), ('ada', 'ok 1', 1), ('ola', 'ok 1', 2),
  ('service', 'ok 1', 3)) v (who, result, n);
select is(tests.value_as('otto', format($$ select tests.describe_error($q$
    insert into public.automation_actions (rule_id, action_type, action_config) values (%L, 'send_email', '{}') $q$) $$,
    tests.id('rule'))),
  '42501 / Requires the admin or owner role on this podcast', 'a stranger learns nothing about the rule of an action');
select is(tests.result_of('ola', $$ insert into public.automation_actions (rule_id, action_type, action_config)
  values (gen_random_uuid(), 'send_webhook', '{"url": "https://a.test"}') $$), 'PT404',
  'an action of an unknown rule is rejected');
select tests.access('updating an action', $$ update public.automation_actions set continue_on_error = true
  where execution_order = 1 $$, '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select is(tests.result_of('ola', format('update public.automation_actions set %I = %I', name, name)), '42501',
  format('clients may not change automation_actions.%s', name))
from unnest('{id,rule_id,podcast_id,created_at,updated_at}'::text[]) name;
select is(tests.result_of('ola', format('insert into public.automation_actions (rule_id, action_type, action_config,
  execution_order, %I) values (%L, ''send_webhook'', ''{"url": "https://a.test"}'', 9, %s)', name, tests.id('rule'),
  value)), '42501', format('clients may not insert automation_actions.%s', name))
from (values ('id', 'gen_random_uuid()'), ('podcast_id', quote_literal(tests.id('theirs'))), ('created_at', 'now()'),
  ('updated_at', 'now()')) v (name, value);
select is(tests.result_of('service', $$ update public.automation_actions set podcast_id = tests.id('theirs') $$),
  'ok 4', 'service may write the podcast of an action');
select is(array_agg(distinct podcast_id), array[tests.id('show')],
  'the podcast of an action is always that of its rule')
from public.automation_actions;
select tests.access('deleting an action', $$ delete from public.automation_actions where execution_order = 1 $$,
  '42501: anon; ok 0: otto vic; ok 1: ada');
select is(tests.result_of(who, format('delete from public.automation_actions where execution_order = %s', n)), 'ok 1',
  format('%s deletes an action', who)) from (values ('ola', 2), ('service', 3)) v (who, n);
delete from public.automation_actions;

-- What is wrong
create function pg_temp.add(type text, config jsonb, execution_order int default 0, rule text default 'rule')
returns text language sql as $$
  select tests.describe_error(format('insert into public.automation_actions (rule_id, action_type, action_config,
    execution_order) values (%L, %L, %L, %L)', tests.id(rule), type, config, execution_order))
$$;
select is(pg_temp.add(type, config::jsonb), 'PT400 / Invalid request / action_config' || problem,
  format('%s rejects the action_config %s', type, left(config, 100)))
from (values
  ('send_email', '[]', ': must be an object'), ('send_webhook', '"x"', ': must be an object'),
  ('update_field', 'null', ': must be an object'),
  ('send_email', '{"to": "guest"}', '.template_id: must be the id of a template'),
  ('send_email', '{"template_id": "greet", "to": "guest"}', '.template_id: must be the id of a template'),
  ('send_email', '{"template_id": 7, "to": "guest"}', '.template_id: must be the id of a template'),
  ('send_email', jsonb_build_object('template_id', gen_random_uuid(), 'to', 'guest')::text,
    '.template_id: must be a template of this podcast'),
  ('send_email', jsonb_build_object('template_id', tests.id('foreign'), 'to', 'guest')::text,
    '.template_id: must be a template of this podcast'),
  ('send_webhook', '{}', '.url: must be an http or https URL'),
  ('send_webhook', '{"url": 7}', '.url: must be an http or https URL'),
  ('send_webhook', '{"url": "ftp://a.test"}', '.url: must be an http or https URL'),
  ('send_webhook', '{"url": "javascript:alert(1)"}', '.url: must be an http or https URL'),
  ('send_webhook', '{"url": "https://user:pass@a.test/"}', '.url: must be an http or https URL'),
  ('send_webhook', '{"url": "https://a.test/\nx"}', '.url: must be an http or https URL'),
  ('send_webhook', format('{"url": "https://a.test/%s"}', repeat('x', 2040)), '.url: must be an http or https URL'),
  ('send_webhook', '{"url": "https://1.2.3.256/"}',
    '.url: must have a valid host and port; write an international host name in punycode (xn--…)'),
  ('send_webhook', '{"url": "https://bücher.test/"}',
    '.url: must have a valid host and port; write an international host name in punycode (xn--…)'),
  ('send_webhook', '{"url": "https://a.test", "method": "PUT"}',
    ': may have only url, secret, payload_template, headers, sign'),
  ('update_field', '{}', '.entity: must be episode or guest'),
  ('update_field', '{"entity": "podcast", "field": "title", "value": "x"}', '.entity: must be episode or guest'),
  ('update_field', '{"entity": "guest", "field": "title", "value": "x"}',
    '.field: must be one of: display_name, notes, bio'),
  ('update_field', '{"entity": "guest", "value": "x"}', '.field: must be one of: display_name, notes, bio'),
  ('update_field', '{"entity": "episode", "field": "title"}', '.value: must be string'),
  ('update_field', '{"entity": "episode", "field": "title", "value": null}', '.value: must be string'),
  ('update_field', '{"entity": "episode", "field": "summary", "value": 7}', '.value: must be string or null'),
  ('update_field', '{"entity": "episode", "field": "explicit", "value": "true"}', '.value: must be boolean'),
  ('update_field', '{"entity": "episode", "field": "season_number", "value": "3"}', '.value: must be number or null'),
  ('update_field', '{"entity": "episode", "field": "season_number", "value": 1.5}',
    '.value: is not valid for season_number'),
  ('update_field', '{"entity": "episode", "field": "episode_number", "value": -1}',
    '.value: is not valid for episode_number'),
  ('update_field', '{"entity": "episode", "field": "episode_number", "value": 1e12}',
    '.value: is not valid for episode_number'),
  ('update_field', '{"entity": "episode", "field": "episode_type", "value": "extra"}',
    '.value: is not valid for episode_type'),
  ('update_field', jsonb_build_object('entity', 'episode', 'field', 'description', 'value', repeat('é', 51201))::text,
    '.value: must be at most 102,400 bytes'),
  ('update_field', '{"entity": "episode", "field": "title", "value": " \n"}', '.value: must not be empty'),
  ('update_field', '{"entity": "episode", "field": "itunes_title", "value": ""}', '.value: must not be empty'),
  ('update_field', '{"entity": "guest", "field": "display_name", "value": "\u200b"}', '.value: must not be empty'),
  ('update_field', '{"entity": "episode", "field": "summary", "value": "With {guest_full_name}"}',
    '.value: must have no {tags}, which only templates may have'),
  ('update_field', '{"entity": "guest", "field": "notes", "value": "{booking_answer:Topic?}"}',
    '.value: must have no {tags}, which only templates may have'),
  ('update_field', '{"entity": "episode", "field": "title", "value": "x", "id": 1}',
    ': may have only entity, field, value')) v (type, config, problem);
select is(pg_temp.add('send_email', jsonb_build_object('template_id', tests.id('greet')) || config::jsonb),
  'PT400 / Invalid request / action_config' || problem, format('send_email rejects the action_config %s', config))
from (values
  ('{}', '.to: must be guest, host, team or an address'),
  ('{"to": null}', '.to: must be guest, host, team or an address'),
  ('{"to": ["host"]}', '.to: must be guest, host, team or an address'),
  ('{"to": "everyone"}', '.to: must be guest, host, team or an email address'),
  ('{"to": "a@test.example, b@test.example"}', '.to: must be guest, host, team or an email address'),
  ('{"to": "host", "cc": "guest"}', ': may have only template_id, to'),
  ('{"to": "ola@test.example", "cc": "guest"}', ': may have only template_id, to')) v (config, problem);
select pg_temp.add('send_email', jsonb_build_object('template_id', tests.id('greet'), 'to', E' Ola@Test.EXAMPLE\n'));
select is((select a.action_config ->> 'to' from public.automation_actions a where a.action_type = 'send_email'),
  'ola@test.example', 'send_email keeps an address trimmed and in lower case');
delete from public.automation_actions a where a.action_type = 'send_email';
select is(left(pg_temp.add('send_sms', '{}'), 5), '22P02', 'the action_type is one of three');
select is(left(pg_temp.add('send_webhook', '{"url": "https://a.test"}', n), 5), result,
  format('the execution_order %s gives %s', n, result)) from (values (-1, '23514'), (100, '23514'), (0, 'none'),
  (99, 'none')) v (n, result);
select is(left(pg_temp.add('send_webhook', '{"url": "https://a.test"}', 99), 5), '23505',
  'two actions of a rule cannot have the same execution_order');
select is(pg_temp.add('send_webhook', '{"url": "http://a.test"}', 99, 'theirs/rule'), 'none',
  'actions of two rules may have the same execution_order');
select is(tests.describe_error($$ update public.automation_actions set action_type = 'update_field' $$),
  'PT400 / Invalid request / action_config.entity: must be episode or guest',
  'an update of an action meets the same rules');

-- Webhooks that safeFetch would not send
create function pg_temp.write_url(statement text, url text) returns text language sql as $$
  select tests.describe_error(format(statement, tests.id('rule'), jsonb_build_object('url', url)))
$$;
select is(pg_temp.write_url(statement, url), outcome,
  format('%s of a webhook to %s returns %s', substring(statement from '\w+'), url, outcome))
from (values ($$ insert into public.automation_actions (rule_id, action_type, action_config, execution_order)
    values (%L, 'send_webhook', %L, 50) $$),
  ($$ update public.automation_actions set action_type = 'send_webhook', action_config = %2$L
    where rule_id = %1$L and execution_order = 0 $$)) s (statement),
  (values ('http://127.0.0.1/', 'The URL does not point to the public internet'),
    ('http://169.254.169.254/latest/meta-data', 'The URL does not point to the public internet'),
    ('https://[::ffff:10.0.0.1]/', 'The URL does not point to the public internet'),
    ('http://localhost:3000/hook', 'The URL does not point to the public internet'),
    ('https://db.internal/', 'The URL does not point to the public internet'),
    ('https://hooks.test:22/', 'Port 22 is not allowed')) u (url, problem),
  format('PT400 / %s / BLOCKED_URL / action_config.url: must be a URL of a public server', problem) outcome;
select private.set_setting('fetch_allowed_hosts', 'localhost:3000');
select is(pg_temp.write_url($$ insert into public.automation_actions (rule_id, action_type, action_config,
  execution_order) values (%L, 'send_webhook', %L, 50) $$, 'http://localhost:3000/hook'), 'none',
  'a webhook may have a private host that fetch_allowed_hosts lists');
select private.set_setting('fetch_allowed_hosts', null);
select is(tests.describe_error($$ update public.automation_actions set continue_on_error = true
  where execution_order = 50 $$), 'none', 'an update that keeps the URL of a webhook does not check it again');
delete from public.automation_actions where execution_order = 50;

-- Addresses
insert into public.automation_addresses (podcast_id, email, requested_by, confirmed_at) values
  (tests.id('show'), 'asked@mail.example', tests.id('ola'), null),
  (tests.id('show'), 'agreed@mail.example', tests.id('ola'), now()),
  (tests.id('theirs'), 'elsewhere@mail.example', tests.id('otto'), now());
create function pg_temp.send_to(address text) returns text language plpgsql as $$
begin
  delete from public.automation_actions;
  return pg_temp.add('send_email', jsonb_build_object('template_id', tests.id('greet'), 'to', address));
end $$;
select is(pg_temp.send_to(address), 'none', format('send_email may send to %s', recipient))
from (values ('ola@test.example', 'the owner'), ('vic@test.example', 'a member'),
  ('gus@test.example', 'a guest who accepted an invitation'), ('Agreed@MAIL.example', 'a confirmed address'))
  v (address, recipient);
select is(pg_temp.send_to(address), 'PT400 / Invalid request / action_config.to: must be a member, a guest who '
    'accepted an invitation, or an address that its holder confirmed; request the confirmation first',
  format('send_email may not send to %s', recipient))
from (values ('asked@mail.example', 'an address that is not confirmed'), ('otto@test.example', 'a stranger'),
  ('nia@test.example', 'a guest who accepted no invitation'), ('ivy@test.example', 'a guest of another podcast'),
  ('elsewhere@mail.example', 'an address that is confirmed for another podcast'),
  ('unknown@mail.example', 'an unknown address')) v (address, recipient);
select is(pg_temp.send_to(' Agreed@MAIL.example '), 'none', 'send_email trims an address');
select is((select a.action_config ->> 'to' from public.automation_actions a), 'agreed@mail.example',
  'send_email stores an address without spaces, in lower case');

-- The allow-list of update_field
delete from public.automation_actions;
create function pg_temp.try_field(entity text, field text, value jsonb) returns text language plpgsql as $$
begin
  delete from public.automation_actions;
  return pg_temp.add('update_field', jsonb_build_object('entity', entity, 'field', field, 'value', value));
end $$;
select is(pg_temp.try_field(entity, field, value), 'none',
  format('update_field may set %s.%s to %s', entity, field, value))
from (values ('episode', 'title', '"New"'::jsonb), ('episode', 'itunes_title', '"New"'),
  ('episode', 'itunes_title', 'null'),
  ('episode', 'summary', '"New"'), ('episode', 'summary', 'null'), ('episode', 'description', '"New"'),
  ('episode', 'show_notes_html', '"<p>New</p>"'), ('episode', 'show_notes_html', 'null'),
  ('episode', 'season_number', '2'), ('episode', 'season_number', 'null'), ('episode', 'episode_number', '12'),
  ('episode', 'episode_number', 'null'), ('episode', 'episode_type', '"bonus"'), ('episode', 'explicit', 'true'),
  ('episode', 'is_blocked', 'false'), ('guest', 'display_name', '"New"'), ('guest', 'notes', '"New"'),
  ('guest', 'notes', 'null'), ('guest', 'bio', '"New"'), ('guest', 'bio', 'null'),
  ('guest', 'bio', '""'), ('episode', 'show_notes_html', '"<style>p {color: red}</style> {x}"'))
  v (entity, field, value);
select is(pg_temp.try_field('episode', a.attname, '"x"') like
    'PT400 / Invalid request / action_config.field: must be one of: title, itunes_title, %', true,
  format('update_field may not set episode.%s', a.attname))
from pg_attribute a where a.attrelid = 'public.episodes'::regclass and a.attnum > 0 and not a.attisdropped
  and a.attname not in ('title', 'itunes_title', 'summary', 'description', 'show_notes_html', 'season_number',
    'episode_number', 'episode_type', 'explicit', 'is_blocked');
select is(pg_temp.try_field('guest', a.attname, '"x"'),
  'PT400 / Invalid request / action_config.field: must be one of: display_name, notes, bio',
  format('update_field may not set guest.%s', a.attname))
from pg_attribute a where a.attrelid = 'public.podcast_guests'::regclass and a.attnum > 0 and not a.attisdropped
  and a.attname <> 'display_name';

-- Number
delete from public.automation_actions;
select pg_temp.add('send_webhook', '{"url": "https://a.test"}', n) from generate_series(0, 9) n;
select is(pg_temp.add('send_webhook', '{"url": "https://a.test"}', 10),
  'PT409 / A rule can have at most 10 actions / TOO_MANY_AUTOMATIONS', 'a rule has at most 10 actions');
select is(pg_temp.add('send_webhook', '{"url": "https://a.test"}', 10, 'theirs/rule'), 'none',
  'the limit of actions is per rule');
update public.automation_actions set updated_at = '2026-01-01Z', continue_on_error = true;
select ok(bool_and(updated_at >= now()), 'an update of an action sets updated_at') from public.automation_actions;
delete from public.automation_rules where id = tests.id('rule');
select is_empty($$ select from public.automation_actions where podcast_id = tests.id('show') $$,
  'the actions of a deleted rule are deleted');

select * from tests.finish();
rollback;
