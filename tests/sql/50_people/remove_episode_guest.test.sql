-- remove_episode_guest: the guest is removed and the token revoked; the credit stays, and the response names it.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show');
delete from episode_people; delete from episode_credits;
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('gina', 'pilot');

-- access
select tests.access('remove_episode_guest', $$ select public.remove_episode_guest(tests.id('pilot/gina')) $$,
  'PT403: vic stranger otto; 42501: anon');
select lives_ok($$ select private.authenticate_guest('gina') $$, 'a rejected remove_episode_guest revokes no token');

-- the guest and the token
update private.guest_invitations set message = 'Do come';
select tests.act_as('ana');
select is(public.remove_episode_guest(tests.id('pilot/gina')) - 'data', '{}',
  'remove_episode_guest returns no warning for a guest without a credit');
select is(public.remove_episode_guest(tests.id('pilot/gina')) #>> '{data,guest,displayName}', 'Gina',
  'remove_episode_guest returns the guest when it is repeated');
select tests.act_as('postgres');
select throws_ok($$ select private.authenticate_guest('gina') $$, 'PT401', 'Invalid access token',
  'remove_episode_guest revokes the access token');
select is((select message from private.guest_invitations where episode_guest_id = tests.id('pilot/gina')), null,
  'remove_episode_guest deletes the message');
select is((select count(*) from public.podcast_guests), 2::bigint, 'remove_episode_guest keeps the podcast guest');

-- the credit
select tests.act_as('ola');
select results_eq($$ select public.remove_episode_guest(tests.id('pilot/gus')) - 'data' from generate_series(1, 2) $$,
  $$ select jsonb_build_object('warning',
      'Gus is still credited as Guest; remove the credit to remove the name from the feed')
    from generate_series(1, 2) $$, 'remove_episode_guest returns a warning with the credit, also when it is repeated');
select is(public.remove_episode_guest(tests.id('pilot/gus')) #>> '{data,episodeGuest,status}', 'removed',
  'remove_episode_guest returns the removed guest beside the warning');
select is((select array_agg(name) from episode_credits), '{Gus}', 'remove_episode_guest keeps the credit');
select public.remove_episode_person_credit(tests.id('pilot'), (select id from episode_people where name = 'Gus'));
select is(public.remove_episode_guest(tests.id('pilot/gus')) - 'data', '{}',
  'remove_episode_guest returns no warning once the credit is removed');

select * from tests.finish();
rollback;
