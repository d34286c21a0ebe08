-- A queue with a concurrency: so many of its messages are worked on at once, however many workers claim them.
begin;
select tests.start();

create function pg_temp.claimed(most int, seconds int default 60) returns bigint language sql as $$ select count(*) from private.claim_jobs('storage_gc', most, seconds) $$;
create function pg_temp.send(n int) returns void language sql as $$ select private.enqueue('storage_gc', to_jsonb(g)) from generate_series(1, n) g $$;
select pg_temp.send(3);
select is(pg_temp.claimed(10), 3::bigint, 'without a concurrency a worker takes what there is');
select is((select count(*) from private.leases), 0::bigint, 'and nothing is written down for it');
select pgmq.purge_queue('storage_gc');
select throws_ok($$ update private.queues set concurrency = 0 where name = 'storage_gc' $$, '23514', null, 'a queue that works on nothing is paused instead');

update private.queues set concurrency = 2 where name = 'storage_gc';
select pg_temp.send(5);
select is(pg_temp.claimed(1), 1::bigint, 'with one of two a worker takes one');
select is(pg_temp.claimed(10), 1::bigint, 'and another the second');
select is(pg_temp.claimed(10), 0::bigint, 'then none, though three wait');
create temp table taken as select msg_id, row_number() over (order by msg_id) as n from private.leases;
select private.acknowledge_jobs('storage_gc', array(select msg_id from taken where n = 1));
select is(pg_temp.claimed(10), 1::bigint, 'one that is finished makes room for one');
select is(private.fail_job('storage_gc', msg_id, 'peer said no'), 'retry_scheduled', 'and so does one that failed') from taken where n = 2;
select is(pg_temp.claimed(10), 1::bigint, 'for the next');
select is((select count(*) from private.leases), 2::bigint, 'which makes two');
update private.leases set expires_at = clock_timestamp() - interval '1 second';
select is(pg_temp.claimed(10), 1::bigint, 'what a dead worker held is given up with its visibility timeout');
select is((select count(*) from private.leases), 1::bigint, 'and forgotten');
update private.leases set expires_at = clock_timestamp() - interval '1 second';
update pgmq.q_storage_gc set vt = clock_timestamp() - interval '1 second', read_ct = 10 where msg_id = (select msg_id from private.leases);
select is(pg_temp.claimed(10), 0::bigint, 'a message that is parked at once, because nobody lived to say that it failed,');
select is((select count(*) from private.leases l join pgmq.q_storage_gc using (msg_id)), (select count(*) from private.leases), 'holds no lease');

-- longer
delete from private.leases;
select pgmq.purge_queue('storage_gc'), pg_temp.send(1);
create temp table job as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
select ok(private.extend_job_visibility('storage_gc', msg_id, 600, 1), 'a worker that needs longer is given it') from job;
select ok((select min(q.vt) > clock_timestamp() + interval '9 minutes' and min(l.expires_at) = min(q.vt) from pgmq.q_storage_gc q join private.leases l using (msg_id)), 'the message and its lease as one');
select ok(private.extend_job_visibility('storage_gc', msg_id, 600), 'also one that does not say which attempt it is') from job;
update pgmq.q_storage_gc set read_ct = 2;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, 1), 'not one whose message was claimed again') from job;
select ok(not private.extend_job_visibility('storage_gc', 0, 600, 1), 'nor one whose message is gone');
delete from private.leases;
update private.queues set concurrency = null where name = 'storage_gc';
select ok(private.extend_job_visibility('storage_gc', msg_id, 600), 'a queue without a concurrency gives time as well') from job;
select is((select count(*) from private.leases), 0::bigint, 'and no lease');
update private.queues set concurrency = 2 where name = 'storage_gc';

