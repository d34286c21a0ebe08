-- Feed pings: which changes of a feed document enqueue them, and which join a message that waits.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('silent'), tests.podcast('elsewhere', hosting => 'external');
select tests.published_episode('one', 'show'), tests.episode('draft', 'silent');

-- Stores a document with this digest, as the feed renderer does
create function pg_temp.store(podcast text, digest text, items bigint[] default '{}') returns void
language plpgsql as $$
begin
  if not private.store_feed_document(tests.id(podcast),
    coalesce((select d.version from private.feed_documents d where d.podcast_id = tests.id(podcast)), 0),
    jsonb_build_object('etag', digest, 'last_modified', date_trunc('second', now()), 'digest', digest,
      'uncompressed_bytes', 9, 'gzip_bytes', 9,
        'findings', '[]'::jsonb), '<', items, '>')
  then
    raise 'not stored';
  end if;
end $$;
-- `show websub` of each message that the statement enqueues
create function pg_temp.enqueued_by(statement text) returns text[] language plpgsql as $$
begin
  perform tests.empty_queue('feed_pings');
  execute statement;
  return array(
    select concat_ws(' ', p.title, m ->> 'type') from tests.queued('feed_pings') m
    join public.podcasts p on p.id = (m ->> 'podcast_id')::uuid);
end $$;
create function pg_temp.stored(podcast text, digest text, items bigint[] default '{}') returns text[] language sql as $$
  select pg_temp.enqueued_by(format('select pg_temp.store(%L, %L, %L)', podcast, digest, items))
$$;

select is(pg_temp.stored('show', 'a'), '{}', 'a changed document enqueues no ping while both receivers are off');
select private.set_setting('websub_hub_url', 'https://hub.test/');
select is(pg_temp.stored('show', 'b'), array['show websub'],
  'a changed document enqueues a ping of the hub when only websub_hub_url is set');
select private.set_setting('podping_url', 'https://podping.test/');
select is(pg_temp.stored('show', 'c'), array['show podping', 'show websub'],
  'a changed document enqueues one ping per receiver');
select is((select array_agg(m order by m ->> 'type') from tests.queued('feed_pings') m),
  array[jsonb_build_object('type', 'podping', 'podcast_id', tests.id('show')),
    jsonb_build_object('type', 'websub', 'podcast_id', tests.id('show'))],
  'a ping has the members type and podcast_id');
select private.set_setting('websub_hub_url', null);
select is(pg_temp.stored('show', 'd'), array['show podping'],
  'a changed document enqueues a podping when only podping_url is set');
select private.set_setting('websub_hub_url', 'https://hub.test/');

select is(pg_temp.stored('show', 'd'), '{}', 'a document that is stored with the same content enqueues no ping');
select is(pg_temp.enqueued_by($$
    select private.confirm_feed_document(d.podcast_id, d.version, '[]') from private.feed_documents d $$), '{}',
  'a confirmed document enqueues no ping');
select is(pg_temp.enqueued_by($$ select private.store_feed_document(tests.id('show'), 0, '{}', '', '{}', '') $$), '{}',
  'a document that is not stored, because its version is outdated, enqueues no ping');
select is(pg_temp.stored('silent', 'a'), '{}',
  'the first document of a podcast without a public episode enqueues no ping');
select is(pg_temp.stored('silent', 'b'), '{}',
  'a changed document of a podcast without a public episode enqueues no ping');
select is(pg_temp.stored('silent', 'c', '{7}') || pg_temp.stored('silent', 'd'),
  array['silent podping', 'silent websub'],
  'a document that loses its last item enqueues pings although the episode is deleted');
select is(pg_temp.stored('elsewhere', 'a', '{8}') || pg_temp.stored('elsewhere', 'b'), '{}',
  'a document of an external podcast enqueues no ping');
update public.episodes set status = 'draft' where id = tests.id('one');
select is(pg_temp.stored('show', 'e'), array['show podping', 'show websub'],
  'a changed document of a podcast whose episodes were public enqueues pings');
update public.podcasts set is_blocked = true where id = tests.id('show');
select is(pg_temp.stored('show', 'f'), array['show websub'],
  'a changed document of a blocked podcast enqueues a ping of the hub, and no podping');
update public.podcasts set is_blocked = false where id = tests.id('show');
delete from private.feed_documents;
select is(pg_temp.stored('show', 'g'), array['show podping', 'show websub'],
  'the first document of a podcast with a public episode enqueues pings');

-- Coalescing
select is((select count(distinct q.vt - q.enqueued_at <= interval '10 seconds' and q.vt > q.enqueued_at)
    from pgmq.q_feed_pings q), 1::bigint, 'a ping waits for feed_ping_delay_seconds');
select pg_temp.store('show', 'h'), pg_temp.store('show', 'i');
select is((select count(*) from tests.queued('feed_pings')), 2::bigint,
  'further changes join the ping that waits for its first attempt');
select pg_temp.store('silent', 'j', '{9}');
select pg_temp.store('silent', 'k');
select is((select count(*) from tests.queued('feed_pings')), 4::bigint, 'a change joins no ping of another podcast');
select tests.empty_queue('feed_pings');
select pg_temp.store('show', 'l');
create temp table claimed as
  select c.* from private.claim_jobs('feed_pings', 10, 60, clock_timestamp() + interval '1 minute') c;
