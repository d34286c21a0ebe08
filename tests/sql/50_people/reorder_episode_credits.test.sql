-- Reordering: all of the credits, each once, none of another episode.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('empty', 'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', name) from unnest('{A,B,C}'::text[]) name;
select public.add_episode_person(tests.id('second'), 'external', 'Far');
select tests.act_as('postgres');
select tests.remember(name, id) from episode_credits;
select tests.empty_queue('feed_invalidation');

create function pg_temp.hint(statement text) returns text language plpgsql as $$
declare said text;
begin
  perform tests.act_as('ana');
  execute statement;
  return 'ok';
exception when others then
  get stacked diagnostics said = pg_exception_hint;
  return sqlstate || ' ' || said;
end $$;

select is(tests.result_of(who, $$ select public.reorder_episode_credits(tests.id('pilot'), array[tests.id('C'), tests.id('A'), tests.id('B')]) $$), wanted, format('%s: %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', $$ select public.reorder_episode_credits(gen_random_uuid(), array[tests.id('A')]) $$), 'PT404', 'an episode that is not there is 404');
select is(pg_temp.hint(format('select public.reorder_episode_credits(tests.id(%L), %s)', episode, ids)), wanted, format('%s: %s', claim, wanted))
from (values
  ('pilot', $$'{}'$$, 'PT400 EMPTY_CREDIT_LIST', 'an empty list'),
  ('pilot', 'null', 'PT400 EMPTY_CREDIT_LIST', 'none at all'),
  ('empty', $$'{}'$$, 'PT400 EMPTY_CREDIT_LIST', 'also where there are no credits'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('C'), tests.id('A')]$$, 'PT400 DUPLICATE_CREDIT', 'one twice'),
  ('pilot', $$array[tests.id('A'), tests.id('A'), tests.id('B')]$$, 'PT400 DUPLICATE_CREDIT', 'one twice instead of another'),
  ('pilot', $$array[tests.id('A'), tests.id('B')]$$, 'PT400 INCOMPLETE_CREDIT_LIST', 'one missing'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('C'), tests.id('Far')]$$, 'PT400 UNKNOWN_CREDIT', 'one of another episode besides'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), tests.id('Far')]$$, 'PT400 UNKNOWN_CREDIT', 'or in another''s place'),
  ('pilot', $$array[tests.id('A'), tests.id('B'), gen_random_uuid()]$$, 'PT400 UNKNOWN_CREDIT', 'or of none')) w (episode, ids, wanted, claim);
select is_empty($$ select tests.queued('feed_invalidation') $$, 'the feed has heard of nothing');
select results_eq($$ select name, display_order from episode_credits where episode_id = tests.id('pilot') order by 2 $$, $$ values ('A', 0), ('B', 1), ('C', 2) $$, 'and nothing has moved');

select tests.act_as('ana');
select is(public.reorder_episode_credits(tests.id('pilot'), array[tests.id('C'), tests.id('A'), tests.id('B')]),
  jsonb_build_object('episodeId', tests.id('pilot'), 'order', jsonb_build_array(tests.id('C'), tests.id('A'), tests.id('B'))), 'the whole list in a new order is answered with it');
select tests.act_as('postgres');
select results_eq($$ select name, display_order from episode_credits where episode_id = tests.id('pilot') order by 2 $$, $$ values ('C', 0), ('A', 1), ('B', 2) $$, 'and stands so');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint, 'the feed hears of it once');
select results_eq($$ select display_order from episode_credits where name = 'Far' $$, array[0], 'the other episode''s stay');

update podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', $$ select public.reorder_episode_credits(tests.id('pilot'), array[tests.id('C'), tests.id('A'), tests.id('B')]) $$), 'PT409', 'nothing is reordered on a podcast that is scheduled for deletion');

select * from tests.finish();
rollback;
