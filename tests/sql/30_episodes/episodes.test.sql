-- Episodes as rows: slugs, GUIDs, statuses, whoever writes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.podcast('other', 'otto');
select tests.act_as('ana');
select is((public.create_episode(tests.id('show'), 'Pilot')).slug, 'pilot', 'the slug comes from the title');
select is((public.create_episode(tests.id('show'), 'Pilot')).slug, 'pilot-2', 'a second of that title gets a number');
select is((public.create_episode(tests.id('show'), '🎉')).slug, 'episode', 'never an empty slug');
select is((public.create_episode(tests.id('show'), 'אבגד')).slug, 'אבגד', 'right-to-left too');
select throws_ok($$ select public.create_episode(tests.id('show'), 'X', slug => 'pilot') $$, 'PT409', 'Slug ''pilot'' is already in use (or was used before)', 'a given slug that is taken is refused');
select throws_ok($$ select public.create_episode(gen_random_uuid(), 'X') $$, 'PT404', 'Podcast not found', 'on no podcast: 404');
select is((select guid = id::text from public.episodes where slug = 'pilot'), true, 'the GUID is the id');
select is((select created_by from public.episodes where slug = 'pilot'), tests.id('ana'), 'and who made it is kept');
select tests.act_as('otto');
select is((public.create_episode(tests.id('other'), 'Pilot')).slug, 'pilot', 'slugs are unique per podcast, not beyond');
select tests.act_as('postgres');
select tests.remember('pilot', id) from public.episodes where slug = 'pilot' and podcast_id = tests.id('show');
select is(length(private.slugify(repeat('word ', 100), 'x')) <= 80, true, 'long titles make bounded slugs');

-- Who
select is(tests.result_of('anon', 'select from public.episodes'), '42501', 'anon may not ask');
select is(tests.result_of('stranger', 'select from public.episodes'), 'ok 0', 'a stranger sees none');
select is(tests.result_of('vic', 'select from public.episodes'), 'ok 4', 'a member sees the podcast''s');
select is(tests.result_of('service', 'select from public.episodes'), 'ok 5', 'the service sees all');
select is(tests.result_of('vic', $$ update public.episodes set title = 'X' $$), 'ok 0', 'a member edits nothing');
select is(tests.result_of('vic', $$ insert into public.episodes (podcast_id, title) values (tests.id('show'), 'X') $$), '42501', 'or adds');
select is(tests.result_of('vic', $$ select public.create_episode(tests.id('show'), 'X') $$), 'PT403', 'by no way in');
select is(tests.result_of('stranger', $$ select public.create_episode(tests.id('show'), 'X') $$), 'PT403', 'a stranger neither');
select is(tests.result_of('vic', 'delete from public.episodes'), 'ok 0', 'or deletes');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, show_notes_html) values (tests.id('show'), 'Plain', '<p>x</p>') returning id $$), 'ok 1', 'an admin inserts plainly');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title) values (tests.id('other'), 'X') $$), '42501', 'on their own podcasts only');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, id) values (tests.id('show'), 'X', gen_random_uuid()) $$), '42501', 'under no id of their choice, which might have been another''s');
select is(tests.result_of('stranger', format('insert into public.episodes (podcast_id, title, slug, status) values (tests.id(''show''), ''X'', %L, %L)', slug, status)), '42501', format('a stranger learns nothing from slug %s, status %s', slug, status))
from unnest(array['pilot', 'free']) slug, unnest(array['draft', 'published']) status;
select is((public.create_episode(tests.id('show'), 'Latest')).slug, 'latest-2', 'a slug that is a route is not given') from tests.act_as('ana');
select is(tests.result_of('ana', $$ select public.create_episode(tests.id('show'), 'X', slug => 'latest') $$), 'PT400', 'not even on demand');
select tests.act_as('postgres');
select is(tests.result_of('ana', $$ update public.episodes set title = 'Pilot!', season_number = 1, transcripts = '[{"url":"https://x.test/t.vtt","type":"text/vtt"}]' where id = tests.id('pilot') $$), 'ok 1', 'and edits');
select is(tests.result_of('ana', $$ update public.episodes set itunes_title = 'Pilot in a word', is_blocked = true where id = tests.id('pilot') $$), 'ok 1', 'admins write itunes_title and is_blocked');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, itunes_title, is_blocked) values (tests.id('show'), 'Hidden', 'H', true) $$), 'ok 1', 'admins insert itunes_title and is_blocked');
select is(tests.result_of('ana', format('update public.episodes set %1$I = %1$I', c)), '42501', c || ' is the server''s column')
from unnest(array['guid', 'origin', 'created_by', 'first_published_at', 'podcast_id', 'created_at', 'updated_at', 'id']) c;
select is(tests.result_of('ana', format('update public.episodes set %s where id = tests.id(''pilot'')', change)), 'PT400', change || ' is refused')
from unnest(array[$$transcripts = '[{"url":"nowhere","type":"text/vtt"}]'$$, $$transcripts = '[{"url":"https://x.test/a"}]'$$, $$published_at = now() + interval '1 day'$$]) change;
select is(tests.result_of('ana', format('update public.episodes set %s where id = tests.id(''pilot'')', change)), '23514', change || ' is refused by a check')
from unnest(array[$$title = ' '$$, $$itunes_title = ' '$$, $$itunes_title = repeat('x', 256)$$, $$transcripts = '{}'$$, $$chapters_url = 'x'$$, $$cover_image_url = 'data:image/png,x'$$, $$season_number = -1$$, $$published_at = '-infinity'$$, $$published_at = '4000-01-01 BC'$$, $$transcripts = (select jsonb_agg(jsonb_build_object('url', 'https://x.test/' || n, 'type', 'text/vtt')) from generate_series(1, 2000) n)$$, $$summary = repeat('x', 4001)$$]) change;

