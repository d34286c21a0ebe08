-- Emails of guest invitations: 3 per episode and guest until they accept, 1 after they decline, 10 a day per address.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function tests.invite(
  email text, episode text default 'pilot', who text default 'ana', at timestamptz default now())
returns jsonb language plpgsql as $$
declare
  response jsonb;
begin
  perform tests.act_as(who);
  response := private.invite_guest(tests.id(episode), email, 'Eve', 'Do come', invite.at);
  perform tests.act_as('postgres');
  return response;
end $$;
create function pg_temp.emails() returns bigint language sql as $$
  select count(*) from tests.queued('guest_invitations') $$;
create function pg_temp.invitation(email text, episode text default 'pilot') returns private.guest_invitations
language sql as $$
  select i from private.guest_invitations i join public.episode_guests e on e.id = i.episode_guest_id
  join public.podcast_guests g on g.id = e.podcast_guest_id where g.email = $1 and e.episode_id = tests.id($2) $$;
create function pg_temp.counted(email text, episode text default 'pilot') returns text language sql as $$
  select format('%s of the episode, %s today', (pg_temp.invitation(email, episode)).email_count,
    (select request_count from private.rate_limits
     where key = private.email_rate_limit_key('guest_invitation_emails', email))) $$;
-- The guest responds with the token of the last email, which is the email address here.
create function pg_temp.answer(email text, verb text) returns text language plpgsql as $$
begin
  update private.guest_invitations
  set token_hash = sha256(convert_to(email, 'UTF8')), expires_at = 'infinity', sent_at = now()
  where episode_guest_id = (pg_temp.invitation(email)).episode_guest_id;
  return tests.result_of('anon', format('select public.%I(%L)', verb, email));
end $$;

-- per episode
create temp table responses as select n, tests.invite('eve@test.example') as response from generate_series(1, 3) n;
select is(pg_temp.emails(), 3::bigint, 'invite_guest enqueues the first 3 emails of a guest and episode');
update private.guest_invitations set sent_at = now();
insert into responses select n, tests.invite('eve@test.example') from generate_series(4, 5) n;
select is(pg_temp.emails(), 3::bigint, 'invite_guest enqueues no fourth email of a guest and episode');
select is((select count(distinct response) from responses), 1::bigint,
  'the response of invite_guest does not show whether an email is sent');
select is(pg_temp.counted('eve@test.example'), '3 of the episode, 3 today',
  'an invitation without an email is not counted');
select is(private.guest_invitation_email((pg_temp.invitation('eve@test.example')).episode_guest_id), null,
  'guest_invitation_email is null after the email was sent, so that a redelivered message sends none');
select tests.invite('other@test.example');
select is(pg_temp.emails(), 4::bigint, 'each address has its own limit of invitation emails per episode');
select is_empty($$ select from private.rate_limits where key ~ '@' $$, 'rate-limit keys contain no email address');

-- removed and invited again
select is(tests.result_of('ana', $$ select (pg_temp.invitation('eve@test.example')).episode_guest_id $$), '42501',
  'clients may not read guest_invitations');
