-- get_public_podcast: the public fields of a podcast.
begin;
select tests.start();

select tests.public_show(), tests.podcast('empty', 'ola'), tests.episode('hidden', 'empty');
update public.podcasts set type = 'serial', funding = '[{"url": "https://fund.test/", "text": "Support us"}]',
  categories = '[{"category": "Education", "subcategory": "How To"}, {"category": "Arts"}]',
  directory_links = '[{"directory": "castbox", "url": "https://castbox.fm/channel/id1"},
    {"directory": "spotify", "url": "https://open.spotify.com/show/1"}]'
where id = tests.id('show');
insert into public.podcast_credits (podcast_id, name, role_label, external_url, display_order) values
  (tests.id('show'), 'Bo', 'Editor', null, 1), (tests.id('show'), 'Ana', 'Host', 'https://ana.test', 0);
select tests.act_as('anon');

select set_eq($$ select jsonb_object_keys(public.get_public_podcast('show') -> 'data') $$,
  array['id', 'slug', 'title', 'description', 'author', 'language', 'explicit', 'link', 'coverImageUrl', 'feedUrl',
    'podcastGuid', 'episodeCount', 'latestEpisodeAt', 'type', 'categories', 'funding', 'listenUrl', 'credits',
    'coverCopies', 'directoryLinks'],
  'get_public_podcast returns exactly its public fields');
select is((public.get_public_podcast('show') #>> '{data,episodeCount}')::int, 4,
  'get_public_podcast counts published episodes only');
select is(public.get_public_podcast('show') #>> '{data,latestEpisodeAt}', '2026-01-04T00:00:00.000Z',
  'get_public_podcast returns timestamps in ISO 8601 with Z');
select is(public.get_public_podcast('show') #>> '{data,feedUrl}',
  'https://casts.test/functions/v1/public/feeds/show.xml', 'get_public_podcast returns the feed''s URL');
select is(public.get_public_podcast('show') -> 'data' -> member, expected::jsonb,
  format('get_public_podcast returns the %s of the podcast', member))
from (values ('type', '"serial"'), ('funding', '[{"url": "https://fund.test/", "text": "Support us"}]'),
  ('categories', '[{"category": "Education", "subcategory": "How To"}, {"category": "Arts"}]'),
  ('directoryLinks', '[{"directory": "spotify", "url": "https://open.spotify.com/show/1"},
    {"directory": "castbox", "url": "https://castbox.fm/channel/id1"}]'),
  ('listenUrl', '"https://casts.test/functions/v1/public/listen/show"'),
  ('credits', '[{"name": "Ana", "roleLabel": "Host", "avatarUrl": null, "avatarCopies": [],
    "externalUrl": "https://ana.test"}, {"name": "Bo", "roleLabel": "Editor", "avatarUrl": null, "avatarCopies": [],
    "externalUrl": null}]')) v (member, expected);
select throws_ok(format('select public.get_public_podcast(%L)', slug), 'PT404', 'Podcast not found',
  format('get_public_podcast returns 404 for %s', what))
from (values ('nope', 'an unknown slug'), ('empty', 'a podcast without a published episode')) v (slug, what);

reset role;
update public.episodes set status = 'archived' where podcast_id = tests.id('show') and status = 'published';
select tests.act_as('anon');
select throws_ok($$ select public.get_public_podcast('show') $$, 'PT404', 'Podcast not found',
  'get_public_podcast returns 404 once its last episode is archived');

select * from tests.finish();
rollback;
