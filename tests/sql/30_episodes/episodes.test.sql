-- Policies, constraints and guards of episodes
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger')
, tests.podcast('other', 'otto'), tests.episode('pilot', 'show'), tests.episode('elsewhere', 'other');

-- Who
select tests.access('reading episodes', 'select from public.episodes',
  '42501: anon; ok 0: stranger; ok 1: vic; ok 2: service');
select tests.access('updating episodes', $$ update public.episodes set season_number = 1 $$,
  '42501: anon; ok 0: stranger vic; ok 1: ana');
select tests.access('deleting episodes', 'delete from public.episodes', '42501: anon; ok 0: stranger vic');
select is(tests.result_of('ana', format('update public.episodes set %1$I = %1$I', c)), '42501',
  format('clients may not update episodes.%s', c))
from unnest(array['guid', 'origin', 'created_by', 'first_published_at', 'podcast_id', 'created_at', 'updated_at',
  'id']) c;

-- Fields
create function pg_temp.update_pilot(change text) returns text language sql as $$
  select tests.result_of('ana', format('update public.episodes set %s where id = tests.id(''pilot'')', change))
$$;
select is(pg_temp.update_pilot(change), 'ok 1', format('an admin updates an episode with %s', change))
from unnest(array[$$title = 'Pilot!'$$, $$chapters_url = 'https://x.test/c.json'$$,
  $$itunes_title = 'Pilot in a word'$$, $$subtitle = 'In short'$$,
  $$link = 'https://x.test/pilot'$$, 'is_blocked = true']) change;
select is(
  tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, itunes_title, is_blocked)
    values (tests.id('show'), 'Hidden', 'H', true) $$), 'ok 1', 'an admin inserts itunes_title and is_blocked');
select is(pg_temp.update_pilot(change), 'PT400', format('episodes rejects %s with a message', change))
from unnest(array[$$published_at = now() + interval '1 day'$$]) change;
select is(pg_temp.update_pilot(change), '23514', format('a constraint of episodes rejects %s', left(change, 60)))
from unnest(array[$$title = ' '$$, $$itunes_title = ' '$$, $$itunes_title = repeat('x', 256)$$,
  $$chapters_url = 'x'$$, $$cover_image_url = 'data:image/png,x'$$, 'season_number = -1',
    $$published_at = '-infinity'$$,
  $$published_at = '4000-01-01 BC'$$, $$summary = repeat('x', 10001)$$, $$subtitle = repeat('x', 4001)$$,
  $$subtitle = ' '$$, $$link = 'javascript:x'$$, $$link = 'https://x.test/' || repeat('x', 2048)$$]) change;

-- Guards for every writer
select throws_ok($$ update public.episodes set guid = 'x' where id = tests.id('pilot') $$, 'PT409',
  'An episode''s GUID cannot be changed', 'episodes rejects another GUID');
select throws_ok($$ update public.episodes set podcast_id = tests.id('other') where id = tests.id('pilot') $$, 'PT409',
  'An episode cannot be moved to another podcast', 'episodes rejects another podcast_id');
select lives_ok($$ update public.episodes set slug = 'first light' where id = tests.id('pilot') $$,
  'the slug of a draft can change');
select is((select slug from public.episodes where id = tests.id('pilot')), 'first-light',
  'episodes normalizes the slug');
select throws_ok($$ insert into public.episodes (podcast_id, title, slug) values (tests.id('show'), 'X', 'pilot') $$,
  'PT409', null, 'episodes rejects a slug that another episode had');
select lives_ok($$ update public.episodes set slug = 'pilot' where id = tests.id('pilot') $$,
  'an episode can return to a slug that it had');
delete from public.episodes where id = tests.id('pilot');
select throws_ok($$ insert into public.episodes (podcast_id, title, slug) values (tests.id('show'), 'X', 'pilot') $$,
  'PT409', null, 'episodes rejects the slug of a deleted episode');
insert into public.episodes (podcast_id, title, guid, origin) values (tests.id('show'), 'Old', '  Odd GUID/007 ',
  'import');
