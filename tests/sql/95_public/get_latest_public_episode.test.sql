-- get_latest_public_episode: the newest published episode of a podcast.
begin;
select tests.start();

select tests.public_show(), tests.podcast('empty', 'ola'), tests.episode('hidden', 'empty');
select tests.act_as('anon');

select is(public.get_latest_public_episode('show') -> 'data', public.list_public_episodes('show', 1) #> '{data,0}',
  'get_latest_public_episode returns the first episode of the list');
select throws_ok(format('select public.get_latest_public_episode(%L)', slug), 'PT404', 'Podcast not found',
  format('get_latest_public_episode returns 404 for %s', what))
from (values ('nope', 'an unknown slug'), ('empty', 'a podcast without a published episode')) v (slug, what);

select * from tests.finish();
rollback;
