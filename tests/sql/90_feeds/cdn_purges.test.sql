-- CDN purges: which changes enqueue the surrogate key of a podcast, and which join a message that waits.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'),
  tests.podcast('elsewhere', 'ola', 'external'), tests.episode('linked', 'elsewhere'), tests.podcast('夜 行', 'ola');
update public.episodes set status = 'published' where id = tests.id('linked');
-- The podcasts of the keys that the statement enqueues
create function pg_temp.purged_by(statement text) returns text[] language plpgsql as $$
begin
  perform tests.empty_queue('cdn_purge');
  execute statement;
  return array(
    select coalesce(p.title, m ->> 'key') from tests.queued('cdn_purge') m
    left join public.podcasts p on private.surrogate_key(p.slug) = m ->> 'key' order by 1);
end $$;
create function pg_temp.store(podcast text, digest text) returns boolean language sql as $$
  select private.store_feed_document(tests.id(podcast),
    coalesce((select d.version from private.feed_documents d where d.podcast_id = tests.id(podcast)), 0),
    jsonb_build_object('etag', digest, 'last_modified', date_trunc('second', now()), 'digest', digest,
      'uncompressed_bytes', 9, 'gzip_bytes', 9, 'findings', '[]'::jsonb), '<', '{}', '>')
$$;

-- functions/app/surrogate_keys.ts derives the same keys, as tests/app/surrogate_keys.test.ts shows
select is(private.surrogate_key(slug), key, format('surrogate_key derives a short ASCII key from the slug %s', slug))
from (values ('night-trains', 'podcast-41eb89ef4f4dc10a'), ('夜-行', 'podcast-d3eb1dc8c43050b9')) v (slug, key);

select is(pg_temp.purged_by($$ update public.podcasts set title = title || '' $$), '{}',
  'a changed podcast enqueues no purge while cdn_purge_url is empty');
select is(pg_temp.purged_by($$ update public.episodes set title = 'Pilot' where id = tests.id('pilot') $$), '{}',
  'a changed episode enqueues no purge while cdn_purge_url is empty');
select private.set_setting('cdn_purge_url', 'https://cdn.test/purge');

select is(pg_temp.purged_by(statement), expected, format('%s: %s are purged', title, expected))
from (values
  ('inserting a podcast', $$ select tests.podcast('new', 'ola') $$, '{}'::text[]),
  ('updating podcasts', $$ update public.podcasts set language = 'de' where title in ('show', '夜 行') $$, '{show,夜 行}'),
  ('updating an external podcast', $$ update public.podcasts set link = 'https://x.test' where title = 'elsewhere' $$,
    '{elsewhere}'),
  ('updating no podcast', $$ update public.podcasts set language = 'en' where title = 'unknown' $$, '{}'),
  ('moving a podcast', $$ update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
    deletion_scheduled_at = now() + interval '9 days', deletion_redirect_url = 'https://new.test'
    where title = 'show' $$, '{show}'),
  ('canceling a deletion', $$ update public.podcasts set status = 'active', deletion_requested_at = null,
    deletion_scheduled_at = null, deletion_redirect_url = null where title = 'show' $$, '{show}'),
  ('crediting a podcast', $$ insert into public.podcast_credits (podcast_id, name, role_label, display_order)
    values (tests.id('show'), 'Eve', 'Host', 0) $$, '{show}'),
  ('updating a podcast''s credit', $$ update public.podcast_credits set name = 'Eva' $$, '{show}'),
  ('deleting a podcast''s credit', $$ delete from public.podcast_credits $$, '{show}'),
  ('inserting drafts', $$ select tests.episode('other', 'show') $$, '{}'),
  ('inserting a published episode', $$ insert into public.episodes (podcast_id, title, status)
    values (tests.id('elsewhere'), 'Direct', 'published') $$, '{elsewhere}'),
  ('updating a published episode', $$ update public.episodes set title = 'X' where id = tests.id('pilot') $$, '{show}'),
  ('updating a draft', $$ update public.episodes set title = 'X' where id = tests.id('draft') $$, '{}'),
  ('unpublishing an episode', $$ update public.episodes set status = 'draft' where id = tests.id('pilot') $$, '{show}'),
  ('updating an unpublished episode', $$ update public.episodes set title = 'Y' where id = tests.id('pilot') $$, '{}'),
  ('publishing an episode', $$ update public.episodes set status = 'published' where id = tests.id('pilot') $$,
    '{show}'),
  ('archiving an episode', $$ update public.episodes set status = 'archived' where id = tests.id('pilot') $$, '{show}'),
  ('deleting a draft', $$ delete from public.episodes where id = tests.id('draft') $$, '{}'),
  ('publishing an archived episode', $$ update public.episodes set status = 'published' where id = tests.id('pilot') $$,
    '{show}'),
  ('deleting a published episode', $$ delete from public.episodes where title = 'Direct' $$, '{elsewhere}'),
  ('updating episodes of two podcasts',
    $$ update public.episodes set season_number = 1 where id in (tests.id('pilot'), tests.id('linked')) $$,
    '{elsewhere,show}'),
  ('storing a feed', $$ select pg_temp.store('show', 'a') $$, '{show}'),
  ('storing a changed feed', $$ select pg_temp.store('show', 'b') $$, '{show}'),
  ('storing the same feed', $$ select pg_temp.store('show', 'b') $$, '{}'),
  ('confirming a feed', $$ select private.confirm_feed_document(d.podcast_id, d.version, '[]')
    from private.feed_documents d $$, '{}')
) v (title, statement, expected);

