-- get_public_neighbors: the published episodes before and after one.
begin;
select tests.start();

select tests.podcast('show', 'ola');
select tests.published_episode('e' || n, 'show') from generate_series(1, 9) n;
update public.episodes e set published_at = '2026-01-01Z'::timestamptz + substr(e.slug, 2)::int * interval '1 hour'
where e.podcast_id = tests.id('show');

create function pg_temp.neighbors(name text) returns text language sql as $$
  select concat_ws(' ', coalesce(n #>> '{previous,slug}', '-'), coalesce(n #>> '{next,slug}', '-'))
  from public.get_public_neighbors('show', name) n
$$;
select is(pg_temp.neighbors(name), expected, format('the neighbors of %s are %s', name, expected))
from (values ('e1', '- e2'), ('e5', 'e4 e6'), ('e9', 'e8 -'), (tests.id('e2')::text, 'e1 e3'))
  v (name, expected);
update public.episodes set status = 'archived' where id = tests.id('e6');
update public.episodes set published_at = (select published_at from public.episodes where id = tests.id('e5'))
where id = tests.id('e7');
select is(array(select s from unnest(array[pg_temp.neighbors('e5'), pg_temp.neighbors('e7')]) s order by s),
  case when tests.id('e5') < tests.id('e7') then '{"e4 e7","e5 e8"}' else '{"e4 e5","e7 e8"}' end::text[],
  'neighbors skip an archived episode, and order those of one date by their id');
select is(public.get_public_neighbors('show', 'e2') -> 'next', '{"slug": "e3", "title": "e3"}',
  'get_public_neighbors returns slug and title');
select throws_ok(format('select public.get_public_neighbors(%L, %L)', slug, name), 'PT404', 'Episode not found',
  format('get_public_neighbors returns 404 for %s of %s', name, slug))
from (values ('show', 'nope'), ('show', 'e6'), ('nope', 'e1')) v (slug, name);

select * from tests.finish();
rollback;
