-- resend_podcast_invitation: an admin renews a pending invitation (its emails: send_podcast_invitation).
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('eve'), tests.person('stranger');
select tests.invitation('show', 'eve@test.example', 'ana');

select tests.access('resend_podcast_invitation',
  $$ select public.resend_podcast_invitation(tests.id('show/eve@test.example')) $$,
  '42501: anon; PT404: stranger eve; PT403: vic; 42501: service');

select tests.send_emails();
select tests.act_as('ola');
select is(
  (private.resend_podcast_invitation(tests.id('show/eve@test.example'), now() + interval '20 days')).expires_at,
  now() + interval '34 days', 'resend_podcast_invitation renews an expired invitation');
select tests.act_as('postgres');
select is((select (invited_by = tests.id('ola'), inviter_name)::text from public.podcast_invitations), '(t,Ola)',
  'resend_podcast_invitation makes the caller the inviter');
select tests.act_as('eve');
select lives_ok($$ select private.accept_podcast_invitation(tests.id('show/eve@test.example'),
  now() + interval '33 days') $$, 'accept_podcast_invitation accepts a renewed invitation');
select tests.act_as('postgres');
select is(tests.result_of('ola', $$ select public.resend_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'PT409', 'resend_podcast_invitation returns 409 after acceptance');

select tests.invitation('show', 'kept@test.example', 'ola');
select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/kept@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts the owner');
select is(tests.result_of('ola', $$ select public.resend_podcast_invitation(tests.id('show/kept@test.example')) $$),
  'PT409', 'resend_podcast_invitation returns 409 after the withdrawal');

select * from tests.finish();
rollback;
