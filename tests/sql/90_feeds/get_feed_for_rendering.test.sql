-- get_feed_for_rendering: the stale episodes and the podcast, before the first document.
begin;
select tests.start();

select tests.podcast('show'), tests.podcast('elsewhere', hosting => 'external'), tests.podcast('夜 行');
select tests.publish_daily_episodes('show', 3), tests.episode('draft', 'show');

select is_empty($$ select from private.get_feed_for_rendering(tests.id('elsewhere'), 1) $$,
  'get_feed_for_rendering returns no row for a podcast that is hosted elsewhere');
select is_empty($$ select from private.get_feed_for_rendering(gen_random_uuid(), 1) $$,
  'get_feed_for_rendering returns no row for an unknown podcast');
select is(tests.stale_episodes(), '{e3,e2,e1}',
  'get_feed_for_rendering returns every published episode at first, newest first');
select is((select (jsonb_array_length(stale), remaining_stale)::text
  from private.get_feed_for_rendering(tests.id('show'), 1, 2)), '(2,1)',
  'get_feed_for_rendering counts the stale episodes beyond its batch');
select is((select items from private.get_feed_for_rendering(tests.id('show'), 1)), '{0,0,0}',
  'get_feed_for_rendering returns item 0 for episodes without an item');
select is((select podcast ? 'owner_email' from private.get_feed_for_rendering(tests.id('show'), 1)), false,
  'get_feed_for_rendering does not return the owner''s email address');
select is((select podcast ->> 'feed_url' from private.get_feed_for_rendering(tests.id('夜 行'), 1)),
  'https://casts.test/functions/v1/public/feeds/%E5%A4%9C-%E8%A1%8C.xml',
  'get_feed_for_rendering returns feed_url as an encoded URI');
select is((select stale -> 0 ->> 'listen_url' from private.get_feed_for_rendering(tests.id('show'), 1)),
  'https://casts.test/functions/v1/public/listen/show/e3',
  'get_feed_for_rendering returns the listen URL of each episode');
select private.set_setting('pages_url', null);
select is((select array[stale -> 0 ->> 'listen_url', podcast ->> 'listen_url']
  from private.get_feed_for_rendering(tests.id('show'), 1)), array[null, null],
  'get_feed_for_rendering returns no listen URLs without pages_url');
select private.set_setting('pages_url', '{public_api_url}');

-- The channel's credits, trailers and date
create function pg_temp.channel(member text) returns jsonb language sql as $$
  select podcast -> member from private.get_feed_for_rendering(tests.id('show'), 1)
$$;
insert into public.podcast_credits (podcast_id, name, role_label, external_url, display_order) values
  (tests.id('show'), 'Bo', 'Editor', null, 1), (tests.id('show'), 'Ana', 'Host', 'https://ana.test', 0);
select is(pg_temp.channel('credits'), '[
  {"name": "Ana", "role_label": "Host", "avatar_url": null, "external_url": "https://ana.test"},
  {"name": "Bo", "role_label": "Editor", "avatar_url": null, "external_url": null}]',
  'get_feed_for_rendering returns the credits of the podcast in display order');
select is(pg_temp.channel('newest_published_at'),
  to_jsonb((select max(published_at) from public.episodes where status = 'published')),
  'get_feed_for_rendering returns the date of the newest published episode');
select is(pg_temp.channel('trailers'), '[]',
  'get_feed_for_rendering returns no trailers without an episode of that type');
update public.episodes set episode_type = 'trailer', season_number = 2 where id in (tests.id('e1'), tests.id('e3'));
select tests.episode('draft trailer', 'show');
update public.episodes set episode_type = 'trailer' where id = tests.id('draft trailer');
select is(pg_temp.channel('trailers'), (
  select jsonb_agg(jsonb_build_object('id', e.id, 'title', e.title, 'published_at', e.published_at, 'season_number', 2,
    'audio_url', e.audio_url, 'audio_file_size_bytes', e.audio_file_size_bytes, 'audio_content_type',
    e.audio_content_type) order by e.published_at desc)
  from public.episodes e where e.id in (tests.id('e1'), tests.id('e3'))),
  'get_feed_for_rendering returns the published trailers, newest first');
do $$ begin perform tests.published_episode('t' || n, 'show') from generate_series(1, 20) n; end $$;
update public.episodes set episode_type = 'trailer' where slug ~ '^t[0-9]+$';
select is(jsonb_array_length(pg_temp.channel('trailers')), 20, 'get_feed_for_rendering returns at most 20 trailers');
create function pg_temp.plan() returns setof text language plpgsql as $$
begin
  execute 'drop index public.episodes_published_idx';  -- of so few episodes it seems to cost the same
  return query execute format($e$explain select e.id from public.episodes e
    where e.podcast_id = %L and e.status = 'published' and e.episode_type = 'trailer'
    order by e.published_at desc, e.id desc limit 20$e$, tests.id('show'));
end $$;
set local enable_seqscan = off;
set local enable_sort = off;
select matches(string_agg(p, E'\n'), 'episodes_trailers_idx', 'an index finds the newest trailers of a podcast')
from pg_temp.plan() p;
reset enable_seqscan;
reset enable_sort;

-- The size of a batch
delete from public.episodes where slug ~ '^t[0-9]+$';
update public.episodes set texts = jsonb_build_array(jsonb_build_object('text', repeat('x', 1000)))
where status = 'published';
select is((select (jsonb_array_length(stale), remaining_stale)::text
  from private.get_feed_for_rendering(tests.id('show'), 1, max_text_bytes => bytes)), expected,
  format('get_feed_for_rendering returns (episodes, remaining) = %s for %s bytes of feed values', expected, bytes))
from (values (10, '(1,2)'), (2500, '(2,1)'), (4000, '(3,0)')) v (bytes, expected);

select is(tests.feed_version(), 0::bigint, 'get_feed_for_rendering returns version 0 while there is no document');

select * from tests.finish();
rollback;