select is((select guid from public.episodes where title = 'Old'), '  Odd GUID/007 ',
  'episodes keeps an imported GUID letter for letter');
select throws_ok($$ insert into public.episodes (podcast_id, title, guid)
  values (tests.id('show'), 'Old', '  Odd GUID/007 ') $$, '23505', null, 'a GUID is unique per podcast');

-- Slugs of a back catalog. The statistics are those of these rows, and the first inserts settle the session's plan.
create function pg_temp.insert_episodes(first int, last int) returns void language sql as $$
  insert into public.episodes (podcast_id, title, origin)
    select tests.id('show'), 'Episode ' || md5(n::text), 'import' from generate_series(first, last) n $$;
create function pg_temp.slugs_read() returns bigint language sql as $$
  select sum(pg_stat_get_xact_tuples_returned(c.oid)) from pg_class c where c.relname like 'episode_slugs%' $$;
select pg_temp.insert_episodes(1, 300);
analyze private.episode_slugs;
select pg_temp.insert_episodes(301, 310);
create temp table before as select pg_temp.slugs_read() as n;
select pg_temp.insert_episodes(311, 610);
select cmp_ok(pg_temp.slugs_read() - n, '<', 300::bigint,
  'deriving a slug does not read all slugs of the podcast') from before;
insert into public.episodes (podcast_id, title)
values (tests.id('show'), 'Episode'), (tests.id('show'), 'Episode 3'), (tests.id('show'), 'Episode');
select is((select array_agg(slug order by slug) from public.episodes where title in ('Episode', 'Episode 3')),
  '{episode,episode-2,episode-3}', 'slugs with a common prefix do not count as used');

-- Many episodes with one title
select tests.podcast('runs', 'ola');
insert into public.episodes (podcast_id, title, slug) values (tests.id('runs'), 'Kept', 'part-3'),
  (tests.id('runs'), 'Kept', 'part-5');
insert into public.episodes (podcast_id, title) select tests.id('runs'), 'Part' from generate_series(1, 3);
insert into public.episodes (podcast_id, title) values (tests.id('runs'), 'Other'), (tests.id('runs'), 'Part'),
  (tests.id('runs'), 'Other'), (tests.id('runs'), 'Part');
select is((select array_agg(slug order by char_length(slug), slug) from public.episodes where title = 'Part'
    and podcast_id = tests.id('runs')), '{part,part-2,part-4,part-6,part-7}',
  'episodes with one title get the first free numbers, in one statement and over several');
select is((select array_agg(slug order by slug) from public.episodes where title = 'Other'
    and podcast_id = tests.id('runs')), '{other,other-2}', 'episodes with another title get their own numbers');
update public.episodes set slug = null where podcast_id = tests.id('runs') and slug = 'part-4';
select is((select count(*) from public.episodes where podcast_id = tests.id('runs') and slug = 'part-4'), 1::bigint,
  'an episode whose slug is derived again keeps its number');
do $$ begin
  insert into public.episodes (podcast_id, title) select tests.id('runs'), 'Part' from generate_series(1, 3);
  raise division_by_zero;
exception when division_by_zero then null;
end $$;
insert into public.episodes (podcast_id, title) values (tests.id('runs'), 'Part');
select is((select count(*) from public.episodes where podcast_id = tests.id('runs') and slug = 'part-8'), 1::bigint,
  'numbers of episodes that were rolled back are free');
select tests.podcast('others', 'ola');
insert into public.episodes (podcast_id, title) values (tests.id('others'), 'Part'), (tests.id('others'), 'Part');
select is((select array_agg(slug order by slug) from public.episodes where podcast_id = tests.id('others')),
  '{part,part-2}', 'each podcast has its own numbers');
delete from public.episodes where podcast_id = tests.id('others');
create temp table before_run as select pg_temp.slugs_read() as n;
insert into public.episodes (podcast_id, title) select tests.id('others'), 'Part' from generate_series(1, 300);
select cmp_ok(pg_temp.slugs_read() - n, '<', 3000::bigint,
  'episodes with one title in a statement do not each read the slugs of the others') from before_run;

select * from tests.finish();
rollback;
