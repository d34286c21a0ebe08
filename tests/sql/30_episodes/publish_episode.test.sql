-- Publishing: audio first, dates kept, the feed told.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.empty_queue('feed_invalidation');
select is(tests.result_of(who, format('select public.%s(tests.id(''pilot''))', verb)), wanted, format('%s: %s is %s', who, verb, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted),
  unnest(array['publish_episode', 'unpublish_episode', 'archive_episode']) verb;
select is(tests.result_of('vic', $$ select public.schedule_episode(tests.id('pilot'), now() + interval '1 day') $$), 'PT403', 'a member schedules nothing');
select is(tests.result_of('ana', $$ select public.publish_episode(tests.id('pilot')) $$), 'PT428', 'without audio an episode is not published');
select is(tests.result_of('ana', $$ update public.episodes set status = 'published' $$), 'PT428', 'not by a plain update');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, status) values (tests.id('show'), 'X', 'published') $$), 'PT428', 'or insert');
select is(tests.result_of('ana', $$ select public.schedule_episode(tests.id('pilot'), now() + interval '1 day') $$), 'PT428', 'or scheduled');
select is(tests.result_of('ana', $$ select public.publish_episode(gen_random_uuid()) $$), 'PT404', 'one that is not there is 404');
select is((select count(*) from tests.queued('feed_invalidation')), 0::bigint, 'the feed heard nothing');

select tests.upload_audio('pilot');
select tests.act_as('ana');
select is((public.publish_episode(tests.id('pilot'))).status::text, 'published', 'with audio it is');
select is((select (published_at = now() and first_published_at = now())::text from public.episodes), 'true', 'now');
select lives_ok($$ update public.episodes set published_at = '2020-01-01' $$, 'the date may be set back');
select is((public.publish_episode(tests.id('pilot'))).published_at, '2020-01-01'::timestamptz, 'publishing again changes nothing');
select is((public.unpublish_episode(tests.id('pilot'))).status::text, 'draft', 'it goes back to draft');
select is((public.publish_episode(tests.id('pilot'))).published_at, '2020-01-01'::timestamptz, 'and keeps its date when it returns');
select throws_ok($$ update public.episodes set slug = 'x' $$, 'PT409', null, 'a slug that was public is fixed');
select is((public.archive_episode(tests.id('pilot'))).status::text, 'archived', 'it is archived');
select tests.act_as('postgres');
select throws_ok($$ update public.episodes set first_published_at = null $$, 'PT409', null, 'that it was public is never forgotten');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$,
  array['episode.published', 'episode.updated', 'episode.unpublished', 'episode.published', 'episode.unpublished'], 'the feed hears of each change, and of nothing that is none');
select results_eq($$ select distinct message - 'type' - 'timestamp' from tests.queued('feed_invalidation') message $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'podcast_slug', 'show', 'episode_id', tests.id('pilot')) $$, 'by ids and slug');

select tests.podcast('away', 'otto', 'external'), tests.episode('abroad', 'away');
select is(tests.result_of('otto', $$ select public.publish_episode(tests.id('abroad')) $$), 'ok 1', 'an externally hosted episode needs no audio here');

select * from tests.finish();
rollback;
