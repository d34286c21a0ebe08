-- The time is a parameter, at timestamptz, so that tests and jobs can name it. Trigger functions have no parameters.
begin;
select tests.start();

create temp table functions as
  select p.oid, p.proname, p.pronamespace,
    regexp_replace(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), '--[^\n]*', '', 'g') as body,
    'at' = any (p.proargnames) as has_at,
    pg_get_function_arguments(p.oid) ~ '\mat timestamp with time zone DEFAULT' as has_default_at
  from pg_proc p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prorettype <> 'trigger'::regtype
    and not exists (select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

select set_eq($$ select proname::text from functions
    where body ~* '\m(now|timeofday|(clock|statement|transaction)_timestamp)\(|\m(current|local)_?(date|time)' $$,
  array['check_health'], 'no function but check_health, which returns the time, reads the clock');

-- enqueue and the functions of events may use their default, the time of the transaction
select is_empty($$
  select caller.proname, callee.proname
  from functions caller, regexp_matches(caller.body, 'private\.(\w+)\(', 'g') called
  join functions callee on callee.proname = called[1] and callee.has_default_at
  where caller.pronamespace = 'private'::regnamespace and not caller.has_at
    and caller.proname <> 'generate_claim'  -- the function that it writes has the time
    and callee.proname not in ('enqueue', 'notify', 'notify_each', 'repeated_notice_key', 'repeated_notice_keys',
      'fan_out_events') $$,
  'a private function that calls a function with a time takes the time too');

select * from tests.finish();
rollback;
