-- update_automation_template: the named fields of a template.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.template('greet', 'show');

select tests.access('update_automation_template',
  $$ select public.update_automation_template(tests.id('greet'), '{"name": "A"}') $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');

select tests.act_as('ada');
create temp table before as select t from public.automation_templates t where t.name = 'A';
create function pg_temp.change(changes text) returns text language sql as $$
  select tests.outcome_of(format('select public.update_automation_template(tests.id(''greet''), %L)', changes))
$$;
select is((pg_temp.change(changes)::jsonb -> 'template') - 'updated_at',
  (private.automation_template_json(t) - 'updated_at') || changes::jsonb,
  format('update_automation_template(%s) changes the named fields and keeps the others', changes))
from before, (values
  (1, '{"name": "Hello"}'), (2, '{"name": "Hello", "description": "For guests", "category": "guest"}'),
  (3, '{"name": "Hello", "description": "For guests", "category": "guest", "subject": "Hi", "body_html": "", '
    '"body_text": "Hi", "has_button": false}')) v (n, changes) order by n;
select is(pg_temp.change(changes), outcome, format('update_automation_template(%s) returns %s', left(changes, 60),
  outcome))
from (values
  ('{"color": "red"}', 'PT400 Unknown field: color'), ('[]', 'PT400 changes must be a JSON object'),
  ('null', 'PT400 changes must be a JSON object'), ('{"name": null}', 'PT400 name: must be string'),
  ('{"subject": 7}', 'PT400 subject: must be string'), ('{"has_button": 1}', 'PT400 has_button: must be boolean'),
  ('{"category": "sales"}', '22P02'),
  ('{"subject": ""}', 'PT400 subject: must not be empty'),
  ('{"body_text": ""}', 'PT400 body_html: must have visible content, or body_text must not be empty'),
  ('{"body_html": "{x}"}', 'PT400 body_html: unknown tag {x}; see the table automation_tags'),
  ('{"body_text": "{"}', 'PT400 body_text: the brace at character 1 is not part of a {tag}')) v (changes, outcome);
create temp table shown as select private.automation_template_json(t) as template from public.automation_templates t;
select is(pg_temp.change(changes::text)::jsonb -> 'template', template,
  format('update_automation_template changes nothing by %s', title))
from shown, lateral (values ('no field', '{}'::jsonb), ('what get_automation_template returned', template),
  ('read-only fields', '{"id": 7, "podcast_id": null, "created_at": "x", "updated_at": "x"}')) v (title, changes);
select is(pg_temp.change('{"description": null}')::jsonb #> '{template,description}', '""',
  'update_automation_template clears a description with null');
select is(left(pg_temp.change('{"name": " "}'), 5), '23514', 'update_automation_template rejects a blank name');
select tests.act_as('postgres');
select results_eq($$ select subject, body_text from public.automation_templates where podcast_id = tests.id('show') $$,
  $$ values ('Hi', 'Hi') $$, 'a rejected update_automation_template changes nothing');

select * from tests.finish();
rollback;
