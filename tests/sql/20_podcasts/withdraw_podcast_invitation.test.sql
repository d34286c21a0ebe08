-- withdraw_podcast_invitation: an admin withdraws a pending invitation.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('eve'), tests.person('stranger');
select tests.invitation('show', 'eve@test.example', 'ana');

select tests.access('withdraw_podcast_invitation',
  $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$,
  '42501: anon; PT404: stranger eve; PT403: vic; 42501: service');

select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an admin who did not invite');
select is((select status::text from public.podcast_invitations), 'withdrawn',
  'withdraw_podcast_invitation sets the status');
select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'PT409', 'withdraw_podcast_invitation returns 409 the second time');
select tests.invitation('show', 'eve@test.example', 'ana');
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts an invitation that follows a withdrawn one');
select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'PT409', 'withdraw_podcast_invitation returns 409 after acceptance');

select * from tests.finish();
rollback;
