-- Claims of a queue with a fair_key: the key with the fewest messages in process comes first
begin;
select tests.start();
select private.install_queue('storage_gc', 10, '5 seconds', '1 hour', 'A test', _fair_key => 'podcast_id');

-- Messages of a key, a second apart; "a1 a2" of `pg_temp.send('a', 2)`
create sequence pg_temp.place;
create function pg_temp.send(key text, how_many int) returns void language sql as $$
  insert into pgmq.q_storage_gc (vt, message)
  select '2026-01-01'::timestamptz + nextval('pg_temp.place') * interval '1 second',
    jsonb_strip_nulls(jsonb_build_object('podcast_id', key, 'n', coalesce(key, '-') || n))
  from generate_series(1, how_many) n
$$;
create function pg_temp.claim(max_jobs int default 1, at timestamptz default clock_timestamp()) returns text
language sql as $$
  select string_agg(c.message ->> 'n', ' ' order by c.message ->> 'n')
  from private.claim_jobs('storage_gc', max_jobs, 60, at) c
$$;
create function pg_temp.msg_id(n text) returns bigint language sql as $$
  select q.msg_id from pgmq.q_storage_gc q where q.message ->> 'n' = n
$$;
create function pg_temp.clear() returns bigint language sql as $$
  select pgmq.purge_queue('storage_gc')
$$;

-- The rule
select pg_temp.send('a', 5), pg_temp.send('b', 2), pg_temp.send('c', 1);
select is(pg_temp.claim(), 'a1',
  'claim_jobs claims the message that has been visible for longest if no key is in process');
select is(pg_temp.claim(), 'b1', 'claim_jobs prefers a key with no message in process');
select is(pg_temp.claim(), 'c1', 'claim_jobs gives each key its turn');
select is(pg_temp.claim(), 'a2', 'claim_jobs claims by visibility among keys with as many messages in process');
select is(pg_temp.claim(), 'b2', 'claim_jobs prefers the key with the fewest messages in process');
select is(pg_temp.claim(), 'a3', 'claim_jobs claims further messages of a key while no other key waits');
select private.acknowledge_jobs('storage_gc', array[pg_temp.msg_id('b1'), pg_temp.msg_id('b2')]);
select pg_temp.send('b', 1), pg_temp.send('c', 1);
select is(pg_temp.claim(), 'b1', 'claim_jobs does not count acknowledged messages as in process');
select pg_temp.clear(), pg_temp.send('a', 1), pg_temp.send('b', 2), pg_temp.send('a', 1);
select is(array[pg_temp.claim(1, '2026-01-02 00:00'), pg_temp.claim(1, '2026-01-02 00:00:30'),
    pg_temp.claim(1, '2026-01-02 00:01')], '{a1,b1,a1}',
  'claim_jobs does not count a message whose visibility timeout has ended as in process');

-- Messages that are hidden, but not in process
select pg_temp.clear(), pg_temp.send('a', 2), pg_temp.send('b', 2);
select is(pg_temp.claim(2, '2026-01-01 00:01'), 'a1 a2', 'claim_jobs decides by what is in process when it begins');
select private.fail_job('storage_gc', pg_temp.msg_id(n), '503') from unnest('{a1,a2}'::text[]) n;
select pg_temp.send('a', 1);
update pgmq.q_storage_gc set message = '{"podcast_id": "a", "n": "a9"}', vt = '2026-01-01'
where message ->> 'n' = 'a1' and read_ct = 0;
select is(pg_temp.claim(), 'a9',
  'claim_jobs does not count a scheduled retry as in process');
select private.enqueue('storage_gc', '{"podcast_id": "b", "n": "b9"}', 600);
select is(pg_temp.claim(), 'b1', 'claim_jobs does not count a delayed message as in process');

select pg_temp.clear(), pg_temp.send('a', 3), pg_temp.send('b', 1);
select is(pg_temp.claim(1, '2026-01-01 00:05'), 'a1', 'claim_jobs claims the first message of a busy key');
select private.fail_job('storage_gc', pg_temp.msg_id('a1'), '503', at => '2026-01-01 00:05');
update pgmq.q_storage_gc set vt = '2026-01-01' where message ->> 'n' = 'a1';
select is(array[pg_temp.claim(), pg_temp.claim()], '{a1,b1}',
  'claim_jobs counts a retry that it claimed as in process');
select private.acknowledge_jobs('storage_gc', array[pg_temp.msg_id('b1')]),
  private.fail_job('storage_gc', pg_temp.msg_id('a1'), '503');
