-- check_health: readiness of the database
begin;
select tests.start();

select is(tests.result_of(who, 'select public.check_health()'), 'ok 1', format('check_health is executable for %s',
  who))
from unnest(array['anon', 'service']) who;
select is(public.check_health() - 'timestamp', '{"status": "ok"}', 'check_health returns the status ok');
select is((public.check_health() ->> 'timestamp')::timestamptz, date_trunc('milliseconds', now()),
  'check_health returns the time');

select * from tests.finish();
rollback;
