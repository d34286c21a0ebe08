-- imported_chapters keeps the valid Podlove Simple Chapters of an item, and create_imported_episode inserts them.
begin;
select tests.start();

select is(private.imported_chapters(null)::text, '([],[])', 'imported_chapters returns no chapter of none');
select is((private.imported_chapters('[
    {"startSeconds": 60.0004, "title": " Part  two ", "href": "https://a.example/2",
      "image": "https://a.example/2.jpg"},
    {"startSeconds": 0, "title": "Intro"}]')).accepted,
  '[{"start_seconds": 0, "title": "Intro"}, {"start_seconds": 60, "title": "Part two", "url": "https://a.example/2",
    "image_url": "https://a.example/2.jpg"}]',
  'imported_chapters returns chapters by start, in the form of set_episode_chapters');
select is(private.imported_chapters(jsonb_build_array(chapter)), row('[]'::jsonb, jsonb_build_array(jsonb_build_object(
    'path', 'psc:chapters/psc:chapter', 'reason', 'INVALID', 'excerpt',
    left(concat_ws(' ', chapter ->> 'startSeconds', chapter ->> 'title'), 300)))),
  format('imported_chapters reports a chapter with %s as lost', flaw))
from (values ('a negative start', '{"startSeconds": -1, "title": "a"}'::jsonb),
  ('a start of 1,000,000 s', '{"startSeconds": 1000000, "title": "a"}'),
  ('a start that is text', '{"startSeconds": "1", "title": "a"}'), ('no start', '{"title": "a"}'),
  ('no title', '{"startSeconds": 1}'), ('a blank title', '{"startSeconds": 1, "title": "\u200b"}')) c (flaw, chapter);
select is(private.imported_chapters(jsonb_build_array(jsonb_build_object('startSeconds', 1, 'title', repeat('t', 129),
  'href', 'ftp://a.example/', 'image', 'ftp://b.example/'))), row(
  jsonb_build_array(jsonb_build_object('start_seconds', 1, 'title', repeat('t', 128))), jsonb_build_array(
    private.loss('psc:chapters/psc:chapter/@title', 'TRUNCATED', repeat('t', 129)),
    private.loss('psc:chapters/psc:chapter/@href', 'INVALID', 'ftp://a.example/'),
    private.loss('psc:chapters/psc:chapter/@image', 'INVALID', 'ftp://b.example/'))),
  'imported_chapters keeps a chapter without what is doubtful: a long title, the link, the image');
select is(private.imported_chapters('[{"startSeconds": 1.0001, "title": "a"}, {"startSeconds": 1, "title": "b"}]'),
  row('[{"start_seconds": 1, "title": "a"}]'::jsonb,
    '[{"path": "psc:chapters/psc:chapter", "reason": "REPEATED", "excerpt": "1 b"}]'::jsonb),
  'imported_chapters keeps the first of two chapters with one start');
select is((
  select (jsonb_array_length(m.accepted), m.losses)::text from private.imported_chapters((
    select jsonb_agg(jsonb_build_object('startSeconds', n, 'title', n) order by n) from generate_series(0, 500) n)) m),
  '(500,"[{""path"": ""psc:chapters/psc:chapter"", ""reason"": ""LIMIT"", ""excerpt"": ""500 500""}]")',
  'imported_chapters keeps 500 chapters and reports the others');

select tests.podcast('show', 'ola'), tests.import('one', 'show', 'running');
select tests.import_item('a', 'one', payload => '{"simpleChapters": [{"startSeconds": 0, "title": "Intro"},
  {"startSeconds": 5.5, "title": "Trains", "href": "https://a.example/"}, {"startSeconds": 9, "title": ""}]}');
select private.create_imported_episode(i, format('podcasts/%s/e/%s/audio/a.mp3', i.podcast_id, i.id), 1000,
  'audio/mpeg', 60, null) from public.podcast_import_items i;
select results_eq($$ select start_seconds, title, url, is_in_toc from public.episode_chapters order by 1 $$,
  $$ values (0::numeric, 'Intro', null, true), (5.5, 'Trains', 'https://a.example/', true) $$,
  'create_imported_episode inserts the chapters of the feed');
select is((select losses from public.podcast_import_item_texts),
  '[{"path": "psc:chapters/psc:chapter", "reason": "INVALID", "excerpt": "9"}]',
  'create_imported_episode reports the chapters that it does not insert');

select ok(private.has_chapters_as_imported(i.id, i.parsed_payload -> 'simpleChapters'),
  'has_chapters_as_imported is true for the chapters of the import') from public.podcast_import_items i;
create function pg_temp.after(change text) returns boolean language plpgsql as $$
declare result boolean;
begin
  begin
    execute change;
    select private.has_chapters_as_imported(i.id, i.parsed_payload -> 'simpleChapters') into result
    from public.podcast_import_items i;
    raise sqlstate 'PTUND';
  exception when sqlstate 'PTUND' then
    return result;
  end;
end $$;
select is(pg_temp.after(change), false, format('has_chapters_as_imported is false after: %s', change))
from unnest(array['update public.episode_chapters set title = ''x'' where start_seconds = 0',
  'update public.episode_chapters set end_seconds = 2 where start_seconds = 0',
  'update public.episode_chapters set is_in_toc = false where start_seconds = 0',
  'update public.episode_chapters set location = ''{"name": "Graz"}'' where start_seconds = 0',
  'delete from public.episode_chapters where start_seconds = 0', 'delete from public.episode_chapters',
  'insert into public.episode_chapters (episode_id, start_seconds, title) select id, 7, ''x'' from public.episodes'])
  change;

select * from tests.finish();
rollback;
