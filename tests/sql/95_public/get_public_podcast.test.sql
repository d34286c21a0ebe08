-- get_public_podcast: the public fields of a podcast.
begin;
select tests.start();

select tests.public_show();
select tests.act_as('anon');

select set_eq($$ select jsonb_object_keys(public.get_public_podcast('show') -> 'data') $$,
  array['id', 'slug', 'title', 'description', 'author', 'language', 'explicit', 'link', 'coverImageUrl', 'feedUrl',
    'podcastGuid', 'episodeCount', 'latestEpisodeAt'], 'get_public_podcast returns exactly its public fields');
select is((public.get_public_podcast('show') #>> '{data,episodeCount}')::int, 4,
  'get_public_podcast counts published episodes only');
select is(public.get_public_podcast('show') #>> '{data,latestEpisodeAt}', '2026-01-04T00:00:00.000Z',
  'get_public_podcast returns timestamps in ISO 8601 with Z');
select is(public.get_public_podcast('show') #>> '{data,feedUrl}',
  'https://casts.test/functions/v1/public/feeds/show.xml', 'get_public_podcast returns the feed''s URL');
select throws_ok($$ select public.get_public_podcast('nope') $$, 'PT404', 'Podcast not found',
  'get_public_podcast returns 404 for an unknown slug');

select * from tests.finish();
rollback;
