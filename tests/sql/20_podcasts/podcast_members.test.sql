-- The team: one owner, admins who manage it, members who may leave
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.person('stranger');
select tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.member('val', 'show'),
  tests.member('new', 'show', 'admin');

-- Who
select tests.access('reading podcast_members', 'select from public.podcast_members',
  '42501: anon; ok 0: stranger; ok 5: ana; ok 1: otto');
create function pg_temp.update_member(caller text, name text, change text) returns text language sql as $$
  select tests.result_of($1, format('update public.podcast_members set %s where user_id = tests.id(%L)', $3, $2))
$$;
select is(pg_temp.update_member('vic', 'vic', $$ role = 'admin' $$), 'ok 0', 'a member does not update their own role');
select is(pg_temp.update_member('ana', 'vic', $$ role = 'admin', auto_add_to_new_episodes = true $$), 'ok 1',
  'an admin updates a member');
create function pg_temp.remove_member(caller text, name text) returns text language sql as $$
  select tests.result_of($1, format(
    'delete from public.podcast_members where podcast_id = tests.id(''show'') and user_id = tests.id(%L)', $2))
$$;
select is(pg_temp.remove_member('val', 'vic'), 'ok 0', 'a member does not remove another member');
select is(pg_temp.remove_member('otto', 'vic'), 'ok 0', 'the owner of another podcast removes no member');
select is(pg_temp.remove_member('val', 'val'), 'ok 1', 'a member leaves the team');
select is(pg_temp.remove_member('ana', 'new'), 'ok 1', 'an admin removes another admin');

-- The owner
select is(pg_temp.update_member('ana', 'ola', $$ role = 'member' $$), 'PT409', 'an admin cannot demote the owner');
select is(pg_temp.update_member('ola', 'ola', $$ role = 'member' $$), 'PT409', 'the owner cannot demote themselves');
select is(pg_temp.update_member('ola', 'vic', $$ role = 'owner' $$), 'PT409', 'an update cannot add a second owner');
select is(pg_temp.remove_member('ana', 'ola'), 'PT409', 'an admin cannot remove the owner');
select throws_ok($$ insert into public.podcast_members (podcast_id, user_id, role)
  values (tests.id('show'), tests.id('stranger'), 'owner') $$, 'PT409',
  'Ownership can only be changed by transferring the podcast', 'an insert cannot add a second owner');

select * from tests.finish();
rollback;
