-- publish_episode: audio first, dates kept, the feed invalidated
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.empty_queue('feed_invalidation');
select tests.access('publish_episode', $$ select public.publish_episode(tests.id('pilot')) $$,
  '42501: anon; PT403: stranger vic; PT428: ana');

-- Without audio
select tests.act_as('ana');
select throws_ok($$ select public.publish_episode(tests.id('pilot')) $$, 'PT428',
  'Upload audio before publishing or scheduling this episode', 'publish_episode returns 428 without audio');
select tests.act_as('postgres');
select is(tests.result_of('ana', $$ update public.episodes set status = 'published' $$), 'PT428',
  'an update to published returns 428 without audio');
select is(
  tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, status)
    values (tests.id('show'), 'X', 'published') $$), 'PT428', 'an insert as published returns 428 without audio');
select is_empty($$ select tests.queued('feed_invalidation') $$,
  'a publication rejected without audio invalidates no feed');

-- With audio
select tests.upload_audio('pilot');
select tests.act_as('ana');
select is((public.publish_episode(tests.id('pilot'))).status::text, 'published', 'publish_episode sets the status');
select is((select (published_at = now() and first_published_at = now())::text from public.episodes), 'true',
  'publish_episode sets published_at and first_published_at to the current time');
select lives_ok($$ update public.episodes set published_at = '2020-01-01' $$,
  'an admin moves published_at to the past');
select is((public.publish_episode(tests.id('pilot'))).published_at, '2020-01-01'::timestamptz,
  'publish_episode changes nothing in a published episode');
select is((public.unpublish_episode(tests.id('pilot'))).status::text, 'draft', 'unpublish_episode returns the draft');
select is((public.publish_episode(tests.id('pilot'))).published_at, '2020-01-01'::timestamptz,
  'publish_episode keeps the date of an earlier publication');
select throws_ok($$ update public.episodes set slug = 'x' $$, 'PT409',
  'The slug cannot be changed after the episode has been published', 'the slug of a published episode cannot change');
select tests.act_as('postgres');
select throws_ok($$ update public.episodes set first_published_at = null $$, 'PT409',
  'first_published_at cannot be changed', 'first_published_at cannot be cleared');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$,
  array['episode.published', 'episode.updated', 'episode.unpublished', 'episode.published'],
  'each change of a published episode enqueues one feed invalidation');
select results_eq($$ select distinct message - 'type' - 'timestamp' from tests.queued('feed_invalidation') message $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'podcast_slug', 'show', 'episode_id',
    tests.id('pilot')) $$, 'a feed invalidation contains podcast, slug and episode');

select tests.podcast('away', 'otto', 'external'), tests.episode('abroad', 'away');
select is(tests.result_of('otto', $$ select public.publish_episode(tests.id('abroad')) $$), 'ok 1',
  'publish_episode accepts an externally hosted episode without audio');

select * from tests.finish();
rollback;
