-- finish_image_upload: what it checks, records, charges and enqueues.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create temp table o as select tests.store_image_object('cover', 100) as a, tests.store_image_object('cover', 250) as b,
  tests.store_image_object('header', 30) as header, tests.store_image_object('episode_cover', 500, 'pilot') as e,
  tests.store_image_object('episode_cover', 700, 'pilot') as f;
select is(tests.result_of('service', format('select private.finish_image_upload(%L, %L, %L, %L, 99, %L, %L)',
  tests.id('ola'), tests.id('show'), 'cover', a, 'image/jpeg', '{}')), 'PT500',
  'finish_image_upload is executable by the service role: it returns 500 for a wrong size') from o;
select is(tests.finish_image_upload(actor, place, path, bytes, episode, podcast), wanted,
  'finish_image_upload returns ' || why)
from o, lateral (values
  ('ana', 'cover', a, 101, null, 'show', 'PT500', '500 for a size that differs from the stored object''s'),
  ('ana', 'cover', replace(a, '.jpg', 'x.jpg'), 100, null, 'show', 'PT500', '500 for an object that does not exist'),
  ('ana', 'header', a, 100, null, 'show', 'PT500', '500 for a path outside its type'),
  ('ana', 'episode_cover', a, 100, 'pilot', 'show', 'PT500', '500 for a podcast''s image as an episode''s cover'),
  ('otto', 'cover', a, 100, null, 'other', 'PT500', '500 for another podcast''s image'),
  ('vic', 'cover', a, 100, null, 'show', 'PT403', '403 to a caller who lost the role meanwhile'),
  ('otto', 'episode_cover', e, 500, 'pilot', 'other', 'PT404', '404 for an episode of another podcast'))
  c (actor, place, path, bytes, episode, podcast, wanted, why);
select is(num_nulls(p.cover_image_url, p.header_image_url), 2,
  'finish_image_upload does not change the columns when it rejects') from public.podcasts p
  where p.id = tests.id('show');
select is_empty('select from private.media_objects', 'finish_image_upload records no object when it rejects');
select is(tests.finish_image_upload('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload finishes the first cover')
from o;
select matches((select cover_image_url from public.podcasts where id = tests.id('show')),
  '^https://casts\.test/storage/v1/object/public/media/' || a || '\?v=\d{13}$',
  'finish_image_upload sets cover_image_url') from o;
select is(tests.used_bytes('ola'), 100::bigint, 'finish_image_upload charges the owner''s account');
create temp table first as select cover_image_url as url from public.podcasts where id = tests.id('show');
select is(tests.finish_image_upload('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload succeeds when it is repeated')
from o;
select is((select cover_image_url from public.podcasts where id = tests.id('show')), url,
  'finish_image_upload keeps the URL when it is repeated') from first;
select is(tests.used_bytes('ola'), 100::bigint, 'finish_image_upload charges once when it is repeated');
select results_eq($$ select usage, bytes, content_type, width, height, episode_id, account_id = tests.id('ola')
  from private.media_objects $$, $$ values ('cover', 100::bigint, 'image/jpeg', 1400, 1400, null::uuid, true) $$,
  'finish_image_upload records the measured values');
select is(tests.finish_image_upload('ola', 'cover', b, 250), 'ok 1', 'finish_image_upload succeeds for another cover')
from o;
select results_eq('select tests.live_objects()', 'select b from o',
  'finish_image_upload releases the cover that it replaces');
select is(tests.used_bytes('ola'), 250::bigint,
  'finish_image_upload charges the new cover instead of the replaced one');
select is_empty($$ select tests.queued('storage_gc') $$,
  'finish_image_upload leaves a replaced cover to the sweep, because cached feeds name it');
select is(tests.finish_image_upload('ana', 'cover', a, 100), 'ok 1',
  'finish_image_upload succeeds when it is repeated for a replaced cover') from o;
select results_eq('select tests.live_objects()', 'select b from o',
  'finish_image_upload keeps the newer cover when the older upload is repeated');
select is(tests.finish_image_upload('ana', 'header', header, 30), 'ok 1',
  'finish_image_upload finishes a header beside the cover')
from o;
select is(tests.finish_image_upload('ana', 'episode_cover', e, 500, 'pilot'), 'ok 1',
  'finish_image_upload finishes an episode''s cover') from o;
select is(tests.used_bytes('ola'), 780::bigint, 'finish_image_upload charges every image');
select results_eq(format('select private.finish_image_upload(%L, %L, %L, %L, 700, %L, %L, %L) -> %L', tests.id('ana'),
  tests.id('show'), 'episode_cover', f, 'image/png', '{"width": 1400, "height": 1400}', tests.id('pilot'),
  'deletablePaths'),
  'select jsonb_build_array(e) from o', 'finish_image_upload returns an episode''s replaced cover as deletable') from o;
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(e) from o',
  'finish_image_upload enqueues an episode''s replaced cover at once');
select is(tests.claim_originals(e, f), array[e],
  'claim_orphaned_objects returns an episode''s replaced cover and not the new one') from o;
select is(tests.used_bytes('ola'), 980::bigint,
  'finish_image_upload charges an episode''s new cover instead of the replaced one');

select * from tests.finish();
rollback;
