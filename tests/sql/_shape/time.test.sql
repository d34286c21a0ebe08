-- The time is a parameter, at timestamptz, so that tests and jobs can name it. Trigger functions have no parameters.
begin;
select tests.start();

create temp table functions as
  select p.oid, p.proname, p.nspname, regexp_replace(p.body, '--[^\n]*', '', 'g') as body,
    'at' = any (p.proargnames) as has_at,
    pg_get_function_arguments(p.oid) ~ '\mat timestamp with time zone DEFAULT' as has_default_at
  from tests.functions p
  where p.prorettype <> 'trigger'::regtype;

select set_eq($$ select proname::text from functions
    where body ~* '\m(now|timeofday|(clock|statement|transaction)_timestamp)\(|\m(current|local)_?(date|time)' $$,
  array['change_inbox', 'check_health', 'schedule_frequent_jobs'],
  'only change_inbox, which ends in time, check_health, which returns the time, and the statement of pg_cron read the '
  'clock');

-- enqueue and the functions of events may use their default, the time of the transaction
select is_empty($$
  select caller.proname, callee.proname
  from functions caller, regexp_matches(caller.body, 'private\.(\w+)\(', 'g') called
  join functions callee on callee.proname = called[1] and callee.has_default_at
  where caller.nspname = 'private' and not caller.has_at
    and caller.proname <> 'generate_claim'  -- the function that it writes has the time
    and callee.proname not in ('enqueue', 'enqueue_batch', 'notify', 'notify_each', 'notify_repeatedly',
      'repeated_notice_key', 'repeated_notice_keys', 'fan_out_events') $$,
  'a private function that calls a function with a time takes the time too');

select * from tests.finish();
rollback;
