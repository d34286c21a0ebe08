-- announce_podcasts: which changes of a podcast invalidate its feed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.set_plan('ola', 'pro');
-- The types of the messages after a change by the owner
create function pg_temp.enqueued_by(statement text) returns text[] language plpgsql as $$
begin
  perform tests.empty_queue('feed_invalidation'), tests.act_as('ola');
  execute statement;
  perform tests.act_as('postgres');
  return array(select message ->> 'type' from tests.queued('feed_invalidation') message);
end $$;

select is(pg_temp.enqueued_by($$ update public.podcasts set title = 'Other' $$), array['podcast.updated'],
  'an update of a podcast''s title invalidates the feed');
select is(pg_temp.enqueued_by(format('update public.podcasts set %s = %L', field, value)), expected,
  format('an update of podcasts.%s to %s enqueues %s', field, value, expected))
from (values ('locations', '[{"name": "Wien"}]', '{podcast.updated}'::text[]),
  ('locations', '[{"name": "Wien"}]', '{}'),
  ('publisher', '{"feed_guid": "003af0a0-6a45-55cf-b765-68e3d349551a"}', '{podcast.updated}'),
  ('license', 'cc-by-4.0', '{podcast.updated}'),
  ('feed_page_size', '50', '{podcast.updated}'), ('feed_page_size', '50', '{}'),
  ('feed_page_size', null, '{podcast.updated}')) v (field, value, expected);
select tests.published_episode('pilot', 'show');
select is(pg_temp.enqueued_by(format('update public.episodes set %s = %L', field, value)), expected,
  format('an update of episodes.%s to %s enqueues %s', field, value, expected))
from (values ('soundbites', '[{"start_seconds": 1, "duration_seconds": 2}]', '{episode.updated}'::text[]),
  ('soundbites', '[{"start_seconds": 1, "duration_seconds": 2}]', '{}'),
  ('season_name', 'One', '{episode.updated}')) v (field, value, expected);
select is(pg_temp.enqueued_by($$ select public.pause_podcast(tests.id('show')) $$), '{}',
  'pause_podcast enqueues no feed invalidation');
select is(pg_temp.enqueued_by($$ select public.unpause_podcast(tests.id('show')) $$), '{}',
  'unpause_podcast enqueues no feed invalidation');
select tests.set_status('show', 'paused', '2027-01-01Z'), tests.empty_queue('feed_invalidation');
select is(private.end_expired_pauses('2027-06-01Z'), 1, 'end_expired_pauses ends the pause of a podcast with a feed');
select is_empty($$ select tests.queued('feed_invalidation') $$, 'end_expired_pauses enqueues no feed invalidation');
select is(pg_temp.enqueued_by(
    $$ select public.delete_podcast(tests.id('show'), 'Other', 'https://new.example/feed') $$),
  array['podcast.updated'], 'delete_podcast invalidates the feed once');
select is(pg_temp.enqueued_by(
    $$ select public.update_deletion_redirect(tests.id('show'), 'https://newer.example/feed') $$),
  array['podcast.updated'], 'update_deletion_redirect invalidates the feed once');
select is(pg_temp.enqueued_by(
    $$ select public.update_deletion_redirect(tests.id('show'), 'https://newer.example/feed') $$), '{}',
  'update_deletion_redirect enqueues no feed invalidation for the same URL');
select is(pg_temp.enqueued_by($$ select public.cancel_deletion(tests.id('show')) $$), array['podcast.updated'],
  'cancel_deletion invalidates the feed once');

select * from tests.finish();
rollback;
