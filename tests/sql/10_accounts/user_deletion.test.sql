-- Deleting a user of Auth: cascades delete what belongs to the user alone.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.act_as('ana');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Made by Ana');
select tests.act_as('postgres');
select tests.remember('made', id) from public.episodes where title = 'Made by Ana';
select tests.upload_audio('made');
update public.episodes set status = 'published';
select tests.empty_queue('feed_invalidation');

select throws_ok($$ delete from auth.users where email = 'ola@test.example' $$, null, null,
  'a user who owns a podcast cannot be deleted');
select lives_ok($$ delete from auth.users where email = 'ana@test.example' $$, 'an admin can be deleted');
select is((select created_by from public.episodes where id = tests.id('made')), null,
  'the episodes of a deleted admin stay, without created_by');
select is_empty($$ select tests.queued('feed_invalidation') $$, 'deleting an admin invalidates no feed');
select is_empty($$ select from public.podcast_members where user_id = tests.id('ana') $$,
  'deleting an admin deletes the membership');
select tests.set_status('show', 'pending_deletion');
select lives_ok($$ delete from auth.users where email = 'vic@test.example' $$,
  'a member of a podcast pending deletion can be deleted');
delete from public.podcasts;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint,
  'a deleted podcast does not count on its owner''s account');
select is_empty('select from private.media_objects', 'a deleted podcast has no media objects');
insert into private.media_objects (path, account_id, usage, bytes, content_type, released_at)
values ('imports/a.png', tests.id('ola'), 'temporary', 10, 'image/png', now());
select lives_ok($$ delete from auth.users where email = 'ola@test.example' $$,
  'the owner of a deleted podcast can be deleted before the storage sweep');
select is((select count(*) from private.media_objects where account_id is null), 1::bigint,
  'released media objects stay for the sweep after the user''s deletion');

-- what Auth writes for admin.deleteUser(id, true)
create function pg_temp.delete_softly(name text) returns void language sql as $$
  update auth.users set email = 'hash of ' || name, email_change = 'hash', encrypted_password = null, deleted_at = now()
  where id = tests.id(name);
  update auth.users set raw_user_meta_data = '{}' where id = tests.id(name);
$$;
select tests.team('pilot', 'max', 'eve', 'zoe');
select throws_ok($$ select pg_temp.delete_softly('max') $$, null, null,
  'a user who owns a podcast cannot be soft-deleted');
select lives_ok($$ select pg_temp.delete_softly('eve') $$, 'an admin can be soft-deleted');
select results_eq($$ select (select count(*) from auth.users where id = tests.id('eve')),
    (select count(*) from public.profiles where id = tests.id('eve')),
    (select count(*) from public.billing_accounts where user_id = tests.id('eve')),
    (select count(*) from public.podcast_members where user_id = tests.id('eve')) $$,
  $$ values (1::bigint, 0::bigint, 0::bigint, 0::bigint) $$,
  'soft-deleting an admin keeps the user of Auth and deletes profile, billing account and membership');
select lives_ok($$ update auth.users set updated_at = now() where id = tests.id('eve') $$,
  'a soft-deleted user can be updated');
select is_empty($$ select from public.profiles where id = tests.id('eve') $$,
  'an update of a soft-deleted user makes no profile');

select * from tests.finish();
rollback;
