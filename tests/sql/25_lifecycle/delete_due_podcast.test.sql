-- delete_due_podcast: deletes a podcast whose deletion is due, with everything that belongs to it.
begin;
select tests.start(), tests.release_webhooks_at_once();

-- A podcast with a row in each table of podcasts and a message in each queue, and another of the same owner.
create function pg_temp.full_podcast(show text) returns void language plpgsql as $$
begin
  perform tests.podcast(show, 'ola');
  perform tests.member('ana', show, 'admin'), tests.member('vic', show);
  perform tests.published_episode(show || '/pilot', show), tests.episode(show || '/draft', show),
    tests.upload_audio(show || '/draft', 500);
  perform tests.act_as('ana');
  perform public.invite_guest(tests.id(show || '/pilot'), 'gil@test.example', 'Gil');
  perform public.update_podcast_guest(g.id, '{"notes": "Likes trains"}')
  from public.podcast_guests g where g.podcast_id = tests.id(show);
  perform public.add_episode_person(tests.id(show || '/pilot'), 'team', 'Vic', tests.id('vic'));
  perform public.set_episode_person_credit(tests.id(show || '/pilot'), p.id)
  from public.episode_people p where p.episode_id = tests.id(show || '/pilot') and p.user_id = tests.id('vic');
  perform public.set_podcast_credits(tests.id(show), '[{"name": "Ana", "roleLabel": "Host"}]');
  insert into public.episode_messages (episode_id, body) values (tests.id(show || '/pilot'), 'Hello');
  perform tests.act_as('postgres');
  insert into private.roster_removals (episode_guest_id, removed_at)
  select g.id, now() from public.episode_guests g where g.podcast_id = tests.id(show);
  perform tests.invitation(show, show || '-eve@test.example', 'ana'), tests.transfer(show, 'ana');
  insert into private.podcast_invitation_blocks values (tests.id(show), 'no@test.example', now());
  perform tests.begin_direct_upload(show || '/upload', show || '/pilot', podcast => show);
  perform tests.stage_direct_upload(show || '/upload');
  perform tests.act_as('ola');
  perform public.start_import(tests.id(show), 'https://feeds.example/a.xml');
  perform tests.act_as('postgres');
  perform private.request_owner_verification(i.id, show || '-owner@test.example')
  from public.podcast_imports i where i.podcast_id = tests.id(show);
  update public.podcast_imports i set status = 'preview', staged_at = now() where i.podcast_id = tests.id(show);
  insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload)
  select i.id, i.podcast_id, 0, 'a', '{}' from public.podcast_imports i where i.podcast_id = tests.id(show);
  insert into public.podcast_import_item_texts (import_item_id, podcast_id)
  select i.id, i.podcast_id from public.podcast_import_items i where i.podcast_id = tests.id(show);
  insert into private.import_transfers (import_item_id, path, content_type, upload_url)
  select i.id, format('podcasts/%s/e/%s/audio/a.mp3', i.podcast_id, i.id), 'audio/mpeg', 'https://casts.test/upload'
  from public.podcast_import_items i where i.podcast_id = tests.id(show);
  update public.podcast_imports i set status = 'running', started_at = now() where i.podcast_id = tests.id(show);
  perform private.dispatch_import(i.id, null, clock_timestamp())
  from public.podcast_imports i where i.podcast_id = tests.id(show);
  perform private.enqueue(q, jsonb_build_object('podcast_id', tests.id(show)))
  from unnest(array['import_files', 'image_derivatives', 'large_images']) q;
  insert into public.episode_transcripts (episode_id, type, url)
  values (tests.id(show || '/pilot'), 'text/vtt', 'https://media.example/a.vtt');
  insert into public.episode_chapters (episode_id, start_seconds, title)
  values (tests.id(show || '/pilot'), 0, 'Intro');
  update public.episodes e set show_notes_html = '<p>Notes</p>' where e.podcast_id = tests.id(show);
  perform private.store_feed_document(tests.id(show), 0, '{"etag": "a", "last_modified": "2026-01-01T00:00:00Z",
    "digest": "d", "uncompressed_bytes": 1, "gzip_bytes": 1, "findings": []}', '', '{}', '');
  insert into private.feed_items (podcast_id, episode_id, episode_updated_at, context_hash, deflated, crc32,
    uncompressed_bytes, digest, findings)
  values (tests.id(show), tests.id(show || '/pilot'), now(), '', '', 0, 0, '', '[]');
  perform tests.booking_link(show || '/link', show, '{"slug": "link"}');
  insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, guest_name, guest_email,
    expires_at)
  values (tests.id(show || '/link'), tests.id(show), 'Link', now() + interval '1 day', now() + interval '25 hours',
    'Gil', 'gil@test.example', now() + interval '1 day');
  perform tests.template(show || '/template', show);
  perform tests.rule(show || '/rule', show, 'episode.published',
    jsonb_build_array(tests.webhook_action(), tests.email_action(show || '/template', 'team')));
  insert into public.automation_addresses (podcast_id, email) values (tests.id(show), 'aunt@test.example');
  perform private.fire_automations('episode.published', tests.id(show), null, tests.id(show || '/pilot'), 'a', now());
  perform tests.run_rule(show || '/rule');
  perform private.enqueue('podcast_deletions', jsonb_build_object('podcast_id', tests.id(show)));
  perform private.enqueue('episode_search', jsonb_build_object('podcast_id', tests.id(show)));
