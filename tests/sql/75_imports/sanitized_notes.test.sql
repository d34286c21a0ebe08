-- What the allow-list removes from the notes of an imported episode is in the report.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.import('one', 'show', 'preview');
select tests.import_item(name, 'one', payload => '{"enclosure": {"url": "https://a.example/a.mp3"}}')
from unnest('{a,b,c,d}'::text[]) name;
update public.podcast_import_item_texts set content =
  '<p class="x">One <a href="https://a.example/" rel="me">two</a></p><script>x()</script><iframe src="y"></iframe>'
where import_item_id in (tests.id('a'), tests.id('d'));
update public.podcast_import_item_texts set content = '<p>Clean</p>' where import_item_id = tests.id('b');
update public.podcast_import_item_texts set description = '<p onclick="x()">Text</p>'
where import_item_id = tests.id('c');
update public.podcast_imports set status = 'running';
select private.create_imported_episode(i, format('podcasts/%s/e/%s/audio/a.mp3', i.podcast_id, i.id), 1000,
  'audio/mpeg', 60, null) from public.podcast_import_items i;
create function pg_temp.losses(name text) returns jsonb language sql as $$
  select losses from public.podcast_import_item_texts where import_item_id = tests.id(name) $$;
create function pg_temp.store(name text, html text) returns int language sql as $$
  select private.store_show_notes(private.show_notes_version(), jsonb_build_array(jsonb_build_object(
    'episode_id', e.id, 'html', html, 'digest', md5(private.show_notes_source(e.show_notes_html, e.description,
    e.summary))))) from public.episodes e where e.id = tests.id(name) $$;
create function pg_temp.clean() returns text language sql as $$
  select '<p>One <a href="https://a.example/" rel="noopener nofollow ugc">two</a></p>' $$;

select is(pg_temp.store('a', pg_temp.clean()), 1, 'store_show_notes stores the notes of an imported episode');
select is(pg_temp.losses('a'), '[{"path": "content:encoded", "reason": "SANITIZED",
  "excerpt": "2 tags and 3 attributes were removed"}]', 'the report counts the tags and attributes that notes lose');
select pg_temp.store('b', '<p>Clean</p>'), pg_temp.store('c', '<p>Text</p>');
select is(pg_temp.losses('b'), '[]', 'the report lists no loss of notes that stay as they are');
select is(pg_temp.losses('c'), '[{"path": "description", "reason": "SANITIZED",
  "excerpt": "0 tags and 1 attributes were removed"}]', 'the report names the element that the notes come from');
update public.episodes set show_notes_version = 0, show_notes_safe_html = null where id = tests.id('a');
select pg_temp.store('a', null);
select is(jsonb_array_length(pg_temp.losses('a')), 1, 'the report counts what notes lose once');
update public.episodes set show_notes_html = '<p><b>Mine</b></p><script>y()</script>' where id = tests.id('d');
select pg_temp.store('d', '<p><b>Mine</b></p>');
select is(pg_temp.losses('d'), '[]', 'the report lists no loss of notes that a podcaster has changed');
select is(private.count_markup(null)::text, '(,)', 'count_markup returns null for no text');
select is(private.count_markup('<P CLASS="a" data-x=b>1 < 2 a = "b"<br/></p>')::text, '(2,3)',
  'count_markup counts tags, and attributes with a value');

select * from tests.finish();
rollback;
