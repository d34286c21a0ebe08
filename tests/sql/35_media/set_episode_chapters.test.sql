-- set_episode_chapters: who may call it, what it replaces, and the shapes that it rejects.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.set_chapters(who text, chapters jsonb, episode uuid default tests.id('pilot')) returns text
language sql as $$
  select tests.result_of(who, format('select public.set_episode_chapters(%L, %L)', episode, chapters))
$$;

select is(pg_temp.set_chapters(who, '[]'), outcome, format('set_episode_chapters returns %s to %s', outcome, who))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) v
  (who, outcome);

insert into public.episode_chapters (episode_id, start_seconds, title) values (tests.id('second'), 0, 'Other');
select is(tests.value_as('ana', format('select public.set_episode_chapters(%L, %L)', tests.id('pilot'),
    '[{"start_seconds": 0, "title": "Old"}, {"start_seconds": 5, "title": "Older"}]'))::jsonb,
  jsonb_build_object('chapterCount', 2, 'chaptersUrl',
    'https://casts.test/functions/v1/public/chapters/' || tests.id('pilot') || '.json'),
  'set_episode_chapters returns the number of chapters and the URL of their document');
select is(pg_temp.set_chapters('ana', '[{"start_seconds": 168.5, "end_seconds": 200, "title": "Two", "is_in_toc": true,
    "url": "https://x.test/", "image_url": "https://x.test/a.png", "location": {"name": "Paris"}},
  {"start_seconds": 0, "title": "One"},
  {"start_seconds": 49.99999999, "title": null, "is_in_toc": false, "location": null}]'),
  'ok 1', 'set_episode_chapters accepts all fields, in any order');
select results_eq($$ select start_seconds, end_seconds, title, url, image_url, is_in_toc, location
    from public.episode_chapters where episode_id = tests.id('pilot') order by start_seconds $$,
  $$ values (0::numeric, null::numeric, 'One', null, null, true, null::jsonb),
    (50, null, null, null, null, false, null),
    (168.5, 200, 'Two', 'https://x.test/', 'https://x.test/a.png', true, '{"name": "Paris"}') $$,
  'set_episode_chapters replaces the chapters of the episode');
select is((select count(*) from public.episode_chapters where episode_id = tests.id('second')), 1::bigint,
  'set_episode_chapters keeps the chapters of other episodes');

select is(tests.describe_error(format('select public.set_episode_chapters(%L, %L)', tests.id('pilot'), chapters)),
  'PT400 / Invalid request / ' || detail, format('set_episode_chapters rejects %s', left(chapters, 80)))
from (select tests.act_as('ana')) a, (values
  ('{}', 'chapters must be a list'), ('null', 'chapters must be a list'), (null, 'chapters must be a list'),
  ('[1]', 'chapters[0] must be an object'), ('[{"title": "x"}]', 'chapters[0].start_seconds is required'),
  ('[{"start_seconds": 0, "title": "x"}, {"start_seconds": "1", "title": "x"}]',
    'chapters[1].start_seconds must be a number from 0 to 999999.999'),
  ('[{"start_seconds": -1, "title": "x"}]', 'chapters[0].start_seconds must be a number from 0 to 999999.999'),
  ('[{"start_seconds": 1e1000, "title": "x"}]', 'chapters[0].start_seconds must be a number from 0 to 999999.999'),
  ('[{"start_seconds": 0, "title": 7}]', 'chapters[0].title must be a text'),
  ('[{"start_seconds": 0, "title": " "}]', 'chapters[0].title must be 1 to 128 characters'),
  (jsonb_build_array(jsonb_build_object('start_seconds', 0, 'title', repeat('x', 129)))::text,
    'chapters[0].title must be 1 to 128 characters'),
  ('[{"start_seconds": 0, "title": "x", "url": "javascript:x"}]',
    'chapters[0].url must be an http or https URL of at most 2,048 characters'),
  ('[{"start_seconds": 0, "title": "x", "is_in_toc": "yes"}]', 'chapters[0].is_in_toc must be true or false'),
  ('[{"start_seconds": 0, "title": "x", "startTime": 1}]',
    'chapters[0].startTime is unknown; use url, title, location, image_url, is_in_toc, end_seconds, start_seconds'),
  ('[{"start_seconds": 0, "title": "x"}, {"start_seconds": 1, "title": "x", "location": {"name": "a", "geo": "1,2"}}]',
    'chapters[1].location.geo must be a geo URI (RFC 5870), for example geo:48.2082,16.3738'),
  ('[{"start_seconds": 0, "title": "x", "location": {"geo": "geo:1,2"}}]', 'chapters[0].location.name is required'),
  ((select jsonb_agg(jsonb_build_object('start_seconds', n, 'title', 'x'))::text from generate_series(1, 501) n),
    'chapters must have 0 to 500 entries')) v (chapters, detail);
select tests.act_as('postgres');
select is(pg_temp.set_chapters('ana', chapters), outcome,
  format('set_episode_chapters returns %s for %s', outcome, left(chapters::text, 80)))
from (values ('[{"start_seconds": 1, "title": "a"}, {"start_seconds": 1.0001, "title": "b"}]'::jsonb, '23505'),
  ('[{"start_seconds": 1}]', '23514'), ('[{"start_seconds": 2, "end_seconds": 1, "title": "a"}]', '23514'))
  v (chapters, outcome);
select is((select count(*) from public.episode_chapters where episode_id = tests.id('pilot')), 3::bigint,
  'set_episode_chapters changes nothing when it rejects');
select is(pg_temp.set_chapters('ana', (select jsonb_agg(jsonb_build_object('start_seconds', n, 'title', 'x'))
  from generate_series(1, 500) n)), 'ok 1', 'set_episode_chapters accepts 500 chapters in place of others');
select is(pg_temp.set_chapters('ana', '[]'), 'ok 1', 'set_episode_chapters accepts an empty list');
select is_empty($$ select from public.episode_chapters where episode_id = tests.id('pilot') $$,
  'set_episode_chapters deletes all chapters for an empty list');

select * from tests.finish();
rollback;
