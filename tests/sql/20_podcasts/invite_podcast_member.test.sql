-- invite_podcast_member: required role, the created row, and a response that reveals nothing about the address.
begin;
select tests.start();

select tests.podcast('show', 'ola')
, tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger'), tests.person('eve');
update public.podcasts set title = 'The Show' where id = tests.id('show');

select is(tests.result_of(who, $$ select public.invite_podcast_member(tests.id('show'), 'x@test.example') $$), outcome,
  format('invite_podcast_member gives %s %s', who, outcome)) from (values
  ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('service', '42501')) v (who, outcome);
select is(tests.result_of('ana', format('select public.invite_podcast_member(tests.id(''show''), %L)', email)), 'PT400',
  format('invite_podcast_member returns 400 for the address %L', email))
from unnest(array['', 'no address', 'a@b@c', 'Eve <eve@x.example>', 'a@x.example, b@x.example', 'a@', repeat('a',
  250) || '@x.example', null]) email;
select is(
  tests.result_of('ana', $$ select public.invite_podcast_member(tests.id('show'), 'x@test.example', 'owner') $$),
  'PT409', 'invite_podcast_member returns 409 for the role owner');
select is(tests.result_of('ana', $$ select public.invite_podcast_member(tests.id('show'), 'x@test.example', null) $$),
  '23502', 'invite_podcast_member rejects null as role');
select is((select count(*) from public.podcast_invitations), 0::bigint,
  'invite_podcast_member creates no row when it rejects the call');

-- the row
select tests.act_as('ana');
create temp table invited as select i.* from public.invite_podcast_member(tests.id('show'), ' EVE@Test.Example ',
  'admin') i;
select is(current_setting('response.status'), '201', 'invite_podcast_member returns 201');
select tests.act_as('postgres');
select is((select (email, role, status, podcast_title, inviter_name, invited_by = tests.id('ana'), accepted_by)::text
  from invited), '(eve@test.example,admin,pending,"The Show",Ana,t,)',
    'an invitation holds the address in lower case, the role, and copies of title and name');
select is((select expires_at - now() from invited), interval '14 days', 'an invitation expires after 14 days');
select is((select count(*) from private.delivery_addresses a join invited i on a.email = 'eve@test.example'
    and a.subject = jsonb_build_object('table', 'podcast_invitations', 'id', i.id)), 1::bigint,
  'invite_podcast_member emails the address once');
select is((select array_agg(payload) from private.events where type = 'podcast.member_invited'),
  (select array_fill(jsonb_build_object('invitation_id', id, 'podcast_id', podcast_id, 'actor_id', invited_by),
    array[2]) from invited), 'invite_podcast_member records the events podcast.member_invited');
select is((select count(*) from public.podcast_members where user_id = tests.id('eve')), 0::bigint,
  'invite_podcast_member adds no member');

-- one open invitation per podcast and address
select is(tests.result_of('ola', $$ select public.invite_podcast_member(tests.id('show'), 'Eve@test.example') $$),
  'PT409', 'invite_podcast_member returns 409 while the address has an open invitation');
select lives_ok($$ select tests.podcast('other', 'ola'), tests.invitation('other', 'eve@test.example', 'ola') $$,
  'invite_podcast_member accepts an address that another podcast has invited');
select lives_ok($$ select tests.invitation('show', 'second@test.example', 'ola') $$,
  'invite_podcast_member accepts another address while one has an open invitation');
select tests.act_as('ola');
select throws_ok($$ select private.invite_podcast_member(tests.id('show'), 'eve@test.example', 'member',
  now() + interval '13 days') $$, 'PT409', 'This email has an open invitation; resend or withdraw it',
    'invite_podcast_member returns 409 until the open invitation expires');
select isnt((private.invite_podcast_member(tests.id('show'), 'eve@test.example', 'member',
  now() + interval '14 days')).id, (select id from invited),
  'invite_podcast_member writes another invitation after the first expired');
select tests.act_as('postgres');
select is((select status::text from public.podcast_invitations where id = (select id from invited)), 'expired',
  'invite_podcast_member sets the invitation that it replaces to expired');

-- The response and its side effects are the same with and without an account
select tests.person('known'), tests.person('unconfirmed', false);
create temp table made as select tests.invitation('show', e, 'ana') as id
  from unnest(array['known@test.example', 'unconfirmed@test.example', 'unknown@test.example', 'vic@test.example',
    'ola@test.example']) e;
create temp table responses as
  select to_jsonb(i) - '{id,email,created_at,updated_at,expires_at}'::text[] as response,
    (select count(*) from private.delivery_addresses a where a.subject ->> 'id' = i.id::text) as queued
  from made join public.podcast_invitations i using (id);
select is((select count(distinct (response, queued)) from responses), 1::bigint,
  'invite_podcast_member responds the same to an account, an unconfirmed one, none, a member and the owner');
select is((select count(*) from responses where queued = 1), 5::bigint,
  'invite_podcast_member enqueues an email to each of them');

-- what the team knows about members' addresses
select is(tests.result_of('ana', $$ select public.invite_podcast_member(tests.id('show'), 'ana@test.example') $$),
  'PT409', 'invite_podcast_member returns 409 for the caller''s own address');
select is(
  tests.result_of('known', format('select public.accept_podcast_invitation(%L)', tests.id('show/known@test.example'))),
  'ok 1', 'accept_podcast_invitation accepts the invited user');
select tests.act_as('ana');
select throws_ok($$ select public.invite_podcast_member(tests.id('show'), 'known@test.example') $$, 'PT409',
  'This person is already on the team',
  'invite_podcast_member returns 409 for an address whose invitation a member accepted');
select tests.act_as('postgres');
delete from public.podcast_members where user_id = tests.id('known');
select lives_ok($$ select tests.invitation('show', 'known@test.example', 'ana') $$,
  'a former member can be invited again');

-- 60 an hour
select tests.person('pat'), tests.podcast('busy', 'pat'),
  private.set_plan_limit('free', 'max_new_recipients_per_day', 100);
select is(jsonb_object_agg(outcome, n), '{"ok 1": 60, "PT429": 3}',
  'invite_podcast_member accepts 60 invitations an hour') from (
  select outcome, count(*) as n from generate_series(1, 63) n,
    tests.result_of('pat', format('select public.invite_podcast_member(tests.id(''busy''), ''p%s@test.example'')',
      n)) outcome group by 1) counted;
update private.rate_limits set window_started_at = window_started_at - interval '1 hour';
select is(tests.result_of('pat', $$ select public.invite_podcast_member(tests.id('busy'), 'p1@test.example') $$),
  'PT409', 'invite_podcast_member counts an hour from the first invitation');
select is((select request_count from private.rate_limits where key = 'podcast_invitations:' || tests.id('pat')), 60,
  'the rate limit of invite_podcast_member does not count rejected calls');

select * from tests.finish();
rollback;
