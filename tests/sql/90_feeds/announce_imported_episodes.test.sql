-- Feed invalidations of an import, which announces its episodes together
begin;
select tests.start();
select tests.podcast('show', 'ola');
create function pg_temp.announced() returns text language sql as $$
  with announced as (delete from pgmq.q_feed_invalidation returning message)
  select string_agg(format('%s %s', message ->> 'type', message ->> 'podcast_slug'), ', ') from announced
$$;
create function pg_temp.announced_by(changes text) returns text language plpgsql as $$
begin
  execute 'update public.podcast_imports set ' || changes;
  return pg_temp.announced();
end $$;
create function pg_temp.start_import(completed_count int) returns text language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform tests.import('one', 'show', 'running');
  update public.podcast_imports i set total_items = 30, completed_count = start_import.completed_count;
  return pg_temp.announced();
end $$;

select pg_temp.start_import(8);
select is(pg_temp.announced_by('completed_count = 9'), null,
  'a running import announces fewer than ten episodes later');
select is(pg_temp.announced_by('failed_count = 1, skipped_count = 1'), null,
  'an import announces no failed or skipped item');
select is(pg_temp.announced_by('completed_count = 10'), 'episodes.imported show',
  'a running import announces ten episodes');
select is(pg_temp.announced_by('completed_count = 19'), null,
  'a running import announces the next nine episodes later');
select is(pg_temp.announced_by('completed_count = 21'), 'episodes.imported show',
  'a running import announces episodes that are counted together');
select is(pg_temp.announced_by('failed_count = 8'), 'episodes.imported show',
  'an import that ends with a failed item announces its last episodes');
select is((select status from public.podcast_imports), 'partial', 'an import without open items ends');
select is(pg_temp.announced_by('warnings = ''[]'''), null, 'an ended import that does not change announces nothing');

select pg_temp.start_import(1);
select is(pg_temp.announced_by('status = ''canceled'''), 'episodes.imported show',
  'a canceled import announces its episodes');
select is(pg_temp.announced_by('completed_count = 2'), 'episodes.imported show',
  'a canceled import announces an episode whose transfer continued');

select pg_temp.start_import(0);
select is(pg_temp.announced_by('status = ''canceled'''), null, 'an import without episodes announces nothing');

select * from tests.finish();
rollback;
