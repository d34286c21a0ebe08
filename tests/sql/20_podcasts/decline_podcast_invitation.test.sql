-- decline_podcast_invitation: the invited user declines, and may block the podcast (send_podcast_invitation).
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('eve'), tests.person('stranger');
select tests.invitation('show', 'eve@test.example', 'ana');

select tests.access('decline_podcast_invitation',
  $$ select public.decline_podcast_invitation(tests.id('show/eve@test.example')) $$,
  '42501: anon; PT404: stranger ana ola vic; 42501: service');

select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'decline_podcast_invitation accepts the invited user');
select is((select status::text from public.podcast_invitations), 'declined',
  'decline_podcast_invitation sets the status');
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'decline_podcast_invitation can be repeated');
select tests.invitation('show', 'eve@test.example', 'ana');
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts a new invitation after declining');
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'PT409', 'decline_podcast_invitation returns 409 after acceptance');

select tests.person('kept'), tests.invitation('show', 'kept@test.example', 'ola');
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('kept', $$ select public.decline_podcast_invitation(tests.id('show/kept@test.example'),
  true) $$), 'ok 1', 'decline_podcast_invitation succeeds while the podcast is pending deletion');
select is((select r.blocked_at is not null from private.podcast_invitation_blocks r
  where r.email = 'kept@test.example'), true, 'decline_podcast_invitation records the block');

select * from tests.finish();
rollback;
