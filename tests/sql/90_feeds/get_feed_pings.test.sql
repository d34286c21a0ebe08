-- get_feed_pings: what receivers are told when a ping is sent.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('夜 行'), tests.podcast('elsewhere', hosting => 'external');
create function pg_temp.feeds(type text) returns text[] language sql as $$
  select array(
    select concat_ws(' ', f ->> 'feed_url', f ->> 'medium')
    from jsonb_array_elements(private.get_feed_pings(type, array[tests.id('show'), tests.id('夜 行'),
      tests.id('elsewhere'), gen_random_uuid()]) -> 'feeds') f order by f ->> 'feed_url')
$$;

select is(private.get_feed_pings('websub', array[tests.id('show')]), '{"url": "", "feeds": []}',
  'get_feed_pings returns no feeds while the receiver is off');
select private.set_setting('websub_hub_url', 'https://hub.test/');
select private.set_setting('podping_url', 'https://pod.test/');
select is(private.get_feed_pings('websub', array[tests.id('show')]), jsonb_build_object('url', 'https://hub.test/',
    'feeds', jsonb_build_array(jsonb_build_object('podcast_id', tests.id('show'), 'medium', 'podcast',
    'feed_url', 'https://casts.test/functions/v1/public/feeds/show.xml'))),
  'get_feed_pings returns the hub, and the URL and medium of the feed');
select is(private.get_feed_pings('podping', '{}'), '{"url": "https://pod.test/", "feeds": []}',
  'get_feed_pings returns the endpoint of podping without feeds for no podcasts');
update public.podcasts set medium = 'music', is_blocked = true where id = tests.id('夜 行');
select is(pg_temp.feeds('websub'), array[
    'https://casts.test/functions/v1/public/feeds/%E5%A4%9C-%E8%A1%8C.xml music',
    'https://casts.test/functions/v1/public/feeds/show.xml podcast'],
  'get_feed_pings returns the feeds of native podcasts for the hub, blocked ones included');
select is(pg_temp.feeds('podping'), array['https://casts.test/functions/v1/public/feeds/show.xml podcast'],
  'get_feed_pings returns no blocked podcast for podping');
select tests.act_as('ola');
select public.delete_podcast(tests.id('show'), 'show', 'https://new.example/feed') is null;
select tests.act_as('postgres');
select is(pg_temp.feeds('podping'), array['https://casts.test/functions/v1/public/feeds/show.xml podcast'],
  'get_feed_pings returns the URL that apps know of a feed that the owner moves');

select * from tests.finish();
rollback;
