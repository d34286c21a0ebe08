-- create_podcast, and the plain insert that does the same.
begin;
select tests.start();

select private.set_setting('max_podcasts_per_hour', '1000');
select tests.person('ola'), tests.person('eve', confirmed => false);
select tests.act_as('ola');
select is((public.create_podcast('Fjord & Fell')).slug, 'fjord-fell', 'the slug comes from the title');
select is((public.create_podcast('Fjord & Fell')).slug, 'fjord-fell-2', 'a second of that title gets a number');
select is((public.create_podcast('Привет, мир')).slug, 'привет-мир', 'titles of any script make readable slugs');
select is((public.create_podcast('हिन्दी पॉडकास्ट')).slug, 'हिन्दी-पॉडकास्ट', 'with their vowel signs');
select is((public.create_podcast('日本語ポッドキャスト')).slug, '日本語ポッドキャスト', 'without spaces too');
select is((public.create_podcast('Café Crème')).slug, 'cafe-creme', 'accents are folded');
select is((public.create_podcast('🎧 !!!')).slug, 'podcast', 'no title makes an empty slug');
select is((public.create_podcast(title)).slug, wanted, format('%L makes %s', title, wanted))
from (values ('a' || chr(8205) || 'b', 'ab'), ('မြန်မာ', 'မြန်မာ'), ('ភាសាខ្មែរ', 'ភាសាខ្មែរ'), ('İstanbul ışık', 'istanbul-isik'), ('AC/DC?#%', 'ac-dc'), ('..', 'podcast-2')) t (title, wanted);
select throws_ok(format('select public.create_podcast(%L)', title), '23514', null, 'a title of nothing visible is refused') from unnest(array[E'\n', chr(160), chr(8203), chr(12288)]) title;
select throws_ok($$ select public.create_podcast('A real title', slug => '!!!') $$, 'PT400', null, 'a given slug without a letter is refused');
select is((public.create_podcast('Slugged', slug => 'My Slug')).slug, 'my-slug', 'a given slug is tidied');
select throws_ok($$ select public.create_podcast('Other', slug => 'my-slug') $$, 'PT409', 'Slug ''my-slug'' is already in use (or was used before)', 'a given slug that is taken is refused');
select is((select role::text from public.podcast_members where user_id = tests.id('ola') limit 1), 'owner', 'the caller is the owner');
select throws_ok($$ select public.create_podcast('  ') $$, '23514', null, 'a title has at least one character');
select throws_ok($$ select public.create_podcast('X', categories => '[{"category":"Nonsense"}]') $$, 'PT400', null, 'a category is one of Apple''s');
select lives_ok($$ select public.create_podcast('X', categories => '[{"category":"Arts","subcategory":"Books"},{"category":"Technology"}]') $$, 'with its subcategory or without');
select throws_ok($$ select public.create_podcast('X', categories => '[{"category":"Arts"},{"category":"Arts"}]') $$, 'PT400', null, 'once');
select throws_ok($$ select public.create_podcast('X', categories => jsonb_build_array(jsonb_build_object('category', 'Arts', 'junk', repeat('x', 2000)))) $$, '23514', null, 'and nothing else beside it');
select throws_ok($$ select public.create_podcast('X', language => 'no such language') $$, '23514', null, 'a language is a BCP 47 tag');
select is(tests.result_of('ola', $$ insert into public.podcasts (title) values ('Plain') returning id $$), 'ok 1', 'a plain insert with RETURNING works');
select is(tests.result_of('ola', $$ insert into public.podcasts (title, owner_id) values ('Stolen', gen_random_uuid()) $$), '42501', 'nobody names another owner');
select is(tests.result_of('ola', $$ insert into public.podcasts (title, status) values ('X', 'paused') $$), '42501', 'or a status');
select is(tests.result_of('anon', $$ select public.create_podcast('X') $$), '42501', 'anon creates nothing');
select is(tests.result_of('anon', $$ insert into public.podcasts (title) values ('X') $$), '42501', 'not even plainly');
select is(tests.result_of('eve', $$ select public.create_podcast('X') $$), '23503', 'an unconfirmed user owns nothing, even with a token');

select is((select podcast_guid from public.podcasts where slug = 'fjord-fell'),
  extensions.uuid_generate_v5('ead4c236-bf58-58c6-a2c6-a6b28d128cb6', regexp_replace(private.feed_url('fjord-fell'), '^https?://', '')),
  'podcast:guid is the UUIDv5 of the feed URL without its scheme');
select is(tests.result_of('ola', $$ insert into public.podcasts (title, podcast_guid) values ('X', gen_random_uuid()) $$), '42501', 'clients claim no GUID');
select is(tests.result_of('ola', $$ insert into public.podcasts (title, id) values ('X', gen_random_uuid()) $$), '42501', 'and no id, which might have been another''s');
select tests.act_as('postgres');
insert into public.podcasts (owner_id, title, slug, podcast_guid) values (tests.id('ola'), 'Imported', 'imported', '917393e3-1b1e-5cef-ace4-edaa54e1f810');
select is((select podcast_guid from public.podcasts where slug = 'imported'), '917393e3-1b1e-5cef-ace4-edaa54e1f810'::uuid, 'one that is imported is kept');
select is(extensions.uuid_generate_v5('ead4c236-bf58-58c6-a2c6-a6b28d128cb6', 'mp3s.nashownotes.com/pc20rss.xml'),
  '917393e3-1b1e-5cef-ace4-edaa54e1f810'::uuid, 'the namespace''s own example comes out');
select set_has($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$, $$ values ('podcast.created') $$, 'a new podcast asks for its feed');

select * from tests.finish();
rollback;
