-- update_deletion_redirect: where the feed of a podcast pending deletion redirects.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.set_status('show', 'pending_deletion', '2027-03-01Z');
select private.set_plan_limit('free', 'max_redirect_changes_per_hour', 1000);
create function pg_temp.redirect(url text) returns text language sql as $$
  select tests.value_as('ola', format('select tests.outcome_of(%L)', format(
    'select public.update_deletion_redirect(tests.id(''show''), %L) ->> ''deletion_redirect_url''', url)))
$$;

select tests.access('update_deletion_redirect', $$ select public.update_deletion_redirect(tests.id('show'), null) $$,
  '42501: anon; PT403: stranger vic ana; 42501: service');

select tests.act_as('ola');
create temp table response as
  select private.update_deletion_redirect(tests.id('show'), 'https://new.example/feed.xml', '2027-03-02Z') as body;
select is((select body from response), private.get_podcast_lifecycle(tests.id('show'), '2027-03-02Z'),
  'update_deletion_redirect returns the lifecycle resource');
select is(public.get_podcast_lifecycle(tests.id('show')) ->> 'deletion_redirect_url', 'https://new.example/feed.xml',
  'update_deletion_redirect stores the URL');
select tests.act_as('postgres');
select is(pg_temp.redirect(null), null, 'update_deletion_redirect clears the URL by null');

-- URLs
select is(pg_temp.redirect(url), url, format('update_deletion_redirect accepts %s', left(url, 60)))
from (values
  ('http://new.example/feed'), ('HTTPS://New.Example:8443/Feed.xml?a=b%20c&d=%40#part'), ('https://new.example'),
  (U&'https://new.example/f\00E9\00E9d?\2603#\2603'), ('https://xn--bcher-kva.example/feed'), ('https://new.example./'),
  ('https://[2606:4700::1]/feed'), ('http://[2002:808:808::1]:80'), ('https://198.51.99.255:65535/feed'),
  ('https://my_show.new-home.example/feed'), ('https://' || repeat(repeat('a', 61) || '.', 4) || 'co.uk'),
  ('https://new.example/@name/feed'), ('https://new.example/' || repeat('a', 2028))) v (url);
select is(pg_temp.redirect(url), 'PT400 INVALID_REDIRECT_URL', format('update_deletion_redirect rejects %s',
  coalesce(nullif(left(url, 60), ''), 'an empty text')))
from (values
  (''), (' '), ('https://new.example/' || repeat('a', 2029)), ('https://user:secret@new.example/feed'),
  ('https://user@new.example/feed'), ('ftp://new.example/feed'), ('javascript:alert(1)'), ('/feed.xml'), ('feed.xml'),
  ('//new.example/feed'), ('https:new.example/feed'), ('https:///feed'), ('https://'), ('#feed'),
  ('https://new.example/a feed'), (E'https://new.example/feed\n'), ('https://new%2eexample/feed'),
  ('https:\\new.example\feed'),
  -- hosts and ports that URL parsers reject, or read as another host
  (U&'https://b\00FCcher.example/feed'), (U&'https://new\00AD.example/feed'), (U&'https://\FF4Eew.example/feed'),
  (U&'https://new\3002example/feed'), (U&'https://\212Aew.example/feed'), (U&'https://host.example:99999/\2603'),
  ('https://host.example:65536'), ('https://host.example:0'), ('https://host.example:'), ('https://host.example:8a'),
  (U&'https://[::1/\2603'), ('https://[::1]a/'), ('https://[192.0.2.1]/'), ('https://[1::2::3]/'), ('https://[:::]/'),
  ('https://[fe80::1%25eth0]/'), ('https://2001:db8::1/'), (U&'https://xn--/\2603'), ('https://new.xn--a-/'),
  (U&'http://256.256.256.256/\2603'), ('http://1.2.3'), ('http://1.2.3.4.5'), ('http://1.2.3.4./'), ('http://01.2.3.4'),
  ('http://0x7f.1'), ('http://2130706433'), ('https://new.example.1'), ('https://new..example'), ('https://.example'),
  ('https://-new.example'), ('https://new-.example'), ('https://new.example-'), ('https://new!.example'),
  ('https://' || repeat('a', 64) || '.example'), ('https://' || repeat(repeat('a', 61) || '.', 4) || 'co.uk.x'))
  v (url);
select tests.act_as('ola');
select is(tests.describe_error($$ select public.update_deletion_redirect(tests.id('show'), 'ftp://x.example') $$),
  'PT400 / redirect_url must be an http or https URL of at most 2,048 characters, without a user name or password; '
    'write an international host name in punycode (xn--…) / INVALID_REDIRECT_URL',
  'update_deletion_redirect says what a redirect must be');

-- Hosts that podcast apps do not reach
select is(tests.describe_error(format('select public.update_deletion_redirect(tests.id(''show''), %L)', url)),
  'PT400 / redirect_url must point to the public internet, where podcast apps can read the feed / '
    'INVALID_REDIRECT_URL', format('update_deletion_redirect rejects %s', url))
from unnest(array['http://localhost/feed', 'http://127.0.0.1/feed', 'https://10.0.0.1/', 'https://[fd00::1]/feed',
  'http://169.254.169.254/latest/meta-data', 'https://nas.local/feed']) url;

