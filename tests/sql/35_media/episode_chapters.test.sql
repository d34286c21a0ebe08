-- episode_chapters: who reads and writes it, its guards, its normalization and its limit.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.insert_chapter(who text, fields jsonb default '{}') returns text language sql as $$
  select tests.result_of(who, format('insert into public.episode_chapters (%s) values (%s)',
    string_agg(quote_ident(f.key), ', '), string_agg(quote_nullable(f.value), ', ')))
  from jsonb_each_text(jsonb_build_object('episode_id', tests.id('pilot'), 'start_seconds',
    (select count(*) from public.episode_chapters), 'title', 'Intro') || fields) f
$$;

select is(pg_temp.insert_chapter(who), outcome, format('episode_chapters returns %s to an insert of %s', outcome, who))
from (values ('anon', '42501'), ('stranger', '42501'), ('vic', '42501'), ('ana', 'ok 1'), ('ola', 'ok 1'),
  ('service', 'ok 1')) v (who, outcome);
select tests.access('reading episode_chapters', 'select id from public.episode_chapters',
  '42501: anon; ok 0: stranger; ok 3: vic service');
select tests.access('updating episode_chapters', $$ update public.episode_chapters set title = 'Hello' $$,
  '42501: anon; ok 0: stranger vic; ok 3: ana');
select is(tests.result_of('ana', format('update public.episode_chapters set %1$I = %1$I', c)), '42501',
  format('clients may not update episode_chapters.%s', c))
from unnest(array['id', 'episode_id', 'podcast_id', 'created_at', 'updated_at']) c;
select tests.access('deleting from episode_chapters', 'delete from public.episode_chapters',
  '42501: anon; ok 0: stranger vic; ok 3: ana');

-- Values
select is(pg_temp.insert_chapter('ana', fields), outcome,
  format('episode_chapters returns %s for a chapter with %s', outcome, left(fields::text, 80)))
from (values
  ('{"end_seconds": 10.5, "url": "https://x.test/", "image_url": "http://x.test/a.png"}'::jsonb, 'ok 1'),
  ('{"location": {"name": "Paris", "rel": "subject", "geo": "geo:48.858093,2.294694;u=35", "osm": "R5013364",
    "country": "FR"}}', 'ok 1'),
  ('{"title": null, "is_in_toc": "false", "location": {"name": "Paris", "geo": null}}', 'ok 1'),
  ('{"title": null}', '23514'), ('{"title": " "}', '23514'), ('{"title": ""}', '23514'),
  (jsonb_build_object('title', repeat('ü', 128)), 'ok 1'), (jsonb_build_object('title', repeat('ü', 129)), '23514'),
  ('{"start_seconds": -0.001}', '23514'), ('{"start_seconds": "NaN"}', '23514'),
  ('{"start_seconds": "Infinity"}', '23514'), ('{"start_seconds": 1000000}', '23514'),
  ('{"start_seconds": null}', '23502'), ('{"start_seconds": 500, "end_seconds": 500}', '23514'),
  ('{"start_seconds": 500, "end_seconds": 500.0004}', '23514'), ('{"end_seconds": "NaN"}', '23514'),
  ('{"url": "nowhere"}', '23514'), ('{"image_url": "data:image/png,x"}', '23514'),
  ('{"location": {}}', '23514'), ('{"location": {"name": " "}}', '23514'), ('{"location": []}', '23514'),
  ('{"location": {"name": "Paris", "geo": "48.8,2.2"}}', '23514'),
  ('{"location": {"name": "Paris", "osm": "X1"}}', '23514'), ('{"location": {"name": "Paris", "rel": "x"}}', '23514'),
  ('{"location": {"name": "Paris", "country": "FRA"}}', '23514'), ('{"location": null}', 'ok 1'),
  ('{"location": {"name": "Paris", "x": "y"}}', '23514'),
  ('{"location": {"name": "Paris", "geo": {"a": [[]]}}}', '23514'), ('{"start_seconds": 0}', '23505')
) v (fields, outcome);
select is(pg_temp.insert_chapter('ana', '{"start_seconds": 61.23449, "end_seconds": 62.000, "title": " One\n two "}'),
  'ok 1', 'episode_chapters accepts fractions of a second');
select is((select (start_seconds, end_seconds, title)::text from public.episode_chapters where start_seconds > 60),
  '(61.234,62,"One two")', 'episode_chapters rounds times to milliseconds and normalizes a title to one line');
select is((select location from public.episode_chapters where title is null), '{"name": "Paris"}',
  'episode_chapters stores no nulls in a location');

select is(pg_temp.insert_chapter('ana', '{"start_seconds": 70, "title": "Wien",
  "location": {"name": " Wien\n Mitte ", "osm": "r109166", "country": "at", "rel": null}}'), 'ok 1',
  'episode_chapters accepts codes of a location in lower case');
select is((select location from public.episode_chapters where title = 'Wien'),
  '{"name": "Wien Mitte", "osm": "R109166", "country": "AT"}',
  'episode_chapters stores one line per text of a location, and its codes in upper case');

-- Limit
delete from public.episode_chapters;
insert into public.episode_chapters (episode_id, start_seconds, title)
select tests.id('pilot'), n, 'Chapter ' || n from generate_series(0, 499) n;
select is(tests.error_of($$ insert into public.episode_chapters (episode_id, start_seconds, title)
    values (tests.id('pilot'), 500, 'One more') $$), 'PT409 EPISODE_LIST_FULL', 'an episode has at most 500 chapters');
select throws_ok($$ insert into public.episode_chapters (episode_id, start_seconds, title)
    values (tests.id('pilot'), 500, 'One more') $$, 'PT409',
  'An episode can have at most 500 chapters; delete one first', 'the error of chapter 501 says how many are allowed');
select is(pg_temp.insert_chapter('ana', jsonb_build_object('episode_id', tests.id('second'))), 'ok 1',
  'another episode of the podcast has 500 chapters of its own');

-- Life
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', statement), 'PT409', format('a podcast pending deletion rejects: %s', statement))
from unnest(array['delete from public.episode_chapters',
  $$ update public.episode_chapters set title = 'Late' $$]) statement;

select * from tests.finish();
rollback;