-- on in another run
select vault.create_secret('s3cret', 'worker_secret');
update pgmq.q_storage_gc set read_ct = 9;
insert into private.leases select 'storage_gc', msg_id, clock_timestamp() + interval '1 minute' from job;
select set_config('castbase.worker_woken_storage_gc', '', true);
delete from net.http_request_queue;
select ok(private.requeue_job('storage_gc', msg_id) > msg_id, 'a job that goes on in another run gets a new message') from job;
select is((select array_agg((message, read_ct)::text) from pgmq.q_storage_gc), array['(1,0)'], 'in place of the old one, with all its attempts');
select is((select count(*) from private.leases), 0::bigint, 'its lease is free');
select is((select count(*) from net.http_request_queue), 1::bigint, 'and the worker is woken');
select is(private.requeue_job('storage_gc', msg_id), null, 'one that is gone does not come back') from job;
select is((select count(*) from pgmq.q_storage_gc), 1::bigint, 'nor a second time');
select is((select count(*) from pgmq.q_storage_gc_dlq where message ->> 'attempts' = '9'), 0::bigint, 'it was no failure');

-- a source that says when
create temp table next_job as select msg_id from private.claim_jobs('storage_gc', 1, 60);
select private.fail_job('storage_gc', msg_id, '503', retry_after_seconds => 300) from next_job;
select ok((select vt between clock_timestamp() + interval '299 seconds' and clock_timestamp() + interval '301 seconds' from pgmq.q_storage_gc), 'a failure that was told when to come back waits as long');
select private.fail_job('storage_gc', msg_id, '503', retry_after_seconds => 1) from next_job;
select ok((select vt > clock_timestamp() + interval '2 seconds' from pgmq.q_storage_gc), 'and at least as long as by its policy');
select private.fail_job('storage_gc', msg_id, '503', retry_after_seconds => 86400) from next_job;
select ok((select vt between clock_timestamp() + interval '59 minutes' and clock_timestamp() + interval '61 minutes' from pgmq.q_storage_gc), 'but never longer than the cap');
select private.fail_job('storage_gc', msg_id, '503', retry_after_seconds => -5) from next_job;
select ok((select vt < clock_timestamp() + interval '6 seconds' from pgmq.q_storage_gc), 'nonsense counts for nothing');

-- What a slow worker says of a message that another has by now
select pgmq.purge_queue('storage_gc'), pg_temp.send(1);
delete from private.leases;
create temp table slow as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
update private.leases set expires_at = clock_timestamp() - interval '1 second';
update pgmq.q_storage_gc set vt = clock_timestamp() - interval '1 second';
create temp table live as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
select is((select (l.msg_id = s.msg_id, s.attempt, l.attempt)::text from slow s, live l), '(t,1,2)', 'a message whose worker was slow is claimed again');
create temp table held as select q.vt, l.expires_at from pgmq.q_storage_gc q join private.leases l using (msg_id);
select private.acknowledge_jobs('storage_gc', array[msg_id], array[attempt]) from slow;
select is(private.fail_job('storage_gc', msg_id, 'late', attempt => attempt), 'not_found', 'the slow one does not fail it') from slow;
select is(private.fail_job('storage_gc', msg_id, 'late', is_permanent => true, attempt => attempt), 'not_found', 'nor park it') from slow;
select is(private.requeue_job('storage_gc', msg_id, attempt => attempt), null, 'nor go on with it') from slow;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, attempt), 'nor keep it') from slow;
select results_eq($$ select q.vt, l.expires_at from pgmq.q_storage_gc q join private.leases l using (msg_id) $$, 'select vt, expires_at from held', 'nor finish it: message and lease are as they were');

-- A late question for more time
select is(private.fail_job('storage_gc', msg_id, '503', attempt => attempt), 'retry_scheduled', 'the live one fails it') from live;
update held set vt = q.vt from pgmq.q_storage_gc q;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, attempt), 'once it has failed, nobody keeps it') from live;
select is((select vt from pgmq.q_storage_gc), (select vt from held), 'it comes back when it was said to');
select is((select count(*) from private.leases), 0::bigint, 'and has no place until then');
update pgmq.q_storage_gc set vt = clock_timestamp() - interval '1 second';
create temp table ended as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
select private.acknowledge_jobs('storage_gc', array[msg_id, 0], array[attempt, 1]) from ended;
select is((select (select count(*) from pgmq.q_storage_gc) + (select count(*) from private.leases)), 0::bigint, 'whoever has it finishes it, beside one that is gone');

select * from tests.finish();
rollback;
