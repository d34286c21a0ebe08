-- list_public_episodes: the public fields of published episodes, page by page.
begin;
select tests.start();

select tests.public_show(), tests.podcast('empty', 'ola'), tests.episode('hidden', 'empty');
select tests.act_as('anon');

select set_eq($$ select jsonb_object_keys(public.list_public_episodes('show') -> 'data' -> 0) $$,
  array['id', 'podcastSlug', 'slug', 'guid', 'title', 'description', 'showNotesHtml', 'seasonNumber', 'episodeNumber',
    'episodeType', 'explicit', 'publishedAt', 'durationSeconds',
    'audioUrl', 'audioContentType', 'audioFileSizeBytes', 'coverImageUrl', 'coverCopies', 'link', 'listenUrl',
    'embedUrl', 'credits', 'transcripts', 'chapters'],
  'list_public_episodes returns exactly the public fields of an episode');
create function pg_temp.walk(page_size int) returns text[] language plpgsql as $$
declare page jsonb; seen text[] := '{}'; place text;
begin
  loop
    page := public.list_public_episodes('show', page_size, place);
    seen := seen || array(select e ->> 'slug' from jsonb_array_elements(page -> 'data') e);
    place := page #>> '{pagination,nextCursor}';
    if (page #>> '{pagination,hasMore}')::boolean <> (place is not null) then raise
      exception 'hasMore and nextCursor disagree'; end if;
    exit when place is null;
  end loop;
  return seen;
end $$;
select is(cardinality(pg_temp.walk(size)), 4,
  format('list_public_episodes returns each episode once in pages of %s', size))
  from unnest(array[1, 2, 3, 4, 100]) size;
select is((pg_temp.walk(1))[3:4], '{e2,e1}', 'list_public_episodes returns the newest episode first');
select is(pg_temp.walk(1), pg_temp.walk(100), 'list_public_episodes returns the same order for every page size');
select throws_ok(format('select public.list_public_episodes(''show'', %s)', n), 'PT400', null,
  format('list_public_episodes returns 400 for limit %s', n)) from unnest(array['0', '101', '-1', 'null']) n;
select throws_ok(format('select public.list_public_episodes(''show'', 5, %L)', c), 'PT400', null,
  format('list_public_episodes returns 400 for cursor "%s"', c)) from unnest(array['x', '!!!', 'MSAx', '']) c;
select throws_ok(format('select public.list_public_episodes(%L)', slug), 'PT404', 'Podcast not found',
  format('list_public_episodes returns 404 for %s', what))
from (values ('nope', 'an unknown slug'), ('empty', 'a podcast without a published episode')) v (slug, what);

select is((select jsonb_agg(jsonb_array_length(e -> 'credits'))
  from jsonb_array_elements(public.list_public_episodes('show') -> 'data') e),
  '[0, 0, 3, 0]', 'list_public_episodes returns each episode with its own credits only');

create temp table first_page as select public.list_public_episodes('show', 2) as page;
reset role;
select tests.published_episode('newer', 'show');
select tests.act_as('anon');
select is((select array_agg(e ->> 'slug') from first_page f, jsonb_array_elements(
    public.list_public_episodes('show', 2, f.page #>> '{pagination,nextCursor}') -> 'data') e),
  '{e2,e1}', 'list_public_episodes continues after its cursor although an episode was published meanwhile');

select * from tests.finish();
rollback;
