-- delete_automation_template: one template that no rule sends.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.template('used', 'show'), tests.template('other', 'show');
select tests.rule('Remind', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('used')));

select tests.access('delete_automation_template', $$ select public.delete_automation_template(tests.id('greet')) $$,
  '42501: anon; PT403: otto vic; 42501: service');
select is(tests.value_as('ada', $$ select public.delete_automation_template(tests.id('greet')) $$),
  '{"success": true}', 'delete_automation_template returns {success: true} to an admin');
select is(tests.value_as('ola', $$ select tests.outcome_of(
  'select public.delete_automation_template(tests.id(''greet''))') $$), 'PT404',
  'delete_automation_template returns 404 for a deleted template');
select is(tests.value_as('ola', $$ select tests.error_of('select public.delete_automation_template(tests.id(''used''))')
  $$), 'PT409 TEMPLATE_IN_USE', 'delete_automation_template returns 409 for a template that a rule sends');
select tests.value_as('ola', $$ select public.delete_automation_rule(tests.id('Remind')) $$);
select is(tests.value_as('ola', $$ select public.delete_automation_template(tests.id('used')) $$), '{"success": true}',
  'delete_automation_template deletes a template after the rule that sent it');
select results_eq('select name from public.automation_templates', $$ values ('other') $$,
  'delete_automation_template deletes only the named template');

select * from tests.finish();
rollback;
