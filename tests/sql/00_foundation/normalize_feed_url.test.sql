-- normalize_feed_url reads addresses of feeds as people copy them.
begin;
select tests.start();

select is(private.normalize_feed_url(written), url, format('normalize_feed_url reads %L', written))
from (values
  ('https://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('HTTP://feeds.example/a.xml', 'HTTP://feeds.example/a.xml'),
  (E' \t\u200bhttps://feeds.example/a.xml\n\ufeff', 'https://feeds.example/a.xml'),
  ('feed:https://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('feed:http://feeds.example/a.xml', 'http://feeds.example/a.xml'),
  ('feed://https://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('feed://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('FEED:feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('itpc://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('pcast://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('pcast:feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('podcast://feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('//feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('feeds.example/a.xml', 'https://feeds.example/a.xml'),
  ('feeds.example', 'https://feeds.example'),
  ('feeds.example:8443/a.xml?b=c', 'https://feeds.example:8443/a.xml?b=c'),
  ('bücher.example/feed', 'https://bücher.example/feed'),
  ('not a url', 'not a url'),
  ('feeds', 'feeds'),
  ('feeds.example/a b', 'https://feeds.example/a b'),
  ('mailto:ana@feeds.example', 'mailto:ana@feeds.example'),
  ('ana@feeds.example', 'ana@feeds.example'),
  ('ftp://feeds.example/a', 'ftp://feeds.example/a'),
  ('javascript:alert(1)', 'javascript:alert(1)'),
  ('', ''),
  (null, null)
) v (written, url);

select * from tests.finish();
rollback;
