-- create_episode, and the insert that does the same
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'otto');

-- Slugs
select tests.act_as('ana');
select is((public.create_episode(tests.id('show'), title)).slug, slug,
  format('create_episode derives the slug %s from %L', slug, title))
from (values ('Pilot', 'pilot'), ('Pilot', 'pilot-2'), ('🎉', 'episode'), ('אבגד', 'אבגד'), ('Latest',
  'latest-2')) t (title, slug);
select throws_ok($$ select public.create_episode(tests.id('show'), 'X', slug => 'pilot') $$, 'PT409',
  'Slug ''pilot'' is already in use (or was used before)', 'create_episode rejects a given slug that is in use');
select throws_ok($$ select public.create_episode(tests.id('show'), 'X', slug => 'latest') $$, 'PT400',
  'A slug must contain at least one letter or digit and cannot be "latest"',
    'create_episode rejects the slug of a route');
select tests.act_as('otto');
select is((public.create_episode(tests.id('other'), 'Pilot')).slug, 'pilot', 'slugs are unique per podcast');
select tests.act_as('postgres');
select cmp_ok(length(private.slugify(repeat('word ', 100), 'x')), '<=', 80, 'slugify returns at most 80 characters');

-- The row
select is((select guid = id::text from public.episodes where slug = 'pilot-2'), true,
  'the GUID of a new episode is its id');
select is((select created_by from public.episodes where slug = 'pilot-2'), tests.id('ana'),
  'create_episode records the caller in created_by');

-- Who
select tests.access('create_episode', $$ select public.create_episode(tests.id('show'), 'X') $$,
  '42501: anon; PT403: stranger vic otto; ok 1: ana ola');
select tests.access('an insert into episodes', $$ insert into public.episodes (podcast_id, title, show_notes_html)
    values (tests.id('show'), 'Plain', '<p>x</p>') returning id $$, '42501: anon stranger vic otto; ok 1: ana');
select is(
  tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, id)
    values (tests.id('show'), 'X', gen_random_uuid()) $$), '42501', 'clients may not insert episodes.id');
select is(
  tests.result_of('stranger', format('insert into public.episodes (podcast_id, title, slug, status)
    values (tests.id(''show''), ''X'', %L, %L)', slug, status)), '42501',
  format('an insert by a non-member reveals nothing about the slug %s and the status %s', slug, status))
from unnest(array['pilot', 'free']) slug, unnest(array['draft', 'published']) status;

select * from tests.finish();
rollback;
