-- Templates: what the table requires of every writer, and its readers and writers.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.podcast('leaving', 'ola');
select tests.template('greet', 'show');

-- Who
select tests.access('reading templates', $$ select from public.automation_templates $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select tests.access('inserting a template',
  format($$ insert into public.automation_templates (podcast_id, name, subject, body_text)
  values (%L, 'Thanks', 'Hi', 'Hi') $$, tests.id('show')), '42501: anon otto vic; ok 1: ada ola service');
select tests.access('updating a template',
  $$ update public.automation_templates set subject = 'Hi' where name = 'greet' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select is(tests.result_of('ola', format('update public.automation_templates set %I = %I', name, name)), '42501',
  format('clients may not change automation_templates.%s', name))
from unnest('{id,podcast_id,created_at,updated_at}'::text[]) name;
select is(tests.result_of('ola', format('insert into public.automation_templates (podcast_id, name, subject, body_text,
  %I) values (%L, ''Thanks'', ''Hi'', ''Hi'', %s)', name, tests.id('show'), value)), '42501',
  format('clients may not insert automation_templates.%s', name))
from (values ('id', 'gen_random_uuid()'), ('created_at', 'now()'), ('updated_at', 'now()')) v (name, value);
select tests.access('deleting a template', $$ delete from public.automation_templates where name = 'greet' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada');
select is(tests.result_of(who, $$ delete from public.automation_templates where ctid = (
  select min(ctid) from public.automation_templates) $$), 'ok 1', format('%s deletes a template', who))
from unnest('{ola,service}'::text[]) who;
delete from public.automation_templates;

-- What is wrong
create function pg_temp.add(fields jsonb, podcast text default 'show') returns text language sql as $$
  select tests.describe_error(format('insert into public.automation_templates (podcast_id, name, description, subject,
    body_html, body_text) values (%L, %L, %L, %L, %L, %L)', tests.id(podcast), f ->> 'name', f ->> 'description',
    f ->> 'subject', f ->> 'body_html', f ->> 'body_text'))
  from (select '{"name": "Thanks", "description": "", "subject": "Hi", "body_html": "<p>Hi</p>",
    "body_text": ""}'::jsonb || fields) v (f)
$$;
select is(pg_temp.add(fields::jsonb), 'PT400 / Invalid request / ' || problem,
  format('a template with %s is rejected: %s', fields, problem))
from (values
  ('{"subject": ""}', 'subject: must not be empty'),
  ('{"subject": " \n"}', 'subject: must not be empty'),
  ('{"subject": "\u200b"}', 'subject: must not be empty'),
  ('{"subject": null}', 'subject: must not be empty'),
  ('{"body_html": ""}', 'body_html: must have visible content, or body_text must not be empty'),
  ('{"body_html": "<p> &nbsp; </p>"}', 'body_html: must have visible content, or body_text must not be empty'),
  ('{"body_html": "<p></p>", "body_text": " \n"}',
    'body_html: must have visible content, or body_text must not be empty'),
  ('{"subject": "Hi {"}', 'subject: the brace at character 4 is not part of a {tag}'),
  ('{"subject": "Hi } {host_name}"}', 'subject: the brace at character 4 is not part of a {tag}'),
  ('{"subject": "{host_name} {{host_name}}"}', 'subject: the brace at character 13 is not part of a {tag}'),
  ('{"subject": "{{"}', 'subject: the brace at character 1 is not part of a {tag}'),
  ('{"body_html": "<p>{a{host_name}</p>"}', 'body_html: the brace at character 4 is not part of a {tag}'),
  ('{"body_html": "<style>p { color: red; } }</style>Hi"}',
    'body_html: the brace at character 26 is not part of a {tag}'),
  ('{"body_text": "Hi\n{host_name"}', 'body_text: the brace at character 4 is not part of a {tag}'),
  ('{"subject": "Hi {guest_name}"}', 'subject: unknown tag {guest_name}; see the table automation_tags'),
  ('{"subject": "{}"}', 'subject: unknown tag {}; see the table automation_tags'),
  ('{"subject": "{ host_name }"}', 'subject: unknown tag { host_name }; see the table automation_tags'),
  ('{"subject": "{booking_answer:}"}', 'subject: unknown tag {booking_answer:}; see the table automation_tags'),
  ('{"subject": "{booking_answer: }"}', 'subject: unknown tag {booking_answer:}; see the table automation_tags'),
  ('{"subject": "{booking_answer}"}', 'subject: unknown tag {booking_answer}; see the table automation_tags'),
  ('{"subject": "{Host_Name}"}', 'subject: unknown tag {Host_Name}; see the table automation_tags'),
  ('{"body_html": "<style>p {color: red}</style>Hi"}',
    'body_html: unknown tag {color: red}; see the table automation_tags'),
  ('{"body_text": "{host_name} {zoo} {apple}"}', 'body_text: unknown tag {apple}; see the table automation_tags'),
  ('{"subject": "{zoo}", "body_html": "{apple}"}', 'subject: unknown tag {zoo}; see the table automation_tags')
) v (fields, problem);
select is(pg_temp.add(jsonb_build_object('subject', format('{%s}', repeat('x', 300)))) like 'PT400%: must be at most%',
  true, 'a long unknown tag makes a subject that is too long');
select is(pg_temp.add(jsonb_build_object('body_text', format('{%s}', repeat('x', 5000)))), format(
  'PT400 / Invalid request / body_text: unknown tag {%s}; see the table automation_tags', repeat('x', 100)),
  'the error of an unknown tag shows at most 100 characters of it');
select is(pg_temp.add(jsonb_build_object('body_text', format('{booking_answer:%s}', repeat('x', 301)))), format(
  'PT400 / Invalid request / body_text: unknown tag {booking_answer:%s}; see the table automation_tags',
  repeat('x', 85)), 'a question in a tag has at most 300 characters');
select is(pg_temp.add(jsonb_build_object(field, repeat(text, n))), result,
  format('a template whose %s is %L, %s times, gives %s', field, text, n, result))
from (values
  ('name', 'x', 200, 'none'), ('description', 'é', 2000, 'none'),
  ('subject', 'é', 255, 'none'),
  ('subject', 'é', 256, 'PT400 / Invalid request / subject: must be at most 255 characters'),
  ('body_html', 'é', 51200, 'none'), ('body_text', 'é', 51200, 'none'),
  ('body_html', 'abc', 34134, 'PT400 / Invalid request / body_html: must be at most 102,400 bytes'),
  ('body_html', 'é', 51201, 'PT400 / Invalid request / body_html: must be at most 102,400 bytes'),
  ('body_text', 'é', 51201, 'PT400 / Invalid request / body_text: must be at most 102,400 bytes'),
  ('body_text', '{host_name}', 300, 'none'),
  ('body_text', '{host_name}', 301, 'PT400 / Invalid request / body_text: must have at most 300 {tags}'),
  ('subject', '}', 255, 'PT400 / Invalid request / subject: the brace at character 1 is not part of a {tag}'),
  ('body_html', '}', 301, 'PT400 / Invalid request / body_html: must have at most 300 {tags}'),
  ('body_html', '<p>x</p>', 2500, 'none'),
  ('body_html', '<p>x</p><p>', 1667, 'PT400 / Invalid request / body_html: must have at most 5,000 HTML tags'),
  ('body_html', '<!--', 2000,
    'PT400 / Invalid request / body_html: must have visible content, or body_text must not be empty'),
  ('body_html', '<p title="x"></p>', 2500,
    'PT400 / Invalid request / body_html: must have visible content, or body_text must not be empty')
) v (field, text, n, result);
select is(left(pg_temp.add(fields::jsonb), 5), '23514', format('a template cannot have %s', left(fields, 40)))
from unnest(array['{"name": " "}', '{"name": "\u200b"}', format('{"name": "%s"}', repeat('x', 201)),
  format('{"description": "%s"}', repeat('x', 2001))]) fields;
select is(left(pg_temp.add('{"body_text": "Hi"}' || jsonb_build_object(field, null)), 5), '23502',
  format('the %s of a template is not null', field))
from unnest('{name,description,body_html,body_text}'::text[]) field;
select throws_ok(format($$ insert into public.automation_templates (podcast_id, name, subject, body_text, category)
  values (%L, 'Thanks', 'Hi', 'Hi', 'sales') $$, tests.id('show')), '22P02', null,
  'a template''s category is one of the four');

-- What is valid
delete from public.automation_templates;
select is(pg_temp.add(fields::jsonb), 'none', format('a template may have %s', fields))
from unnest(array['{"body_html": "", "body_text": "Hi {host_name}"}',
  '{"body_text": "{booking_answer:What do you talk about?}"}',
  '{"body_html": "{booking_answer:Tea &amp; cake?}"}', format('{"body_text": "{booking_answer:%s}"}', repeat('é', 300)),
  '{"body_html": "<img src=x>"}',
  '{"subject": "{guest_first_name}{guest_first_name}"}', '{"body_html": "<a href=\"{episode_url}\">x</a>"}']) fields;
select pg_temp.add('{"name": " Say\n thanks ", "subject": "Hi\r\nBcc: all@test.example ", "body_text": " a\n b "}');
select results_eq($$ select name, subject, body_text, category::text from public.automation_templates
  where name like 'Say%' $$, $$ values ('Say thanks', 'Hi Bcc: all@test.example', E' a\n b ', 'general') $$,
  'name and subject of a template are one line, and its body keeps its lines');
update public.automation_templates set updated_at = '2026-01-01Z' where name like 'Say%';
select ok(updated_at >= now(), 'an update of a template sets updated_at')
from public.automation_templates where name like 'Say%';
select is(tests.describe_error($$ update public.automation_templates set body_text = '{nope}'
  where name like 'Say%' $$), 'PT400 / Invalid request / body_text: unknown tag {nope}; see the table automation_tags',
  'an update of a template meets the same rules');

-- Number
delete from public.automation_templates;
select pg_temp.add('{}') from generate_series(1, 200);
select is(pg_temp.add('{}'), 'PT409 / A podcast can have at most 200 templates; delete one first / '
  'TOO_MANY_AUTOMATIONS', 'a podcast has at most 200 templates');
select is(pg_temp.add('{}', 'theirs'), 'none', 'the limit of templates is per podcast');
delete from public.automation_templates where ctid = (select min(ctid) from public.automation_templates
  where podcast_id = tests.id('show'));
select is(pg_temp.add('{}'), 'none', 'a deleted template makes room for another');

-- Deletion while a rule sends it
select tests.template('used', 'theirs'), tests.template('free', 'theirs');
select tests.rule('Remind', 'theirs', 'booking.confirmed', jsonb_build_array(tests.email_action('used'))),
  tests.rule('Greet', 'theirs', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
    tests.email_action('used')));
create function pg_temp.delete_used(who text) returns text language plpgsql as $$
begin
  perform tests.act_as(who);
  return tests.describe_error('delete from public.automation_templates where id = tests.id(''used'')');
end $$;
select is(pg_temp.delete_used(who),
  'PT409 / The rule ''Greet'' sends this template; change or delete the rule first / TEMPLATE_IN_USE',
  format('a template that a rule sends cannot be deleted by %s', who)) from unnest('{otto,service}'::text[]) who;
select tests.act_as('postgres');
select is(tests.result_of('otto', $$ delete from public.automation_templates where id = tests.id('free') $$), 'ok 1',
  'a template that no rule sends can be deleted');
set constraints all immediate;
alter table public.automation_templates disable trigger t330_guard_used;
select throws_ok($$ delete from public.automation_templates where id = tests.id('used');
  set constraints all immediate $$, '23503', null, 'a constraint keeps the template of an action that a race added');
alter table public.automation_templates enable trigger t330_guard_used;

-- A podcast pending deletion
select tests.template('last', 'leaving'), tests.template('sent', 'leaving');
select tests.rule('Thank', 'leaving', 'booking.confirmed', jsonb_build_array(tests.email_action('sent')));
select tests.set_status('leaving', 'pending_deletion');
select tests.act_as('ola');
select is((select count(*) from public.automation_templates where podcast_id = tests.id('leaving')), 2::bigint,
  'the templates of a podcast that is pending deletion can be read');
select tests.act_as('postgres');
select lives_ok($$ delete from public.podcasts where id = tests.id('leaving'); set constraints all immediate $$,
  'templates, also those that rules send, are deleted with their podcast');
select is_empty($$ select from public.automation_templates where podcast_id = tests.id('leaving') $$,
  'a deleted podcast leaves no template');

select * from tests.finish();
rollback;
