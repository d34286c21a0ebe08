-- invalidate_all_feeds: a rendering of every feed, a few per second.
begin;
select tests.start();
delete from public.podcasts;

select tests.podcast('show ' || n) from generate_series(1, 5) n;
select tests.podcast('elsewhere', hosting => 'external'), tests.empty_queue('feed_invalidation');

select is(private.invalidate_all_feeds(2, '2027-01-01Z'), 5,
  'invalidate_all_feeds returns the number of native podcasts');
select is((select array_agg(q.vt order by q.vt) from pgmq.q_feed_invalidation q), array['2027-01-01 00:00:00Z',
    '2027-01-01 00:00:00Z', '2027-01-01 00:00:01Z', '2027-01-01 00:00:01Z', '2027-01-01 00:00:02Z']::timestamptz[],
  'invalidate_all_feeds makes so many messages visible per second');
select is((select q.message from pgmq.q_feed_invalidation q where q.message ->> 'podcast_slug' = 'show-1'),
  jsonb_build_object('type', 'settings.changed', 'podcast_id', tests.id('show 1'), 'podcast_slug', 'show-1',
    'episode_id', null, 'timestamp', '2027-01-01T00:00:00+00:00'::timestamptz),
  'invalidate_all_feeds enqueues messages of the feed renderer');
update public.podcasts set title = 'other' where id = tests.id('show 1');
select is(private.invalidate_all_feeds(), 5, 'invalidate_all_feeds can be called again before the feeds are rendered');
select is((select array_agg(n order by n) from (select count(*) as n from tests.queued('feed_invalidation') m
    group by m ->> 'type') types), array[1, 5]::bigint[],
  'invalidate_all_feeds replaces the messages of an earlier call, and no others');

select * from tests.finish();
rollback;
