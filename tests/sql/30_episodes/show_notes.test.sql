-- Show notes: only the worker writes the sanitized column, and only that column leaves the team.
begin;
select tests.start();

select tests.podcast('show', 'ola')
, tests.member('ada', 'show', 'admin'), tests.member('mia', 'show'), tests.person('sam');
select tests.episode('one', 'show');
create function pg_temp.notes(name text) returns text language sql as $$
  select format('%s|%s', coalesce(e.show_notes_version::text, 'none'), coalesce(e.show_notes_safe_html, 'null'))
    from public.episodes e where e.id = tests.id(name)
$$;
create function pg_temp.sanitize(name text, html text, version int default 1) returns int language sql as $$
  select private.store_show_notes(version, (select jsonb_agg(jsonb_build_object('episode_id', s.episode_id, 'html',
    html, 'digest', s.digest))
    from private.list_stale_show_notes((select e.podcast_id from public.episodes e where e.id = tests.id(name)),
      version) s where s.episode_id = tests.id(name)))
$$;
select is(pg_temp.notes('one'), 'none|null', 'an episode without notes has no stale show notes');

-- Who
select is(tests.result_of('ola', $$ insert into public.episodes (podcast_id, title, show_notes_safe_html)
  values (tests.id('show'), 'X', 'x') $$),
  '42501', 'an owner may not insert sanitized notes');
select is(tests.result_of(caller, format('update public.episodes set %s where true', change)), '42501',
  format('%s may not set %s', caller, change))
from unnest(array['anon', 'sam', 'mia', 'ada', 'ola']) caller, unnest(array['show_notes_safe_html = ''x''',
  'show_notes_version = 1']) change;
select is(tests.result_of('service', $$ update public.episodes set show_notes_version = show_notes_version,
  show_notes_safe_html = show_notes_safe_html where id = tests.id('one') $$),
  'ok 1', 'the service may write the sanitized notes and their version');
select is(tests.result_of('mia', $$ select show_notes_html, show_notes_safe_html from public.episodes $$), 'ok 1',
  'a member reads raw and sanitized notes of their podcast');
select is(tests.result_of('sam', $$ select show_notes_safe_html from public.episodes $$), 'ok 0',
  'a non-member reads no show notes');

