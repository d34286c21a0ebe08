-- Policies and guards of podcasts
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');

-- Who
select tests.access('reading podcasts', 'select from public.podcasts',
  '42501: anon; ok 0: stranger; ok 1: vic service');
select tests.access('updating podcasts', $$ update public.podcasts set explicit = true $$,
  '42501: anon; ok 0: stranger vic; ok 1: ana ola');
select is(tests.result_of('ola', format('update public.podcasts set %1$I = %1$I', c)), '42501',
  format('clients may not update podcasts.%s', c))
from unnest(array['slug', 'owner_id', 'status', 'podcast_guid', 'hosting_type', 'created_at', 'updated_at', 'id']) c;

-- Fields
select is(tests.result_of('ana', $$ update public.podcasts set title = ' New ', description = 'D',
  funding = '[{"url":"https://x.example","text":"Support"}]', verify_texts = '[{"text":"abc","purpose":"verify"}]' $$),
  'ok 1', 'an admin updates title, description, funding and verify texts');
select is((select title from public.podcasts), 'New', 'podcasts trims the title');
select is(tests.result_of('ola', format('update public.podcasts set %s', change)), '23514',
  format('a constraint of podcasts rejects %s', change))
from unnest(array[$$medium = 'tv'$$, $$link = 'ftp://x'$$, $$owner_email = 'not an address'$$, $$language = ''$$,
  $$title = ''$$, $$cover_image_url = 'javascript:alert(1)'$$,
  $$description = repeat('x', 10001)$$, 'feed_page_size = 49', 'feed_page_size = 1001', 'feed_page_size = -50'])
  change;
select is((select feed_page_size from public.podcasts), null, 'a new podcast has no feed_page_size');
select is(tests.result_of('ola', format('update public.podcasts set feed_page_size = %s', size)), 'ok 1',
  format('an owner sets feed_page_size to %s', size))
from unnest(array['50', '1000', 'null']) size;
select tests.access('updating feed_page_size', 'update public.podcasts set feed_page_size = 100',
  '42501: anon; ok 0: stranger vic; ok 1: ana service');
select is(tests.result_of('ola', format('update public.podcasts set %s', change)), 'PT400',
  format('podcasts rejects %s with a message', change))
from unnest(array[$$funding = '[{"url":"ftp://x","text":"a"}]'$$, $$verify_texts = '[{"purpose":"x"}]'$$,
  $$categories = '[{"category":"Arts","subcategory":"Golf"}]'$$,
  $$categories = '[{"category":"Arts"},{"category":"News"},{"category":"Music"},{"category":"Fiction"}]'$$]) change;

-- Pending deletion
select tests.set_status('show', 'pending_deletion');
select throws_ok($$ update public.podcasts set title = 'X' $$, 'PT409', 'The podcast is scheduled for deletion',
  'a podcast pending deletion rejects updates by the service');
select tests.access('locking a podcast pending deletion', 'update public.podcasts set locked = true',
  '42501: anon; ok 0: stranger vic; PT409: ana service');
select tests.access('unlocking a podcast pending deletion with another change',
  $$ update public.podcasts set locked = false, title = 'Moved' $$,
  '42501: anon; ok 0: stranger vic; PT409: ana service');
select tests.empty_queue('feed_invalidation');
select tests.access('unlocking a podcast pending deletion', 'update public.podcasts set locked = false',
  '42501: anon; ok 0: stranger vic; ok 1: ana service');
select is((select (p.status, p.locked)::text from public.podcasts p), '(pending_deletion,f)',
  'unlocking a podcast pending deletion keeps its status');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'unlocking a podcast pending deletion renders its feed again');
select lives_ok($$ select tests.set_status('show', 'active') $$,
  'the guard of podcasts allows updates of lifecycle columns');

-- Guards for every writer
select unnest(array[
  throws_ok(statement, 'PT409', format('A podcast''s %s cannot be changed', what),
    format('podcasts rejects another %s by the service with a message', what)),
  is(tests.error_of(statement), 'PT409 ' || code,
    format('podcasts rejects another %s by the service with %s', what, code))])
from (values
  ('slug', 'SLUG_IMMUTABLE', $$ update public.podcasts set slug = 'other' $$),
  ('GUID', 'GUID_IMMUTABLE', $$ update public.podcasts set podcast_guid = gen_random_uuid() $$),
  ('hosting type', 'HOSTING_TYPE_IMMUTABLE', $$ update public.podcasts set hosting_type = 'external' $$))
  v (what, code, statement);
select private.adopt_podcast_guid(tests.id('show'), '917393e3-1b1e-5cef-ace4-edaa54e1f810');
select is((select podcast_guid from public.podcasts), '917393e3-1b1e-5cef-ace4-edaa54e1f810'::uuid,
  'adopt_podcast_guid sets the GUID');
select throws_ok('update public.podcasts set podcast_guid = gen_random_uuid()', 'PT409', null,
  'podcasts rejects another GUID after adopt_podcast_guid');
select is(tests.result_of('service', $$ update public.podcasts set owner_id = tests.id('vic') $$), 'ok 1',
  'the service updates owner_id');
select is(
  (select jsonb_object_agg(i.name, m.role) from public.podcast_members m join tests.ids i on i.id = m.user_id),
  '{"ola":"admin","ana":"admin","vic":"owner"}', 'the owner''s membership follows owner_id');
select is_empty($$
  select a.attname from pg_attribute a
  where a.attrelid = 'public.podcasts'::regclass and a.attnum > 0 and not a.attisdropped
    and a.attname not in ('id', 'status', 'created_at', 'updated_at', 'paused_at', 'pause_expires_at',
      'last_pause_ended_at', 'deletion_requested_at', 'deletion_redirect_url', 'deletion_scheduled_at',
      'feed_redirect_url', 'is_being_deleted')
    and not exists (
      select from pg_trigger t
      where t.tgrelid = a.attrelid and t.tgname = 't300_guard' and a.attnum = any (t.tgattr::int2[])) $$,
  'the guard of podcasts covers every column except lifecycle columns');

-- Deletion
delete from public.podcasts where id = tests.id('show');
select is((select count(*) from private.podcast_slugs where slug = 'show'), 1::bigint,
  'the slug of a deleted podcast stays in podcast_slugs');
select lives_ok($$ select tests.podcast('show2', 'ola') $$, 'a user whose podcast was deleted can own another');

select * from tests.finish();
rollback;
