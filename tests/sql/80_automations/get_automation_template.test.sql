-- get_automation_template: one template.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.template('greet', 'show');

select tests.access('get_automation_template', $$ select public.get_automation_template(tests.id('greet')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.result_of('ola', $$ select public.get_automation_template(gen_random_uuid()) $$), 'PT404',
  'get_automation_template returns 404 for an unknown template');
select is(tests.value_as('ada', $$ select public.get_automation_template(tests.id('greet')) $$)::jsonb,
  jsonb_build_object('template', jsonb_build_object('id', t.id, 'podcast_id', t.podcast_id, 'name', 'greet',
    'description', '', 'category', 'general', 'subject', 'Hello {guest_first_name}',
    'body_html', '<p>See you at {recording_start}</p>', 'body_text', '', 'has_button', true,
    'created_at', private.format_timestamp(t.created_at), 'updated_at', private.format_timestamp(t.updated_at))),
  'get_automation_template returns the template with all fields') from public.automation_templates t;

select * from tests.finish();
rollback;
