-- release_webhooks and release_due_webhooks: which webhooks of a podcast have a place.
begin;
select tests.start(), tests.release_webhooks_at_once();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show');
select tests.rule('hook', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
create temp table rows (name text primary key, execution_id uuid);
-- Begins a webhook to a receiver; of an attempt after the first one, `attempts` failed.
create function pg_temp.add(name text, receiver text, attempts int default 0, due timestamptz default now(),
  podcast text default 'show') returns void language plpgsql as $$
declare
  id uuid;
begin
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data, status, started_at,
    action_results)
  values (tests.id(podcast), tests.id('hook'), 'hook', 'booking.confirmed', '{}', 'running', now(),
    jsonb_build_array(jsonb_build_object('action_id', tests.id('hook/0'), 'status', 'running', 'result', '{}'::jsonb)))
  returning automation_executions.id into id;
  insert into rows values (add.name, id);
  insert into private.automation_webhooks (execution_id, action_id, podcast_id, webhook_id, receiver, body, begun_at,
    attempt_count, next_attempt_at)
  values (id, tests.id('hook/0'), tests.id(podcast), add.name, receiver, '{}', now(), attempts, due);
end $$;
create function pg_temp.in_flight(podcast text default 'show') returns text language sql as $$
  select string_agg(w.webhook_id, ' ' order by w.message_id) from private.automation_webhooks w
  where w.podcast_id = tests.id(podcast) and w.message_id is not null
$$;
create function pg_temp.finish(name text) returns void language sql as $$
  select private.record_webhook_result((select r.execution_id from rows r where r.name = finish.name),
    tests.id('hook/0'), 'completed', '{"status_code": 200}')
$$;
create function pg_temp.reset() returns void language plpgsql as $$
begin
  delete from private.automation_webhooks;
  delete from automation_executions;
  delete from rows;
  perform tests.empty_queue('automation_webhooks');
end $$;

-- The places of a podcast
select pg_temp.add('a' || n, 'a.test', due => now() - interval '1 hour' + n * interval '1 second')
from generate_series(1, 9) n;
select is(pg_temp.in_flight(), 'a1 a2 a3 a4 a5 a6', 'a receiver has at most 6 places, those due first');
select pg_temp.add('b' || n, 'b.test') from generate_series(1, 3) n;
select is(pg_temp.in_flight(), 'a1 a2 a3 a4 a5 a6 b1 b2', 'a podcast has at most 8 places');
select results_eq($$ select q from tests.queued('automation_webhooks') q limit 1 $$, $$ select jsonb_build_object(
    'podcast_id', tests.id('show'), 'execution_id', r.execution_id, 'action_id', tests.id('hook/0'))
  from rows r where r.name = 'a1' $$, 'a place is a message {podcast_id, execution_id, action_id}');
select pg_temp.add('o' || n, 'a.test', podcast => 'other') from generate_series(1, 2) n;
select is(pg_temp.in_flight('other'), 'o1 o2', 'each podcast has its own places');
select pg_temp.finish('a1');
select is(pg_temp.in_flight(), 'a2 a3 a4 a5 a6 b1 b2 b3',
  'a place that is free goes to the receiver with the fewest in flight');
select pg_temp.finish('b1');
select is(pg_temp.in_flight(), 'a2 a3 a4 a5 a6 b2 b3 a7', 'a place that is free goes to another receiver if one waits');
select private.record_webhook_attempt(execution_id, tests.id('hook/0'), 'x') from rows where name = 'a2';
select is(pg_temp.in_flight(), 'a3 a4 a5 a6 b2 b3 a7 a8', 'an attempt that failed frees its place');
delete from automation_executions where id = (select execution_id from rows where name = 'a3');
select is(pg_temp.in_flight(), 'a4 a5 a6 b2 b3 a7 a8 a9', 'the deletion of an execution frees its place');

-- A slow receiver with a backlog
select pg_temp.reset();
select pg_temp.add('slow' || n, 'slow.test', due => now() - interval '1 hour') from generate_series(1, 20) n;
select pg_temp.add('fast' || n, 'fast.test') from generate_series(1, 20) n;
create function pg_temp.send_fast() returns int language plpgsql as $$
declare
  sent int := 0;
  name text;
