-- remove_episode_guest: the credit stays, and the response names it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
delete from episode_people; delete from episode_credits;
select tests.guest('gus', 'pilot', 'active'), tests.guest('gina', 'pilot', 'invited');

select tests.act_as('ola');
select results_eq($$ select public.remove_episode_guest(tests.id('pilot/gus')) - 'data' from generate_series(1, 2) $$,
  $$ select jsonb_build_object('warning', 'Gus is still credited as Guest; remove the credit to remove the name from the feed') from generate_series(1, 2) $$,
  'remove_episode_guest names the credit that stays, and names it again when it is repeated');
select is(public.remove_episode_guest(tests.id('pilot/gus')) #>> '{data,episodeGuest,status}', 'removed', 'remove_episode_guest returns the removed guest beside the warning');
select is((select array_agg(name) from episode_credits), '{Gus}', 'remove_episode_guest keeps the credit');
select is(public.remove_episode_guest(tests.id('pilot/gina')) - 'data', '{}', 'remove_episode_guest has no warning for a guest without a credit');

select public.remove_episode_person_credit(tests.id('pilot'), (select id from episode_people where name = 'Gus'));
select is(public.remove_episode_guest(tests.id('pilot/gus')) - 'data', '{}', 'remove_episode_guest has no warning once the credit is removed');
select tests.act_as('postgres');

select * from tests.finish();
rollback;
