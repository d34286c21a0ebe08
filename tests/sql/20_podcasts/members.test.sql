-- The team: one owner, who stays; admins who manage; members who may leave.
select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.person('new'), tests.person('pending', false), tests.person('stranger');
select tests.member('ana', 'show', 'admin'), tests.member('vic', 'show', 'member'), tests.member('val', 'show', 'member');

select is(tests.outcome('anon', $$ select public.add_podcast_member(tests.id('show'), 'new@test.example') $$), '42501', 'anon adds nobody');
select is(tests.outcome('stranger', $$ select public.add_podcast_member(tests.id('show'), 'new@test.example') $$), 'PT403', 'a stranger adds nobody');
select is(tests.outcome('vic', $$ select public.add_podcast_member(tests.id('show'), 'new@test.example') $$), 'PT403', 'a member adds nobody');
select tests.act_as('ana');
select throws_ok($$ select public.add_podcast_member(gen_random_uuid(), 'new@test.example') $$, 'PT404', 'Podcast not found', 'a podcast that is not there is 404');
select throws_ok($$ select public.add_podcast_member(tests.id('show'), 'nobody@test.example') $$, 'PT404', 'Nobody with this address has a confirmed account', 'an unknown address is 404');
select throws_ok($$ select public.add_podcast_member(tests.id('show'), 'pending@test.example') $$, 'PT404', null, 'and so is one that is not confirmed');
select is((public.add_podcast_member(tests.id('show'), ' NEW@test.example ', 'admin')).role::text, 'admin', 'an admin adds by address, whatever its case');
select throws_ok($$ select public.add_podcast_member(tests.id('show'), 'new@test.example') $$, 'PT409', 'This person is already on the team', 'twice is 409');
select throws_ok($$ select public.add_podcast_member(tests.id('show'), 'stranger@test.example', 'owner') $$, 'PT409', null, 'nobody is added as owner');

select is((select count(*) from public.podcast_members), 5::bigint, 'members see their team and no other');
select is(tests.outcome('stranger', 'select from public.podcast_members'), 'ok 0', 'a stranger sees none');
select is(tests.outcome('anon', 'select from public.podcast_members'), '42501', 'anon may not ask');
select is(tests.outcome('vic', $$ update public.podcast_members set role = 'admin' where user_id = tests.id('vic') $$), 'ok 0', 'members do not promote themselves');
select is(tests.outcome('ana', $$ update public.podcast_members set role = 'admin', auto_add_to_new_episodes = true where user_id = tests.id('vic') $$), 'ok 1', 'admins do');
select is(tests.outcome('ana', $$ update public.podcast_members set role = 'member' where user_id = tests.id('ola') $$), 'PT409', 'the owner cannot be demoted');
select is(tests.outcome('ola', $$ update public.podcast_members set role = 'member' where user_id = tests.id('ola') $$), 'PT409', 'not even by the owner');
select is(tests.outcome('ola', $$ update public.podcast_members set role = 'owner' where user_id = tests.id('vic') $$), 'PT409', 'ownership does not move by an update');
select is(tests.outcome('ana', $$ delete from public.podcast_members where user_id = tests.id('ola') and podcast_id = tests.id('show') $$), 'PT409', 'the owner cannot be removed');
select is(tests.outcome('val', $$ delete from public.podcast_members where user_id = tests.id('vic') $$), 'ok 0', 'members remove nobody');
select is(tests.outcome('val', $$ delete from public.podcast_members where user_id = tests.id('val') $$), 'ok 1', 'but may leave');
select is(tests.outcome('ana', $$ insert into public.podcast_members (podcast_id, user_id) values (tests.id('show'), tests.id('stranger')) $$), '42501', 'nobody is added by id');
select is(tests.outcome('otto', $$ delete from public.podcast_members where podcast_id = tests.id('show') $$), 'ok 0', 'another podcast''s owner touches nothing');

select tests.act_as('postgres');
select throws_ok($$ insert into public.podcast_members (podcast_id, user_id, role) values (tests.id('show'), tests.id('stranger'), 'owner') $$, 'PT409', null, 'a second owner cannot be, whoever writes');
