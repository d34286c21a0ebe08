-- Temporary imports: swept after temporary_object_ttl_hours, deleted with their user.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'),
  tests.person('stranger');

create function pg_temp.square(size int default 1400, type text default 'image/jpeg') returns jsonb language sql as $$
  select jsonb_build_object('type', type, 'width', size, 'height', size) $$;
create function pg_temp.used(who text) returns bigint language sql as $$
  select storage_bytes_used from public.billing_accounts where user_id = tests.id(who) $$;
create function pg_temp.stored(path text, bytes int default 1000) returns text language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('media', path, jsonb_build_object('size', bytes)) returning name $$;
create function pg_temp.key(who text) returns text language sql volatile as $$
  select format('imports/%s/%s.jpg', tests.id(who), gen_random_uuid()) $$;
create function pg_temp.begin_move(who text, path text, podcast text default 'show', type text default 'cover')
  returns text language sql as $$
  select tests.result_of(who, format('select public.begin_artwork_move(%L, tests.id(%L), %L)', path, podcast, type)) $$;
create function pg_temp.target(path text, podcast text default 'show', type text default 'cover') returns text
  language sql as $$
  select format('podcasts/%s/images/%s/%s', tests.id(podcast), type, substring(path from '[^/]+$')) $$;
create function pg_temp.finish_move(path text, actor text default 'ana', podcast text default 'show',
  type text default 'cover', "to" text default null, who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_move(%L, %L, %L, %L, %L)', tests.id(actor), path,
    tests.id(podcast), type, coalesce("to", pg_temp.target(path, podcast, type)))) $$;
create function pg_temp.imported(who text, age interval) returns text language plpgsql as $$
declare
  made text := pg_temp.stored(pg_temp.key(who));
begin
  perform private.finish_artwork_import(tests.id(who), made, 1000, 'image/jpeg', pg_temp.square());
  update private.media_objects set created_at = now() - age where path = made;
  return made;
end $$;

create temp table aged as select pg_temp.imported('ana', '24 hours 1 minute') as old,
  pg_temp.imported('ana', '23 hours 59 minutes') as young, pg_temp.imported('ana', '3 days') as moved;
select pg_temp.stored(pg_temp.target(moved, type => 'profile')),
  pg_temp.finish_move(moved, type => 'profile') from aged;
update private.media_objects set created_at = now() - interval '3 days'
where path = (select pg_temp.target(moved, type => 'profile') from aged);
select is(pg_temp.used('ana'), 2000::bigint, 'temporary imports are charged until they are moved or swept');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now()), 1, 'sweep_storage queues one import older than a day');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$,
  'select jsonb_build_array(old) from aged', 'sweep_storage does not queue a younger or a moved import');
select is(pg_temp.used('ana'), 1000::bigint, 'sweep_storage returns the bytes of a swept import to its user');
select is((select pg_temp.begin_move('ana', old) from aged), 'PT404',
  'begin_artwork_move returns 404 for a swept import');
select pg_temp.stored(pg_temp.target(old, type => 'profile')) from aged;
select is((select pg_temp.finish_move(old, type => 'profile') from aged), 'PT404',
  'finish_artwork_move returns 404 for a swept import');
select is((select pg_temp.begin_move('ana', young) from aged), 'ok 1',
  'begin_artwork_move succeeds for an import younger than a day');
select is((select private.claim_orphaned_objects('media', array[old, young, pg_temp.target(moved, type => 'profile')])
  from aged), (select array[old] from aged), 'claim_orphaned_objects does not return a younger or a moved import');
select is(private.sweep_storage(now() + interval '2 minutes'), 1,
  'sweep_storage queues the younger import when it is a day old');

-- imports of a deleted user
select tests.person('gone');
create temp table gone as select pg_temp.imported('gone', '1 hour') as one, pg_temp.imported('gone', '2 hours') as two;
select tests.empty_queue('storage_gc');
select lives_ok($$ delete from auth.users where id = tests.id('gone') $$, 'a user with imports can be deleted');
select is((select count(*) from public.profiles where id = tests.id('gone')), 0::bigint,
  'a deleted user''s profile is deleted');
select set_eq($$ select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path $$,
  'select unnest(array[one, two]) from gone', 'a deleted user''s imports are queued for removal');
select is((select private.claim_orphaned_objects('media', array[one, two]) from gone),
  (select array[one, two] from gone), 'claim_orphaned_objects returns the imports of a deleted user');

select * from tests.finish();
rollback;
