-- moved_feed_warnings: a feed that names another address as its own.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.import('one', 'show', 'pending');
create function pg_temp.warnings(url text) returns jsonb language sql as $$
  select private.moved_feed_warnings(i, url) from public.podcast_imports i $$;

select is(pg_temp.warnings(url), '[]', format('moved_feed_warnings returns nothing for %L', url))
from unnest(array[null, 'https://feeds.example/a.xml', 'http://feeds.example/a.xml/', 'mailto:a', '']) url;
select is(pg_temp.warnings('https://new.example/f'), '[{"code": "FEED_HAS_MOVED", "count": 1,
  "url": "https://new.example/f",
  "message": "The feed has moved; import its new address instead: https://new.example/f"}]',
  'moved_feed_warnings names the new address of a feed');
select is(pg_temp.warnings('https://new.example/jane@example.com') #>> '{0,url}', 'https://new.example/j***@e***.com',
  'moved_feed_warnings masks an email address');
select is(pg_temp.warnings(private.feed_url(p.slug) || '/') #>> '{0,code}', 'FEED_MOVED_HERE',
  'moved_feed_warnings says that a feed has moved to the podcast')
from public.podcasts p where p.id = tests.id('show');
select private.stage_import_items(tests.id('one'), '[{"position": 0, "guid": "a", "title": "a", "warnings": []}]');
select private.finish_staging(tests.id('one'), '{"newFeedUrl": "https://new.example/f"}',
  '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]');
select is((select warnings #>> '{0,code}' from public.podcast_imports), 'FEED_HAS_MOVED',
  'finish_staging warns of a feed that has moved');

select * from tests.finish();
rollback;
