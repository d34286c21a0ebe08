-- The team: one owner, who stays; admins who manage; members who may leave.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.person('stranger');
select tests.member('ana', 'show', 'admin'), tests.member('vic', 'show', 'member'), tests.member('val', 'show', 'member'), tests.member('new', 'show', 'admin');

select tests.act_as('ana');
select is((select count(*) from public.podcast_members), 5::bigint, 'members see their team and no other');
select is(tests.result_of('stranger', 'select from public.podcast_members'), 'ok 0', 'a stranger sees none');
select is(tests.result_of('anon', 'select from public.podcast_members'), '42501', 'anon may not ask');
select is(tests.result_of('vic', $$ update public.podcast_members set role = 'admin' where user_id = tests.id('vic') $$), 'ok 0', 'members do not promote themselves');
select is(tests.result_of('ana', $$ update public.podcast_members set role = 'admin', auto_add_to_new_episodes = true where user_id = tests.id('vic') $$), 'ok 1', 'admins do');
select is(tests.result_of('ana', $$ update public.podcast_members set role = 'member' where user_id = tests.id('ola') $$), 'PT409', 'the owner cannot be demoted');
select is(tests.result_of('ola', $$ update public.podcast_members set role = 'member' where user_id = tests.id('ola') $$), 'PT409', 'not even by the owner');
select is(tests.result_of('ola', $$ update public.podcast_members set role = 'owner' where user_id = tests.id('vic') $$), 'PT409', 'ownership does not move by an update');
select is(tests.result_of('ana', $$ delete from public.podcast_members where user_id = tests.id('ola') and podcast_id = tests.id('show') $$), 'PT409', 'the owner cannot be removed');
select is(tests.result_of('val', $$ delete from public.podcast_members where user_id = tests.id('vic') $$), 'ok 0', 'members remove nobody');
select is(tests.result_of('val', $$ delete from public.podcast_members where user_id = tests.id('val') $$), 'ok 1', 'but may leave');
select is(tests.result_of('ana', $$ insert into public.podcast_members (podcast_id, user_id) values (tests.id('show'), tests.id('stranger')) $$), '42501', 'nobody is added by id');
select is(tests.result_of('otto', $$ delete from public.podcast_members where podcast_id = tests.id('show') $$), 'ok 0', 'another podcast''s owner touches nothing');

select tests.act_as('postgres');
select throws_ok($$ insert into public.podcast_members (podcast_id, user_id, role) values (tests.id('show'), tests.id('stranger'), 'owner') $$, 'PT409', null, 'a second owner cannot be, whoever writes');

select * from tests.finish();
rollback;