-- Addresses of this service, in every spelling
select tests.act_as('postgres');
select private.set_setting('public_url', 'https://db.casts.test'),
  private.set_setting('public_api_url', 'https://Casts.Test/pod'), private.set_setting('app_url', 'https://app.test'),
  private.set_setting('pages_url', 'https://pages.test'), private.set_setting('embed_url', 'https://player.test'),
  private.set_setting('booking_url', 'https://booking.test'), private.set_setting('guest_url', 'https://guest.test'),
  private.set_setting('websub_hub_url', 'https://hub.test'), private.set_setting('podping_url', 'https://podping.test');
select tests.act_as('ola');
select is(tests.describe_error($$
  select public.update_deletion_redirect(tests.id('show'), 'https://casts.test/pod/feeds/other.xml') $$),
  'PT400 / redirect_url must not be a page, the API or a feed of this service, except the feed of another podcast that '
    'you own; enter the URL of the new feed / INVALID_REDIRECT_URL',
  'update_deletion_redirect says that a redirect must not be an address of this service');
select is(tests.describe_error($$
  select public.update_deletion_redirect(tests.id('show'), 'https://casts.test/pod/feeds/show.xml') $$),
  'PT400 / redirect_url must not be the feed of the podcast itself / INVALID_REDIRECT_URL',
  'update_deletion_redirect says that a redirect must not be the podcast''s own feed');
select tests.act_as('postgres');
select is(pg_temp.redirect(url), 'PT400 INVALID_REDIRECT_URL', format('update_deletion_redirect rejects our feed %s',
  url))
from (values
  ('https://casts.test/pod/feeds/show.xml'), ('https://casts.test/pod/feeds/other'), ('https://casts.test/pod/feeds/'),
  ('https://casts.test/pod/feeds'), ('http://casts.test/pod/feeds/show.xml'), ('HTTPS://CASTS.TEST/pod/feeds/show.xml'),
  ('https://casts.test:443/pod/feeds/show.xml'), ('http://casts.test:80/pod/feeds/show.xml'),
  ('http://casts.test:443/pod/feeds/show.xml'), ('https://casts.test:/pod/feeds/show.xml'),
  ('https://casts.test:00443/pod/feeds/show.xml'), ('https://casts.test./pod/feeds/show.xml'),
  ('https://casts.test/pod/%66eeds/show.xml'), ('https://casts.test/%70od/fee%64s/show.xml'),
  ('https://casts.test/pod%2Ffeeds/show.xml'), ('https://casts.test/pod//feeds/show.xml'),
  ('https://casts.test/pod/./feeds/show.xml'), ('https://casts.test/x/../pod/feeds/show.xml'),
  ('https://casts.test/../pod/%2E%2e/pod/feeds/show.xml'), ('https://casts.test/pod/feeds/show.xml?a=1'),
  ('https://casts.test/pod/feeds/show.xml#a'), ('https://casts.test/pod/feeds#/elsewhere'),
  (U&'https://\FF43asts.test/pod/feeds/show.xml'), (U&'https://casts\3002test/pod/feeds/show.xml'),
  ('https://db.casts.test/functions/v1/public/feeds/show.xml'),
  ('http://DB.casts.test:80/functions/v1/public/feeds/show.xml'), ('https://casts.test/pod/listen/show'),
  ('https://db.casts.test/functions/v1/api/health'), ('https://casts.test/pod'), ('https://pages.test/listen/show'),
  ('https://player.test/latest/show'), ('https://app.test/podcasts'), ('https://booking.test/1'),
  ('https://guest.test/1')) v (url);
select is(pg_temp.redirect(url), url, format('update_deletion_redirect accepts %s', url))
from (values
  ('https://casts.test/feeds/show.xml'), ('https://casts.test/podx/feeds/show.xml'), ('https://new.example:25/feed'),
  ('https://casts.test:8443/pod/feeds/show.xml'), ('https://casts.test.example/pod/feeds/show.xml'),
  ('https://new.example/?https://casts.test/pod/feeds/show.xml'),
  ('https://casts.test/POD/feeds/show.xml'), ('https://db.casts.test/feed.xml'), ('https://hub.test/feed.xml'),
  ('https://podping.test/feed.xml'), ('https://db.casts.test/storage/v1/object/public/media/feed.xml')) v (url);
select private.set_setting('public_api_url', null);
select is(pg_temp.redirect('https://db.casts.test/functions/v1/public/feeds/a.xml'), 'PT400 INVALID_REDIRECT_URL',
  'update_deletion_redirect rejects our feeds when public_api_url has its default value');

-- The window
select tests.act_as('postgres');
select tests.set_status('show', 'active'), tests.set_status('show', 'pending_deletion');
update public.podcasts set deletion_scheduled_at = deletion_requested_at where id = tests.id('show');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.update_deletion_redirect(tests.id('show'), 'https://a.example') $$),
  'PT409 / The deletion has no redirect window; cancel it, and delete the podcast again with redirect_days of at '
    'least 1 / NO_REDIRECT_WINDOW', 'update_deletion_redirect returns 409 NO_REDIRECT_WINDOW without a window');
select tests.act_as('postgres');
select is(pg_temp.redirect(null), null, 'update_deletion_redirect accepts null without a window');
select tests.set_status('show', 'active');
select is(pg_temp.redirect(null), 'PT409 INVALID_PODCAST_STATUS',
  'update_deletion_redirect returns 409 for an active podcast');
select tests.set_status('show', 'paused');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.update_deletion_redirect(tests.id('show'), 'ftp://x.example') $$),
  'PT409 / The podcast is paused; it has no deletion redirect / INVALID_PODCAST_STATUS',
  'update_deletion_redirect names the status paused, before it checks the URL');

select * from tests.finish();
rollback;
