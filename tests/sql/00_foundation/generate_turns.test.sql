-- Claims of a queue with a fair_key and max_concurrency: the keys take turns, however much waits before them
begin;
select tests.start();
select private.install_queue('storage_gc', 10, '5 seconds', '1 hour', 'A test', _max_concurrency => 4,
  _fair_key => 'podcast_id');

-- Messages of a key, a second apart; "a1 a2" of `pg_temp.send('a', 2)`
create sequence pg_temp.place;
create function pg_temp.send(key text, how_many int) returns void language sql as $$
  insert into pgmq.q_storage_gc (vt, message)
  select '2026-01-01'::timestamptz + nextval('pg_temp.place') * interval '1 second',
    jsonb_build_object('podcast_id', key, 'n', key || n) from generate_series(1, how_many) n
$$;
-- Acknowledges the message that has been in process for longest, and claims its place
create function pg_temp.next() returns text language plpgsql as $$
declare
  first constant bigint := (
    select q.msg_id from pgmq.q_storage_gc q where private.message_state(q.read_ct, q.headers) = 'claimed'
    order by q.vt, q.msg_id limit 1);
begin
  return (select c.message ->> 'n' from private.claim_jobs('storage_gc', 1, 60, completed_ids => array[first]) c);
end $$;
create function pg_temp.claim(max_jobs int) returns text language sql as $$
  select string_agg(c.message ->> 'n', ' ' order by c.msg_id) from private.claim_jobs('storage_gc', max_jobs, 60) c
$$;
create function pg_temp.clear() returns bigint language sql as $$ select pgmq.purge_queue('storage_gc') $$;

select pg_temp.send('a', 3000);
select is(pg_temp.claim(4), 'a1 a2 a3 a4', 'claim_jobs fills all places from the only key');
select pg_temp.send('b', 3);
select is((select string_agg(pg_temp.next(), ' ' order by n) from generate_series(1, 5) n), 'b1 b2 a5 a6 b3',
  'claim_jobs gives the next places to three messages that came after three thousand of another key');

select pg_temp.clear(), pg_temp.send('a', 2000), pg_temp.claim(2);
select pg_temp.send(key, 2000) from unnest('{f,c,e,b,d}'::text[]) key;
update private.queues set max_concurrency = 2 where name = 'storage_gc';
select is((select string_agg(left(pg_temp.next(), 1), ' ' order by n) from generate_series(1, 14) n),
  'c d e f a b c d e f a b c d', 'claim_jobs gives each of more keys than places its turn');
select pg_temp.send('z', 1);
select is((select string_agg(pg_temp.next(), ' ' order by n) from generate_series(1, 4) n) ~ '^e\d+ f\d+ z1 a\d+$',
  true,   'claim_jobs gives a new key its turn in the same round');

select pg_temp.clear(), pg_temp.send('a', 3), pg_temp.claim(1), pg_temp.send('b', 2);
update pgmq.q_storage_gc set vt = '2026-02-01', read_ct = 1 where message ->> 'n' = 'b2';
select is(pg_temp.claim(1), 'b2', 'claim_jobs claims the message of a worker that died before others');

select pg_temp.clear(), pg_temp.send('k', 2), pg_temp.claim(1);
select private.enqueue('storage_gc', jsonb_build_object('podcast_id', 'l' || n), 600) from generate_series(1, 500) n;
select pg_temp.send('zz', 1);
update private.queues set max_concurrency = 400 where name = 'storage_gc';
select is((select array_agg(pg_temp.claim(1) order by n) from generate_series(1, 3) n) @> '{zz1}', true,
  'claim_jobs finds a message behind many keys that wait for later');

-- Plans that a connection keeps
select pg_temp.clear(), pg_temp.send('a', 1);
analyze pgmq.q_storage_gc;  -- it has one page, which is cheapest to read as a whole
select private.generate_turns('storage_gc', 'podcast_id'), private.generate_claim('storage_gc', 'podcast_id', true);
select pg_temp.send('b', 9), pg_temp.claim(1), pg_temp.claim(1), pg_temp.claim(1);
select pg_temp.clear(), pg_temp.send('a', 2), pg_temp.claim(1), pg_temp.send('b', 1);
create temp table before as select pg_stat_get_xact_numscans('pgmq.q_storage_gc'::regclass) as of_table;
select is(pg_temp.claim(1) || ' ' || pg_stat_get_xact_numscans('pgmq.q_storage_gc'::regclass) - of_table, 'b1 0',
  'claim_jobs never reads a whole queue to find whose turn it is') from before;

select * from tests.finish();
rollback;
