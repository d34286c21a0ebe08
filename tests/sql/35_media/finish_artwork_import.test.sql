-- finish_artwork_import: records a temporary object of the user.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');

create function pg_temp.finish(path text, bytes int default 1000, actor text default 'ana', who text default 'postgres')
  returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_import(%L, %L, %s, %L, %L)', tests.id(actor), path,
    bytes, 'image/jpeg', tests.square_image())) $$;
create temp table t as select tests.store_object(tests.artwork_path('ana')) as import,
  tests.artwork_path('ana') as missing,
  tests.store_object(tests.artwork_path('vic')) as vics;
select is((select pg_temp.finish(missing) from t), 'PT500',
  'finish_artwork_import returns 500 for an object that is not stored');
select is((select pg_temp.finish(import, 999) from t), 'PT500',
  'finish_artwork_import returns 500 for a size that differs from the stored object''s');
select is((select pg_temp.finish(vics) from t), 'PT500',
  'finish_artwork_import returns 500 for a path under another user');
select is(pg_temp.finish(tests.store_object(format('podcasts/%s/images/cover/a.jpg', tests.id('show')))), 'PT500',
  'finish_artwork_import returns 500 for a path under a podcast');
select is((select count(*) from private.media_objects), 0::bigint,
  'finish_artwork_import records no object when it rejects');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ana');
select is((select pg_temp.finish(import) from t), 'PT409', 'finish_artwork_import returns 409 over the allowance');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ana');
select is((select pg_temp.finish(import, who => 'service') from t), 'ok 1',
  'finish_artwork_import succeeds for the service role');
select results_eq($$
  select account_id, podcast_id, episode_id, usage, bytes, content_type, width, height, released_at
  from private.media_objects $$,
  $$ select tests.id('ana'), null::uuid, null::uuid, 'temporary', 1000::bigint, 'image/jpeg', 1400, 1400,
    null::timestamptz $$, 'finish_artwork_import records a temporary object of the user');
select results_eq($$ select done - 'publicUrl', split_part(done ->> 'publicUrl', '?v=', 1)
  from t, private.finish_artwork_import(tests.id('ana'), import, 1000, 'image/jpeg', tests.square_image()) done $$,
  $$ select jsonb_build_object('path', import), 'https://casts.test/storage/v1/object/public/media/' || import
  from t $$, 'finish_artwork_import returns path and URL when it is repeated');
select is(tests.used_bytes('ana'), 1000::bigint, 'finish_artwork_import charges once when it is repeated');
select is((select pg_temp.finish(vics, actor => 'vic') from t), 'ok 1', 'finish_artwork_import succeeds for a member');

select * from tests.finish();
rollback;