-- Always
select throws_ok($$ update public.episodes set guid = 'x' where id = tests.id('pilot') $$, 'PT409', 'An episode''s GUID cannot be changed', 'the GUID stays, whoever writes');
select throws_ok($$ update public.episodes set podcast_id = tests.id('other') where id = tests.id('pilot') $$, 'PT409', null, 'an episode stays on its podcast');
select lives_ok($$ update public.episodes set slug = 'first light' where id = tests.id('pilot') $$, 'a draft''s slug may change');
select is((select slug from public.episodes where id = tests.id('pilot')), 'first-light', 'and is tidied');
select throws_ok($$ insert into public.episodes (podcast_id, title, slug) values (tests.id('show'), 'X', 'pilot') $$, 'PT409', null, 'its old slug is not given to another');
select lives_ok($$ update public.episodes set slug = 'pilot' where id = tests.id('pilot') $$, 'but it may have it back');
delete from public.episodes where id = tests.id('pilot');
select throws_ok($$ insert into public.episodes (podcast_id, title, slug) values (tests.id('show'), 'X', 'pilot') $$, 'PT409', null, 'not even after a deletion');
insert into public.episodes (podcast_id, title, guid, origin) values (tests.id('show'), 'Old', '  Odd GUID/007 ', 'import');
select is((select guid from public.episodes where title = 'Old'), '  Odd GUID/007 ', 'an imported GUID is kept letter for letter');
select throws_ok($$ insert into public.episodes (podcast_id, title, guid) values (tests.id('show'), 'Old', '  Odd GUID/007 ') $$, '23505', null, 'and is unique on its podcast');

-- A back catalogue at once
create function pg_temp.slugs_read() returns bigint language sql as $$
  select sum(pg_stat_get_xact_tuples_returned(c.oid)) from pg_class c where c.relname like 'episode_slugs%' $$;
create temp table before as select pg_temp.slugs_read() as n;
insert into public.episodes (podcast_id, title, origin) select tests.id('show'), 'Episode ' || md5(n::text), 'import' from generate_series(1, 300) n;
select cmp_ok(pg_temp.slugs_read() - n, '<', 300::bigint, 'a slug is found free without reading all the others') from before;
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Episode'), (tests.id('show'), 'Episode 3'), (tests.id('show'), 'Episode');
select is((select array_agg(slug order by slug) from public.episodes where title in ('Episode', 'Episode 3')), '{episode-2,episode-3,episode-4}', 'and what only begins alike is in nobody''s way');

select * from tests.finish();
rollback;
