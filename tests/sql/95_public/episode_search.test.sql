-- The search within a podcast: list_public_episodes with q.
begin;
select tests.start();

select tests.public_show(), tests.podcast('other', 'ola');
select tests.published_episode('elsewhere', 'other');
update public.episodes set title = 'Harbor elsewhere' where id = tests.id('elsewhere');

create function pg_temp.find(q text, language text default 'en') returns text language plpgsql as $$
begin
  if (select p.language from public.podcasts p where p.id = tests.id('show')) <> language then
    update public.podcasts set language = find.language where id = tests.id('show');
    perform private.index_podcast_episodes(tests.id('show'));
  end if;
  return (select coalesce(string_agg(e ->> 'slug', ' '), '')
    from jsonb_array_elements(public.list_public_episodes('show', q => find.q) -> 'data') e);
end $$;
create function pg_temp.write(episode text, title text, notes text default null) returns void language sql as $$
  update public.episodes e set title = write.title where id = tests.id(episode);
  update public.episodes e set show_notes_html = notes where id = tests.id(episode);
  update public.episodes e set show_notes_safe_html = notes, show_notes_version = 1
  where id = tests.id(episode) and notes is not null;
$$;

select pg_temp.write('e1', 'The harbor at night', '<p>Ships were <b>sailing</b> to Malm&ouml;</p>');
select pg_temp.write('e2', 'To be or not to be', '<p>Libraries of the harbour&#39;s town &amp; its ferries</p>');
select pg_temp.write('e4', 'Night ferry', '<p>It&rsquo;s the captain’s tale. 09:30 departure</p>');
select is(pg_temp.find(q), expected, format('a search for %s finds %s', q, coalesce(nullif(expected, ''), 'nothing')))
from (values ('night', 'e4 e1'), ('NIGHT', 'e4 e1'), ('night ferry', 'e4'), ('"night ferry"', 'e4'),
  ('“ferry night”', ''), ('"at night"', 'e1'), ('sails', 'e1'), ('library', 'e2'), ('malmo', 'e1'), ('MALMÖ', 'e1'),
  ('ferr', 'e4 e2'), ('sailin', 'e1'), ('ferr night', ''), ('to be', 'e2'), ('captain', 'e4'),
  ('captain''s tale', 'e4'),
  ('09:30', 'e4'), ('harbor', 'e1'), ('nbsp', ''), ('strong', ''), ('!!!', ''), ('"', ''), ('& | ! <-> : * ( )', ''),
  ('\', ''), ('night"', 'e4 e1'), ('night & ''ferry', 'e4')) v (q, expected);

select pg_temp.write('e1', 'Über Flüsse', '<p>Häuser am Fluß</p>');
select pg_temp.write('e2', '東京の夜', '<p>今日は新幹線で京都に行きます。NHKのニュース</p>');
select pg_temp.write('e4', '서울에서 부산까지', '<p>안녕하세요</p>');
select is(pg_temp.find(q, language), expected, format('a search in %s for %s finds %s', language, q,
  coalesce(nullif(expected, ''), 'nothing')))
from (values ('de', 'fluss', 'e1'), ('de', 'Fluß', 'e1'), ('de', 'haus', 'e1'), ('de', 'uber', 'e1'),
  ('ja', '東京', 'e2'), ('ja', '京東', ''), ('ja', '新幹線', 'e2'), ('ja', '京都 新幹線', 'e2'), ('ja', 'ニュース', 'e2'),
  ('ja', 'ﾆｭｰｽ', 'e2'), ('ja', 'NHKのニュ', 'e2'), ('ko', '서울', 'e4'), ('ko', '부산', 'e4'), ('ko', '울서', ''),
  ('zh', '今日', 'e2')) v (language, q, expected);
select pg_temp.write('e1', 'Les équipes ont chanté', '<p>L’histoire des forêts</p>');
select pg_temp.write('e2', 'Новые корабли', '<p>Ёлка зимой</p>');
select pg_temp.write('e4', 'مُحَمَّد في المدينة', '<p>Livros e canções</p>');
select is(pg_temp.find(q, language), expected, format('a search in %s for %s finds %s', language, q, expected))
from (values ('fr', 'chanter', 'e1'), ('fr', 'foret', 'e1'), ('fr', 'histoire', 'e1'), ('ru', 'корабль', 'e2'),
  ('ru', 'елка', 'e2'), ('ar', 'محمد', 'e4'), ('ar', 'مدينة', 'e4'), ('pt', 'livro', 'e4'), ('pt', 'cancoes', 'e4'),
  ('x-own', 'equipes', 'e1')) v (language, q, expected);

-- Pages
select is(pg_temp.find('e', 'en') ~ 'e1', false, 'a search for one letter does not match the beginning of a word');
update public.episodes set title = 'Common word' where podcast_id = tests.id('show');
select is(jsonb_path_query_array(first.page, '$.data[*].slug') || jsonb_path_query_array(second.page, '$.data[*].slug'),
  jsonb_path_query_array(public.list_public_episodes('show'), '$.data[*].slug'),
  'a search continues after its cursor')
from (select public.list_public_episodes('show', 2, q => 'common') as page) first
cross join lateral (
  select public.list_public_episodes('show', 2, first.page #>> '{pagination,nextCursor}', 'common') as page) second;
select throws_ok(format('select public.list_public_episodes(''show'', q => %L)', q), 'PT400',
  'q must have 1 to 200 characters', format('a search returns 400 for %s characters', char_length(q)))
from (values (''), ('  '), (repeat('x', 201))) v (q);
select lives_ok(format('select public.list_public_episodes(''show'', q => %L)', q),
  format('a search accepts %s', left(q, 20)))
from (values (repeat('x', 200)), ('  ' || repeat('x', 200) || '  '), (repeat('夜', 200)), (repeat('a ', 99) || 'b'),
  (repeat('"', 200)), (repeat(E'\\', 200)), (repeat('''', 200)), (repeat('a:*', 60)), (repeat('"a" ', 50))) v (q);
select throws_ok($$ select public.list_public_episodes('nope', q => 'x') $$, 'PT404', 'Podcast not found',
  'a search in an unknown podcast returns 404');

-- What is found
create function pg_temp.indexed() returns bigint language sql as $$
  select count(*) from private.episode_search where podcast_id = tests.id('show')
$$;
select is(pg_temp.indexed(), 4::bigint, 'episode_search has the published episodes only');
select pg_temp.write('e1', 'Findable');
update public.episodes set status = 'archived' where id = tests.id('e1');
select is(pg_temp.find('findable'), '', 'a search does not find an archived episode');
update public.episodes set status = 'published' where id = tests.id('e1');
select is(pg_temp.find('findable'), 'e1', 'a search finds an episode that is published again');
update public.episodes set description = 'Shown words', summary = 'Unshown words', keywords = '["secretkey"]'
where id = tests.id('e1');
select is(pg_temp.find(q), expected, format('a search for %s finds %s', q, coalesce(nullif(expected, ''), 'nothing')))
from (values ('shown', 'e1'), ('unshown', ''), ('secretkey', '')) v (q, expected);
update public.episodes set show_notes_html = '<p>Unsanitized</p>' where id = tests.id('e1');
select is(pg_temp.find('unsanitized'), '', 'a search does not find notes that are not sanitized yet');
select is((select count(*) from private.episode_search s where s.episode_id = tests.id('elsewhere')), 1::bigint,
  'episode_search has the episodes of other podcasts');
select is(pg_temp.find('harbor elsewhere'), '', 'a search does not find episodes of another podcast');
delete from public.episodes where id = tests.id('e1');
select is(pg_temp.indexed(), 3::bigint, 'the deletion of an episode deletes its search words');

-- Language
select tests.empty_queue('episode_search');
update public.podcasts set language = 'de' where id = tests.id('show');
select is((select array_agg(q ->> 'podcast_id') from tests.queued('episode_search') q),
  array[tests.id('show')::text], 'another language of a podcast enqueues its episodes for the search');
update public.podcasts set title = 'Renamed' where id = tests.id('show');
select is((select count(*) from tests.queued('episode_search')), 1::bigint,
  'another title of a podcast enqueues nothing for the search');
create function pg_temp.walk() returns int language plpgsql as $$
declare place text; calls int := 0;
begin
  loop
    place := private.index_podcast_episodes(tests.id('show'), place, 2);
    exit when place is null;
    calls := calls + 1;
  end loop;
  return calls;
end $$;
select is(pg_temp.walk(), 2, 'index_podcast_episodes walks through a podcast in pages');
select is((select array_agg(distinct s.dictionary) from private.episode_search s where s.podcast_id = tests.id('show')),
  '{german_stem}', 'index_podcast_episodes writes the words of the podcast''s language');
delete from private.episode_search;
select tests.empty_queue('episode_search');
select private.install_public();
select is((select count(*) from tests.queued('episode_search')), 2::bigint,
  'install_public enqueues the podcasts whose episodes have no search words');

-- Many episodes
update public.podcasts set language = 'en' where id = tests.id('show');
select tests.empty_queue('episode_search');
insert into public.episodes (podcast_id, title, slug, status, published_at, first_published_at, audio_url,
  audio_content_type, audio_file_size_bytes)
select e.podcast_id, 'Convoy', 'convoy-' || n, 'published', now() - n * interval '1 day', now(),
  'https://audio.test/a.mp3', 'audio/mpeg', 1000
from public.episodes e, generate_series(1, 21) n where e.id = tests.id('e2');
select is((select count(*) from tests.queued('episode_search')), 1::bigint,
  'an insert of 21 published episodes enqueues their podcast once for the search');
select is(pg_temp.find('convoy'), '', 'an insert of 21 published episodes leaves their words to the worker');
select cmp_ok(pg_temp.walk(), '>', 1, 'index_podcast_episodes writes the words of 21 episodes in several calls');
select is(cardinality(string_to_array(pg_temp.find('convoy'), ' ')), 21, 'the worker''s words are found');
update public.episodes set title = 'Armada' where title = 'Convoy';
select is((select count(*) from private.episode_search s where s.dictionary = ''), 21::bigint,
  'a statement that renames 21 episodes marks their words as stale');
select is((select count(*) from tests.queued('episode_search')), 2::bigint,
  'a statement that renames 21 episodes enqueues their podcast for the search');
select pg_temp.walk();
select is(cardinality(string_to_array(pg_temp.find('armada'), ' ')), 21, 'stale words are written again');
update public.episodes set status = 'archived' where title = 'Armada';
select is(pg_temp.find('armada'), '', 'a statement that archives 21 episodes deletes their words at once');
update private.episode_search s set words = 'untouched' where s.episode_id = tests.id('e2');
update public.episodes set published_at = published_at - interval '1 hour', link = 'https://e2.test'
where id = tests.id('e2');
select ok((select s.words = 'untouched'::tsvector and s.published_at = e.published_at
  from private.episode_search s join public.episodes e on e.id = s.episode_id where e.id = tests.id('e2')),
  'another date of an episode changes the order of searches, and writes no words');
update private.episode_search s set dictionary = '' where s.podcast_id = tests.id('show');
update public.episodes set show_notes_safe_html = repeat('<p>a b</p>', 1000), show_notes_version = 1
where podcast_id = tests.id('show') and status = 'published';
update private.episode_search s set dictionary = '' where s.podcast_id = tests.id('show');
select lives_ok($$ select private.index_podcast_episodes(tests.id('show'), null, 20, 5000) $$,
  'index_podcast_episodes accepts a limit of bytes');
select is((select count(*) from private.episode_search s where s.podcast_id = tests.id('show') and s.dictionary <> ''),
  1::bigint, 'index_podcast_episodes stops at its limit of bytes, after at least one episode');

-- Bounds
update public.episodes set show_notes_safe_html = '<p>' || (
  select string_agg(repeat(md5(n::text), 3), ' ') from generate_series(1, 20000) n) || '</p>', show_notes_version = 1
where id = tests.id('e2');
select ok((select length(s.words) > 1000 from private.episode_search s where s.episode_id = tests.id('e2')),
  'notes of two megabytes with as many different words are saved');
update public.episodes set show_notes_safe_html = repeat('夜の港', 60000), show_notes_version = 1
where id = tests.id('e2');
select is(pg_temp.find('港夜'), 'e2', 'notes of half a megabyte in Japanese are found');

select * from tests.finish();
rollback;
