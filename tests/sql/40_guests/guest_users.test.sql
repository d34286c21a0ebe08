-- Each guest is linked to the confirmed user with the guest's email, in either order of creation.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.member('vic', 'show');
select tests.person('early'), tests.person('pending', false);
create function pg_temp.guest(name text, email text, podcast text default 'show') returns uuid language sql as $$
  with created as (
    insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id(podcast), name, email)
    returning id)
  select tests.remember(name, id) from created $$;
create function pg_temp.user_of(guest text) returns text language sql as $$
  select i.name from public.podcast_guests g join tests.ids i on i.id = g.user_id where g.id = tests.id(guest) $$;

select pg_temp.guest('G early', ' EARLY@Test.example'), pg_temp.guest('G pending', 'pending@test.example'),
  pg_temp.guest('G late', 'Late@test.example'), pg_temp.guest('G late elsewhere', 'late@test.example', 'other');
select is(pg_temp.user_of('G early'), 'early',
  'a new guest is linked to the confirmed user, regardless of letter case');
select is(pg_temp.user_of('G pending'), null, 'a new guest is not linked to an unconfirmed user');
update auth.users set email_confirmed_at = now() where id = tests.id('pending');
select is(pg_temp.user_of('G pending'), 'pending', 'a user who confirms the email is linked to its guest');
select tests.person('late');
select is(pg_temp.user_of('G late'), 'late', 'a new confirmed user is linked to the guest with the same email');
select is(pg_temp.user_of('G late elsewhere'), 'late', 'a new confirmed user is linked to guests of every podcast');

-- avatar
update public.profiles set avatar_url = 'https://faces.example/late.png' where id = tests.id('late');
select tests.act_as('vic');
select is(public.get_podcast_guest(tests.id('G late')) ->> 'avatarUrl', 'https://faces.example/late.png',
  'get_podcast_guest returns the current avatar of the linked user');
select is(public.list_podcast_guests(tests.id('show'), 'late') #>> '{0,avatarUrl}', 'https://faces.example/late.png',
  'list_podcast_guests returns the current avatar of the linked user');
select is(public.list_podcast_guests(tests.id('show'), 'late') #>> '{0,userId}', tests.id('late')::text,
  'list_podcast_guests returns the id of the linked user');
select is(tests.result_of('vic', $$ select from public.profiles where id = tests.id('late') $$), 'ok 0',
  'members may not read the profile of a guest''s user');
select tests.act_as('postgres');

-- changed emails of users
select pg_temp.guest('G new', 'new@test.example');
update auth.users set email = 'new@test.example' where id = tests.id('late');
select is(pg_temp.user_of(guest), null,
  format('a changed email ends the link to %s, a guest with the old email', guest))
from unnest('{G late,G late elsewhere}'::text[]) guest;
select is(pg_temp.user_of('G new'), 'late', 'a changed email links the user to the guest with the new email');
update auth.users set email = 'late@test.example' where id = tests.id('early');
select is(pg_temp.user_of('G late'), 'early', 'a guest is linked to the user who takes over the email of another user');
update auth.users set email = 'swap@test.example' where id = tests.id('late');
update auth.users set email = 'new@test.example' where id = tests.id('early');
update auth.users set email = 'late@test.example' where id = tests.id('late');
select results_eq($$ select pg_temp.user_of('G late'), pg_temp.user_of('G new') $$, $$ values ('late', 'early') $$,
  'two users who swap their emails swap their guests');
select pg_temp.guest('G requested', 'requested@test.example');
update auth.users set email_change = 'requested@test.example', email_change_sent_at = now() where id = tests.id('late');
select results_eq($$ select pg_temp.user_of('G late'), pg_temp.user_of('G requested') $$, $$ values ('late', null) $$,
  'a requested email change moves no guest before it is confirmed');
select tests.person('unsure', false), pg_temp.guest('G unsure', 'surely@test.example');
update auth.users set email = 'surely@test.example' where id = tests.id('unsure');
select is(pg_temp.user_of('G unsure'), null, 'an unconfirmed email change links no guest');
update auth.users set email = 'other@test.example', email_confirmed_at = now() where id = tests.id('unsure');
select pg_temp.guest('G other', 'other@test.example');
select is(pg_temp.user_of('G other'), 'unsure',
  'an email that changes and is confirmed at once links the new email''s guest');
select is(pg_temp.user_of('G unsure'), null,
  'an email that changes and is confirmed at once does not link the old email''s guest');
select pg_temp.guest('G sso before', 'sso@test.example'), pg_temp.guest('G sso changed', 'changed@test.example');
insert into auth.users (id, aud, role, email, email_confirmed_at, is_sso_user)
values (gen_random_uuid(), 'authenticated', 'authenticated', 'sso@test.example', now(), true);
select pg_temp.guest('G sso after', 'sso@test.example', 'other');
create function pg_temp.is_linked(guest text) returns boolean language sql as $$
  select g.user_id is not null from public.podcast_guests g where g.id = tests.id(guest) $$;
select is(pg_temp.is_linked('G sso before'), false, 'a guest is not linked to a new single sign-on user');
select is(pg_temp.is_linked('G sso after'), false, 'a new guest is not linked to a single sign-on user');
update auth.users set email = 'changed@test.example' where is_sso_user;
select is(pg_temp.is_linked('G sso changed'), false,
  'a guest is not linked to a single sign-on user whose email changes');

insert into public.podcast_guests (podcast_id, display_name, email)
select tests.id('show'), 'Many', n || '@many.example' from generate_series(1, 5000) n;
select cmp_ok((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), '<', 400::bigint,
  'inserting 5,000 guests in one transaction takes fewer than 400 advisory locks');

-- changed emails of guests, deleted users
update public.podcast_guests set email = 'no-one@test.example' where id = tests.id('G late');
select is(pg_temp.user_of('G late'), null, 'a guest whose email changes loses the user of the old email');
update public.podcast_guests set email = 'LATE@test.example' where id = tests.id('G late');
select is(pg_temp.user_of('G late'), 'late', 'a guest whose email changes is linked to the user of the new email');
select tests.set_status('show', 'pending_deletion');
select lives_ok($$ delete from auth.users where id = tests.id('late') $$,
  'deleting a user succeeds while a podcast that they are a guest of is pending deletion');
select is((select count(*) from public.podcast_guests
    where id in (tests.id('G late'), tests.id('G late elsewhere')) and user_id is null), 2::bigint,
  'deleting a user keeps the guests without a user');
select lives_ok($$ select tests.person('elsewhere') $$, 'creating a user succeeds while a podcast is pending deletion');
select lives_ok($$ update auth.users set email = 'surely@test.example' where id = tests.id('early') $$,
  'changing an email succeeds while a podcast of the email''s guest is pending deletion');
select is(pg_temp.user_of('G unsure'), 'early',
  'a guest of a podcast pending deletion is linked to the user of a changed email');

select * from tests.finish();
rollback;
