-- accept_, decline_, withdraw_ and resend_podcast_invitation, and who reads invitations.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('eve'), tests.person('stranger'), tests.person('shy', false);
select tests.invitation('show', 'eve@test.example', 'ana', 'admin'), tests.invitation('show', 'shy@test.example', 'ana');

-- Who reads
select is(tests.result_of(who, 'select from public.podcast_invitations'), outcome, format('%s reading invitations: %s', who, outcome)) from (values
  ('anon', '42501'), ('stranger', 'ok 0'), ('vic', 'ok 0'), ('ana', 'ok 2'), ('ola', 'ok 2'), ('eve', 'ok 1'), ('shy', 'ok 0'), ('service', 'ok 2')) v (who, outcome);
update auth.users set email_confirmed_at = now() where id = tests.id('shy');
select is(tests.result_of('shy', 'select from public.podcast_invitations'), 'ok 1', 'an invited user reads the invitation once the address is confirmed');
select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', tests.id('stranger'), 'email', 'eve@test.example')::text, true), set_config('role', 'authenticated', true);
select is((select count(*) from public.podcast_invitations), 0::bigint, 'the address in a token''s claims shows no invitation');
select throws_ok($$ select public.accept_podcast_invitation(tests.id('show/eve@test.example')) $$, 'PT404', 'Invitation not found', 'the address in a token''s claims accepts no invitation');
select tests.act_as('postgres');
update auth.users set email = 'evelyn@test.example' where id = tests.id('eve');
select is(tests.result_of('eve', 'select from public.podcast_invitations'), 'ok 0', 'a user who changed address no longer reads the invitation');
update auth.users set email = 'EVE@test.example' where id = tests.id('stranger');
select is(tests.result_of('stranger', 'select from public.podcast_invitations'), 'ok 1', 'a user who changed to the invited address reads the invitation, in any case');
update auth.users set is_sso_user = true where id = tests.id('stranger');
select is(tests.result_of('stranger', 'select from public.podcast_invitations'), 'ok 0', 'an address from single sign-on shows no invitation');
update auth.users set email = 'stranger@test.example', is_sso_user = false where id = tests.id('stranger');
update auth.users set email = 'eve@test.example' where id = tests.id('eve');
select is(tests.result_of('ola', statement), '42501', statement || ' is not granted') from unnest(array[
  $$ insert into public.podcast_invitations (podcast_id, email, expires_at, podcast_title) values (tests.id('show'), 'x@x.example', now(), 'x') $$,
  $$ update public.podcast_invitations set role = 'admin' $$, $$ delete from public.podcast_invitations $$]) statement;
select is(tests.result_of('eve', $$ select from public.podcasts where id = tests.id('show') $$), 'ok 0', 'an invited user does not read the podcast');
select is(tests.result_of('ana', $$ select from public.profiles where id = tests.id('eve') $$), 'ok 0', 'the team does not read the profile of an invited user');

-- Who answers
select is(tests.result_of(who, format('select public.%s_podcast_invitation(tests.id(''show/eve@test.example''))', answer)), outcome,
  format('%s_podcast_invitation gives %s %s', answer, who, outcome))
from unnest(array['accept', 'decline']) answer, (values ('anon', '42501'), ('stranger', 'PT404'), ('ana', 'PT404'), ('ola', 'PT404'), ('vic', 'PT404'), ('service', '42501')) v (who, outcome);
select is(tests.result_of(who, format('select public.%s_podcast_invitation(tests.id(''show/eve@test.example''))', change)), outcome,
  format('%s_podcast_invitation gives %s %s', change, who, outcome))
from unnest(array['withdraw', 'resend']) change, (values ('anon', '42501'), ('stranger', 'PT404'), ('eve', 'PT404'), ('vic', 'PT403'), ('service', '42501')) v (who, outcome);
select is(tests.result_of('eve', format('select public.%s_podcast_invitation(gen_random_uuid())', verb)), 'PT404', verb || '_podcast_invitation returns 404 for an unknown id')
from unnest(array['accept', 'decline', 'withdraw', 'resend']) verb;

-- Expiry
select tests.act_as('eve');
select throws_ok($$ select private.accept_podcast_invitation(tests.id('show/eve@test.example'), now() + interval '14 days') $$, 'PT409',
  'The invitation has expired; ask the team for a new one', 'accept_podcast_invitation returns 409 after 14 days');
select tests.act_as('ola');
select is((private.resend_podcast_invitation(tests.id('show/eve@test.example'), now() + interval '20 days')).expires_at, now() + interval '34 days', 'resend_podcast_invitation renews an expired invitation');
select tests.act_as('postgres');
select is((select (invited_by = tests.id('ola'), inviter_name)::text from public.podcast_invitations where id = tests.id('show/eve@test.example')), '(t,Ola)', 'resend_podcast_invitation makes the caller the inviter');

