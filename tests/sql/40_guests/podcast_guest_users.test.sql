-- Which user a guest is: the confirmed one with the guest's address, whichever of the two comes first.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.member('vic', 'show'), tests.person('early'), tests.person('pending', false);
create function pg_temp.guest(name text, email text, podcast text default 'show') returns uuid language plpgsql as $$
declare made uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id(podcast), name, email) returning id into made;
  return tests.remember(name, made);
end $$;
create function pg_temp.linked(guest text) returns text language sql as $$
  select i.name from public.podcast_guests g join tests.ids i on i.id = g.user_id where g.id = tests.id(guest) $$;

select pg_temp.guest('G early', ' EARLY@Test.example'), pg_temp.guest('G pending', 'pending@test.example'), pg_temp.guest('G late', 'Late@test.example'), pg_temp.guest('G late elsewhere', 'late@test.example', 'other');
select is(pg_temp.linked('G early'), 'early', 'a guest is the confirmed user of the address, whatever its case');
select is(pg_temp.linked('G pending'), null, 'who has not confirmed is nobody yet');
update auth.users set email_confirmed_at = now() where id = tests.id('pending');
select is(pg_temp.linked('G pending'), 'pending', 'who confirms becomes the guest''s user');
select tests.person('late');
select is(pg_temp.linked('G late'), 'late', 'and so does who comes confirmed');
select is(pg_temp.linked('G late elsewhere'), 'late', 'on every podcast');

-- avatar
update public.profiles set avatar_url = 'https://faces.example/late.png' where id = tests.id('late');
select tests.act_as('vic');
select is(public.get_podcast_guest(tests.id('G late')) ->> 'avatarUrl', 'https://faces.example/late.png', 'the avatar is the user''s, as it is now');
select is(public.list_podcast_guests(tests.id('show'), 'late') #>> '{0,avatarUrl}', 'https://faces.example/late.png', 'in lists too');
select is(public.list_podcast_guests(tests.id('show'), 'late') #>> '{0,userId}', tests.id('late')::text, 'with the user''s id');
select is(tests.result_of('vic', $$ select from public.profiles where id = tests.id('late') $$), 'ok 0', 'the rest of the profile is nobody''s business');
select tests.act_as('postgres');

-- another address
select pg_temp.guest('G new', 'new@test.example');
update auth.users set email = 'new@test.example' where id = tests.id('late');
select is(pg_temp.linked('G late'), null, 'who changes the address is no longer the guest of the old one');
select is(pg_temp.linked('G late elsewhere'), null, 'anywhere');
select is(pg_temp.linked('G new'), 'late', 'but the guest of the new one');
update auth.users set email = 'late@test.example' where id = tests.id('early');
select is(pg_temp.linked('G late'), 'early', 'someone else may have the old address');
update auth.users set email = 'swap@test.example' where id = tests.id('late');
update auth.users set email = 'new@test.example' where id = tests.id('early');
update auth.users set email = 'late@test.example' where id = tests.id('late');
select results_eq($$ select pg_temp.linked('G late'), pg_temp.linked('G new') $$, $$ values ('late', 'early') $$, 'two may swap theirs');
select tests.person('unsure', false), pg_temp.guest('G unsure', 'surely@test.example');
update auth.users set email = 'surely@test.example' where id = tests.id('unsure');
select is(pg_temp.linked('G unsure'), null, 'an unconfirmed change of address links nobody');
update auth.users set email = 'other@test.example', email_confirmed_at = now() where id = tests.id('unsure');
select pg_temp.guest('G other', 'other@test.example');
select is(pg_temp.linked('G other'), 'unsure', 'confirming another address at once counts for that address');
select is(pg_temp.linked('G unsure'), null, 'only');
insert into auth.users (id, aud, role, email, email_confirmed_at, is_sso_user) values (gen_random_uuid(), 'authenticated', 'authenticated', 'sso@test.example', now(), true);
select pg_temp.guest('G sso', 'sso@test.example');
select is((select user_id from public.podcast_guests where id = tests.id('G sso')), null, 'an organisation''s sign-on is no proof of an address');

insert into public.podcast_guests (podcast_id, display_name, email) select tests.id('show'), 'Many', n || '@many.example' from generate_series(1, 5000) n;
select cmp_ok((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), '<', 400::bigint, 'many guests in one transaction take few locks');

-- the record's own address, and the end of a user
update public.podcast_guests set email = 'nobody@test.example' where id = tests.id('G late');
select is(pg_temp.linked('G late'), null, 'a record whose address changes looks for its user again');
update public.podcast_guests set email = 'LATE@test.example' where id = tests.id('G late');
select is(pg_temp.linked('G late'), 'late', 'and finds it');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select lives_ok($$ delete from auth.users where id = tests.id('late') $$, 'a user may go, also while a podcast is on its way out');
select is((select count(*) from public.podcast_guests where id in (tests.id('G late'), tests.id('G late elsewhere')) and user_id is null), 2::bigint, 'and the records stay without one');
select lives_ok($$ select tests.person('elsewhere') $$, 'and a user may come');
select lives_ok($$ update auth.users set email = 'surely@test.example' where id = tests.id('early') $$, 'or change the address');
select is(pg_temp.linked('G unsure'), 'early', 'and be linked');

select * from tests.finish();
rollback;
