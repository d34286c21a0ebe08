-- update_episode_person: an absent field stays, null clears, and deactivating a person removes the credit.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor',
  avatar_url => 'https://a.test/eve.png', external_url => 'https://eve.test');
select public.add_episode_person(tests.id('pilot'), 'external', 'Ann'),
  public.add_episode_person(tests.id('pilot'), 'external', 'Zed');
select tests.act_as('postgres');
select tests.remember(name, id) from episode_people;
select tests.empty_queue('feed_invalidation');
update episode_people set updated_at = '2020-01-01';
create function pg_temp.update(person text, changes jsonb) returns jsonb language sql as $$
  select tests.value_as('ana', format(
    'select public.update_episode_person(tests.id(''pilot''), tests.id(%L), %L)', person, changes))::jsonb
$$;

select tests.access('update_episode_person',
  $$ select public.update_episode_person(tests.id('pilot'), tests.id('Eve'), '{"name": "X"}') $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ana', format(
    'select public.update_episode_person(tests.id(%L), %s, ''{"name": "X"}'')', episode, person)), 'PT404',
  format('update_episode_person returns 404 for %s', title))
from (values ('second', $$tests.id('Eve')$$, 'a person of another episode'), ('pilot', 'gen_random_uuid()',
  'an unknown person')
) w (episode, person, title);
select is(tests.result_of('ana', format(
    'select public.update_episode_person(tests.id(''pilot''), tests.id(''Eve''), %L)', changes)), expected,
  format('update_episode_person with %L returns %s', changes, expected))
from (values ('{}', 'PT400'), ('[]', 'PT400'), ('null', 'PT400'), (null, 'PT400'), ('{"nickname": "E"}', 'PT400'),
  ('{"name": "X", "creditId": null}', 'PT400'), ('{"name": null}', 'PT400'), ('{"name": 5}', 'PT400'),
  ('{"roleLabel": null}', 'PT400'), ('{"isActive": null}', 'PT400'), ('{"isActive": "yes"}', 'PT400'),
  ('{"avatarUrl": []}', 'PT400'), ('{"name": " "}', '23514'), ('{"roleLabel": ""}', '23514'),
  ('{"avatarUrl": "ftp://a.test"}', '23514'), ('{"externalUrl": "nowhere"}', '23514')) w (changes, expected);
select is(tests.result_of('ana', format('select public.update_episode_person(tests.id(''pilot''), tests.id(''Eve''),
    jsonb_build_object(%L, repeat(''é'', %s)))', field, length)), expected,
  format('update_episode_person with a %s of %s characters returns %s', field, length, expected))
from (values ('name', 201, '23514'), ('roleLabel', 101, '23514'), ('name', 200, 'ok 1'), ('roleLabel', 100, 'ok 1')
) w (field, length, expected);

select is(pg_temp.update('Eve', '{"name": " Eva "}') - '{id,episodeId,creditId,createdAt,updatedAt,roleLabel}'::text[],
  '{"sourceType": "external", "userId": null, "guestId": null, "name": "Eva", "avatarUrl": "https://a.test/eve.png",
    "externalUrl": "https://eve.test", "isActive": true}', 'update_episode_person keeps absent fields');
select is(pg_temp.update('Eve', '{"avatarUrl": null, "externalUrl": null, "roleLabel": "Sound wizard"}')
    - '{id,episodeId,creditId,createdAt,updatedAt}'::text[],
  '{"sourceType": "external", "userId": null, "guestId": null, "name": "Eva", "roleLabel": "Sound wizard",
    "avatarUrl": null, "externalUrl": null, "isActive": true}',
  'update_episode_person clears fields that are null and accepts any role label');
select ok((select updated_at > '2026-01-01' and created_at < updated_at from episode_people where id = tests.id('Eve')),
  'update_episode_person moves updated_at');
select results_eq(
  $$ select name, role_label::text, avatar_url, external_url from episode_credits where display_order = 0 $$,
  $$ values ('Eve', 'Editor', 'https://a.test/eve.png', 'https://eve.test') $$,
  'update_episode_person keeps the texts of the credit');
select is_empty($$ select tests.queued('feed_invalidation') $$,
  'update_episode_person does not invalidate the feed when the credit stays');

-- isActive
select results_eq($$ select a ->> 'isActive', a ->> 'creditId' from pg_temp.update('Eve', '{"isActive": false}') a $$,
  $$ values ('false', null) $$, 'update_episode_person with isActive false removes the credit');
select results_eq($$ select name, display_order from episode_credits order by 2 $$, $$ values ('Ann', 0), ('Zed', 1) $$,
  'update_episode_person with isActive false renumbers the other credits');
select results_eq($$ select q ->> 'type' from tests.queued('feed_invalidation') q $$, array['episode.credits.updated'],
  'update_episode_person with isActive false invalidates the feed once');
select is(pg_temp.update('Eve', '{"isActive": false, "name": "Away"}') ->> 'name', 'Away',
  'update_episode_person updates an inactive person');
select results_eq($$ select a ->> 'isActive', a ->> 'creditId' from pg_temp.update('Eve', '{"isActive": true}') a $$,
  $$ values ('true', null) $$, 'update_episode_person with isActive true creates no credit');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'update_episode_person with isActive true does not invalidate the feed');
select throws_ok($$ update episode_people set is_active = false where name = 'Zed' $$, '23514', null,
  'episode_people rejects an inactive person with a credit');

select * from tests.finish();
rollback;
