-- How the worker sends an invitation: guest_invitation_email, issue_guest_token, mark_guest_invitation_sent.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.guest('gus', 'pilot'), tests.guest('ida', 'pilot');
insert into private.guest_invitations (episode_guest_id, message, invited_by)
values (tests.id('pilot/gus'), 'Do come', tests.id('ola')), (tests.id('pilot/ida'), null, tests.id('ola'));
create function pg_temp.requested_at() returns timestamptz language sql as $$
  select requested_at from private.guest_invitations where episode_guest_id = tests.id('pilot/gus') $$;
create function pg_temp.authenticate(token text, at timestamptz default now()) returns text language sql as $$
  select tests.result_of('postgres', format('select private.authenticate_guest(%L, at => %L)', token, at)) $$;
create function pg_temp.issue(token text, requested_at timestamptz default pg_temp.requested_at()) returns timestamptz
language sql as $$
  select private.issue_guest_token(tests.id('pilot/gus'), requested_at, sha256(convert_to(token, 'UTF8'))) $$;
create function pg_temp.mark_sent(token text, requested_at timestamptz default pg_temp.requested_at()) returns void
language sql as $$ select private.mark_guest_invitation_sent(sha256(convert_to(token, 'UTF8')), requested_at) $$;

-- guest_invitation_email
select is(private.guest_invitation_email(tests.id('pilot/gus')), jsonb_build_object(
    'requestedAt', pg_temp.requested_at()::text, 'to', '{"name": "Gus", "address": "gus@test.example"}'::jsonb,
    'language', 'en',
    'podcastTitle', 'show', 'episodeTitle', 'pilot', 'invitedBy', 'Ola', 'message', 'Do come',
    'guestUrl', 'https://casts.test/functions/v1/public/guest'),
  'guest_invitation_email returns the facts of the email');
select is((private.guest_invitation_email(tests.id('pilot/gus')) ->> 'requestedAt')::timestamptz,
  pg_temp.requested_at(),
  'guest_invitation_email returns requestedAt in microseconds');
select is(private.guest_invitation_email(tests.id('pilot/ida')) ->> 'message', null,
  'guest_invitation_email returns a null message when the admin wrote none');
select private.suppress_email(private.email_digest('gus@test.example'), 'bounce');
select is(private.guest_invitation_email(tests.id('pilot/gus')), null,
  'guest_invitation_email returns null for a suppressed address');
delete from private.email_suppressions;
select is(private.guest_invitation_email(gen_random_uuid()), null,
  'guest_invitation_email returns null for an unknown guest');
select is(tests.result_of(who, format('select private.%s', call)), '42501', format('%s may not call %s', who, call))
from unnest(array['ola', 'anon', 'service']) who, unnest(array['guest_invitation_email(tests.id(''pilot/gus''))',
  'issue_guest_token(tests.id(''pilot/gus''), now(), ''x'')', 'mark_guest_invitation_sent(''x'', now())']) call;

-- the first email
select is(pg_temp.issue('one'), now() + interval '90 days', 'issue_guest_token returns an expiry in 90 days');
select is(pg_temp.authenticate('one', now() + elapsed::interval), expected,
  format('a token is %s %s after it was issued', title, elapsed))
from (values ('0 days', 'ok 1', 'valid'), ('89 days 23 hours', 'ok 1', 'valid'), ('90 days', 'PT401', 'expired')
) v (elapsed, expected, title);
select is(pg_temp.issue('two'), now() + interval '90 days',
  'issue_guest_token issues another token for another attempt');
select is(pg_temp.authenticate(token), expected, format('after a second attempt, token %s returns %s', token, expected))
from (values ('one', 'PT401'), ('two', 'ok 1')) v (token, expected);
select private.set_setting('guest_token_ttl_days', '91');
select is(pg_temp.issue('two'), now() + interval '90 days',
  'issue_guest_token keeps the expiry of a token that a repeated attempt issues within a day');
select private.set_setting('guest_token_ttl_days', '92');
select is(pg_temp.issue('two'), now() + interval '92 days',
  'issue_guest_token renews the expiry of a token that a repeated attempt issues later');
select private.set_setting('guest_token_ttl_days', '2');
select is(pg_temp.issue('three'), now() + interval '2 days', 'guest_token_ttl_days sets the lifetime of a token');
select is(pg_temp.issue('late', pg_temp.requested_at() - interval '1 microsecond'), null,
  'issue_guest_token issues no token for a superseded request');
select is(pg_temp.authenticate('late'), 'PT401', 'a token of a superseded request is invalid');
select pg_temp.mark_sent('two');
select isnt(private.guest_invitation_email(tests.id('pilot/gus')), null,
  'mark_guest_invitation_sent ignores an attempt that a later one superseded');
select pg_temp.mark_sent('three');
select is(private.guest_invitation_email(tests.id('pilot/gus')), null,
  'guest_invitation_email returns null once the email is sent');
select is(pg_temp.issue('again'), null, 'issue_guest_token issues no token once the email is sent');
select is(pg_temp.authenticate('three'), 'ok 1', 'the token of the sent email stays valid');

-- a second email to the same guest
update private.guest_invitations set (requested_at, sent_at) = (requested_at + interval '1 second', null)
where episode_guest_id = tests.id('pilot/gus');
select private.set_setting('guest_token_ttl_days', '5');
select is(pg_temp.issue('four'), now() + interval '5 days', 'issue_guest_token issues a token for another request');
select is(pg_temp.authenticate(token, now() + elapsed::interval), expected,
  format('before the second email is sent, token %s returns %s after %s', token, expected, elapsed))
from (values ('three', '0 days', 'ok 1'), ('four', '0 days', 'ok 1'), ('three', '2 days', 'PT401'),
  ('four', '2 days', 'ok 1')) v (token, elapsed, expected);
select is(pg_temp.issue('five'), now() + interval '5 days', 'issue_guest_token issues a token after a failed attempt');
select is(pg_temp.authenticate(token), expected,
  format('after a failed attempt for the second email, token %s returns %s', token, expected))
from (values ('three', 'ok 1'), ('four', 'PT401'), ('five', 'ok 1')) v (token, expected);
update private.guest_invitations set requested_at = requested_at + interval '1 second'
where episode_guest_id = tests.id('pilot/gus');
select pg_temp.mark_sent('five', pg_temp.requested_at() - interval '1 second');
select is(pg_temp.authenticate(token), expected,
  format('once the second email is sent, token %s returns %s', token, expected))
from (values ('three', 'PT401'), ('five', 'ok 1')) v (token, expected);
select isnt(private.guest_invitation_email(tests.id('pilot/gus')), null,
  'mark_guest_invitation_sent does not complete a later request');

update public.episode_guests set status = 'removed' where id = tests.id('pilot/ida');
select is(private.guest_invitation_email(tests.id('pilot/ida')), null,
  'guest_invitation_email returns null for a removed guest');
select is_empty($$ select from private.guest_invitations i
  where i::text ~ 'five' or encode(token_hash, 'escape') ~ 'five' $$, 'guest_invitations contains no token');

select * from tests.finish();
rollback;