-- After
select tests.empty_queue('show_notes');
update public.episodes set show_notes_html = '<p>a</p><script>' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|null', 'changing the notes makes the sanitized ones stale');
select results_eq($$ select tests.queued('show_notes') $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show')) $$, 'changing the notes enqueues the podcast');
select is(pg_temp.sanitize('one', '<p>a</p>'), 1, 'store_show_notes stores sanitized notes');
select is(pg_temp.notes('one'), '1|<p>a</p>', 'store_show_notes stores the version of the allow-list');
select is((select count(*) from private.list_stale_show_notes(tests.id('show'), 1)), 0::bigint,
  'sanitized notes are no longer stale');
select tests.empty_queue('show_notes');
update public.episodes set title = 'Two', show_notes_version = show_notes_version where id = tests.id('one');
select is(pg_temp.notes('one'), '1|<p>a</p>', 'changing the title keeps the sanitized notes');
update public.episodes set show_notes_html = show_notes_html where id = tests.id('one');
select is(pg_temp.notes('one'), '1|<p>a</p>', 'an update with unchanged notes keeps the sanitized notes');
select is((select count(*) from tests.queued('show_notes')), 0::bigint,
  'an update with unchanged notes enqueues nothing');
update public.episodes set show_notes_html = '<p>b</p>' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|<p>a</p>', 'changed notes keep the sanitized ones until the worker replaces them');
select is(pg_temp.sanitize('one', '<p>b</p>'), 1, 'store_show_notes replaces the sanitized notes of changed ones');
select is(pg_temp.notes('one'), '1|<p>b</p>', 'the sanitized notes are those of the last change');
savepoint replaced;
update public.episodes set show_notes_html = null where id = tests.id('one');
select is(pg_temp.notes('one'), 'none|null', 'removing the notes removes the sanitized notes at once');
rollback to replaced;
update public.episodes set description = '<p>d</p>' where id = tests.id('one');
select is(pg_temp.notes('one'), '1|<p>b</p>', 'a description beside notes changes no sanitized notes');
update public.episodes set show_notes_html = ' ' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|null', 'notes that give way to the description are removed at once');
select pg_temp.sanitize('one', '<p>d</p>');
update public.episodes set description = '<p>e</p>' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|<p>d</p>', 'a changed description keeps the sanitized one until it is replaced');
savepoint described;
update public.episodes set show_notes_html = '<p>n</p>' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|<p>d</p>', 'added notes keep a description''s sanitized form until they are ready');
update public.episodes set description = '' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|null', 'a removed description takes its sanitized form along while notes wait');
rollback to described;
update public.episodes set description = '', summary = '<p>s</p>' where id = tests.id('one');
select is(pg_temp.notes('one'), '0|null', 'a removed description is removed at once');
update public.episodes set summary = null where id = tests.id('one');
select is(pg_temp.notes('one'), 'none|null', 'an episode without any source of notes is not stale');
select tests.empty_queue('show_notes');
insert into public.episodes (podcast_id, title, show_notes_html) select tests.id('show'), 'Import ' || n, '<p>' || n
  from generate_series(1, 300) n;
select is((select count(*) from tests.queued('show_notes')), 1::bigint,
  'inserting the notes of 300 episodes in one statement enqueues one message');
select is((select count(*) from private.list_stale_show_notes(tests.id('show'), 1)), 200::bigint,
  'list_stale_show_notes returns at most 200 episodes');
select ok((select sum(octet_length(s.source)) between 1 and 40 from private.list_stale_show_notes(tests.id('show'), 1,
  max_bytes => 40) s), 'list_stale_show_notes returns at most max_bytes of notes');
select is((select count(*) from private.list_stale_show_notes(tests.id('show'), 1, max_bytes => 1)), 1::bigint,
  'list_stale_show_notes returns one episode even if its notes exceed max_bytes');
select is((select count(*) from private.list_stale_show_notes(tests.id('show'), 1, published_only => true)), 0::bigint,
  'list_stale_show_notes with published_only returns no draft');
delete from public.episodes where title like 'Import %';

-- A slow worker
update public.episodes set show_notes_html = '<p>old</p>' where id = tests.id('one');
create temp table read_before as select * from private.list_stale_show_notes(tests.id('show'), 1);
update public.episodes set show_notes_html = '<p>new</p>' where id = tests.id('one');
select is((select private.store_show_notes(1, jsonb_build_array(jsonb_build_object('episode_id', episode_id, 'html',
  '<p>old</p>', 'digest', digest))) from read_before),
  0, 'store_show_notes skips notes that changed after they were read');
select is(pg_temp.notes('one'), '0|null', 'notes that store_show_notes skipped stay stale');
select is(pg_temp.sanitize('one', '<p>2</p>', 2), 1, 'store_show_notes accepts notes sanitized by a newer allow-list');
select is((select private.store_show_notes(1, jsonb_build_array(jsonb_build_object('episode_id', tests.id('one'),
  'html', 'x', 'digest', md5('<p>new</p>'))))),
  0, 'store_show_notes skips notes sanitized by an older allow-list than the stored ones');
select is(pg_temp.notes('one'), '2|<p>2</p>', 'notes sanitized by a newer allow-list stay');

-- A new version
update public.episodes set show_notes_version = 0, show_notes_safe_html = null where id = tests.id('one');
select tests.empty_queue('show_notes');
select is(private.enqueue_stale_show_notes(), 1, 'enqueue_stale_show_notes enqueues a podcast with stale notes once');
select is(private.enqueue_stale_show_notes(), 0, 'enqueue_stale_show_notes waits while its messages are enqueued');
savepoint failed;
select private.fail_job('show_notes', (select msg_id from pgmq.q_show_notes), 'It fails each time',
  _is_permanent => true);
select is(private.enqueue_stale_show_notes(), 0,
  'enqueue_stale_show_notes skips a podcast whose message was just dead-lettered');
select is(private.enqueue_stale_show_notes(at => now() + interval '25 hours'), 1,
  'enqueue_stale_show_notes enqueues a dead-lettered podcast after a day');
rollback to failed;
select tests.empty_queue('show_notes');
select pg_temp.sanitize('one', '<p>new</p>');
select is(private.enqueue_stale_show_notes(), 0,
  'enqueue_stale_show_notes enqueues nothing when all notes are current');

savepoint many;
select tests.podcast('many' || n, 'ola') from generate_series(1, 3) n;
insert into public.episodes (podcast_id, title, show_notes_html) select tests.id('many' || n), 'Part ' || m, '<p>n'
  from generate_series(1, 3) n, generate_series(1, 5) m;
select tests.empty_queue('show_notes');
select is(private.enqueue_stale_show_notes(2), 2, 'enqueue_stale_show_notes counts podcasts and not their episodes');
select tests.empty_queue('show_notes');
select is(private.enqueue_stale_show_notes(), 3, 'enqueue_stale_show_notes enqueues each podcast with stale notes');
select is((select count(distinct q ->> 'podcast_id') from tests.queued('show_notes') q), 3::bigint,
  'enqueue_stale_show_notes enqueues no podcast twice');
rollback to many;

-- Sources
select is(private.show_notes_source(notes, description, summary), expected, what) from (values
  ('<p>n</p>', 'd', 's', '<p>n</p>', 'show_notes_source returns the notes'),
  (' ', '<p>d</p>', null, '<p>d</p>', 'show_notes_source returns an HTML description without notes'),
  (null, 'd', 's', null, 'show_notes_source returns null for a short plain description beside a short plain summary'),
  (null, 'd', null, null, 'show_notes_source returns null for a short plain description alone'),
  (null, 'd', ' ', null, 'show_notes_source treats a blank summary as absent'),
  (null, repeat('ü', 2001), null, repeat('ü', 2001),
    'show_notes_source returns a description of more than 4,000 bytes'),
  (null, '', 's', null, 'show_notes_source returns null for a short plain summary alone'),
  (null, '', '<p>s</p>', '<p>s</p>', 'show_notes_source returns an HTML summary without notes and description'),
  (null, '', repeat('夜', 1334), repeat('夜', 1334),
    'show_notes_source returns a summary of more than 4,000 bytes without notes and description'),
  (null, 'd', repeat('夜', 1334), repeat('夜', 1334),
    'show_notes_source returns a long summary beside a short plain description'),
  (null, '<p>d</p>', repeat('夜', 1334), '<p>d</p>', 'show_notes_source prefers an HTML description to a long summary'),
  (null, ' <br> ', '<p>s</p>', '<p>s</p>', 'show_notes_source returns an HTML summary beside an empty description'),
  (null, 'd', '<p></p>', null, 'show_notes_source treats an empty HTML summary as absent'),
  (null, '<p></p>', '<p></p>', null, 'show_notes_source returns null for an empty HTML description'),
  (null, null, null, null, 'show_notes_source returns null without texts')
) c (notes, description, summary, expected, what);
select is(private.show_notes_source(notes, '<p>d</p>', null), '<p>d</p>',
  format('show_notes_source returns the description beside notes of %s', left(to_json(notes)::text, 100)))
from unnest(array['', E' \n', '<p></p>', '<p><br></p>', '&nbsp;', '<p>&nbsp;</p>', '<p>&#160;&#x200b;</p>',
  E'<div>\n <p> </p>\u00a0</div>', '<!-- x --><style>p{}</style>', '<a href="https://x.example"></a>',
  repeat('<b>', 2000)]) notes;
select is(private.show_notes_source(notes, '<p>d</p>', null), notes,
  format('show_notes_source returns notes of %s', to_json(notes)))
from unnest(array['n', '.', '<p>&amp;</p>', '<p><IMG src="https://x.example/a.png"></p>', '<p>夜']) notes;

-- Sources as the worker gets them
create function pg_temp.source_of(notes text, description text, summary text) returns text language plpgsql as $$
begin
  update public.episodes e set show_notes_html = notes, description = source_of.description, summary = source_of.summary
    where e.id = tests.id('one');
  return (select s.source || '|' || s.is_html from private.list_stale_show_notes(tests.id('show'), 1) s
    where s.episode_id = tests.id('one'));
end $$;
savepoint sources;
select is(pg_temp.source_of(notes, description, summary), expected, what) from (values
  ('a &amp; b', 'd', 's', 'a &amp; b|true', 'list_stale_show_notes returns notes without a tag as HTML'),
  ('<p></p>', repeat('a & b', 1000), 's', repeat('a & b', 1000) || '|false',
    'list_stale_show_notes returns a description without a tag, beside empty notes, as plain text'),
  (null, 'd <b>e</b>', null, 'd <b>e</b>|true', 'list_stale_show_notes returns a description with a tag as HTML'),
  (null, '', '<p>s</p>', '<p>s</p>|true', 'list_stale_show_notes returns a summary with a tag as HTML'),
  ('<p></p>', 'd', null, null, 'list_stale_show_notes returns no episode with empty notes and a short description')
) c (notes, description, summary, expected, what);
rollback to sources;

-- Public descriptions
select is(private.plain_text(value), expected, what) from (values
  ('1 < 2 & 3 <3', '1 < 2 & 3 <3', 'plain_text keeps plain text letter for letter'),
  ('<p>One <b>two</b></p><p>R&amp;D&nbsp;x</p>', E'One two\nR&D x',
    'plain_text turns blocks into lines and decodes entities'),
  ('a<script>if (1 < 2) x()</script>b<!-- c -->d<style>e</style>f', 'abdf',
    'plain_text drops scripts, styles and comments'),
  ('a <!-- b <p>', 'a', 'plain_text drops an unfinished comment'),
  ('<p>&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script>alert(1)&lt;/script>',
    'plain_text leaves nothing that parses as a tag'),
  ('<img src=x onerror=alert(1)', '&lt;img src=x onerror=alert(1)', 'plain_text escapes an unfinished tag'),
  ('<scr<script>ipt>alert(1)</script>', '&lt;scr', 'plain_text leaves no tag that was nested in another'),
  (null, null, 'plain_text of null is null')
) c (value, expected, what);
select is(private.public_description(description, summary, notes, 'sub'), expected, what) from (values
  ('s', 'd', '<p>n</p>', 'd', 'public_description is the description beside a summary, notes and a subtitle'),
  ('s', '<p></p>', '<p>n</p>', 's', 'public_description is the summary beside an empty HTML description'),
  ('<img src=x>&nbsp;', '<p>It&#8217;s caf&eacute; &mdash; enjoy</p>', null, 'It’s café — enjoy',
    'public_description decodes character references'),
  (null, '', 'R&amp;D <b>n</b>', 'R&D n',
    'public_description is the text of the notes without summary and description'),
  (null, ' <br>', '<img src="https://x.example/a.png" />', 'sub',
    'public_description is the subtitle beside notes of an image alone'),
  (null, '', '<p>' || repeat('x', 9990) || '<a href="https://x.example">y</a>', repeat('x', 9990) || '…',
    'public_description truncates long notes before a tag'),
  (null, '', '<p>' || repeat('x', 9993) || '&amp;&amp;', repeat('x', 9993) || '…',
    'public_description truncates long notes before a character reference')
) c (summary, description, notes, expected, what);
select is(private.public_description('', null, '<p>Hello <b>you</b></p>', null, 11), 'Hello …',
  'public_description reads as many characters of the notes as it is asked to, without a half tag');
select is(private.public_description('', null, null, null), '', 'public_description is empty without texts');
select ok(not private.has_markup(private.plain_text(repeat('<', 5000) || repeat('<a', 2500))),
  'plain_text leaves no tag in 10,000 characters of unfinished tags');
select tests.published_episode('live', 'show');
update public.episodes set summary = ' ', description = '<p>All <script>alert(1)</script>of it</p>',
  show_notes_html = '<p>n</p><script>' where id = tests.id('live');
select tests.act_as('anon');
select is(public.get_public_episode('show', 'live') #> '{data,showNotesHtml}', 'null',
  'get_public_episode returns showNotesHtml null until the notes are sanitized');
select is(public.get_public_episode('show', 'live') #>> '{data,description}', 'All of it',
  'get_public_episode returns the description as plain text');
select ok(public.get_public_episode('show', 'live')::text !~ '<script', 'get_public_episode returns no raw notes');
select tests.act_as('postgres');
select pg_temp.sanitize('live', '<p>n</p>');
update public.episodes set summary = 'In <b>short</b>' where id = tests.id('live');
update public.podcasts set description = '<p>Sleepers</p><script>x</script>' where id = tests.id('show');
select tests.act_as('anon');
select is(public.get_public_episode('show', 'live') #>> '{data,showNotesHtml}', '<p>n</p>',
  'get_public_episode returns the sanitized notes');
select is(public.list_public_episodes('show') #>> '{data,0,showNotesHtml}', '<p>n</p>',
  'list_public_episodes returns the sanitized notes');
select is(public.list_public_episodes('show') #>> '{data,0,description}', 'All of it',
  'list_public_episodes prefers the description to the summary, as the feed does');
select is(public.get_public_podcast('show') #>> '{data,description}', 'Sleepers',
  'get_public_podcast returns the description as plain text');
select tests.act_as('postgres');

-- A new version of the allow-list renders the notes of an older one
create or replace function private.show_notes_version() returns int
  language plpgsql immutable parallel safe security invoker set search_path = '' as 'begin return 2; end';
select tests.empty_queue(queue) from unnest(array['show_notes', 'feed_invalidation']) queue;
select is(pg_temp.notes('live'), '1|<p>n</p>', 'notes of an older allow-list stay until they are replaced');
select is(private.enqueue_stale_show_notes(), 1,
  'enqueue_stale_show_notes enqueues podcasts with notes of an older allow-list');
select is(pg_temp.sanitize('live', '<p>two</p>', 2), 1, 'store_show_notes replaces notes of an older allow-list');
select is(pg_temp.notes('live'), '2|<p>two</p>', 'notes that a newer allow-list replaced have its version');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'replacing the sanitized notes of a published episode enqueues its feed');
create or replace function private.show_notes_version() returns int
  language plpgsql immutable parallel safe security invoker set search_path = '' as 'begin return 1; end';

