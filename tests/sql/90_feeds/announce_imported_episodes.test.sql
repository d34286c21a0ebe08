-- Feed invalidations of an import, which announces its episodes together
begin;
select tests.start();
select tests.podcast('show', 'ola');
create function pg_temp.announced() returns text language sql as $$
  with announced as (delete from pgmq.q_feed_invalidation returning message, vt)
  select string_agg(format('%s %s %s', message ->> 'type', message ->> 'podcast_slug',
    case when vt > clock_timestamp() + interval '10 seconds' then 'later' else 'now' end), ', ') from announced
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
  delete from net.http_request_queue;
  return pg_temp.announced();
end $$;

select pg_temp.start_import(0);
select is(pg_temp.announced_by('failed_count = 1, skipped_count = 1'), null,
  'an import announces no failed or skipped item');
select is(pg_temp.announced_by('completed_count = 1'), 'episodes.imported show later',
  'a running import announces an episode with those that follow within some seconds');
select is(pg_temp.announced_by('completed_count = 3'), null,
  'a running import does not announce episodes for which a message waits');
update public.podcast_imports set feed_due_at = clock_timestamp() + interval '4 seconds';
select pg_temp.announced();
select is(pg_temp.announced_by('completed_count = 4'), 'episodes.imported show later',
  'a running import announces an episode again when the message may be claimed before its transaction ends');
select is(pg_temp.announced_by('failed_count = 25'), 'episodes.imported show now',
  'an import that ends with a failed item announces its last episodes');
select is((select status from public.podcast_imports), 'partial', 'an import without open items ends');
select is(pg_temp.announced_by('warnings = ''[]'''), null, 'an ended import that does not change announces nothing');

select pg_temp.start_import(1);
select is(pg_temp.announced_by('status = ''canceled'''), 'episodes.imported show now',
  'a canceled import announces its episodes');
select is(pg_temp.announced_by('completed_count = 2'), 'episodes.imported show now',
  'a canceled import announces an episode whose transfer continued');
select is_empty('select from net.http_request_queue', 'an import leaves it to cron to wake the worker for its feed');

select pg_temp.start_import(0);
select is(pg_temp.announced_by('status = ''canceled'''), null, 'an import without episodes announces nothing');

select * from tests.finish();
rollback;
