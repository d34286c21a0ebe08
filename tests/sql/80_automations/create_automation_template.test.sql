-- create_automation_template: an insert with its role. automation_templates.test.sql has the rules of the row.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');

select tests.access('create_automation_template',
  $$ select public.create_automation_template(tests.id('show'), 'Thanks', 'Hi', 'Hi') $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
delete from public.automation_templates;

select tests.act_as('ada');
create temp table made as select public.create_automation_template(tests.id('show'), ' Thanks ',
  'Hi {guest_first_name}',
  '<p>See you</p>', 'See you', 'After the session', 'guest', false) -> 'template' as template;
select is(template - '{id,created_at,updated_at}'::text[], jsonb_build_object('podcast_id', tests.id('show'),
    'name', 'Thanks', 'description', 'After the session', 'category', 'guest', 'subject', 'Hi {guest_first_name}',
    'body_html', '<p>See you</p>', 'body_text', 'See you', 'has_button', false),
  'create_automation_template returns the fields of the row')
from made;
select is(current_setting('response.status'), '201', 'create_automation_template answers 201');
select matches(template ->> key, '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  format('create_automation_template returns %s in ISO 8601 with Z', key))
from made, unnest('{created_at,updated_at}'::text[]) key;
select is(t.name, 'Thanks', 'create_automation_template writes the row with the id that it returns')
from made left join public.automation_templates t on t.id = (template ->> 'id')::uuid;
select is(public.create_automation_template(tests.id('show'), 'Bare', 'Hi', body_text => 'Hi') -> 'template'
    @> '{"description": "", "category": "general", "body_html": "", "body_text": "Hi", "has_button": true}', true,
  'create_automation_template has default values');

select is(tests.outcome_of(format('select public.create_automation_template(%L, %s)', podcast, arguments)), outcome,
  format('create_automation_template(%s) returns %s', arguments, outcome))
from (values
  (tests.id('show'), $$ 'Thanks', '', 'Hi' $$, 'PT400 subject: must not be empty'),
  (tests.id('show'), $$ 'Thanks', 'Hi' $$,
    'PT400 body_html: must have visible content, or body_text must not be empty'),
  (tests.id('show'), $$ 'Thanks', 'Hi {name}', 'Hi' $$,
    'PT400 subject: unknown tag {name}; see the table automation_tags'),
  (tests.id('show'), $$ 'Thanks', 'Hi', '}' $$, 'PT400 body_html: the brace at character 1 is not part of a {tag}'),
  (tests.id('show'), $$ 'Thanks', 'Hi', 'Hi', category => 'x' $$, '22P02'),
  (tests.id('theirs'), $$ 'Thanks', 'Hi', 'Hi' $$, 'PT403'),
  (gen_random_uuid(), $$ 'Thanks', 'Hi', 'Hi' $$, 'PT404')) v (podcast, arguments, outcome);

select * from tests.finish();
rollback;
