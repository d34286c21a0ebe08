-- The public reads: published podcasts and episodes, with their public fields.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('draft', 'show');
select tests.published_episode('e' || n, 'show') from generate_series(1, 5) n;
update public.episodes set published_at = '2026-01-01'::timestamptz + n * interval '1 day' from generate_series(1, 5) n where id = tests.id('e' || n);
update public.episodes set published_at = '2026-01-04' where id = tests.id('e4');  -- the same moment as e3
update public.episodes set status = 'archived' where id = tests.id('e5');
select tests.act_as('anon');
select set_eq($$ select jsonb_object_keys(public.get_public_podcast('show') -> 'data') $$,
  array['id', 'slug', 'title', 'description', 'author', 'language', 'explicit', 'link', 'coverImageUrl', 'feedUrl', 'podcastGuid', 'episodeCount', 'latestEpisodeAt'], 'get_public_podcast returns exactly the contract''s fields');
select is((public.get_public_podcast('show') #>> '{data,episodeCount}')::int, 4, 'get_public_podcast counts published episodes only');
select is(public.get_public_podcast('show') #>> '{data,latestEpisodeAt}', '2026-01-04T00:00:00.000Z', 'get_public_podcast returns timestamps in ISO 8601 with Z');
select is(public.get_public_podcast('show') #>> '{data,feedUrl}', 'https://casts.test/functions/v1/public/feeds/show.xml', 'get_public_podcast returns the feed''s URL');
select throws_ok($$ select public.get_public_podcast('nope') $$, 'PT404', 'Podcast not found', 'get_public_podcast returns 404 for an unknown slug');
select set_eq($$ select jsonb_object_keys(public.list_public_episodes('show') -> 'data' -> 0) $$,
  array['id', 'podcastSlug', 'slug', 'guid', 'title', 'description', 'showNotesHtml', 'seasonNumber', 'episodeNumber', 'episodeType', 'explicit', 'publishedAt', 'durationSeconds',
    'audioUrl', 'audioContentType', 'audioFileSizeBytes', 'coverImageUrl', 'listenUrl', 'embedUrl', 'credits'], 'list_public_episodes returns exactly the contract''s fields');
create function pg_temp.walk(page_size int) returns text[] language plpgsql as $$
declare page jsonb; seen text[] := '{}'; place text;
begin
  loop
    page := public.list_public_episodes('show', page_size, place);
    seen := seen || array(select e ->> 'slug' from jsonb_array_elements(page -> 'data') e);
    place := page #>> '{pagination,nextCursor}';
    if (page #>> '{pagination,hasMore}')::boolean <> (place is not null) then raise exception 'hasMore and nextCursor disagree'; end if;
    exit when place is null;
  end loop;
  return seen;
end $$;
select is(cardinality(pg_temp.walk(size)), 4, format('list_public_episodes returns each episode once in pages of %s', size)) from unnest(array[1, 2, 3, 4, 100]) size;
select is((pg_temp.walk(1))[3:4], '{e2,e1}', 'list_public_episodes returns the newest episode first');
select is(pg_temp.walk(1), pg_temp.walk(100), 'list_public_episodes returns the same order for every page size');
select throws_ok(format('select public.list_public_episodes(''show'', %s)', n), 'PT400', null, format('list_public_episodes returns 400 for limit %s', n)) from unnest(array['0', '101', '-1', 'null']) n;
select throws_ok(format('select public.list_public_episodes(''show'', 5, %L)', c), 'PT400', null, format('list_public_episodes returns 400 for cursor "%s"', c)) from unnest(array['x', '!!!', 'MSAx', '']) c;
select throws_ok($$ select public.list_public_episodes('nope') $$, 'PT404', null, 'list_public_episodes returns 404 for an unknown slug');
select is(public.get_public_episode('show', 'e2') #>> '{data,slug}', 'e2', 'get_public_episode finds an episode by its slug');
select is(public.get_public_episode('show', (public.get_public_episode('show', 'e2') #>> '{data,id}')) #>> '{data,slug}', 'e2', 'get_public_episode finds an episode by its id');
select throws_ok(format('select public.get_public_episode(''show'', %L)', wrong), 'PT404', 'Episode not found', 'get_public_episode returns 404 for ' || wrong) from unnest(array['draft', 'e5', 'nope', '00000000-0000-4000-8000-000000000000']) wrong;
select throws_ok($$ select public.get_public_episode('nope', 'e2') $$, 'PT404', null, 'get_public_episode returns 404 for an unknown podcast');
select throws_ok('select from public.episodes', '42501', null, 'public.episodes is not readable by anon');

select * from tests.finish();
rollback;
