-- get_storage_usage: the caller's own account only.
begin;
select tests.start();

select tests.podcast('small', 'ola'), tests.podcast('large', 'ola'), tests.podcast('empty', 'ola'),
  tests.podcast('theirs', 'otto');
select tests.member('ana', 'large', 'admin'), tests.member('vic', 'large'), tests.person('stranger');
select tests.episode('pilot', 'large'), tests.upload_audio('pilot', 5000), tests.episode('short', 'small'),
  tests.upload_audio('short', 10), tests.episode('foreign', 'theirs'), tests.upload_audio('foreign', 77);
create function pg_temp.entry(podcast text, used bigint) returns jsonb language sql as $$
  select jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'usedBytes', used) from public.podcasts p
    where p.id = tests.id(podcast) $$;

select tests.access('get_storage_usage', 'select public.get_storage_usage()',
  '42501: anon service; ok 1: stranger vic ana ola');
select is(tests.get_storage_usage(who),
  '{"usedBytes": 0, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 0, "podcasts": []}',
  format('get_storage_usage returns no podcast to %s, who owns none', who))
  from unnest(array['stranger', 'vic', 'ana']) who;
select is(tests.get_storage_usage('ola'), jsonb_build_object('usedBytes', 5010, 'limitBytes', 1073741824, 'stagedBytes',
  0, 'temporaryBytes', 0, 'podcasts',
  jsonb_build_array(pg_temp.entry('large', 5000), pg_temp.entry('small', 10), pg_temp.entry('empty', 0))),
    'get_storage_usage returns each podcast of its owner, the largest first');
select is(tests.get_storage_usage('otto') -> 'podcasts', jsonb_build_array(pg_temp.entry('theirs', 77)),
  'get_storage_usage returns another owner''s podcast to that owner');

-- what counts
insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type, width, height)
  values ('b', tests.id('ola'), tests.id('empty'), 'banner', 300, 'image/png', 600, 315);
insert into private.media_objects (path, account_id, usage, bytes, content_type, width, height)
  values ('t1', tests.id('ola'), 'temporary', 40, 'image/png', 1400, 1400),
  ('t2', tests.id('ola'), 'temporary', 2, 'image/png', 1400, 1400),
  ('t3', tests.id('ana'), 'temporary', 9, 'image/png', 1400, 1400);
select is(tests.get_storage_usage('ola') - 'podcasts',
  '{"usedBytes": 5352, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 42}',
  'get_storage_usage counts images and temporary imports');
select is(tests.get_storage_usage('ola') -> 'podcasts' -> 1, pg_temp.entry('empty', 300),
  'get_storage_usage counts an image with its podcast');
select is(tests.get_storage_usage('ana') - 'podcasts',
  '{"usedBytes": 9, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 9}',
  'get_storage_usage counts an admin''s imports for the admin');
update private.media_objects set released_at = now() where path in ('b', 't1');
select is(tests.get_storage_usage('ola') - 'podcasts',
  '{"usedBytes": 5012, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 2}',
  'get_storage_usage does not count released objects');
select is(tests.get_storage_usage('ola') -> 'podcasts' -> 2, pg_temp.entry('empty', 0),
  'get_storage_usage does not count a released image with its podcast');
delete from public.episodes where id = tests.id('short');
select is((tests.get_storage_usage('ola') -> 'usedBytes')::int, 5002,
  'get_storage_usage does not count the audio of a deleted episode');
select is((tests.get_storage_usage(who) -> 'usedBytes')::numeric,
  (select sum((p -> 'usedBytes')::numeric) + (tests.get_storage_usage(who) -> 'temporaryBytes')::numeric
  from jsonb_array_elements(tests.get_storage_usage(who) -> 'podcasts') p),
  'get_storage_usage returns the sum of podcasts and imports to ' || who) from unnest(array['ola', 'otto']) who;

-- staged bytes
select tests.episode('staged', 'small'), tests.member('ana', 'small', 'admin');
select tests.begin_direct_upload('staged', 'staged', podcast => 'small');
select is(tests.get_storage_usage('ola') -> 'stagedBytes', '0',
  'get_storage_usage does not count an upload before its object is staged');
select tests.stage_direct_upload('staged', 700);
select is(tests.get_storage_usage('ola') - 'podcasts',
  '{"usedBytes": 5702, "limitBytes": 1073741824, "stagedBytes": 700, "temporaryBytes": 2}',
  'get_storage_usage counts staged bytes');
select is(tests.get_storage_usage('ola') -> 'podcasts' -> 1, pg_temp.entry('small', 700),
  'get_storage_usage counts staged bytes with their podcast');
select is(tests.get_storage_usage('otto') -> 'stagedBytes', '0',
  'get_storage_usage does not count the staged bytes of another account');
select tests.copy_direct_upload('staged', 700);
select is(tests.finish_direct_upload('staged', 700, 'staged', podcast => 'small'), 'ok 1',
  'finish_audio_upload completes the upload whose bytes get_storage_usage counts');
select is(tests.get_storage_usage('ola') - 'podcasts',
  '{"usedBytes": 5702, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 2}',
  'get_storage_usage counts a completed upload once while its staged object remains');
update private.direct_uploads set ended_at = now() - interval '1 second';
select is(tests.get_storage_usage('ola') - 'podcasts',
  '{"usedBytes": 6402, "limitBytes": 1073741824, "stagedBytes": 700, "temporaryBytes": 2}',
  'get_storage_usage counts an object that a signed URL stores after the completion');
delete from public.episodes where id = tests.id('staged');
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects where bucket_id = 'staging';

-- whose it is
update public.podcasts set owner_id = tests.id('ana') where id = tests.id('large');
select is(tests.get_storage_usage('ana') - 'limitBytes',
  jsonb_build_object('usedBytes', 5009, 'stagedBytes', 0, 'temporaryBytes', 9, 'podcasts',
  jsonb_build_array(pg_temp.entry('large', 5000))), 'get_storage_usage counts a transferred podcast for its new owner');
select is((tests.get_storage_usage('ola') -> 'usedBytes')::int, 2,
  'get_storage_usage does not count a transferred podcast for its former owner');
select is((select count(*) from jsonb_array_elements(tests.get_storage_usage('ola') -> 'podcasts')), 2::bigint,
  'get_storage_usage does not list a transferred podcast for its former owner');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('ana');
select is((tests.get_storage_usage('ana') -> 'limitBytes')::bigint, 107374182400,
  'get_storage_usage returns the limit of the account''s plan');
select tests.set_status('large', 'pending_deletion');
select is((tests.get_storage_usage('ana') -> 'usedBytes')::int, 5009,
  'get_storage_usage counts a podcast that is pending deletion');
delete from public.podcasts where id = tests.id('large');
select is(tests.get_storage_usage('ana') -> 'usedBytes', '9', 'get_storage_usage does not count a deleted podcast');

select * from tests.finish();
rollback;
