-- The rows of imports and their items: constraints, transitions, counters and triggers, for every writer.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto');
create function pg_temp.move(import text, status text) returns void language plpgsql as $$
begin
  execute format('update public.podcast_imports set status = %L where id = tests.id(%L)', status, import);
end $$;

-- One in flight
select tests.import('one', 'show');
select throws_ok(format($$ select tests.import('two', 'show', %L) $$, s), '23505', null,
  'podcast_imports rejects a second import in flight: ' || s)
from unnest(array['verification_required', 'preview', 'pending', 'running']) s;
select lives_ok(format($$ select tests.import('two', 'show', %L) $$, s),
  'podcast_imports accepts a finished import beside one in flight: ' || s)
from unnest(array['completed', 'partial', 'failed', 'canceled']) s;
select throws_ok($$ insert into public.podcast_imports (podcast_id, feed_url, is_hosting_migration)
  values (tests.id('show'), 'https://feeds.example/b.xml', true) $$,
  '23505', null, 'a hosting migration counts as an import in flight');
select lives_ok($$ select tests.import('others', 'other') $$, 'another podcast has its own import in flight');

-- Constraints
select throws_ok(format('update public.podcast_imports set %s where id = tests.id(''one'')', change), '23514', null,
  'podcast_imports rejects ' || change)
from unnest(array[
  'feed_url = ''ftp://feeds.example/a''', 'verification_token = ''other-verify-00000000-0000-4000-8000-000000000000''',
  'locked_owner_email = ''jane@example.com''', 'locked_owner_email = ''ja***@e***.com''', 'staged_at = null',
  'warnings = ''{}''',
  'verification_method = ''feed_recheck'', '
  'verification_token = ''castbase-verify-00000000-0000-4000-8000-000000000000''',
  'total_items = -1', 'completed_count = 1', 'failed_count = 1', 'skipped_count = 1',
  'completed_count = -1, failed_count = 1']) change;
select lives_ok($$ update public.podcast_imports set locked_owner_email = 'j***@e***.com'
  where id = tests.id('one') $$, 'podcast_imports accepts a masked owner email');
select tests.podcast('third', 'otto');
select throws_ok(format($$ insert into public.podcast_imports (podcast_id, feed_url, status, staged_at, %s)
  values (tests.id('third'), 'https://feeds.example/b.xml', 'verification_required', now(), %s) $$, columns, given),
  '23514', null, 'podcast_imports rejects verification_required with the method ' || given || ' without its data')
from (values ('verification_method', 'null'), ('verification_method', '''feed_recheck'''),
  ('verification_method', '''email_code''')) v (columns, given);
select throws_ok($$ insert into public.podcast_imports (podcast_id, feed_url, status)
  values (tests.id('third'), 'https://feeds.example/b.xml', 'preview') $$, '23514', null,
    'podcast_imports rejects a preview without staged_at');
select throws_ok($$ insert into public.podcast_imports (podcast_id, feed_url, status, staged_at)
  values (tests.id('third'), 'https://feeds.example/b.xml', 'running', now()) $$, '23514', null,
    'podcast_imports rejects a running import without started_at');

-- The transitions
create function pg_temp.move_outcome(origin public.import_status, target public.import_status) returns text
  language plpgsql as $$
declare outcome text := 'ok';
begin
  begin
    delete from public.podcast_imports i where i.podcast_id = tests.id('third');
    perform tests.import('mover', 'third', origin), tests.import_item('m', 'mover');
    update public.podcast_imports i set status = target, staged_at = now(),
      started_at = coalesce(i.started_at, case when target > 'running' and target <> 'canceled' then now() end),
      verification_token = 'castbase-verify-00000000-0000-4000-8000-000000000000',
      verification_method = case when target = 'verification_required' then 'feed_recheck'
      when target <> 'canceled' then null else i.verification_method end::public.import_verification_method
    where i.id = tests.id('mover');
    raise sqlstate 'XX999';
  exception when sqlstate 'XX999' then null;
  when others then outcome := sqlstate;
  end;
  return outcome;