end $$;
select private.set_setting('websub_hub_url', 'https://hub.test/');
select pg_temp.full_podcast('show'), pg_temp.full_podcast('other');
select tests.store_object(format('podcasts/%s/left-by-an-upload', tests.id('show')));
select tests.store_object(format('podcasts/%s0/not-below', tests.id('show')));
-- one message in process with a lease, one dead letter
select private.claim_jobs('import_items', 10, 60);
select pgmq.send('feed_invalidation_dlq', jsonb_build_object('message', q.message, 'error', 'x'))
from pgmq.q_feed_invalidation q;
select tests.act_as('ola');
select public.delete_podcast(tests.id('show'), 'show', 'https://new.example/feed.xml', 1);
select tests.act_as('postgres');
update private.import_transfers set received_bytes = 0;

-- The tables in which a row names any of these ids.
create function pg_temp.tables_that_mention(ids uuid[]) returns setof text language plpgsql as $$
declare
  relation record;
  found_row boolean;
begin
  for relation in
    select c.oid::regclass as name from pg_class c
    where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'private', 'pgmq', 'storage')
    order by c.oid::regclass::text
  loop
    execute format('select exists (select from %s t where t::text ~ $1)', relation.name)
      into found_row using array_to_string(ids, '|');
    if found_row then
      return next relation.name;
    end if;
  end loop;
end $$;
insert into public.notification_mutes (user_id, scope, podcast_id)
select p.owner_id, 'podcast', p.id from public.podcasts p where p.id = tests.id('show');
insert into private.podcast_reminders (podcast_id, kind, ends_at) values (tests.id('show'), 'deletion_week', now());
create temp table about_show as
  select array[tests.id('show')] || array(select e.id from public.episodes e where e.podcast_id = tests.id('show'))
    || array(select i.id from public.podcast_imports i where i.podcast_id = tests.id('show'))
    || array(select i.id from public.podcast_invitations i where i.podcast_id = tests.id('show'))
    || array(select g.id from public.episode_guests g where g.podcast_id = tests.id('show')) as ids;
create temp table about_pilot as select guid from public.episodes where id = tests.id('show/pilot');
create temp table about_guid as select podcast_guid as guid from public.podcasts where id = tests.id('show');
create temp table about_other as
  select array[tests.id('other')] || array(select e.id from public.episodes e where e.podcast_id = tests.id('other'))
    as ids;
select is_empty($$
  select distinct k.conrelid::regclass::text from pg_constraint k
  where k.contype = 'f' and k.confrelid in ('public.podcasts'::regclass, 'public.episodes'::regclass)
  except select pg_temp.tables_that_mention(ids) from about_show $$,
  'the podcast of this test has a row in each table');
select is_empty($$
  select 'pgmq.q_' || q.name from private.queues q
  where q.name not in (
    'storage_gc', 'cdn_purge', 'billing_sync', 'email_deliveries', 'email_confirmations', 'push_deliveries',
    'calendar_reads')
  except select pg_temp.tables_that_mention(ids) from about_show $$,
  'the podcast of this test has a message in each queue but those of objects, purges, bills, emails, pushes and '
  'readings');
