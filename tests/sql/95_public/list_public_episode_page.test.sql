-- list_public_episode_page: pages of 20 episodes that are numbered from the oldest.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('empty', 'ola');
create function pg_temp.publish(first int, last int) returns void language sql as $$
  select tests.published_episode('e' || n, 'show') from generate_series(first, last) n;
  update public.episodes e set published_at = '2026-01-01Z'::timestamptz + substr(e.slug, 2)::int * interval '1 hour'
  where e.podcast_id = tests.id('show') and substr(e.slug, 2)::int between first and last;
$$;
create function pg_temp.page(number int) returns text language sql as $$
  select concat_ws(' ', p -> 'data' -> 0 ->> 'slug', p -> 'data' -> -1 ->> 'slug', jsonb_array_length(p -> 'data'),
    coalesce(p ->> 'olderPage', '-'), coalesce(p ->> 'newerPage', '-'))
  from public.list_public_episode_page('show', number) p
$$;
select pg_temp.publish(1, 19);
select is(pg_temp.page(null), 'e19 e1 19 - -', 'list_public_episode_page returns all episodes of less than a page');
select is(pg_temp.page(1), 'e19 e1 19 - -', 'page 1 has the oldest episodes, and may be incomplete');
select pg_temp.publish(20, 41);
select is(pg_temp.page(number), expected, format('page %s of 41 episodes is %s', coalesce(number::text, '-'), expected))
from (values (1, 'e20 e1 20 - -'), (2, 'e40 e21 20 1 -'), (3, 'e41 e41 1 2 -'), (null, 'e41 e21 21 1 -'))
  v (number, expected);
select throws_ok('select public.list_public_episode_page(''show'', 4)', 'PT404',
  'The podcast has only 3 pages of episodes', 'list_public_episode_page returns 404 for a page after the last');
select throws_ok(format('select public.list_public_episode_page(''show'', %s)', n), 'PT400', 'page must be 1 or more',
  format('list_public_episode_page returns 400 for page %s', n)) from unnest(array[0, -1]) n;
select throws_ok('select public.list_public_episode_page(''show'', 2147483647)', 'PT404', null,
  'list_public_episode_page returns 404 for the largest number');
select throws_ok(format('select public.list_public_episode_page(%L)', slug), 'PT404', 'Podcast not found',
  format('list_public_episode_page returns 404 for %s', slug)) from unnest('{nope,empty}'::text[]) slug;
create temp table before as select public.list_public_episode_page('show', 1) as page;
select pg_temp.publish(42, 101);
select is(public.list_public_episode_page('show', 1) -> 'data', b.page -> 'data',
  'new episodes do not change an older page') from before b;
select is(pg_temp.page(number), expected,
  format('page %s of 101 episodes is %s', coalesce(number::text, '-'), expected))
from (values (1, 'e20 e1 20 - 2'), (2, 'e40 e21 20 1 3'), (3, 'e60 e41 20 2 4'), (4, 'e80 e61 20 3 -'),
  (5, 'e100 e81 20 4 -'), (6, 'e101 e101 1 5 -'), (null, 'e101 e81 21 4 -')) v (number, expected);
update public.episodes set show_notes_safe_html = '<p>' || repeat('n', 5000) || '</p>', show_notes_version = 1
where id = tests.id('e1');
select is(public.list_public_episode_page('show', 1) -> 'data' -> 19 -> 'showNotesHtml', 'null',
  'list_public_episode_page returns no notes');
select is(public.list_public_episode_page('show', 1) -> 'data' -> 19 ->> 'description', repeat('n', 500),
  'list_public_episode_page returns 500 characters of a description that is taken from the notes');
update public.episodes set description = repeat('d', 501) where id = tests.id('e1');
select is(public.list_public_episode_page('show', 1) -> 'data' -> 19,
  public.get_public_episode('show', 'e1') -> 'data' || jsonb_build_object('showNotesHtml', null,
    'description', repeat('d', 500)),
  'list_public_episode_page returns episodes as get_public_episode does, but for notes and long descriptions');
select is(tests.result_of('anon', 'select public.list_public_episode_page(''show'')'), 'ok 1',
  'anon lists a page of episodes');

select * from tests.finish();
rollback;