end $$;
select is(pg_temp.move_outcome(origin, target), expected,
  format('podcast_imports returns %s for a change from %s to %s', expected, origin, target))
from unnest(enum_range(null::public.import_status)) origin, unnest(enum_range(null::public.import_status)) target,
  lateral (select case when origin = target or (origin, target) in (
    ('pending', 'verification_required'), ('pending', 'preview'), ('pending', 'canceled'), ('pending', 'failed'),
    ('verification_required', 'preview'),
    ('verification_required', 'canceled'), ('preview', 'running'), ('preview', 'canceled'), ('running', 'completed'),
    ('running', 'partial'),
    ('running', 'failed'), ('running', 'canceled'), ('canceled', 'verification_required'), ('canceled', 'preview'),
    ('canceled', 'running'),
    ('partial', 'running'), ('failed', 'running')) then 'ok' else 'PT409' end as expected) e;

-- Counters follow the rows
select is(tests.state_of('one'), 'preview: 0/0/0 of 0', 'an import without items has counters of 0');
select tests.import_item(g, 'one') from unnest(array['a', 'b', 'c', 'd', 'e', 'f', 'g']) g;
select tests.import_item('h', 'one', 'skipped_duplicate'), tests.import_item('i', 'others', 'failed');
select is(tests.state_of('one'), 'preview: 0/0/1 of 8', 'an import counts inserted items');
select is(tests.state_of('others'), 'preview: 0/1/0 of 1', 'an import does not count the items of another import');
update public.podcast_import_items set status = case guid when 'a' then 'skipped_user_limit' when 'b' then 'processing'
  else 'failed' end::public.import_item_status, error_message = 'x'
where guid in ('a', 'b', 'c', 'i');
select is(tests.state_of('one'), 'preview: 0/1/2 of 8', 'an update of many items changes the counters of their import');
update public.podcast_import_items set status = 'pending' where guid in ('b', 'c', 'i');
select is(tests.state_of('one'), 'preview: 0/0/2 of 8', 'an import subtracts items that return to pending');
select is(tests.state_of('others'), 'preview: 0/0/0 of 1', 'one statement updates the counters of several imports');
delete from public.podcast_import_items where guid in ('a', 'b');
select is(tests.state_of('one'), 'preview: 0/0/1 of 6', 'an import subtracts deleted items');
update public.podcast_imports set updated_at = '2020-01-01' where id = tests.id('one');
create temp table stamp as select updated_at from public.podcast_imports where id = tests.id('one');
update public.podcast_import_items set title = 'Other words' where import_id = tests.id('one');
select is((select updated_at from public.podcast_imports where id = tests.id('one')), (select updated_at from stamp),
  'an item update without a status change does not update the import');

-- The final status follows the counters
select pg_temp.move('one', 'running');
select ok((select started_at = now() and finished_at is null from public.podcast_imports where id = tests.id('one')),
  'a running import has started_at and no finished_at');
update public.podcast_import_items set status = 'processing' where guid in ('c', 'd', 'e', 'f') and status = 'pending';
update public.podcast_import_items set status = 'completed' where guid in ('c', 'd', 'e', 'f');
select is(tests.state_of('one'), 'running: 4/0/1 of 6', 'an import with an open item stays running');
select is_empty($$ select from private.events where type ~ 'import' $$, 'a running import writes no event');
update public.podcast_import_items set status = 'processing' where guid = 'g' and status = 'pending';
update public.podcast_import_items set status = 'completed' where guid = 'g';
select is(tests.state_of('one'), 'completed: 5/0/1 of 6', 'an import is completed with its last item');
select is((select finished_at from public.podcast_imports where id = tests.id('one')), now(),
  'a completed import has finished_at');
select is((select array_agg(type || ': ' || (payload - 'import_id' - 'podcast_id' - 'user_id')::text)
  from private.events where payload ->> 'import_id' = tests.id('one')::text
  and payload ->> 'user_id' = tests.id('ola')::text),
  array['import.completed: {"status": "completed", "failed_count": 0, "skipped_count": 1, "completed_count": 5}'],
  'a completed import writes the event import.completed for its creator');
