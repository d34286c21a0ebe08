-- The table podcast_invitations: who reads it, and when its rows are withdrawn or deleted.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('eve'), tests.person('stranger'), tests.person('shy', false);
select tests.invitation('show', 'eve@test.example', 'ana', 'admin')
, tests.invitation('show', 'shy@test.example', 'ana');

-- Who reads
select tests.access('reading podcast_invitations', 'select from public.podcast_invitations',
  '42501: anon; ok 0: stranger vic; ok 2: ana ola; ok 1: eve; ok 0: shy; ok 2: service');
update auth.users set email_confirmed_at = now() where id = tests.id('shy');
select is(tests.result_of('shy', 'select from public.podcast_invitations'), 'ok 1',
  'an invited user reads the invitation once the address is confirmed');
select set_config('request.jwt.claims',
  jsonb_build_object('role', 'authenticated', 'sub', tests.id('stranger'), 'email', 'eve@test.example')::text, true)
, set_config('role', 'authenticated', true);
select is((select count(*) from public.podcast_invitations), 0::bigint,
  'the address in a token''s claims shows no invitation');
select throws_ok($$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$, 'PT404',
  'Invitation not found', 'the address in a token''s claims accepts no invitation');
select tests.act_as('postgres');
update auth.users set email = 'evelyn@test.example' where id = tests.id('eve');
select is(tests.result_of('eve', 'select from public.podcast_invitations'), 'ok 0',
  'a user who changed address no longer reads the invitation');
update auth.users set email = 'EVE@test.example' where id = tests.id('stranger');
select is(tests.result_of('stranger', 'select from public.podcast_invitations'), 'ok 1',
  'a user who changed to the invited address reads the invitation, in any case');
update auth.users set is_sso_user = true where id = tests.id('stranger');
select is(tests.result_of('stranger', 'select from public.podcast_invitations'), 'ok 0',
  'an address from single sign-on shows no invitation');
update auth.users set email = 'stranger@test.example', is_sso_user = false where id = tests.id('stranger');
update auth.users set email = 'eve@test.example' where id = tests.id('eve');
select is(tests.result_of('eve', $$ select from public.podcasts where id = tests.id('show') $$), 'ok 0',
  'an invited user does not read the podcast');
select is(tests.result_of('ana', $$ select from public.profiles where id = tests.id('eve') $$), 'ok 0',
  'the team does not read the profile of an invited user');

-- An inviter who is no longer an admin
select tests.invitation('show', 'late@test.example', 'ana'), tests.invitation('show', 'kept@test.example', 'ola');
update public.podcast_members set role = 'member' where user_id = tests.id('ana');
select is((select jsonb_object_agg(email, status) from public.podcast_invitations where email ~ '^(late|kept)@'),
  '{"late@test.example": "withdrawn", "kept@test.example": "pending"}',
  'demoting an admin withdraws the admin''s invitations and no others');
update public.podcast_members set role = 'admin' where user_id = tests.id('ana');
select tests.invitation('show', 'late@test.example', 'ana');
delete from public.podcast_members where user_id = tests.id('ana');
select is((select status::text from public.podcast_invitations where id = tests.id('show/late@test.example')),
  'withdrawn', 'removing an admin withdraws the admin''s invitations');
select tests.member('amy', 'show', 'admin'), tests.invitation('show', 'later@test.example', 'amy');
delete from auth.users where id = tests.id('amy');
select is(
  (select (status, invited_by)::text from public.podcast_invitations where id = tests.id('show/later@test.example')),
  '(withdrawn,)', 'deleting an admin''s account withdraws the admin''s invitations');

select * from tests.finish();
rollback;
