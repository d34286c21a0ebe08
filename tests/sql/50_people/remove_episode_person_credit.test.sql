-- remove_episode_person_credit: removes the credit and keeps the roster entry.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', name) from unnest('{Ana,Eve,Gus}'::text[]) name;
select tests.act_as('postgres');
select tests.remember(name, id) from episode_people;
select tests.empty_queue('feed_invalidation');

select tests.access('remove_episode_person_credit',
  $$ select public.remove_episode_person_credit(tests.id('pilot'), tests.id('Eve')) $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ana', format('select public.remove_episode_person_credit(tests.id(%L), %s)', episode,
  person)), 'PT404', format('remove_episode_person_credit returns 404 for %s', title))
from (values ('second', $$tests.id('Eve')$$, 'a person of another episode'), ('pilot', 'gen_random_uuid()',
  'an unknown person')
) w (episode, person, title);

select tests.act_as('ana');
select is(public.remove_episode_person_credit(tests.id('pilot'), tests.id('Ana')),
  jsonb_build_object('personId', tests.id('Ana'), 'name', 'Ana'),
    'remove_episode_person_credit returns person and name');
select tests.act_as('postgres');
select results_eq('select name, display_order from episode_credits order by 2', $$ values ('Eve', 0), ('Gus', 1) $$,
  'remove_episode_person_credit renumbers the other credits');
select is((select (is_active, credit_id)::text from episode_people where name = 'Ana'), '(t,)',
  'remove_episode_person_credit keeps the person active on the roster');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'remove_episode_person_credit invalidates the feed once');
select tests.act_as('ana');
select throws_ok($$ select public.remove_episode_person_credit(tests.id('pilot'), tests.id('Ana')) $$, 'PT422',
  'This person has no credit to remove', 'remove_episode_person_credit rejects a person without a credit');

select * from tests.finish();
rollback;