select is(pg_temp.purged_by(format(statement, tests.id(episode))), expected,
  format('%s of the %s episode: %s are purged', title, episode, expected))
from unnest(array['pilot', 'linked', 'other']) episode, (values
  ($$ insert into public.episode_transcripts (episode_id, type, url) values (%L, 'text/vtt', 'https://x.test/a') $$,
    'inserting a transcript'),
  ($$ update public.episode_transcripts set language = 'de' where episode_id = %L $$, 'updating a transcript'),
  ($$ delete from public.episode_transcripts where episode_id = %L $$, 'deleting a transcript'),
  ($$ insert into public.episode_chapters (episode_id, start_seconds, title)
    select %L, n, 'x' from generate_series(1, 3) n $$, 'inserting chapters'),
  ($$ update public.episode_chapters set title = 'y' where episode_id = %L $$, 'updating chapters'),
  ($$ delete from public.episode_chapters where episode_id = %L $$, 'deleting chapters'),
  ($$ insert into public.episode_credits (episode_id, name, role_label, display_order) values (%L, 'Eve', 'Host', 0) $$,
    'inserting a credit'),
  ($$ update public.episode_credits set name = 'Eva' where episode_id = %L $$, 'updating a credit'),
  ($$ delete from public.episode_credits where episode_id = %L $$, 'deleting a credit')
) v (statement, title)
cross join lateral (select case episode when 'pilot' then '{show}'::text[] when 'linked' then '{elsewhere}'
  else '{}' end) e (expected);

select tests.import('one', 'show', 'running'), tests.import_item('a', 'one');
select is(pg_temp.purged_by($$
    select private.create_imported_episode(i, format('podcasts/%s/e/%s/audio/%s.mp3', i.podcast_id, i.id,
      gen_random_uuid()), 1000, 'audio/mpeg', 60, null)
    from public.podcast_import_items i where i.id = tests.id('a') $$), '{}',
  'an imported episode enqueues no purge, because the feed that lists it does');
select is((select status from public.episodes where id = tests.id('a')), 'published',
  'the imported episode without a purge is published');

-- Coalescing
select tests.empty_queue('cdn_purge'), private.set_setting('cdn_purge_delay_seconds', '100');
update public.podcasts set language = 'en' where title = 'show';
select is((select array_agg(m) from tests.queued('cdn_purge') m),
  array[jsonb_build_object('key', private.surrogate_key('show'))], 'a purge has the member key');
