-- finish_artwork_move: the import becomes an image of the podcast.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola');
select tests.set_status('leaving', 'pending_deletion');

create temp table t as
  select tests.import_artwork('ana') as import, tests.artwork_path('ana') as missing,
    tests.import_artwork('vic') as vics;

select is((select tests.finish_artwork_move(import) from t), 'PT500',
  'finish_artwork_move returns 500 when the copy does not exist');
select tests.store_object(tests.moved_artwork_path(import), 999), tests.store_object(tests.moved_artwork_path(vics)),
  tests.store_object(tests.moved_artwork_path(missing)), tests.store_object(tests.moved_artwork_path(import, 'other')),
  tests.store_object(tests.moved_artwork_path(import, type => 'banner')),
    tests.store_object(tests.moved_artwork_path(import, 'leaving')) from t;
select is((select tests.finish_artwork_move(import) from t), 'PT500',
  'finish_artwork_move returns 500 for a copy of another size');
update storage.objects set metadata = '{"size": 1000}' where name = (select tests.moved_artwork_path(import) from t);
select is((select tests.finish_artwork_move(import,
  target => tests.moved_artwork_path(import, type => 'banner')) from t), 'PT500',
  'finish_artwork_move returns 500 for a target under another image type');
select is((select tests.finish_artwork_move(import,
  target => tests.moved_artwork_path(import, 'other')) from t), 'PT500',
  'finish_artwork_move returns 500 for a target under another podcast');
select is((select tests.finish_artwork_move(vics) from t), 'PT404',
  'finish_artwork_move returns 404 for the import of another user');
select is((select tests.finish_artwork_move(missing) from t), 'PT404',
  'finish_artwork_move returns 404 for an import that does not exist');
select is((select tests.finish_artwork_move(vics, 'vic') from t), 'PT403',
  'finish_artwork_move returns 403 to a member');
select is((select tests.finish_artwork_move(import, podcast => 'other') from t), 'PT403',
  'finish_artwork_move returns 403 to a non-member');
select is((select tests.finish_artwork_move(import, podcast => 'leaving') from t), 'PT409',
  'finish_artwork_move returns 409 for a podcast that is pending deletion');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is((select tests.finish_artwork_move(import) from t), 'PT409',
  'finish_artwork_move returns 409 over the allowance of the podcast''s owner');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');
select results_eq('select path, released_at from private.media_objects where account_id = tests.id(''ana'')',
  'select import, null::timestamptz from t', 'finish_artwork_move does not change the import when it rejects');
select results_eq($$ select tests.used_bytes(who) from unnest(array['ana', 'vic', 'ola']) who $$,
  array[1000, 1000, 0]::bigint[], 'finish_artwork_move does not change the charges when it rejects');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null,
  'finish_artwork_move does not set the cover when it rejects');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint,
  'finish_artwork_move enqueues no removal when it rejects');

select is((select tests.finish_artwork_move(import, who => 'service') from t), 'ok 1',
  'finish_artwork_move succeeds for the service role');
select results_eq($$ select account_id, podcast_id, usage, bytes, content_type, width, height
  from private.media_objects, t where path = tests.moved_artwork_path(import) and released_at is null $$,
  $$ select tests.id('ola'), tests.id('show'), 'cover', 1000::bigint, 'image/jpeg', 1400, 1400 $$,
  'finish_artwork_move records the copy as the podcast''s cover');
select results_eq($$ select tests.used_bytes(who) from unnest(array['ana', 'vic', 'ola']) who $$,
  array[0, 1000, 1000]::bigint[], 'finish_artwork_move charges the podcast''s owner instead of the importer');
select is((select split_part(cover_image_url, '?v=', 1) from public.podcasts where id = tests.id('show')),
  (select 'https://casts.test/storage/v1/object/public/media/' || tests.moved_artwork_path(import) from t),
  'finish_artwork_move sets cover_image_url');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$,
  'select jsonb_build_array(import) from t', 'finish_artwork_move enqueues the source for removal');
select results_eq($$ select done - 'publicUrl'
  from t, private.finish_artwork_move(tests.id('ana'), import, tests.id('show'), 'cover',
  tests.moved_artwork_path(import)) done $$,
  $$ select jsonb_build_object('path', tests.moved_artwork_path(import), 'deletablePaths', jsonb_build_array(import))
    from t $$, 'finish_artwork_move returns path and deletable paths when it is repeated');
select results_eq($$ select tests.used_bytes(who) from unnest(array['ana', 'ola']) who $$, array[0, 1000]::bigint[],
  'finish_artwork_move charges once when it is repeated');

select tests.store_object(tests.moved_artwork_path(import, type => 'profile')) from t;
select is((select tests.finish_artwork_move(import, type => 'profile') from t), 'PT404',
  'finish_artwork_move returns 404 for a second move that began before the first finished');
select is((select private.claim_orphaned_objects('media', array[import, tests.moved_artwork_path(import)]) from t),
  (select array[import] from t), 'claim_orphaned_objects returns the source of a move and not its copy');
select is((select tests.finish_artwork_move(import) from t), 'PT404',
  'finish_artwork_move returns 404 after the source was deleted');

select * from tests.finish();
rollback;
