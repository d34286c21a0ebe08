-- A user goes: their own things with them, other people's stay.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show');
select tests.act_as('ana');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Made by Ana');
select tests.act_as('postgres');
select tests.remember('made', id) from public.episodes where title = 'Made by Ana';
select tests.upload_audio('made');
update public.episodes set status = 'published';
select tests.empty_queue('feed_invalidation');

select throws_ok($$ delete from auth.users where email = 'ola@test.example' $$, null, null, 'who owns a podcast stays: transfer or delete it first');
select lives_ok($$ delete from auth.users where email = 'ana@test.example' $$, 'an admin may go');
select is((select created_by from public.episodes where id = tests.id('made')), null, 'what they made stays');
select is((select count(*) from tests.queued('feed_invalidation')), 0::bigint, 'and no feed is rendered for it');
select is((select count(*) from public.podcast_members where user_id = tests.id('ana')), 0::bigint, 'their seat goes');
update public.podcasts set status = 'pending_deletion';
select lives_ok($$ delete from auth.users where email = 'vic@test.example' $$, 'a podcast on its way out holds no member back');
delete from public.podcasts;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint, 'a deleted podcast is charged no more');
select is((select bool_and(released_at is not null) from private.media_objects), true, 'its objects wait for the sweep');
select lives_ok($$ delete from auth.users where email = 'ola@test.example' $$, 'and its owner may go, even before the sweep');
select is((select count(*) from private.media_objects where account_id is null), 1::bigint, 'which still knows the objects');

select * from tests.finish();
rollback;
