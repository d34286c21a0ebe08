-- Temporary imports: swept after temporary_object_ttl_hours, deleted with their user.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');

create temp table aged as select tests.import_artwork('ana', age => '24 hours 1 minute') as old,
  tests.import_artwork('ana', age => '23 hours 59 minutes') as young, tests.import_artwork('ana',
    age => '3 days') as moved;
select tests.store_object(tests.moved_artwork_path(moved, type => 'profile')),
  tests.finish_artwork_move(moved, type => 'profile') from aged;
update private.media_objects set created_at = now() - interval '3 days'
where path = (select tests.moved_artwork_path(moved, type => 'profile') from aged);
select is(tests.used_bytes('ana'), 2000::bigint, 'temporary imports are charged until they are moved or swept');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now()), 1, 'sweep_storage enqueues one import older than a day');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$,
  'select jsonb_build_array(old) from aged', 'sweep_storage does not enqueue a younger or a moved import');
select is(tests.used_bytes('ana'), 1000::bigint, 'sweep_storage returns the bytes of a swept import to its user');
select is((select tests.begin_artwork_move('ana', old) from aged), 'PT404',
  'begin_artwork_move returns 404 for a swept import');
select tests.store_object(tests.moved_artwork_path(old, type => 'profile')) from aged;
select is((select tests.finish_artwork_move(old, type => 'profile') from aged), 'PT404',
  'finish_artwork_move returns 404 for a swept import');
select is((select tests.begin_artwork_move('ana', young) from aged), 'ok 1',
  'begin_artwork_move succeeds for an import younger than a day');
select is((select private.claim_orphaned_objects('media', array[old, young, tests.moved_artwork_path(moved,
  type => 'profile')])
  from aged), (select array[old] from aged), 'claim_orphaned_objects does not return a younger or a moved import');
select is(private.sweep_storage(now() + interval '2 minutes'), 1,
  'sweep_storage enqueues the younger import when it is a day old');

-- imports of a deleted user
select tests.person('gone');
create temp table gone as select tests.import_artwork('gone', age => '1 hour') as one, tests.import_artwork('gone',
  age => '2 hours') as two;
select tests.empty_queue('storage_gc');
select lives_ok($$ delete from auth.users where id = tests.id('gone') $$, 'a user with imports can be deleted');
select is((select count(*) from public.profiles where id = tests.id('gone')), 0::bigint,
  'a deleted user''s profile is deleted');
select set_eq($$ select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path $$,
  'select unnest(array[one, two]) from gone', 'a deleted user''s imports are enqueued for removal');
select is((select private.claim_orphaned_objects('media', array[one, two]) from gone),
  (select array[one, two] from gone), 'claim_orphaned_objects returns the imports of a deleted user');

select * from tests.finish();
rollback;
