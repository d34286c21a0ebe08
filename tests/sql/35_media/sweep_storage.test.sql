-- Sweep and garbage collection delete orphans after orphan_retention_hours, and no other objects.
begin;
select tests.start();

select tests.published_episode('pilot', 'show');
create temp table t as select (select path from private.media_objects) as live,
  tests.store_audio_object('pilot') as stray, tests.store_audio_object('pilot') as young;
update storage.objects set created_at = now() - interval '30 days' where name <> (select young from t);
select is(private.sweep_storage(), 1, 'sweep_storage enqueues an orphan after orphan_retention_hours');
select results_eq($$ select message from tests.queued('storage_gc') message $$,
  $$ select jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(stray)) from t $$,
  'sweep_storage enqueues a message with the orphan''s path');
select tests.empty_queue('storage_gc'), tests.upload_audio('pilot', 2000);
select is(private.sweep_storage(), 1, 'sweep_storage keeps an old object that was just replaced');
select is((select count(*) from tests.queued('storage_gc') m, t where m -> 'paths' ? live), 0::bigint,
  'sweep_storage does not enqueue the path of an object that was just replaced');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now() + interval '8 days'), 3,
  'sweep_storage enqueues a replaced object after orphan_retention_hours');
select set_eq($$ select unnest(private.claim_orphaned_objects('media',
  array[(select live from t), (select path from private.media_objects where released_at is null), 'unknown'])) $$,
  $$ select unnest(array[(select live from t), 'unknown']) $$,
  'claim_orphaned_objects returns the paths that no column references');
select is((select count(*) from private.media_objects), 1::bigint,
  'claim_orphaned_objects deletes the paths that it returns from media_objects');
select is(private.claim_orphaned_objects('media', array[(select live from t), 'unknown']),
  array[(select live from t), 'unknown'], 'claim_orphaned_objects returns the same paths when it is repeated');
select isnt_empty($$ select from cron.job where jobname = 'sweep_storage' and schedule = '17 3 * * *' and active $$,
  'sweep_storage runs daily');

select tests.empty_queue('storage_gc');
delete from public.episodes where id = tests.id('pilot');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint,
  'a deleted episode that was published leaves its object to the sweep');
select tests.episode('draft', 'show'), tests.upload_audio('draft');
delete from public.episodes where id = tests.id('draft');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint,
  'a deleted episode that was never published enqueues its object at once');
select is((select sum(storage_bytes_used) from public.billing_accounts), 0::numeric,
  'deleted episodes are no longer charged');

-- images: kept while the column that they are stored for references them
select tests.empty_queue('storage_gc');
update storage.objects set created_at = now() where created_at < now();
select tests.podcast('pictures', 'pia'), tests.episode('drawn', 'pictures');
create function pg_temp.image(place text, episode text default null, type text default 'image/jpeg') returns text
  language plpgsql as $$
declare
  episode_id uuid := (select i.id from tests.ids i where i.name = episode);
  p          text := private.image_path(tests.id('pictures'), place, episode_id, gen_random_uuid(), type);
begin
  insert into storage.objects (bucket_id, name, metadata) values ('media', p, '{"size": 100}');
  perform private.finish_image_upload(tests.id('pia'), tests.id('pictures'), place, p, 100, type,
    '{"width": 1400, "height": 1400}', episode_id);
  return p;
end $$;
create function pg_temp.swept(at timestamptz default now()) returns setof text language plpgsql as $$
begin
  perform tests.empty_queue('storage_gc');
  perform private.sweep_storage(at);
  return query select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path
  where not starts_with(path, 'podcasts/' || tests.id('show'));  -- what the claims above left
end $$;
create temp table pictures as
  select pg_temp.image('cover') as first, pg_temp.image('cover', type => 'image/png') as second,
    pg_temp.image('header') as header, pg_temp.image('episode_cover', 'drawn') as drawn;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('pia')), 300::bigint,
  'media_objects charges one image for each of three types');
select is_empty($$ select pg_temp.swept(now() + interval '167 hours') $$,
  'sweep_storage keeps a replaced image for orphan_retention_hours');
select results_eq($$ select pg_temp.swept(now() + interval '169 hours') $$, 'select first from pictures',
  'sweep_storage enqueues only the replaced image after orphan_retention_hours');
