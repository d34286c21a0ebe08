-- delete_automation_address: automations no longer send to the address.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.template('greet', 'show');
create function pg_temp.address(name text, podcast text) returns uuid language sql as $$
  insert into public.automation_addresses (podcast_id, email, confirmed_at)
  values (tests.id(podcast), name || '@mail.example', now()) returning tests.remember(name, id)
$$;
select pg_temp.address('list', 'show'), pg_temp.address('other', 'show');
select tests.rule('to list', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('greet',
  'list@mail.example')));

select tests.access('delete_automation_address', $$ select public.delete_automation_address(tests.id('list')) $$,
  '42501: anon; PT403: otto vic; 42501: service');
select is(tests.value_as('ada', $$ select public.delete_automation_address(tests.id('list')) $$), '{"success": true}',
  'delete_automation_address returns {success: true}');
select is(tests.value_as('ada', $$ select tests.describe_error('select public.delete_automation_address(
  tests.id(''list''))') $$), 'PT404 / Address not found',
  'delete_automation_address returns 404 for a deleted address');
select results_eq('select email from public.automation_addresses order by email',
  $$ values ('other@mail.example') $$, 'delete_automation_address deletes only the named address');
select is(private.is_automation_address(tests.id('show'), 'list@mail.example'), false,
  'automations may not send to a deleted address');
select is((select action_config ->> 'to' from public.automation_actions), 'list@mail.example',
  'an action keeps a deleted address');
select is(tests.value_as('ada', $$ select tests.describe_error($q$
    update public.automation_actions set continue_on_error = true $q$) $$) like 'PT400%action_config.to: must be%',
      true, 'an action with a deleted address cannot be changed without another recipient');

select * from tests.finish();
rollback;
