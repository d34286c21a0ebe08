-- retry_failed_automation_executions: which executions of a rule it retries, and how many per call.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('other', 'otto'), tests.person('stranger'),
  tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'),
  tests.booking_in('second', 'open', 60, 'confirmed', 'kim');
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action())),
  tests.rule('same', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));

-- An execution that ended hours ago
create function pg_temp.ended(name text, hours int, status text default 'failed', booking text default 'first',
  rule text default 'rule') returns uuid language plpgsql as $$
declare
  created uuid;
begin
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_key, status,
    context_data, action_results, error_message, completed_at, created_at)
  values (tests.id('show'), tests.id(rule), rule, 'booking.confirmed', ended.name,
    ended.status::automation_execution_status,
    private.automation_context(tests.id('show'), tests.id(booking), null, now()) || '{"tags": {}}',
    '[{"action_id": "00000000-0000-4000-8000-000000000001", "status": "completed"},
      {"action_id": "00000000-0000-4000-8000-000000000002", "status": "failed"}]',
    'It ended', now(), now() - make_interval(hours => ended.hours)) returning id into created;
  return tests.remember(ended.name, created);
end $$;
select pg_temp.ended('failed', 5), pg_temp.ended('canceled', 4, 'canceled'), pg_temp.ended('completed', 3, 'completed'),
  pg_temp.ended('over', 6, 'failed', 'second'), pg_temp.ended('recent', 1),
  pg_temp.ended('of other', 5, rule => 'same');
update bookings set status = 'cancelled', cancelled_by = 'host' where id = tests.id('second');

select tests.access('retry_failed_automation_executions',
  $$ select public.retry_failed_automation_executions(tests.id('rule')) $$,
  '42501: anon; PT403: stranger otto vic; 42501: service');
create function pg_temp.retry(arguments text default '', rule uuid default tests.id('rule')) returns text
language sql as $$
  select tests.value_as('ada', format('select public.retry_failed_automation_executions(%L%s)', rule, arguments))
$$;
create function pg_temp.error(rule uuid) returns text language sql as $$
  select tests.value_as('ada', format('select tests.describe_error(%L)',
    format('select public.retry_failed_automation_executions(%L)', rule)))
$$;
select is(pg_temp.error(gen_random_uuid()), 'PT404 / Automation rule not found',
  'retry_failed_automation_executions returns 404 for an unknown rule');
update automation_rules set is_paused = true where id = tests.id('rule');
select is(pg_temp.error(tests.id('rule')),
  'PT409 / The rule was deleted, or is disabled or paused; enable it first / RULE_NOT_ACTIVE',
  'retry_failed_automation_executions returns 409 for a paused rule');
update automation_rules set is_paused = false where id = tests.id('rule');

-- Which
create temp view retried as
  select i.name from automation_executions r join tests.ids i on i.id = r.retry_of_id;
select is(pg_temp.retry(format(', %L, %L', now() - interval '6 hours', now() - interval '5 hours')),
  '{"retried": 0, "skipped": 1, "has_more": false, "next_from": null}',
  'retry_failed_automation_executions takes from, and not to');
select is(pg_temp.retry(format(', "to" => %L', now() - interval '2 hours')),
  '{"retried": 2, "skipped": 1, "has_more": false, "next_from": null}',
  'retry_failed_automation_executions says how many it retried, and how many are over');
select set_eq('select name from retried', array['failed', 'canceled'],
  'retry_failed_automation_executions retries what failed or was canceled within the window, and still holds');
select is(pg_temp.retry(), '{"retried": 1, "skipped": 1, "has_more": false, "next_from": null}',
  'retry_failed_automation_executions retries each execution once');
select is((select count(*) from tests.queued('automation_runs')), 3::bigint,
  'retry_failed_automation_executions enqueues each retry');
select is((select r.action_results from automation_executions r where r.retry_of_id = tests.id('failed')),
  '[{"action_id": "00000000-0000-4000-8000-000000000001", "status": "completed"}]',
  'retry_failed_automation_executions does not repeat the actions that completed');
select is((select r.context_data #>> '{tags,guest_full_name}' from automation_executions r
  where r.retry_of_id = tests.id('failed')), 'Gus', 'retry_failed_automation_executions takes the facts of now');

-- How many
select pg_temp.ended('many ' || n, n, rule => 'same') from generate_series(1, 501) n;
select pg_temp.ended('many over ' || n, 1000 + n, 'failed', 'second', 'same') from generate_series(1, 20) n;
delete from realtime.messages;
select is(pg_temp.retry(rule => tests.id('same')), jsonb_build_object('retried', 500, 'skipped', 20, 'has_more', true,
    'next_from', private.format_timestamp(now() - interval '2 hours'))::text,
  'retry_failed_automation_executions retries 500 executions per call');
select is((select count(*) from realtime.messages), 1::bigint,
  'retry_failed_automation_executions sends one broadcast');
select is((select string_agg(i.name, ', ' order by i.name) from tests.ids i where i.name ~ '^(many \d|of other)'
    and not exists (select from retried r where r.name = i.name)), 'many 1, many 2',
  'retry_failed_automation_executions retries the oldest first');
select is(pg_temp.retry(format(', %L', private.format_timestamp(now() - interval '2 hours')), tests.id('same')),
  '{"retried": 2, "skipped": 0, "has_more": false, "next_from": null}',
  'retry_failed_automation_executions retries the rest from next_from on');
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, status, context_data, error_message,
  completed_at, created_at)
select e.podcast_id, e.rule_id, e.rule_name, e.trigger_type, 'failed', e.context_data, 'It ended', now(),
  now() - interval '3 days' + make_interval(secs => n)
from automation_executions e, generate_series(1, 5001) n where e.id = tests.id('over');
select is(pg_temp.retry(format(', %L', now() - interval '3 days')), jsonb_build_object('retried', 0, 'skipped', 5000,
    'has_more', true, 'next_from', private.format_timestamp(now() - interval '3 days' + interval '5001 seconds'))::text,
  'retry_failed_automation_executions examines 5,000 executions per call');

select * from tests.finish();
rollback;
