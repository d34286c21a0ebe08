-- get_public_episode: a published episode by slug or id, with its credits.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('draft', 'show');
select tests.published_episode('e' || n, 'show') from generate_series(1, 5) n;
update public.episodes set published_at = '2026-01-01'::timestamptz + n * interval '1 day' from generate_series(1, 5) n
where id = tests.id('e' || n);
update public.episodes set published_at = '2026-01-04' where id = tests.id('e4');  -- the same moment as e3
update public.episodes set status = 'archived' where id = tests.id('e5');
update public.episode_people set credit_id = null;
delete from public.episode_credits;
insert into public.episode_credits (episode_id, name, role_label, avatar_url, external_url, display_order) values
  (tests.id('e2'), 'Ben', 'Editor', null, null, 2),
  (tests.id('e2'), 'Ana', 'Host', null, null, 0),
  (tests.id('e2'), 'Zoe', 'Composer', 'https://media.test/zoe.jpg', 'https://zoe.test/', 1);
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
select throws_ok('select from public.episodes', '42501', null, 'public.episodes is not readable by anon');

select is(public.get_public_episode('show', 'e2') #> '{data,credits}', '[
  {"name": "Ana", "roleLabel": "Host", "avatarUrl": null, "externalUrl": null},
  {"name": "Zoe", "roleLabel": "Composer", "avatarUrl": "https://media.test/zoe.jpg",
    "externalUrl": "https://zoe.test/"},
  {"name": "Ben", "roleLabel": "Editor", "avatarUrl": null, "externalUrl": null}]',
    'get_public_episode returns the credits in display order');
select is(public.get_public_episode('show', 'e1') #> '{data,credits}', '[]',
  'get_public_episode returns an empty list for an episode without credits');

select * from tests.finish();
rollback;