-- Accepting
select tests.act_as('eve');
select is(to_jsonb(private.accept_podcast_invitation(tests.id('show/eve@test.example'), now() + interval '33 days')) - 'created_at',
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('eve'), 'role', 'admin', 'auto_add_to_new_episodes', false), 'accept_podcast_invitation returns the membership with the role offered');
select is((select count(*) from public.podcasts), 1::bigint, 'a member who accepted reads the podcast');
select tests.act_as('postgres');
select is((select (status, accepted_by = tests.id('eve'))::text from public.podcast_invitations where id = tests.id('show/eve@test.example')), '(accepted,t)', 'an accepted invitation names its member');
select is(tests.result_of('ana', $$ select from public.profiles where id = tests.id('eve') $$), 'ok 1', 'the team reads the profile of a member who accepted');
select is(tests.result_of('eve', format('select public.%s_podcast_invitation(tests.id(''show/eve@test.example''))', verb)), 'PT409', verb || '_podcast_invitation returns 409 after acceptance')
from unnest(array['accept', 'decline', 'withdraw', 'resend']) verb;

-- Withdrawing and declining
select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/shy@test.example')) $$), 'ok 1', 'any admin withdraws an invitation');
select tests.act_as('shy');
select throws_ok($$ select public.accept_podcast_invitation(tests.id('show/shy@test.example')) $$, 'PT409', 'The invitation was withdrawn; ask the team for a new one', 'accept_podcast_invitation returns 409 after the withdrawal');
select tests.act_as('postgres');
select is(tests.result_of('ola', format('select public.%s_podcast_invitation(tests.id(''show/shy@test.example''))', verb)), 'PT409', verb || '_podcast_invitation returns 409 after the withdrawal') from unnest(array['withdraw', 'resend']) verb;
select tests.invitation('show', 'shy@test.example', 'ana');
select is(tests.result_of('shy', $$ select public.decline_podcast_invitation(tests.id('show/shy@test.example')) $$), 'ok 1', 'decline_podcast_invitation accepts the invited user');
select is((select status::text from public.podcast_invitations where id = tests.id('show/shy@test.example')), 'declined', 'a declined invitation is declined');
select is(tests.result_of('shy', $$ select public.decline_podcast_invitation(tests.id('show/shy@test.example')) $$), 'ok 1', 'declining twice changes nothing');
select is(tests.result_of('shy', $$ select public.accept_podcast_invitation(tests.id('show/shy@test.example')) $$), 'PT409', 'accept_podcast_invitation returns 409 after declining');

-- A member keeps the higher role
select tests.invitation('show', 'vic@test.example', 'ana', 'admin');
select is(tests.result_of('vic', $$ select public.accept_podcast_invitation(tests.id('show/vic@test.example')) $$), 'ok 1', 'a member may accept an invitation to a higher role');
select is((select role::text from public.podcast_members where user_id = tests.id('vic')), 'admin', 'a member who accepts gets the higher role');
select tests.invitation('show', 'ola@test.example', 'ana');
select is(tests.result_of('ola', $$ select public.accept_podcast_invitation(tests.id('show/ola@test.example')) $$), 'ok 1', 'the owner may accept an invitation under their address');
select is((select role::text from public.podcast_members where user_id = tests.id('ola') and podcast_id = tests.id('show')), 'owner', 'the owner who accepts stays the owner');

-- An inviter who is no longer an admin
select tests.invitation('show', 'late@test.example', 'ana'), tests.invitation('show', 'kept@test.example', 'ola');
update public.podcast_members set role = 'member' where user_id = tests.id('ana');
select is((select jsonb_object_agg(email, status) from public.podcast_invitations where email ~ '^(late|kept)@'), '{"late@test.example": "withdrawn", "kept@test.example": "pending"}',
  'demoting an admin withdraws the admin''s invitations and no others');
update public.podcast_members set role = 'admin' where user_id = tests.id('ana');
select tests.invitation('show', 'late@test.example', 'ana');
delete from public.podcast_members where user_id = tests.id('ana');
select is((select status::text from public.podcast_invitations where id = tests.id('show/late@test.example')), 'withdrawn', 'removing an admin withdraws the admin''s invitations');
select tests.member('amy', 'show', 'admin'), tests.invitation('show', 'later@test.example', 'amy');
delete from auth.users where id = tests.id('amy');
select is((select (status, invited_by)::text from public.podcast_invitations where id = tests.id('show/later@test.example')), '(withdrawn,)', 'deleting an admin''s account withdraws the admin''s invitations');

-- A podcast that is deleted
select tests.person('kept');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('kept', $$ select public.accept_podcast_invitation(tests.id('show/kept@test.example')) $$), 'PT409', 'accept_podcast_invitation returns 409 while the podcast is pending deletion');
select is(tests.result_of('ola', format('select public.%s_podcast_invitation(tests.id(''show/kept@test.example''))', verb)), 'PT409', verb || '_podcast_invitation returns 409 while the podcast is pending deletion')
from unnest(array['withdraw', 'resend']) verb;
select is(tests.result_of('kept', $$ select public.decline_podcast_invitation(tests.id('show/kept@test.example'), true) $$), 'ok 1', 'decline_podcast_invitation works while the podcast is pending deletion');
delete from public.podcasts where id = tests.id('show');
select is((select count(*) from public.podcast_invitations), 0::bigint, 'invitations are deleted with their podcast');

select * from tests.finish();
rollback;