update pgmq.q_storage_gc set vt = '2026-01-01' where message ->> 'n' = 'a1';
select is(pg_temp.claim(), 'a1', 'claim_jobs claims the second retry of a message');

-- Batches
select pg_temp.clear(), pg_temp.send('a', 3), pg_temp.send('b', 3), pg_temp.send('c', 1);
select is(pg_temp.claim(), 'a1', 'claim_jobs claims the first message of three keys');
select is(pg_temp.claim(4), 'b1 b2 b3 c1', 'claim_jobs fills a batch from the keys with the fewest in process');
select is(pg_temp.claim(4), 'a2 a3', 'claim_jobs fills the rest of a batch from busier keys');

-- Messages without the member
select pg_temp.clear(), pg_temp.send(null, 3), pg_temp.send('a', 2);
select is(array[pg_temp.claim(), pg_temp.claim(), pg_temp.claim()], '{-1,a1,-2}',
  'claim_jobs treats messages without the member as one key');
select pg_temp.clear(), private.enqueue('storage_gc', '7');
select is((select message::text from private.claim_jobs('storage_gc', 1, 60)), '7',
  'claim_jobs claims a message without members');

-- The first 1,000
select pg_temp.clear(), pg_temp.send('a', 1000), pg_temp.send('b', 1);
select is(pg_temp.claim(), 'a1', 'claim_jobs claims the first of 1,001 messages');
select is(pg_temp.claim(), 'b1', 'claim_jobs prefers the last of 1,000 visible messages');
select pg_temp.send('a', 1), pg_temp.send('c', 1);
select is(pg_temp.claim(), 'a2', 'claim_jobs ignores keys behind the first 1,000 visible messages');

-- Limits
select pg_temp.clear(), pg_temp.send('a', 3), pg_temp.send('b', 1);
update private.queues set max_concurrency = 2 where name = 'storage_gc';
select is(array[pg_temp.claim(), pg_temp.claim(5), pg_temp.claim()], '{a1,b1,null}'::text[],
  'claim_jobs gives the last place of max_concurrency to the key with the fewest in process');
select private.acknowledge_jobs('storage_gc', array[pg_temp.msg_id('b1')]);
select is(array[pg_temp.claim(5), pg_temp.claim()], '{a2,null}', 'claim_jobs keeps max_concurrency for a single key');
update pgmq.q_storage_gc set read_ct = 10, vt = clock_timestamp() where message ->> 'n' = 'a2';
select is(pg_temp.claim(5), 'a3', 'claim_jobs claims beside a message that it dead-letters') from (
  select private.acknowledge_jobs('storage_gc', array[pg_temp.msg_id('a1')])) a;

-- Plans that a connection keeps
create function pg_temp.scans(relation regclass) returns bigint language sql as $$
  select pg_stat_get_xact_numscans(relation)
$$;
select pg_temp.clear(), pg_temp.send('a', 1);
analyze pgmq.q_storage_gc;  -- it has one page, which is cheapest to read as a whole
select private.generate_claim('storage_gc', 'podcast_id');
select pg_temp.claim() from generate_series(1, 9);
select pg_temp.clear();
select pg_temp.send('a', 2), pg_temp.claim(), pg_temp.send('b', 1);
create temp table before as select pg_temp.scans('pgmq.q_storage_gc') as of_table,
  pg_temp.scans('pgmq.q_storage_gc_podcast_id_state_idx') as of_index;
select is(pg_temp.claim() || ' ' || pg_temp.scans('pgmq.q_storage_gc') - of_table, 'b1 0',
  'claim_jobs never reads a whole queue, although its plans were made for one message') from before;
select is(pg_temp.scans('pgmq.q_storage_gc_podcast_id_state_idx') - of_index, 3::bigint,
  'claim_jobs finds busy and other keys with the index of install_queue') from before;

-- Queues
select set_eq(
  $$ select name || ' by ' || fair_key from private.queues where fair_key is not null and name <> 'storage_gc' $$,
  array['audio_probes by podcast_id', 'automation_runs by podcast_id', 'automation_webhooks by podcast_id',
    'calendar_reads by user_id', 'calendar_sync by podcast_id', 'email_deliveries by recipient',
    'image_derivatives by podcast_id', 'import_files by account_id', 'import_items by account_id',
    'large_images by podcast_id', 'push_deliveries by recipient'],
  'queues whose messages share capacity by a key name it');

select * from tests.finish();
rollback;