select set_eq($$
  select format('%s.%s', r.relname, a.attname) from pg_constraint k join pg_class r on r.oid = k.conrelid
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
  where k.contype = 'f' and k.confdeltype <> 'c' and k.confrelid in ('public.podcasts'::regclass,
    'public.episodes'::regclass, 'public.podcast_guests'::regclass, 'public.episode_guests'::regclass) $$,
  array['podcast_import_items.episode_id', 'episode_people.guest_id', 'bookings.episode_id'],
  'every reference to a podcast, an episode or a guest cascades, except the listed ones');
create temp table before_deletion as select tests.used_bytes('ola') as used_bytes,
  array(select pg_temp.tables_that_mention(ids) from about_other) as other_tables;

-- When
select is(private.delete_due_podcast(tests.id('show'), now() + interval '23 hours 59 minutes'), false,
  'delete_due_podcast returns false before the deletion is due');
select is(private.delete_due_podcast(tests.id('other'), now() + interval '1 year'), false,
  'delete_due_podcast returns false for an active podcast');
select is((select count(*) from public.podcasts), 2::bigint,
  'delete_due_podcast keeps podcasts whose deletion is not due');
select is(private.delete_due_podcast(tests.id('show'), now() + interval '1 day'), true,
  'delete_due_podcast returns true for a podcast whose deletion is due');
select is(private.delete_due_podcast(tests.id('show'), now() + interval '1 day'), false,
  'delete_due_podcast returns false for a deleted podcast');

-- Rows, messages, objects
select set_eq('select pg_temp.tables_that_mention(ids) from about_show', array[
  'private.podcast_slugs', 'private.podcast_tombstones', 'private.episode_tombstones', 'private.feed_redirects',
  'private.events',
  'private.rate_limits', 'private.automation_usage', 'notifications', 'notification_deliveries',
  'private.delivery_addresses', 'storage.objects', 'pgmq.q_storage_gc'],
  'delete_due_podcast leaves slug, tombstones, redirect, events, notices, emails, limits, and messages that delete '
  'the objects');
select is(array(select pg_temp.tables_that_mention(ids) from about_other),
  (select other_tables from before_deletion), 'delete_due_podcast keeps rows and messages of other podcasts');
select set_eq($$ select tests.queued_paths('media') $$,
  $$ select name from storage.objects where name ~ format('^podcasts/%s/', tests.id('show')) $$,
  'delete_due_podcast enqueues each object below the podcast''s folder');
select set_eq($$ select tests.queued_paths('staging') $$,
  $$ select tests.direct_upload('show/upload', 'uploadPath') $$,
  'delete_due_podcast enqueues the podcast''s staged objects');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array(select tests.queued_paths('media')))) $$,
  $$ select tests.queued_paths('media') $$, 'the objects of a deleted podcast can be deleted from storage at once');
select is((select used_bytes from before_deletion) - tests.used_bytes('ola'), 1500::bigint,
  'delete_due_podcast charges the owner for the podcast''s objects no longer');

-- Tombstones
select is((select (slug, podcast_id = tests.id('show'), title, language,
    podcast_guid = (select ids.guid from about_guid ids), hosting_type, deleted_at = now())::text
  from private.podcast_tombstones), '(show,t,show,en,t,native,t)',
  'delete_due_podcast leaves a tombstone with slug, title, language and GUID');
select is((select url from private.feed_redirects where podcast_id = tests.id('show')), 'https://new.example/feed.xml',
  'delete_due_podcast keeps the redirect of the feed');
select results_eq('select episode_id, slug, guid from private.episode_tombstones',
  $$ values (tests.id('show/pilot'), 'show'::text collate "C", (select guid from about_pilot)) $$,
  'delete_due_podcast leaves a tombstone of each episode that was ever public, and none of a draft');
select is(tests.error_of($$ insert into public.podcasts (owner_id, title, slug)
  values (tests.id('ola'), 'Show', 'show') $$), 'PT409 SLUG_TAKEN', 'the slug of a deleted podcast is never reused');

select * from tests.finish();
rollback;
