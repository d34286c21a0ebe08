-- fire_completed_import: an import that completes, even in part, fires import.completed each time.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.rule('moved', 'show', 'import.completed'), tests.podcast('other', 'otto'),
  tests.rule('foreign', 'other', 'import.completed'), tests.rule('published', 'show', 'episode.published');
create function pg_temp.fired() returns text language sql as $$
  with fired as (update automation_executions set rule_name = 'known' where rule_name <> 'known' returning context_data)
  select string_agg(concat_ws(' ', f.context_data #>> '{tags,import_episode_count}',
    f.context_data #>> '{tags,import_failed_count}'), ', ') from fired f
$$;

select tests.import('feed', 'show', 'running'), tests.import_item('one', 'feed'), tests.import_item('two', 'feed');
update podcast_import_items set status = 'failed', error_message = 'The source answered 500'
where id = tests.id('one');
select is(pg_temp.fired(), null, 'an import that is running fires no automation');
update podcast_import_items set status = 'completed' where id = tests.id('two');
select results_eq($$ select e.rule_name, e.context_data ->> 'import_id' from automation_executions e $$,
  $$ values ('moved', tests.id('feed')::text) $$, 'an import that is partial fires import.completed, and nothing else');
select is(pg_temp.fired(), '1 1', 'an import that is partial has the counts of its episodes');
update automation_executions set occurrence_key = 'earlier';  -- the transaction has one time
update podcast_import_items set status = 'pending' where id = tests.id('one');
update podcast_imports set status = 'running' where id = tests.id('feed');
update podcast_import_items set status = 'completed' where id = tests.id('one');
select is(pg_temp.fired(), '2 0', 'an import that is continued fires import.completed again when it is complete');
select tests.import('bad', 'show', 'running'), tests.import_item('three', 'bad');
update podcast_import_items set status = 'failed', error_message = 'The source answered 500'
where id = tests.id('three');
select is((select count(*) from automation_executions e where e.context_data ->> 'import_id' = tests.id('bad')::text),
  0::bigint, 'an import that fails fires no automation');

select * from tests.finish();
rollback;
