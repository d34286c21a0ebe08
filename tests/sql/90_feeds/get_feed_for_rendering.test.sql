-- get_feed_for_rendering: the stale episodes and the podcast, before the first document.
begin;
select tests.start();

select tests.podcast('show'), tests.podcast('elsewhere', hosting => 'external'), tests.podcast('夜 行');
select tests.publish_daily_episodes('show', 3);
select tests.episode('draft', 'show');

select is_empty($$ select from private.get_feed_for_rendering(tests.id('elsewhere'), 1) $$,
  'get_feed_for_rendering returns no row for a podcast that is hosted elsewhere');
select is_empty($$ select from private.get_feed_for_rendering(gen_random_uuid(), 1) $$,
  'get_feed_for_rendering returns no row for an unknown podcast');
select is(tests.stale_episodes(), '{e3,e2,e1}',
  'get_feed_for_rendering returns every published episode at first, newest first');
select is((select (jsonb_array_length(stale), remaining_stale)::text
  from private.get_feed_for_rendering(tests.id('show'), 1, 2)), '(2,1)',
  'get_feed_for_rendering counts the stale episodes beyond its batch');
select is((select items from private.get_feed_for_rendering(tests.id('show'), 1)), '{0,0,0}',
  'get_feed_for_rendering returns item 0 for episodes without an item');
select is((select podcast ? 'owner_email' from private.get_feed_for_rendering(tests.id('show'), 1)), false,
  'get_feed_for_rendering does not return the owner''s email address');
select is((select podcast ->> 'feed_url' from private.get_feed_for_rendering(tests.id('夜 行'), 1)),
  'https://casts.test/functions/v1/public/feeds/%E5%A4%9C-%E8%A1%8C.xml',
  'get_feed_for_rendering returns feed_url as an encoded URI');
select is((select stale -> 0 ->> 'listen_url' from private.get_feed_for_rendering(tests.id('show'), 1)),
  'https://casts.test/functions/v1/public/listen/show/e3',
  'get_feed_for_rendering returns the listen URL of each episode');

select is(tests.feed_version(), 0::bigint, 'get_feed_for_rendering returns version 0 while there is no document');

select * from tests.finish();
rollback;