create temp table eve as select (response #>> '{episodeGuest,id}')::uuid as id from responses limit 1;
grant select on eve to authenticated;
select is(tests.result_of('ana', $$ select public.remove_episode_guest(id) from eve $$), 'ok 1',
  'remove_episode_guest accepts a guest with three invitation emails');
select is(tests.invite('eve@test.example') #>> '{episodeGuest,status}', 'invited',
  'invite_guest sets a removed guest with three emails to invited');
select is(pg_temp.emails(), 4::bigint, 'removing and inviting a guest again does not reset the number of emails');
select tests.invite('other@test.example');
create temp table request as select (pg_temp.invitation('other@test.example')).*;
update public.episode_guests set status = 'removed' where id = (select episode_guest_id from request);
select is(private.issue_guest_token(episode_guest_id, requested_at, sha256('x')), null,
  'issue_guest_token returns null for a guest removed since the email was enqueued') from request;

-- rejected calls
select is(tests.result_of('postgres',
    $$ select tests.invite('rejected@test.example'), 1 / (n - 1) from generate_series(1, 1) n $$), '22012',
  'a statement that fails after invite_guest is rolled back');
select is(pg_temp.counted('rejected@test.example'), ' of the episode,  today',
  'a rolled back invitation is not counted');
select tests.invite('rejected@test.example');
select is(tests.result_of('ana',
    $$ select public.invite_guest(tests.id('pilot'), 'rejected@test.example', 'Eve', repeat('x', 2001)) $$), '23514',
  'invite_guest rejects a message of 2,001 characters');
select is(pg_temp.counted('rejected@test.example'), '1 of the episode, 1 today',
  'an invitation that invite_guest rejects is not counted');

-- over all podcasts
select tests.empty_queue('guest_invitations');
select tests.invite('eve@test.example', 'second') from generate_series(1, 4);
select is(pg_temp.emails(), 3::bigint, 'each episode has its own limit of invitation emails per guest');
select tests.podcast('p' || p, 'olaf' || p), tests.episode('e' || p, 'p' || p) from generate_series(1, 3) p;
select tests.invite('eve@test.example', 'e1', 'olaf1') from generate_series(1, 3);
select tests.invite('eve@test.example', 'e2', 'olaf2');
select is(pg_temp.emails(), 7::bigint, 'one address gets up to 10 guest invitation emails a day over all podcasts');
select is(tests.invite('eve@test.example', 'e3', 'olaf3') #>> '{episodeGuest,status}', 'invited',
  'invite_guest accepts an address over its daily limit');
select tests.invite('eve@test.example', 'e2', 'olaf2');
select is(pg_temp.emails(), 7::bigint, 'one address gets no eleventh guest invitation email in a day');
select is(pg_temp.counted('eve@test.example', episode), expected,
  format('an email over the daily limit is not counted for its episode (%s)', episode))
from (values ('e2', '1 of the episode, 10 today'), ('e3', '0 of the episode, 10 today')) v (episode, expected);
select tests.invite('third@test.example', 'e3', 'olaf3');
select is(pg_temp.emails(), 8::bigint, 'each address has its own daily limit of invitation emails');
select tests.invite('eve@test.example', 'e3', 'olaf3', now() + interval '1 day');
select is(pg_temp.emails(), 9::bigint, 'the daily limit of invitation emails ends a day after the first email');

-- answers
select tests.empty_queue('guest_invitations'), tests.invite('gus@test.example') from generate_series(1, 4);
select is(pg_temp.counted('gus@test.example'), '3 of the episode, 3 today',
  'a guest who has not answered gets 3 emails');
select is(pg_temp.answer('gus@test.example', 'accept_guest_invitation'), 'ok 1',
  'accept_guest_invitation accepts a guest with three emails');
select is(tests.invite('gus@test.example') #>> '{episodeGuest,status}', 'active',
  'invite_guest keeps the status of an active guest');
select is(pg_temp.counted('gus@test.example'), '1 of the episode, 4 today',
  'accepting an invitation resets its number of emails, so that an active guest gets another token');
select is(pg_temp.answer('gus@test.example', 'decline_guest_invitation'), 'ok 1',
  'decline_guest_invitation accepts an active guest');
select is(tests.invite('gus@test.example') #>> '{episodeGuest,status}', 'invited',
  format('invite_guest sets a guest who declined to invited (call %s)', n))
from generate_series(1, 2) n;
select is(pg_temp.counted('gus@test.example'), '3 of the episode, 5 today',
  'a guest who declined gets one more email for the episode');
select is(pg_temp.answer('gus@test.example', 'decline_guest_invitation'), 'ok 1',
  'decline_guest_invitation accepts a guest who was invited again after declining');
select tests.invite('gus@test.example');
select is(pg_temp.counted('gus@test.example'), '3 of the episode, 5 today',
  'a guest who declined twice gets no further email for the episode');
select tests.invite('ida@test.example');
select is(pg_temp.answer('ida@test.example', 'decline_guest_invitation'), 'ok 1',
  'decline_guest_invitation accepts a guest with one email');
select tests.invite('ida@test.example') from generate_series(1, 3);
select is(pg_temp.counted('ida@test.example'), '3 of the episode, 2 today',
  'a guest who declined the first email gets a second and no third');

-- a podcast pending deletion
select tests.podcast('closed', 'otto'), tests.episode('last', 'closed');
select tests.invite(name || '@test.example', 'last', 'otto') from unnest(array['sent', 'unsent', 'left']) name;
update private.guest_invitations set sent_at = now()
where episode_guest_id = (pg_temp.invitation('sent@test.example', 'last')).episode_guest_id;
update public.episode_guests set status = 'removed'
where id = (pg_temp.invitation('left@test.example', 'last')).episode_guest_id;
select private.set_setting('max_guest_invitation_emails_per_episode', '0');
select tests.invite('unwanted@test.example', 'last', 'otto');
create temp table unsent as select (pg_temp.invitation('unsent@test.example', 'last')).episode_guest_id as id;
select isnt(private.guest_invitation_email(id), null, 'guest_invitation_email returns the facts of an unsent email')
from unsent;
select tests.set_status('closed', 'pending_deletion'), tests.empty_queue('guest_invitations');
select is(private.guest_invitation_email(id), null,
  'guest_invitation_email is null while the podcast is pending deletion') from unsent;
select tests.set_status('closed', status), tests.set_status('closed', 'pending_deletion'),
  tests.set_status('closed', status) from unnest(array['active', 'paused']::public.podcast_status[]) status;
select results_eq($$ select tests.queued('guest_invitations') $$,
  $$ select jsonb_build_object('episode_guest_id', id, 'podcast_id', tests.id('closed'))
     from unsent, generate_series(1, 3) $$,
  'the unsent email of a guest is enqueued when the podcast becomes active or paused again, and no other email');
select isnt(private.guest_invitation_email(id), null,
  'guest_invitation_email returns an unsent email after the deletion is canceled') from unsent;

-- settings
select private.set_setting('max_guest_invitation_emails_per_episode', '1'),
  private.set_setting('max_guest_invitation_emails_per_day', '1');
select tests.invite('set@test.example') from generate_series(1, 2);
select is(pg_temp.counted('set@test.example'), '1 of the episode, 1 today',
  'max_guest_invitation_emails_per_episode sets the limit of an episode');
select tests.invite('set@test.example', 'second');
select is(pg_temp.counted('set@test.example', 'second'), '0 of the episode, 1 today',
  'max_guest_invitation_emails_per_day sets the limit of a day');

select * from tests.finish();
rollback;