select ok((select bool_and(q.vt - clock_timestamp() between interval '50 seconds' and interval '100 seconds')
    from pgmq.q_cdn_purge q), 'a purge waits for cdn_purge_delay_seconds');
update public.podcasts set language = 'fr' where title = 'show';
select pg_temp.store('show', 'c');
select is((select count(*) from pgmq.q_cdn_purge), 1::bigint,
  'further changes join the purge that waits for its first attempt');
update public.podcasts set language = 'de' where title in ('show', 'elsewhere');
select is((select count(*) from pgmq.q_cdn_purge), 2::bigint, 'a change joins no purge of another podcast');
update pgmq.q_cdn_purge q set vt = clock_timestamp() + interval '1 second'
where q.message ->> 'key' = private.surrogate_key('show');
update public.podcasts set language = 'en' where title = 'show';
update public.podcasts set language = 'fr' where title = 'show';
select is((select array_agg(q.vt > clock_timestamp() + interval '50 seconds' order by q.msg_id) from pgmq.q_cdn_purge q
    where q.message ->> 'key' = private.surrogate_key('show')), array[false, true],
  'changes join no purge that is due before reads of the podcast have ended, and leave it as it is');
delete from pgmq.q_cdn_purge q where q.vt < clock_timestamp() + interval '50 seconds';
create temp table claimed as
  select c.* from private.claim_jobs('cdn_purge', 10, 60, clock_timestamp() + interval '2 minutes') c;
update public.podcasts set language = 'en' where title = 'show';
select is((select array_agg(q.read_ct order by q.msg_id) from pgmq.q_cdn_purge q), array[1, 1, 0],
  'a change while a purge is in process enqueues another purge');
select tests.empty_queue('cdn_purge');
update public.podcasts set language = 'fr' where title = 'show';
insert into claimed select c.* from private.claim_jobs('cdn_purge', 10, 60, clock_timestamp() + interval '2 minutes') c;
select private.fail_job('cdn_purge', c.msg_id, 'The CDN is down') from claimed c;
update public.podcasts set language = 'de' where title = 'show';
select is((select array_agg(q.read_ct order by q.msg_id) from pgmq.q_cdn_purge q), array[0],
  'a change replaces a purge that failed by one with all attempts');

select is(pg_temp.purged_by($$ delete from public.podcasts where title = 'show' $$),
  array[private.surrogate_key('show')], 'the deletion of a podcast with episodes enqueues its purge');

-- The settings
select throws_ok(format('select private.set_setting(%L, %L)', s.key, s.value), 'PT400', null,
  format('set_setting rejects %s for %s', coalesce(nullif(s.value, ''), 'an empty text'), s.key))
from (values
  ('cdn_purge_url', 'cdn.test'), ('cdn_purge_url', 'ftp://cdn.test/'), ('cdn_purge_url', 'https://a:b@cdn.test/'),
  ('cdn_purge_format', 'varnish'), ('cdn_purge_format', ''), ('cdn_purge_delay_seconds', '1.5'),
  ('cdn_purge_delay_seconds', '')
) s (key, value);
select lives_ok(format('select private.set_setting(%L, %L)', s.key, s.value),
  format('set_setting accepts %s for %s', coalesce(nullif(s.value, ''), 'an empty text'), s.key))
from (values
  ('cdn_purge_url', 'https://api.fastly.com/service/abc/purge'), ('cdn_purge_url', ''),
  ('cdn_purge_format', 'cloudflare'), ('cdn_purge_format', null), ('cdn_purge_delay_seconds', '0')
) s (key, value);

select is_empty($$
  select p.proname, who from pg_proc p, unnest(array['anon', 'authenticated', 'service_role']) who
  where p.pronamespace = 'private'::regnamespace
    and p.proname in ('enqueue_cdn_purges', 'surrogate_key', 'enqueue_unless_waiting')
    and has_function_privilege(who, p.oid, 'EXECUTE') $$, 'functions of purges are not executable by API roles');

select * from tests.finish();
rollback;