-- Pages are bounded by the size of the notes
select tests.published_episode('b' || n, 'show') from generate_series(1, 3) n;
update public.episodes set show_notes_html = '<p>', show_notes_version = 1, show_notes_safe_html = repeat('x', 600000)
  where id in (select tests.id('b' || n) from generate_series(1, 3) n);
update public.episodes set show_notes_version = 1, show_notes_safe_html = repeat('x', 600000)
  where id in (select tests.id('b' || n) from generate_series(1, 3) n);
create function pg_temp.walk() returns int[] language plpgsql as $$
declare page jsonb; lengths int[]; place text;
begin
  loop
    page := public.list_public_episodes('show', 100, place);
    lengths := lengths || jsonb_array_length(page -> 'data');
    place := page #>> '{pagination,nextCursor}';
    exit when place is null;
  end loop;
  return lengths;
end $$;
select is((select sum(n) from unnest(pg_temp.walk()) n), 4::bigint,
  'list_public_episodes returns every episode once over pages that end early');
select ok((select max(n) from unnest(pg_temp.walk()) n) <= 2,
  'list_public_episodes ends a page after a megabyte of notes');

-- A podcast pending deletion still has a feed
update public.episodes set show_notes_version = 0, show_notes_safe_html = null where id = tests.id('one');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.sanitize('one', '<p>n</p>'), 1, 'store_show_notes accepts a podcast pending deletion');
select is(tests.result_of('ola', format('update public.episodes set %1$I = %1$I where id = tests.id(''one'')',
  a.attname)), 'PT409', format('an owner may not write episodes.%s of a podcast pending deletion', a.attname))
from pg_attribute a where a.attrelid = 'public.episodes'::regclass and a.attnum > 0 and not a.attisdropped
  and has_column_privilege('authenticated', a.attrelid, a.attnum, 'UPDATE');
alter table public.episodes add column pace text;
grant update (pace) on public.episodes to authenticated;
select is(tests.result_of('ola', $$ update public.episodes set pace = 'x' where id = tests.id('one') $$), 'PT409',
  'an owner may not write a new column of an episode of a podcast pending deletion');

select * from tests.finish();
rollback;