begin
  loop
    select w.webhook_id into name from private.automation_webhooks w
    where w.receiver = 'fast.test' and w.message_id is not null limit 1;
    exit when not found;
    perform pg_temp.finish(name);
    sent := sent + 1;
  end loop;
  return sent;
end $$;
select is(pg_temp.send_fast(), 20, 'all webhooks to a fast receiver are sent while none to a slow one ends');
select is((select count(*) from private.automation_webhooks where message_id is not null), 6::bigint,
  'a slow receiver keeps its 6 places meanwhile');

-- Retries
select pg_temp.reset();
select pg_temp.add('r' || n, 'a.test', attempts => 3, due => now() - interval '1 hour' + n * interval '1 second')
from generate_series(1, 4) n;
select is(pg_temp.in_flight(), 'r1 r2', 'the retries of a receiver have at most 2 places');
select pg_temp.add('n' || n, 'a.test') from generate_series(1, 6) n;
select is(pg_temp.in_flight(), 'r1 r2 n1 n2 n3 n4', 'new webhooks to a receiver do not wait for its retries');
select pg_temp.finish('r1');
select is(pg_temp.in_flight(), 'r2 n1 n2 n3 n4 r3', 'a retry that ends lets the next one of its receiver begin');

-- Attempts that are not due
select pg_temp.reset();
update automation_rules set is_paused = true where id = tests.id('hook');
select pg_temp.add('later', 'a.test', 1, now() + interval '5 seconds'), pg_temp.add('paused', 'a.test', 0, 'infinity'),
  pg_temp.add('now', 'a.test');
select is(pg_temp.in_flight(), 'now', 'a webhook whose next attempt is not due has no place');
select is(private.release_due_webhooks(now() + interval '4 seconds'), 0,
  'release_due_webhooks releases none too early');
select is(private.release_due_webhooks(now() + interval '5 seconds'), 1, 'release_due_webhooks releases what is due');
select is(pg_temp.in_flight(), 'now later', 'release_due_webhooks gives a place to a webhook whose attempt is due');
select is(private.release_due_webhooks(now() + interval '7 days' - interval '1 second'), 0,
  'release_due_webhooks leaves the webhook of a paused rule');
select is(private.release_due_webhooks(now() + interval '7 days'), 1,
  'release_due_webhooks releases a webhook that waited for 7 days');
select pg_temp.reset();
update automation_rules set is_paused = false where id = tests.id('hook');
select pg_temp.add('resumed', 'a.test', 0, 'infinity');
select private.release_due_webhooks();
select is(pg_temp.in_flight(), 'resumed',
  'release_due_webhooks releases a webhook that began to wait while its rule was resumed');

-- Lost messages
select pg_temp.reset();
select pg_temp.add('lost', 'a.test'), pg_temp.add('kept', 'b.test');
delete from pgmq.q_automation_webhooks where msg_id = (
  select message_id from private.automation_webhooks where webhook_id = 'lost');
create temp table kept as select message_id from private.automation_webhooks where webhook_id = 'kept';
select private.release_due_webhooks();
select is((select count(*) from private.automation_webhooks w
    join pgmq.q_automation_webhooks q on q.msg_id = w.message_id),
  2::bigint, 'release_due_webhooks enqueues a webhook again whose message was lost');
select is((select message_id from private.automation_webhooks where webhook_id = 'kept'), (select message_id from kept),
  'release_due_webhooks keeps the place of a webhook whose message waits');

-- Changes by admins end the wait
select pg_temp.reset();
select pg_temp.add('waits', 'hooks.test', 1, now() + interval '1 day');
update automation_actions set execution_order = 5 where id = tests.id('hook/0');
update automation_rules set name = 'Renamed' where id = tests.id('hook');
select is(pg_temp.in_flight(), null, 'a change of something else does not end the wait of a webhook');
update automation_actions set action_config = '{"url": "https://new.test:8443/in"}' where id = tests.id('hook/0');
select is(pg_temp.in_flight(), 'waits', 'a changed URL ends the wait of a webhook');
select is((select receiver from private.automation_webhooks), 'new.test:8443', 'a changed URL has its own receiver');

select * from tests.finish();
rollback;