select tests.podcast('ends', 'ola');
select tests.import(name, 'ends', 'canceled'), tests.import_item(name || 1, name, first),
  tests.import_item(name || 2, name, second), tests.import_item(name || 3, name, 'skipped_duplicate')
from (values ('partial', 'completed'::public.import_item_status, 'failed'::public.import_item_status),
  ('failed', 'failed', 'failed'),
  ('completed', 'skipped_user_limit', 'skipped_oversize'), ('running', 'failed', 'processing')) v (name, first, second);
select is(split_part(tests.state_of(name), ':', 1), name,
  'an import that is set running becomes, by the states of its items, ' || name)
from unnest(array['partial', 'failed', 'completed', 'running']) name, lateral pg_temp.move(name, 'running');
select results_eq($$ select n.title, n.body from public.notifications n where n.type = 'import.completed'
    and n.metadata ->> 'import_id' = tests.id('partial')::text $$,
  $$ values ('The import of ends is incomplete', 'Episodes imported: 1. Failed: 1. Skipped: 1. Open the import to see '
    'why, and to try again.') $$, 'an import with failed items is announced as incomplete');
select is((select count(*) from private.events where type = 'import.failed'), 1::bigint,
  'an import without a completed item writes the event import.failed');
select pg_temp.move('running', 'canceled');
select isnt((select finished_at from public.podcast_imports where id = tests.id('running')), null,
  'a canceled import has finished_at');
update public.podcast_import_items set status = 'processing' where guid = 'running2' and status = 'pending';
update public.podcast_import_items set status = 'completed' where guid = 'running2';
select is(tests.state_of('running'), 'canceled: 1/1/1 of 3',
  'an item completed after a cancel is counted, and the import stays canceled');
select pg_temp.move('running', 'preview');
select is((select finished_at from public.podcast_imports where id = tests.id('running')), null,
  'an import that returns to preview has no finished_at');

-- Items
select throws_ok(format($$ insert into public.podcast_import_items (import_id, podcast_id, position, guid,
  parsed_payload, %s) values (tests.id('one'), tests.id('show'), %s) $$, columns, given), code, null,
  'podcast_import_items rejects ' || given)
from (values ('warnings', '0, ''c'', ''{}'', ''[]''', '23505'), ('warnings', '0, ''n1'', ''[]'', ''[]''', '23514'),
  ('warnings', '-1, ''n2'', ''{}'', ''[]''', '23514'),
  ('warnings', '0, ''n3'', ''{}'', ''{}''', '23514'), ('status', '0, ''n4'', ''{}'', ''failed''', '23514'),
  ('attempts', '0, ''n5'', ''{}'', -1', '23514')) v (columns, given, code);
select lives_ok($$ insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload)
  select tests.id('one'), tests.id('show'), 0, string_agg(sha512(n::text::bytea)::text, ''), '{}'
  from generate_series(1, 100) n $$, 'podcast_import_items accepts a GUID of any length');
select throws_ok(format($$ update public.podcast_import_items set status = 'pending' where guid = %L $$, g), 'PT409',
  null, 'podcast_import_items rejects a new status of a closed item: ' || g)
from unnest(array['g', 'partial3', 'completed1', 'completed2']) g;
select lives_ok($$ update public.podcast_import_items set status = 'pending' where guid = 'partial2' $$,
  'podcast_import_items accepts pending for a failed item');
select tests.episode('pilot', 'show');
update public.podcast_import_items set episode_id = tests.id('pilot') where guid = 'g';
delete from public.episodes where id = tests.id('pilot');
select is((select status || coalesce(episode_id::text, '') from public.podcast_import_items where guid = 'g'),
  'completed', 'deleting an episode keeps its import item');

-- The feed's GUID
create function pg_temp.guid(podcast text) returns uuid
  language sql as $$ select podcast_guid from public.podcasts where id = tests.id(podcast) $$;
