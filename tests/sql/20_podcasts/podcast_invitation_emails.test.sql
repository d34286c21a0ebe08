-- Emails of invitations: 3 per podcast and address, 5 a day per address over all podcasts, none to those who blocked.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.person('eve'), tests.member('ana', 'show', 'admin');
create function pg_temp.emails() returns bigint language sql as $$ select count(*)
  from tests.queued('podcast_invitations') $$;

select tests.invitation('show', 'eve@test.example', 'ola');
select is(tests.result_of('ana', $$ select public.resend_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', format('resend_podcast_invitation accepts resend %s', n)) from generate_series(1, 3) n;
select is(pg_temp.emails(), 3::bigint, 'a podcast sends at most 3 invitation emails to one address');
select is(tests.result_of('ana', $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an admin');
select tests.invitation('show', 'eve@test.example', 'ana');
select is(pg_temp.emails(), 3::bigint,
  'the email limit of a podcast and address includes the emails of withdrawn invitations');
select is((select count(*) from private.events where type = 'podcast.member_invited'), 3::bigint,
  'invite_podcast_member records no event for an invitation without an email');
select is(tests.result_of('eve', $$ select from public.podcast_invitations where status = 'pending' $$), 'ok 1',
  'an invitation without an email is shown to the invited user');

-- over all podcasts
select tests.podcast('p' || n, 'olaf' || n)
, tests.invitation('p' || n, 'eve@test.example', 'olaf' || n) from generate_series(1, 4) n;
select is(pg_temp.emails(), 5::bigint, 'one address gets at most 5 invitation emails a day over all podcasts');
select tests.invitation('p1', 'other@test.example', 'olaf1');
select is(pg_temp.emails(), 6::bigint, 'each address has its own daily limit of invitation emails');
select is((select email_count from private.podcast_invitation_recipients where podcast_id = tests.id('p4')
  and email = 'eve@test.example'),
  0, 'an invitation over the daily limit of emails is not counted for its podcast');
update private.rate_limits set window_started_at = window_started_at - interval '1 day'
  where key like 'podcast_invitation_emails:%';
select is(tests.result_of('olaf4', $$ select public.resend_podcast_invitation(tests.id('p4/eve@test.example')) $$),
  'ok 1', 'resend_podcast_invitation accepts an invitation whose first email was not sent');
select is(pg_temp.emails(), 7::bigint, 'the daily limit of invitation emails ends a day after the first one');

-- joining resets the podcast's count
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts an invitation without an email');
select is((select email_count from private.podcast_invitation_recipients where podcast_id = tests.id('show')
  and email = 'eve@test.example'),
  0, 'joining the team resets the number of invitation emails');

-- blocked
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('p1/eve@test.example'),
  block => true) $$),
  'ok 1', 'decline_podcast_invitation accepts block');
select tests.empty_queue('podcast_invitations');
select tests.invitation('p1', 'eve@test.example', 'olaf1');
select tests.invitation('p1', 'third@test.example', 'olaf1');
select is((select count(distinct to_jsonb(i) - '{id,email,created_at,updated_at,expires_at}'::text[])
  from public.podcast_invitations i
  where podcast_id = tests.id('p1') and status = 'pending'), 1::bigint,
    'an invitation to an address that blocked the podcast looks like any other');
select is(tests.result_of('olaf1', $$ select public.resend_podcast_invitation(tests.id('p1/eve@test.example')) $$),
  'ok 1', 'resend_podcast_invitation accepts an invitation to an address that blocked the podcast');
select is(pg_temp.emails(), 1::bigint, 'an address that blocked the podcast gets no invitation email');
select is(tests.result_of('eve', $$ select from public.podcast_invitations where podcast_id = tests.id('p1')
  and status = 'pending' $$),
  'ok 0', 'an invitation after a block is not shown to its recipient');
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('p1/eve@test.example')) $$),
  'PT404', 'an invitation after a block cannot be accepted');