alter table public.podcasts disable trigger t330_guard_images;  -- rows from before the guard
alter table public.episodes disable trigger t330_guard_cover;
update public.podcasts set banner_image_url = (select tests.media_url(first)
from pictures) where id = tests.id('pictures');
update public.episodes set cover_image_url = (select tests.media_url(first) from pictures) where id = tests.id('drawn');
select is((select tests.claim_originals(first) from pictures),
  (select array[first] from pictures),
  'claim_orphaned_objects returns an object that only a column of another type references');
select is((select private.claim_orphaned_objects('media', array[header]) from pictures), '{}',
  'claim_orphaned_objects does not return an object that is in use');
update public.podcasts set cover_image_url = null, header_image_url = 'https://elsewhere.test/h.png'
where id = tests.id('pictures');
select set_eq($$ select pg_temp.swept(now() + interval '169 hours') $$,
  'select unnest(array[first, second, header, drawn]) from pictures',
  'sweep_storage enqueues objects whose column is cleared or has a foreign URL');
update public.podcasts set cover_image_url = (select tests.media_url(second)
from pictures) where id = tests.id('pictures');
select is((select tests.claim_originals(second, header) from pictures),
  (select array[header] from pictures),
    'claim_orphaned_objects does not return an object that a column references again');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('pia')), 100::bigint,
  'an object that a column references again is charged again');
update public.podcasts set cover_image_url = null where id = tests.id('pictures');
select is((select tests.claim_originals(second) from pictures),
  (select array[second] from pictures), 'claim_orphaned_objects returns an object that was released again');
update public.podcasts set cover_image_url = (select tests.media_url(second)
from pictures) where id = tests.id('pictures');
select is((select tests.claim_originals(second) from pictures), '{}',
  'claim_orphaned_objects does not return a claimed object that a column references again');
select is_empty($$ select pg_temp.swept(now() + interval '1 year') intersect select second from pictures $$,
  'sweep_storage does not enqueue a claimed object that a column references again');

-- temporary imports
create temp table artwork as select tests.import_artwork('pia', 10) as old, tests.import_artwork('pia', 20) as young;
update private.media_objects set created_at = now() - interval '25 hours' where path = (select old from artwork);
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('pia')), 30::bigint,
  'temporary imports are charged while they are kept');
select set_eq('select pg_temp.swept()', 'select old from artwork',
  'sweep_storage enqueues artwork that was imported a day ago');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('pia')), 20::bigint,
  'sweep_storage returns the bytes of temporary artwork to the account');
select is((select private.claim_orphaned_objects('media', array[old, young]) from artwork),
  (select array[old] from artwork), 'claim_orphaned_objects returns the temporary artwork that was swept');
select private.set_setting('temporary_object_ttl_hours', '1');
select set_eq($$ select pg_temp.swept(now() + interval '2 hours') $$, 'select young from artwork',
  'sweep_storage reads the setting temporary_object_ttl_hours');
select private.set_setting('temporary_object_ttl_hours', null);

-- orphans, beside buckets that are not the sweep's
insert into storage.objects (bucket_id, name, created_at)
select 'media', name, now() - make_interval(hours => age) from (values ('loose.mp3', 167), ('looser.mp3', 169))
  o (name, age);
insert into storage.buckets (id, name) values ('theirs', 'theirs');
insert into storage.objects (bucket_id, name, created_at) values ('theirs', 'looser.mp3', '2000-01-01'),
  ('staging', 'uploads/x.mp3', '2000-01-01');
select results_eq('select pg_temp.swept()', array['looser.mp3'],
  'sweep_storage enqueues orphans of the bucket media after orphan_retention_hours');

-- objects that an upload stored after its podcast was deleted
select tests.podcast('ended', 'ola');
delete from public.podcasts where id = tests.id('ended');
select tests.store_object(format('podcasts/%s/late', tests.id('ended'))),
  tests.store_object('podcasts/not-an-id/late');
select set_eq($$ select path from pg_temp.swept() path where path ~ '/late$' $$,
  $$ values (format('podcasts/%s/late', tests.id('ended'))) $$,
  'sweep_storage enqueues an object of a deleted podcast at once, and keeps other young objects');

-- a run ends at its limit, and the next one continues
delete from private.direct_uploads;
insert into storage.objects (bucket_id, name, created_at) select 'media', 'many/' || n,
  now() - interval '1 year' from generate_series(1, 10050) n;
select is(private.sweep_storage(), 10000, 'sweep_storage enqueues ten thousand orphans at most in one run');
select is((select max(jsonb_array_length(m -> 'paths')) from tests.queued('storage_gc') m), 100,
  'sweep_storage enqueues at most a hundred paths in a message');

select * from tests.finish();
rollback;
