-- private.imported_link: which page of an item its episode takes. Pages of the old host end with its account.
begin;
select tests.start();

select is(private.site_of(url), site, format('site_of %s is %s', url, coalesce(site, 'null')))
from (values
  ('https://www.show.example/a', 'show.example'), ('http://a.b.show.example:8080?x', 'show.example'),
  ('https://feeds.bbc.co.uk/x', 'bbc.co.uk'), ('https://tv.abc.de', 'abc.de'), ('https://127.0.0.1/x', '127.0.0.1'),
  ('https://localhost/x', 'localhost'), ('nostr:x', null)) v (url, site);

select private.set_setting('pages_url', 'https://pages.example'),
  private.set_setting('listen_url', 'https://pages.example/listen');
select is(private.imported_link(link, 'https://feeds.host.example/show.rss', 'https://audio.files.example/1.mp3', site),
  case when is_taken then link end,
  format('imported_link %s %s, beside the podcast''s link %s', case when is_taken then 'takes' else 'leaves' end,
    left(coalesce(link, 'null'), 60), coalesce(site, 'null')))
from (values
  ('https://show.example/1', 'https://show.example/', true),
  ('https://show.example/1', null, true),
  ('https://video.example/watch?v=1', 'https://host.example/show', true),
  ('https://show.host.example/1', 'https://show.host.example/', false),
  ('https://host.example/show/1', 'https://host.example/show', false),
  ('https://host.example/show/1', null, false),
  ('https://www.files.example/1.html', 'https://show.example/', false),
  -- a podcaster who publishes from a domain of their own
  ('https://host.example/2024/1', 'https://host.example', true),
  ('https://www.host.example/2024/1', 'http://WWW.host.example/', true),
  ('https://blog.files.example/1', 'https://files.example/', true),
  -- no page
  ('https://pages.example/listen/show/one', 'https://show.example/', false),
  ('https://show.example/' || repeat('x', 2048), 'https://show.example/', false),
  ('mailto:ana@show.example', 'https://show.example/', false),
  (null, 'https://show.example/', false)) v (link, site, is_taken);
select is(private.imported_link('https://show.example/1', 'https://feeds.host.example/a', null, null),
  'https://show.example/1', 'imported_link takes a link of an item without an enclosure');
select is(private.imported_link('https://localhost/1', 'https://localhost/feed', null, null), null,
  'imported_link leaves a link to the host of the feed without a domain');

select * from tests.finish();
rollback;
