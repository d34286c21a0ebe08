-- Changed transcripts and chapters make the feed item of a published episode stale, and invalidate the feed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'),
  tests.podcast('external', 'ola', 'external'), tests.episode('elsewhere', 'external');
update public.episodes set status = 'published' where id = tests.id('elsewhere');
-- Whether the statement makes the episode's item stale, and how many messages it enqueues.
create function pg_temp.effect_of(statement text, episode text) returns text language plpgsql as $$
declare
  before timestamptz := (select updated_at from public.episodes where id = tests.id(episode));
begin
  perform tests.empty_queue('feed_invalidation');
  execute format(statement, tests.id(episode));
  return format('%s, %s of %s messages',
    case when (select updated_at > before from public.episodes
      where id = tests.id(episode)) then 'stale' else 'fresh' end,
    (select count(*) from tests.queued('feed_invalidation') q
     where q ->> 'type' = 'episode.updated' and q ->> 'episode_id' = tests.id(episode)::text),
    (select count(*) from tests.queued('feed_invalidation')));
end $$;
select is(pg_temp.effect_of(statement, episode), expected, format('%s of a %s episode: feed item %s', title,
  case episode when 'pilot' then 'published' when 'draft' then 'draft' else 'externally hosted' end, expected))
from unnest(array['pilot', 'draft', 'elsewhere']) episode, (values
  ($$ insert into public.episode_transcripts (episode_id, type, url)
    select %L, 'text/vtt', 'https://x.test/' || n from generate_series(1, 3) n $$, 'inserting transcripts'),
  ($$ update public.episode_transcripts set language = 'de' where episode_id = %L $$, 'updating transcripts'),
  ($$ delete from public.episode_transcripts where episode_id = %L $$, 'deleting transcripts'),
  ($$ insert into public.episode_chapters (episode_id, start_seconds, title)
    select %L, n, 'x' from generate_series(1, 3) n $$, 'inserting chapters'),
  ($$ update public.episode_chapters set title = 'y' where episode_id = %L $$, 'updating chapters'),
  ($$ delete from public.episode_chapters where episode_id = %L $$, 'deleting chapters')
) v (statement, title)
cross join lateral (select case episode when 'pilot' then 'stale, 1 of 1 messages'
  else 'fresh, 0 of 0 messages' end) e (expected);
select is(pg_temp.effect_of('update public.episode_chapters set title = title where episode_id = %L', 'pilot'),
  'fresh, 0 of 0 messages', 'updating no chapter does not invalidate the feed');

-- get_feed_for_rendering
insert into public.episode_transcripts (episode_id, type, url, language, rel, display_order) values
  (tests.id('pilot'), 'text/vtt', 'https://x.test/2', 'de', 'captions', 1),
  (tests.id('pilot'), 'text/html', 'https://x.test/1', null, null, 0);
update public.episodes set chapters_url = 'https://x.test/c.json' where id = tests.id('pilot');
create function pg_temp.item(member text) returns jsonb language sql as $$
  select f.stale -> 0 -> member from private.get_feed_for_rendering(tests.id('show'), 1) f
$$;
select is(pg_temp.item('transcripts'),
  '[{"url": "https://x.test/1", "type": "text/html", "language": null, "rel": null},
    {"url": "https://x.test/2", "type": "text/vtt", "language": "de", "rel": "captions"}]',
  'get_feed_for_rendering returns the transcripts of an item in their order');
select is(pg_temp.item('chapters_url'), '"https://x.test/c.json"',
  'get_feed_for_rendering returns the URL of chapters that are hosted elsewhere');
update private.settings set value = 'https://listen.test' where key = 'listen_url';  -- its default changes as well
create temp table before as select f.context_hash from private.get_feed_for_rendering(tests.id('show'), 1) f;
insert into public.episode_chapters (episode_id, start_seconds, title) values (tests.id('pilot'), 0, 'Intro');
select is(pg_temp.item('chapters_url') #>> '{}',
  format('https://casts.test/functions/v1/public/chapters/%s.json', tests.id('pilot')),
  'get_feed_for_rendering returns our document for an episode with chapters');
update private.settings set value = 'https://api.test' where key = 'public_api_url';
select isnt((select f.context_hash from private.get_feed_for_rendering(tests.id('show'), 1) f),
  (select context_hash from before), 'another public_api_url makes all items stale');
delete from public.episodes where id = tests.id('pilot');
select is_empty($$ select from public.episode_transcripts where episode_id = tests.id('pilot')
    union all select from public.episode_chapters where episode_id = tests.id('pilot') $$,
  'a deleted episode has no transcripts and no chapters');

select * from tests.finish();
rollback;
