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

-- Redirects without a deletion
select tests.podcast('stays', 'ola');
select is(pg_temp.enqueued_by($$ select public.set_feed_redirect(tests.id('stays'), 'https://new.example/feed') $$),
  array['podcast.updated'], 'set_feed_redirect invalidates the feed once');
select is(pg_temp.enqueued_by($$ select public.delete_podcast(tests.id('stays'), 'stays') $$), '{}',
  'a deletion that carries the redirect over enqueues no feed invalidation');
select is(pg_temp.enqueued_by($$ select public.cancel_deletion(tests.id('stays')) $$), '{}',
  'cancel_deletion enqueues no feed invalidation if the redirect stays');
select is(pg_temp.enqueued_by($$ select public.set_feed_redirect(tests.id('stays'), null) $$),
  array['podcast.updated'], 'the end of a redirect invalidates the feed');
select private.set_setting('redirect_delay_minutes', '60'), private.set_setting('cdn_purge_url', 'https://cdn.test/');
select tests.empty_queue('cdn_purge');
select is(pg_temp.enqueued_by($$ select public.set_feed_redirect(tests.id('stays'), 'https://new.example/feed') $$),
  '{podcast.updated,podcast.updated}', 'a redirect that is held back invalidates the feed now and when it starts');
select is((select array_agg(q.vt >= r.starts_at and q.vt < r.starts_at + interval '5 seconds' order by q.vt)
    from pgmq.q_feed_invalidation q, private.feed_redirects r where r.podcast_id = tests.id('stays')),
  '{f,t}', 'the second invalidation of a redirect that is held back comes when the redirect has started');
select is((select array_agg(q.vt >= r.starts_at order by q.vt) from pgmq.q_cdn_purge q, private.feed_redirects r
    where r.podcast_id = tests.id('stays')), '{f,t}',
  'a redirect that is held back purges the CDN now and at its start');
select private.delete_jobs(jsonb_build_object('key', private.surrogate_key('stays')), 'cdn_purge');
select private.enqueue('cdn_purge', jsonb_build_object('key', private.surrogate_key('stays'), 'starts_at', 'x'), 3600);
update public.podcasts set title = 'Stays on' where id = tests.id('stays');
select is((select count(*) from pgmq.q_cdn_purge where vt < now() + interval '1 minute'), 1::bigint,
  'a purge that waits for the start of a redirect delays no other');
delete from public.podcasts where id = tests.id('stays');
select private.delete_jobs(jsonb_build_object('key', private.surrogate_key('stays')), 'cdn_purge');
select tests.value_as('ola',
  $$ select public.update_deleted_podcast_redirect(tests.id('stays'), 'https://b.example/') $$);
select is((select array_agg(q.vt >= r.starts_at order by q.vt) from pgmq.q_cdn_purge q, private.feed_redirects r
    where r.podcast_id = tests.id('stays')), '{f,t}',
  'the redirect of a deleted podcast that is held back purges the CDN at its start');

select * from tests.finish();
rollback;
