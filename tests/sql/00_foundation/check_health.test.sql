-- check_health: readiness of the database
begin;
select tests.start();

select tests.access('check_health', 'select public.check_health()', 'ok 1: anon service');
select is(public.check_health() - 'timestamp', '{"status": "ok"}', 'check_health returns the status ok');
select is((public.check_health() ->> 'timestamp')::timestamptz, date_trunc('milliseconds', now()),
  'check_health returns the time');

select * from tests.finish();
rollback;