select tests.podcast(p, 'ola'), tests.import(p || '/import', p), tests.import_item(p || '/item', p || '/import')
from unnest(array['newcomer', 'copycat', 'known', 'plain', 'dropped']) p;
select tests.published_episode('old', 'known');
create temp table guids as select id, podcast_guid from public.podcasts;
update public.podcast_imports set feed_podcast_guid = case id
  when tests.id('known/import') then 'aaaaaaaa-1b1e-5cef-ace4-edaa54e1f810'
  else '917393e3-1b1e-5cef-ace4-edaa54e1f810' end::uuid
where id in (select tests.id(p || '/import') from unnest(array['newcomer', 'copycat', 'known', 'dropped']) p);
select is(pg_temp.guid('newcomer'), (select podcast_guid from guids where id = tests.id('newcomer')),
  'a podcast keeps its own GUID until its import is confirmed');
insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
select i.id, i.podcast_id, '{}', '[]' from public.podcast_imports i where i.feed_podcast_guid is not null;
select pg_temp.move('dropped/import', 'canceled');
select pg_temp.move(p || '/import', 'running') from unnest(array['newcomer', 'copycat', 'known', 'plain']) p;
select is(pg_temp.guid('newcomer'), '917393e3-1b1e-5cef-ace4-edaa54e1f810',
  'a confirmed import gives the podcast the feed''s GUID');
select is((select array_agg(p order by p) from unnest(array['newcomer', 'copycat', 'known', 'dropped']) p
  join public.podcast_import_channels c on c.podcast_id = tests.id(p)
  where c.losses = '[{"path": "podcast:guid", "reason": "REPLACED_BY_OURS"}]'), '{copycat,known}',
  'a confirmed import reports a GUID of the feed that the podcast does not get');
select is(pg_temp.guid(p), (select podcast_guid from guids where id = tests.id(p)), why) from (values
  ('copycat', 'a confirmed import does not give a podcast the GUID of another podcast'),
  ('known', 'a confirmed import does not change the GUID of a published podcast'),
  ('plain', 'a confirmed import does not change the GUID of a podcast when the feed has none'),
  ('dropped', 'a canceled import does not change the GUID')) v (p, why);
select throws_ok($$ update public.podcasts set podcast_guid = gen_random_uuid() where id = tests.id('newcomer') $$,
  'PT409', null, 'the GUID of a podcast cannot be updated directly');

-- Email addresses
select is(private.mask_email(address), masked, 'mask_email masks ' || address || ' as ' || masked)
from (values ('jane@example.com', 'j***@e***.com'), ('j@e.co.uk', 'j***@e***.uk'),
  ('jürgen@münchen.example', 'j***@m***.example'), ('root@localhost', 'r***@l***')) v (address, masked);
select is(private.deliverable_email_or_null(typed), kept,
  format('deliverable_email_or_null returns %2$L for %1$L', typed, kept))
from (values (' Jane@Example.com ', 'jane@example.com'), ('jane', null), ('jane@', null), ('jane@x..com', null),
  ('jane@x.com.', null), ('a@b@c.com', null),
  (E'a@b.com\nBcc: c@d.com', null), ('Jane <jane@x.com>', null), ('a@b.com,c@d.com', null), ('', null),
  (null, null)) v (typed, kept);

-- Deleting a podcast
select tests.podcast('gone', 'ola'), tests.import('gone/import', 'gone'), tests.import_item('gone/item', 'gone/import');
insert into private.import_owner_verifications (import_id, owner_email, code_key)
  values (tests.id('gone/import'), 'x@y.example', sha256('x'));
insert into private.import_transfers (import_item_id, path, content_type, upload_url)
  values (tests.id('gone/item'), 'p', 'audio/mpeg', 'u');
delete from public.podcasts where id = tests.id('gone');
select is((select count(*) from private.import_owner_verifications) + (select count(*)
  from private.import_transfers) + (select count(*) from public.podcast_import_items
  where guid = 'gone/item') + (select count(*) from public.podcast_import_item_texts
  where import_item_id = tests.id('gone/item')), 0::bigint,
  'deleting a podcast deletes its imports, items, texts, verifications and transfers');

select * from tests.finish();
rollback;
