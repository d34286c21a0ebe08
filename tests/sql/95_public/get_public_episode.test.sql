-- get_public_episode: a published episode by slug or id, with its credits.
begin;
select tests.start();

select tests.public_show();
select tests.act_as('anon');

select is(public.get_public_episode('show', 'e2') #>> '{data,slug}', 'e2',
  'get_public_episode finds an episode by its slug');
select is(public.get_public_episode('show', (public.get_public_episode('show', 'e2') #>> '{data,id}'))
  #>> '{data,slug}', 'e2', 'get_public_episode finds an episode by its id');
select throws_ok(format('select public.get_public_episode(''show'', %L)', wrong), 'PT404', 'Episode not found',
  'get_public_episode returns 404 for ' || wrong)
  from unnest(array['draft', 'e5', 'nope', '00000000-0000-4000-8000-000000000000']) wrong;
select throws_ok($$ select public.get_public_episode('nope', 'e2') $$, 'PT404', null,
  'get_public_episode returns 404 for an unknown podcast');
select throws_ok(format('select public.get_public_episode(null, %L)', tests.id('e2')), 'PT404', null,
  'get_public_episode returns 404 for an id without a podcast');

select is(public.get_public_episode('show', 'e2') #> '{data,credits}', '[
  {"name": "Ana", "roleLabel": "Host", "avatarUrl": null, "avatarCopies": [], "externalUrl": null},
  {"name": "Zoe", "roleLabel": "Composer", "avatarUrl": "https://media.test/zoe.jpg", "avatarCopies": [],
    "externalUrl": "https://zoe.test/"},
  {"name": "Ben", "roleLabel": "Editor", "avatarUrl": null, "avatarCopies": [], "externalUrl": null}]',
    'get_public_episode returns the credits in display order');
select is(public.get_public_episode('show', 'e1') #> '{data,credits}', '[]',
  'get_public_episode returns an empty list for an episode without credits');

-- Links of pages
select is(public.get_public_episode('show', 'e2') #>> array['data', member], url,
  format('get_public_episode returns the %s while pages_url is set', member))
from (values ('listenUrl', 'https://casts.test/functions/v1/public/listen/show/e2'),
  ('embedUrl', 'https://casts.test/functions/v1/public/ep/' || tests.id('e2'))) v (member, url);
reset role;
select private.set_setting('pages_url', null);
select tests.act_as('anon');
select is(public.get_public_episode('show', 'e2') -> 'data' -> member, 'null',
  format('get_public_episode returns no %s without pages_url', member))
from unnest(array['listenUrl', 'embedUrl']) member;

-- Chapters
reset role;
update public.episodes set chapters_url = 'https://x.test/c.json' where id in (tests.id('e1'), tests.id('e2'));
insert into public.episode_chapters (episode_id, start_seconds, title) values (tests.id('e2'), 0, 'One');
select tests.act_as('anon');
select is(public.get_public_episode('show', slug) #> '{data,chapters}', expected::jsonb,
  format('get_public_episode returns the chapters of an episode %s', what))
from (values
  ('e1', 'with a document elsewhere', '{"url": "https://x.test/c.json", "type": "application/json+chapters"}'),
  ('e2', 'with chapters here', format('{"url": "https://casts.test/functions/v1/public/chapters/%s.json",
    "type": "application/json+chapters"}', tests.id('e2'))),
  ('e3', 'without chapters', 'null')) v (slug, what, expected);

select * from tests.finish();
rollback;