select is(tests.result_of('eve', format('select public.decline_podcast_invitation(%L)', i.id)), 'ok 1',
  'decline_podcast_invitation accepts an invitation that is already declined')
from public.podcast_invitations i where i.podcast_id = tests.id('p1') and i.status = 'declined';
select is(tests.result_of('eve', $$ select from public.podcast_invitations where podcast_id = tests.id('p1')
  and status = 'pending' $$),
  'ok 1', 'decline_podcast_invitation without block lifts an earlier block');
select is(tests.result_of('olaf2', $$ select public.withdraw_podcast_invitation(tests.id('p2/eve@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an invitation after its email');
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('p2/eve@test.example'), true) $$),
  'ok 1', 'a withdrawn invitation still lets its recipient block the podcast');
select isnt((select blocked_at from private.podcast_invitation_recipients where podcast_id = tests.id('p2')
  and email = 'eve@test.example'),
  null, 'decline_podcast_invitation records the block of a withdrawn invitation');

-- what the worker reads
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')) - '{requestedAt,expiresAt,url}'::text[],
  '{"to": "third@test.example", "language": "en", "podcastTitle": "p1", "inviterName": "Olaf1", "role": "member"}',
  'podcast_invitation_email returns the facts of the email');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')) ->> 'url',
  'https://casts.test/invitations/' || tests.id('p1/third@test.example'),
  'the button of the email leads to the invitation');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example'), now() + interval '14 days'), null,
  'podcast_invitation_email is null when the invitation has expired');
select is(private.podcast_invitation_email(tests.id('p2/eve@test.example')), null,
  'podcast_invitation_email is null when the invitation was withdrawn');
update public.podcasts set language = 'de-AT' where id = tests.id('p1');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')) ->> 'language', 'de',
  'podcast_invitation_email returns the podcast''s language for an address without an account');
select private.suppress_email(private.email_digest('third@test.example'), 'complaint');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')), null,
  'podcast_invitation_email is null for a suppressed address');
delete from private.email_suppressions;
select tests.set_status('p1', 'pending_deletion');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')), null,
  'podcast_invitation_email is null while the podcast is pending deletion');
update private.podcast_invitation_emails set sent_at = now() where invitation_id <> tests.id('p1/third@test.example');
select tests.empty_queue('podcast_invitations'), tests.set_status('p1', 'paused');
select results_eq($$ select tests.queued('podcast_invitations') $$, $$ values (jsonb_build_object(
    'invitation_id', tests.id('p1/third@test.example'), 'podcast_id', tests.id('p1'))) $$,
  'the unsent email of an open invitation is enqueued when the podcast leaves pending deletion, and no other email');
select private.mark_podcast_invitation_sent(tests.id('p1/third@test.example'), now() - interval '1 day');
select isnt(private.podcast_invitation_email(tests.id('p1/third@test.example')), null,
  'mark_podcast_invitation_sent ignores an earlier request');
select private.mark_podcast_invitation_sent(e.invitation_id, e.requested_at)
from private.podcast_invitation_emails e where e.invitation_id = tests.id('p1/third@test.example');
select is(private.podcast_invitation_email(tests.id('p1/third@test.example')), null,
  'podcast_invitation_email is null after the email was sent');
select tests.empty_queue('podcast_invitations'), tests.set_status('p1', 'pending_deletion'),
  tests.set_status('p1', 'active');
select is_empty($$ select tests.queued('podcast_invitations') $$,
  'the sent email of an invitation is not enqueued when the podcast becomes active again');
select is(tests.result_of('olaf1', $$ select public.resend_podcast_invitation(tests.id('p1/third@test.example')) $$),
  'ok 1', 'resend_podcast_invitation accepts an invitation whose email was sent');
select isnt(private.podcast_invitation_email(tests.id('p1/third@test.example')), null,
  'resend_podcast_invitation requests another email');

select * from tests.finish();
rollback;
