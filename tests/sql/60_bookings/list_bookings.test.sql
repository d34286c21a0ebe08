-- list_bookings: callers, filters, order and pages.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'),
  tests.podcast('other', 'otto'), tests.episode('pilot', 'show'), tests.open_link('open', 'show'),
  tests.open_link('foreign', 'other');
select tests.booking_in('b' || n, 'open', 50 - n, (array['pending', 'confirmed'])[1 + n % 2]::public.booking_status)
from generate_series(1, 6) n;
select tests.booking_in('theirs', 'foreign', 50);
update bookings set episode_id = tests.id('pilot') where id in (tests.id('b1'), tests.id('b2'));
create function pg_temp.page(args text) returns jsonb language sql as $$
  select tests.value_as('ada', format('select public.list_bookings(%L, %s)', tests.id('show'), args))::jsonb $$;
create function pg_temp.names(page jsonb) returns text language sql as $$
  select string_agg(i.name, ' ' order by b.n)
  from jsonb_array_elements(page -> 'data') with ordinality b (booking, n) join tests.ids i on i.id::text = booking ->>
  'id' $$;

select tests.access('list_bookings', format('select public.list_bookings(%L)', tests.id('show')),
  'ok 1: ola ada; PT403: mel otto; 42501: anon service');
select is(tests.result_of('ola', format('select public.list_bookings(%L)', gen_random_uuid())), 'PT404',
  'list_bookings returns 404 for an unknown podcast');
select is(pg_temp.names(pg_temp.page(args)), expected, format('list_bookings(%s)', args)) from (values
  ($$ "limit" => 100 $$, 'b6 b5 b4 b3 b2 b1'), ($$ 'pending' $$, 'b6 b4 b2'), ($$ 'confirmed' $$, 'b5 b3 b1'),
  ($$ 'declined' $$, null), (format('episode_id => %L', tests.id('pilot')), 'b2 b1'),
  (format('"from" => %L', tests.slot(47)), 'b3 b2 b1'), (format('"to" => %L', tests.slot(47)), 'b6 b5 b4'),
  (format('%L, %L, %L', 'confirmed', tests.slot(45), tests.slot(48)), 'b5 b3')) v (args, expected);
create temp table pages as with recursive page as (
  select pg_temp.page('"limit" => 4') as page
  union all
  select pg_temp.page(format('"limit" => 4, cursor => %L', p.page #>> '{pagination,nextCursor}')) from page p
  where (p.page #>> '{pagination,hasMore}')::boolean)
select * from page;
select results_eq('select pg_temp.names(page) from pages', $$ values ('b6 b5 b4 b3'), ('b2 b1') $$,
  'list_bookings continues after the cursor');
select is((select page #>> '{pagination,nextCursor}' from pages offset 1), null, 'the last page has no cursor');
select is(pg_temp.page('"limit" => 6') -> 'pagination', '{"nextCursor": null, "hasMore": false}',
  'a last page that is full has no cursor');
select is(tests.error_of(format('select private.list_bookings(%L, null, null, null, null, %s)', tests.id('show'),
  args)),
  expected, format('list_bookings(%s) returns %s', args, expected)) from (values ($$ 'x', 4 $$, 'PT401')) v (args,
  expected);
select tests.act_as('ada');
select is(tests.error_of(format('select public.list_bookings(%L, %s)', tests.id('show'), args)), 'PT400',
  format('list_bookings(%s) returns 400', args))
from unnest(array[$$ cursor => 'x' $$, '"limit" => 0', '"limit" => 101', '"limit" => null']) args;

select * from tests.finish();
rollback;
