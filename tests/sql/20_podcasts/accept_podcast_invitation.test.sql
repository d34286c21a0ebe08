-- accept_podcast_invitation: the invited user joins the team.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('eve'), tests.person('stranger');
select tests.invitation('show', 'eve@test.example', 'ana', 'admin');

select tests.access('accept_podcast_invitation',
  $$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$,
  '42501: anon; PT404: stranger ana ola vic; 42501: service');

-- Accepting
select tests.act_as('eve');
select throws_ok($$ select private.accept_podcast_invitation(tests.id('show/eve@test.example'),
  now() + interval '14 days') $$, 'PT409', 'The invitation has expired; ask the team for a new one',
    'accept_podcast_invitation returns 409 after 14 days');
select is(
  to_jsonb(private.accept_podcast_invitation(tests.id('show/eve@test.example'),
    now() + interval '13 days')) - 'created_at',
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('eve'), 'role', 'admin',
    'auto_add_to_new_episodes', false), 'accept_podcast_invitation returns the membership with the offered role');
select is((select count(*) from public.podcasts), 1::bigint, 'a member who accepted reads the podcast');
select tests.act_as('postgres');
select is((select (status, accepted_by = tests.id('eve'))::text from public.podcast_invitations), '(accepted,t)',
  'accept_podcast_invitation records the member in the invitation');
select is(tests.result_of('ana', $$ select from public.profiles where id = tests.id('eve') $$), 'ok 1',
  'the team reads the profile of a member who accepted');
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'PT409', 'accept_podcast_invitation returns 409 the second time');

-- Answered invitations
select tests.person('shy'), tests.invitation('show', 'shy@test.example', 'ana');
select is(tests.result_of('ana', $$ select public.withdraw_podcast_invitation(tests.id('show/shy@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an admin');
select tests.act_as('shy');
select throws_ok($$ select public.accept_podcast_invitation(tests.id('show/shy@test.example')) $$, 'PT409',
  'The invitation was withdrawn; ask the team for a new one',
    'accept_podcast_invitation returns 409 after the withdrawal');
select tests.act_as('postgres');
select tests.invitation('show', 'shy@test.example', 'ana');
select is(tests.result_of('shy', $$ select public.decline_podcast_invitation(tests.id('show/shy@test.example')) $$),
  'ok 1', 'decline_podcast_invitation accepts the invited user');
select is(tests.result_of('shy', $$ select public.accept_podcast_invitation(tests.id('show/shy@test.example')) $$),
  'PT409', 'accept_podcast_invitation returns 409 after declining');

-- Members
select tests.invitation('show', 'vic@test.example', 'ana', 'admin');
select is(tests.result_of('vic', $$ select public.accept_podcast_invitation(tests.id('show/vic@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts a member');
select is((select role::text from public.podcast_members where user_id = tests.id('vic')), 'admin',
  'accept_podcast_invitation gives a member the higher role');
select tests.invitation('show', 'ola@test.example', 'ana');
select is(tests.result_of('ola', $$ select public.accept_podcast_invitation(tests.id('show/ola@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts the owner');
select is((select role::text from public.podcast_members where user_id = tests.id('ola')), 'owner',
  'accept_podcast_invitation keeps the owner''s role');

select * from tests.finish();
rollback;
