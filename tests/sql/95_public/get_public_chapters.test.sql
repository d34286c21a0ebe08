-- get_public_chapters: the JSON chapters of published episodes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'),
  tests.published_episode('plain', 'show');
insert into public.episode_chapters (episode_id, start_seconds, end_seconds, title, url, image_url, is_in_toc, location)
values (tests.id('pilot'), 168.50, 200, 'Two', 'https://x.test/', 'https://x.test/a.png', true, null),
  (tests.id('pilot'), 0, null, 'One', null, null, true, null),
  (tests.id('pilot'), 50, null, null, null, 'https://x.test/b.png', false, '{"name": "Paris", "geo": "geo:48.8,2.2"}'),
  (tests.id('draft'), 0, null, 'Secret', null, null, true, null);

select is(tests.value_as(who, format('select public.get_public_chapters(%L)', tests.id('pilot')))::jsonb,
  '{"version": "1.2.0", "title": "pilot", "podcastName": "show", "chapters": [
    {"startTime": 0, "title": "One"},
    {"startTime": 50, "img": "https://x.test/b.png", "toc": false,
      "location": {"name": "Paris", "geo": "geo:48.8,2.2"}},
    {"startTime": 168.5, "endTime": 200, "title": "Two", "img": "https://x.test/a.png", "url": "https://x.test/"}]}',
  format('get_public_chapters returns the chapters by their start, without nulls, to %s', who))
from unnest(array['anon', 'ola', 'service']) who;
select is(tests.result_of('anon', format('select public.get_public_chapters(%L)', id)), 'PT404',
  format('get_public_chapters returns 404 for %s', what))
from (values (tests.id('draft'), 'a draft with chapters'), (tests.id('plain'), 'an episode without chapters'),
  (gen_random_uuid(), 'an unknown episode')) v (id, what);

select * from tests.finish();
rollback;