select pg_temp.store('show', 'm');
select is((select array_agg(q.read_ct order by q.msg_id) from pgmq.q_feed_pings q), array[1, 1, 0, 0],
  'a change while a ping is in process enqueues another ping');
select private.fail_job('feed_pings', c.msg_id, 'The hub is down') from claimed c;
select pg_temp.store('show', 'n');
select is((select array_agg(q.read_ct order by q.msg_id) from pgmq.q_feed_pings q), array[1, 1, 0, 0],
  'a change joins the new ping beside one that failed');
delete from pgmq.q_feed_pings q where q.read_ct = 0;
select pg_temp.store('show', 'o');
select is((select array_agg(q.read_ct order by q.msg_id) from pgmq.q_feed_pings q), array[0, 0],
  'a change replaces a ping that failed by one with all attempts');
create temp table expired as
  select c.* from private.claim_jobs('feed_pings', 10, 1, clock_timestamp() - interval '1 hour') c;
select pg_temp.store('show', 'p');
select is((select count(*) from pgmq.q_feed_pings q), 2::bigint,
  'a change while the worker of a ping is dead leaves one ping per receiver');
select private.set_setting('feed_ping_delay_seconds', '0');
select tests.empty_queue('feed_pings');
select pg_temp.store('show', 'q');
select ok((select bool_and(q.vt <= clock_timestamp()) from pgmq.q_feed_pings q),
  'a ping is visible at once when feed_ping_delay_seconds is 0');

select is(pg_temp.enqueued_by($$ delete from public.podcasts where id = tests.id('show') $$), '{}',
  'the deletion of a podcast enqueues no ping');
select pg_temp.store('silent', 'r', '{10}');
select pg_temp.store('silent', 's');
delete from public.podcasts where id = tests.id('silent');
select is_empty($$ select tests.queued('feed_pings') $$, 'the deletion of a podcast deletes its pings');

-- The settings
select throws_ok(format('select private.set_setting(%L, %L)', s.key, s.value), 'PT400', null,
  format('set_setting rejects %s for %s', s.value, s.key))
from (values
  ('websub_hub_url', 'hub.test'), ('websub_hub_url', 'ftp://hub.test/'), ('websub_hub_url', 'https://a:b@hub.test/'),
  ('websub_hub_url', 'https://hub.test/a b'), ('podping_url', 'nonsense'), ('podping_url', 'https:///'),
  ('podping_url', 'https://podping.test/' || repeat('x', 2048)), ('feed_ping_delay_seconds', '-1'),
  ('feed_ping_delay_seconds', '1.5'), ('feed_ping_delay_seconds', ''), ('feed_ping_delay_seconds', '86401')
) s (key, value);
select lives_ok(format('select private.set_setting(%L, %L)', s.key, s.value),
  format('set_setting accepts %s for %s', coalesce(nullif(s.value, ''), 'an empty text'), s.key))
from (values
  ('websub_hub_url', 'https://hub.test/?a=b'), ('websub_hub_url', ''), ('podping_url', 'http://127.0.0.1:8080/in'),
  ('podping_url', ''), ('feed_ping_delay_seconds', '86400')
) s (key, value);
select throws_ok($$ update private.settings set value = 'nonsense' where key = 'podping_url' $$, 'PT400', null,
  'an update of private.settings rejects an invalid podping_url');

select tests.podcast('kept'), tests.podcast('other', hosting => 'external');
create function pg_temp.invalidated_by(key text, value text) returns text[] language plpgsql as $$
begin
  perform tests.empty_queue('feed_invalidation'), private.set_setting(key, value);
  return array(select m ->> 'podcast_slug' from tests.queued('feed_invalidation') m
    where (m ->> 'podcast_id')::uuid in (tests.id('kept'), tests.id('other')));
end $$;
select is(pg_temp.invalidated_by(setting, value), invalidated, what)
from (values
  ('websub_hub_url', 'https://hub.test/', array['kept'],
    'setting websub_hub_url invalidates the feeds of native podcasts'),
  ('websub_hub_url', 'https://hub.test/', '{}', 'setting websub_hub_url to the same value invalidates no feed'),
  ('websub_hub_url', 'https://other.test/', '{kept}', 'changing websub_hub_url invalidates the feeds'),
  ('websub_hub_url', null, '{kept}', 'clearing websub_hub_url invalidates the feeds'),
  ('podping_url', 'https://podping.test/', '{kept}', 'turning podping on invalidates the feeds'),
  ('podping_url', 'https://other.test/', '{}',
    'changing podping_url invalidates no feed, because feeds do not show it'),
  ('podping_url', '', '{kept}', 'turning podping off invalidates the feeds')) v (setting, value, invalidated, what);

select is_empty($$
  select p.proname, who from pg_proc p, unnest(array['anon', 'authenticated']) who
  where p.pronamespace = 'private'::regnamespace
    and p.proname in ('enqueue_feed_ping', 'get_feed_pings', 'invalidate_all_feeds')
    and has_function_privilege(who, p.oid, 'EXECUTE') $$, 'functions of feed pings are not executable by clients');

select * from tests.finish();
rollback;
