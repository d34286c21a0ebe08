-- create_podcast, and the insert that does the same
begin;
select tests.start();

select private.set_plan_limit('free', 'max_podcasts_per_hour', 1000);
select tests.person('ola'), tests.person('eve', confirmed => false);

-- Slugs
select tests.act_as('ola');
select is((public.create_podcast(title)).slug, slug, format('create_podcast derives the slug %s from %L', slug, title))
from (values
  ('Fjord & Fell', 'fjord-fell'), ('Fjord & Fell', 'fjord-fell-2'), ('Привет, мир', 'привет-мир'),
  ('हिन्दी पॉडकास्ट', 'हिन्दी-पॉडकास्ट'), ('日本語ポッドキャスト', '日本語ポッドキャスト'), ('Café Crème', 'cafe-creme'),
  ('🎧 !!!', 'podcast'), ('a' || chr(8205) || 'b', 'ab'), ('မြန်မာ', 'မြန်မာ'), ('ភាសាខ្មែរ', 'ភាសាខ្មែរ'),
  ('İstanbul ışık', 'istanbul-isik'), ('AC/DC?#%', 'ac-dc'), ('..', 'podcast-2')) t (title, slug);
select is((public.create_podcast('Slugged', slug => 'My Slug')).slug, 'my-slug',
  'create_podcast normalizes a given slug');
select throws_ok($$ select public.create_podcast('Other', slug => 'my-slug') $$, 'PT409',
  'Slug ''my-slug'' is already in use (or was used before)', 'create_podcast rejects a given slug that is in use');
select throws_ok($$ select public.create_podcast('A real title', slug => '!!!') $$, 'PT400',
  'A slug must contain at least one letter or digit', 'create_podcast rejects a given slug without a letter or digit');

-- Fields
select throws_ok(format('select public.create_podcast(%L)', title), '23514', null,
  format('create_podcast rejects the blank title %s', to_json(title)))
from unnest(array['  ', E'\n', chr(160), chr(8203), chr(12288)]) title;
select throws_ok(format('select public.create_podcast(''X'', categories => %L)', categories), 'PT400', message,
  format('create_podcast rejects the categories %s', categories))
from (values
  ('[{"category":"Nonsense"}]', 'Unknown category: {"category": "Nonsense"}'),
  ('[{"category":"Arts"},{"category":"Arts"}]', 'Duplicate category')) c (categories, message);
select lives_ok($$ select public.create_podcast('X',
  categories => '[{"category":"Arts","subcategory":"Books"},{"category":"Technology"}]') $$,
  'create_podcast accepts categories with and without a subcategory');
select throws_ok($$ select public.create_podcast('X',
  categories => jsonb_build_array(jsonb_build_object('category', 'Arts', 'junk', repeat('x', 2000)))) $$, '23514', null,
  'create_podcast rejects an unknown field of a category');
select throws_ok($$ select public.create_podcast('X', language => 'no such language') $$, '23514', null,
  'create_podcast rejects a language that is not a BCP 47 tag');

-- Who
select tests.act_as('postgres');
select is(tests.result_of(who, statement), outcome,
  format('creating a podcast as %s returns %s for:%s', who, outcome, statement))
from (values
  ('ola', 'ok 1', $$ insert into public.podcasts (title) values ('Plain') returning id $$),
  ('ola', '42501', $$ insert into public.podcasts (title, owner_id) values ('Stolen', gen_random_uuid()) $$),
  ('ola', '42501', $$ insert into public.podcasts (title, status) values ('X', 'paused') $$),
  ('ola', '42501', $$ insert into public.podcasts (title, podcast_guid) values ('X', gen_random_uuid()) $$),
  ('ola', '42501', $$ insert into public.podcasts (title, id) values ('X', gen_random_uuid()) $$),
  ('anon', '42501', $$ select public.create_podcast('X') $$),
  ('anon', '42501', $$ insert into public.podcasts (title) values ('X') $$),
  ('eve', 'PT403', $$ select public.create_podcast('X') $$)) v (who, outcome, statement);
select is(
  (select m.role::text from public.podcast_members m join public.podcasts p on p.id = m.podcast_id
   where p.slug = 'fjord-fell'), 'owner', 'create_podcast makes the caller the owner');

-- GUIDs
select is((select podcast_guid from public.podcasts where slug = 'fjord-fell'),
  extensions.uuid_generate_v5('ead4c236-bf58-58c6-a2c6-a6b28d128cb6',
    regexp_replace(private.feed_url('fjord-fell'), '^https?://', '')),
  'the GUID of a podcast is the UUIDv5 of its feed URL without the scheme');
insert into public.podcasts (owner_id, title, slug, podcast_guid)
values (tests.id('ola'), 'Imported', 'imported', '917393e3-1b1e-5cef-ace4-edaa54e1f810');
select is((select podcast_guid from public.podcasts where slug = 'imported'),
  '917393e3-1b1e-5cef-ace4-edaa54e1f810'::uuid, 'an insert by the service keeps a given GUID');
select is(
  extensions.uuid_generate_v5('ead4c236-bf58-58c6-a2c6-a6b28d128cb6', 'mp3s.nashownotes.com/pc20rss.xml'),
  '917393e3-1b1e-5cef-ace4-edaa54e1f810'::uuid,
    'uuid_generate_v5 returns the GUID of the podcast namespace''s example');
select set_has($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$,
  $$ values ('podcast.created') $$, 'a new podcast enqueues its feed');

select * from tests.finish();
rollback;
