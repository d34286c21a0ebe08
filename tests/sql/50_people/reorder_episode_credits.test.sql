-- reorder_episode_credits: takes every credit of the episode exactly once.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('empty',
  'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', name) from unnest('{A,B,C}'::text[]) name;
select public.add_episode_person(tests.id('second'), 'external', 'Far');
select tests.act_as('postgres');
select tests.remember(name, id) from episode_credits;
select tests.empty_queue('feed_invalidation');
create function pg_temp.reorder_as(who text) returns text language sql as $$
  select tests.result_of(who, $sql$
    select public.reorder_episode_credits(tests.id('pilot'), array[tests.id('C'), tests.id('A'),
      tests.id('B')]) $sql$) $$;

select is(pg_temp.reorder_as(who), expected, format('reorder_episode_credits as %s returns %s', who, expected))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, expected);
select tests.act_as('ana');
select is(tests.error_of(format('select public.reorder_episode_credits(tests.id(%L), %s)', episode, ids)), expected,
  format('reorder_episode_credits with %s returns %s', title, expected))
from (values
  ('pilot', $$'{}'$$, 'PT400 EMPTY_CREDIT_LIST', 'an empty list'),
  ('pilot', 'null', 'PT400 EMPTY_CREDIT_LIST', 'no list'),
  ('empty', $$'{}'$$, 'PT400 EMPTY_CREDIT_LIST', 'an empty list for an episode without credits'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('C'), tests.id('A')]$$, 'PT400 DUPLICATE_CREDIT',
    'a duplicate beside all credits'),
  ('pilot', $$array[tests.id('A'), tests.id('A'), tests.id('B')]$$, 'PT400 DUPLICATE_CREDIT',
    'a duplicate instead of another credit'),
  ('pilot', $$array[tests.id('A'), tests.id('B')]$$, 'PT400 INCOMPLETE_CREDIT_LIST', 'a missing credit'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('C'), tests.id('Far')]$$, 'PT400 UNKNOWN_CREDIT',
    'a credit of another episode beside all credits'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('Far')]$$, 'PT400 UNKNOWN_CREDIT',
    'a credit of another episode instead of one'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), gen_random_uuid()]$$, 'PT400 UNKNOWN_CREDIT', 'an unknown credit')
) w (episode, ids, expected, title);
select tests.act_as('postgres');
select is_empty($$ select tests.queued('feed_invalidation') $$,
  'a rejected reorder_episode_credits does not invalidate the feed');
select results_eq(
  $$ select name, display_order from episode_credits where episode_id = tests.id('pilot') order by 2 $$,
  $$ values ('A', 0), ('B', 1), ('C', 2) $$, 'a rejected reorder_episode_credits keeps the order');

select tests.act_as('ana');
select is(public.reorder_episode_credits(tests.id('pilot'), array[tests.id('C'), tests.id('A'), tests.id('B')]),
  jsonb_build_object('episodeId', tests.id('pilot'),
    'order', jsonb_build_array(tests.id('C'), tests.id('A'), tests.id('B'))),
  'reorder_episode_credits returns episode and order');
select tests.act_as('postgres');
select results_eq(
  $$ select name, display_order from episode_credits where episode_id = tests.id('pilot') order by 2 $$,
  $$ values ('C', 0), ('A', 1), ('B', 2) $$, 'reorder_episode_credits stores the order');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'reorder_episode_credits invalidates the feed once');
select results_eq($$ select display_order from episode_credits where name = 'Far' $$, array[0],
  'reorder_episode_credits keeps the order of other episodes');

select * from tests.finish();
rollback;
