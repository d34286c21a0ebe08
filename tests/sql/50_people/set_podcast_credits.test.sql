-- set_podcast_credits replaces the credits of a podcast; members read them, and no role writes the table.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.podcast('other', 'stranger'), tests.podcast('elsewhere', 'ola', 'external');
select tests.empty_queue('feed_invalidation');
create function pg_temp.call(credits text, podcast text default 'show') returns text language sql as $$
  select format('select public.set_podcast_credits(tests.id(%L), %L)', podcast, credits)
$$;
create function pg_temp.queued() returns text[] language sql as $$
  select array(select q ->> 'type' from tests.queued('feed_invalidation') q)
$$;

select tests.access('set_podcast_credits', pg_temp.call('[{"name": "Ana", "roleLabel": "Host"}]'),
  '42501: anon; PT403: stranger vic; ok 1: ana ola; 42501: service');
select is(tests.value_as('ana', pg_temp.call('[{"name": " Ana\n Kowalska ", "roleLabel": "Host",
    "avatarUrl": "https://m.test/a.jpg", "externalUrl": "https://a.test"},
    {"name": "Bo", "roleLabel": "Editor"}]'))::jsonb
    #- '{credits,0,id}' #- '{credits,1,id}', jsonb_build_object('podcastId', tests.id('show'), 'credits', '[
  {"name": "Ana Kowalska", "roleLabel": "Host", "avatarUrl": "https://m.test/a.jpg", "externalUrl": "https://a.test",
   "displayOrder": 0},
  {"name": "Bo", "roleLabel": "Editor", "avatarUrl": null, "externalUrl": null, "displayOrder": 1}]'::jsonb),
  'set_podcast_credits returns the credits in feed order');
select is(pg_temp.queued() @> '{podcast.credits.updated}', true, 'set_podcast_credits invalidates the feed');
select tests.empty_queue('feed_invalidation');
create temp table before as select id, name from public.podcast_credits;
do $$ begin perform tests.result_of('ana', pg_temp.call('[{"name": "Ana Kowalska", "roleLabel": "Host",
    "avatarUrl": "https://m.test/a.jpg", "externalUrl": "https://a.test"}, {"name": "Bo", "roleLabel": "Editor"}]'));
end $$;
select is(pg_temp.queued(), '{}', 'set_podcast_credits with the same list invalidates no feed');
select set_eq('select id, name from public.podcast_credits', 'select id, name from before',
  'set_podcast_credits with the same list keeps the ids');
do $$ begin perform tests.result_of('ana', pg_temp.call('[{"name": "Cy", "roleLabel": "Host"}]')); end $$;
select is((select jsonb_agg(jsonb_build_array(name, role_label, avatar_url, display_order))
  from public.podcast_credits), '[["Cy", "Host", null, 0]]', 'set_podcast_credits replaces the list by a shorter one');
select is(cardinality(pg_temp.queued()), 2, 'a change and a deletion of credits invalidate the feed once each');
select tests.empty_queue('feed_invalidation');
select is(tests.result_of('ola', pg_temp.call('[{"name": "Cy", "roleLabel": "Host"}]', 'elsewhere')), 'ok 1',
  'set_podcast_credits accepts a podcast that is hosted elsewhere');
select is(pg_temp.queued(), '{}', 'set_podcast_credits of a podcast that is hosted elsewhere invalidates no feed');
select is(tests.value_as('ola', pg_temp.call('[]', 'elsewhere'))::jsonb -> 'credits', '[]',
  'set_podcast_credits with an empty list deletes all credits');

-- Invalid lists
create temp table invalid as select credits, pg_temp.call(credits) as statement, expected from (values
  ('{}', 'PT400 / Invalid request / credits: must be a list of at most 50 credits'),
  ((select jsonb_agg('{"name": "A", "roleLabel": "Host"}'::jsonb)::text from generate_series(1, 51)),
    'PT400 / Invalid request / credits: must be a list of at most 50 credits'),
  ('[1]', 'PT400 / Invalid request / changes must be a JSON object'),
  ('[{"name": "A"}]', 'PT400 / Invalid request / roleLabel: is required'),
  ('[{"roleLabel": "Host"}]', 'PT400 / Invalid request / name: must be 1 to 200 characters'),
  ('[{"name": " ", "roleLabel": "Host"}]', 'PT400 / Invalid request / name: must be 1 to 200 characters'),
  ('[{"name": "A", "roleLabel": "Host", "x": 1}]', 'PT400 / Invalid request / Unknown field: x'),
  ('[{"name": "A", "roleLabel": "Boss"}]', 'PT400 / Invalid credit role label / INVALID_ROLE_LABEL / '
    'roleLabel: one of Host, Co-host, Producer, Guest, Editor, Composer'),
  ('[{"name": "A", "roleLabel": "Host", "avatarUrl": "ftp://a"}]',
    'PT400 / Invalid request / avatarUrl: must be an http or https URL'),
  ('[{"name": "A", "roleLabel": "Host", "externalUrl": "a"}]',
    'PT400 / Invalid request / externalUrl: must be an http or https URL')) v (credits, expected);
grant select on invalid to authenticated;
select tests.act_as('ola');
select is(tests.describe_error(statement), expected, format('set_podcast_credits rejects %s', left(credits, 60)))
from invalid;
select tests.act_as('postgres');

-- The table
select tests.access('selecting podcast_credits', 'select from public.podcast_credits',
  '42501: anon; ok 0: stranger; ok 1: vic ana ola service');
select throws_ok(format($$ insert into public.podcast_credits (podcast_id, name, role_label, display_order, avatar_url)
    values (tests.id('show'), %L, 'Host', %s, %L) $$, name, place, url), state, null,
  format('podcast_credits rejects name %L, place %s, avatar %L', left(name, 20), place, url))
from (values ('', 1, null, '23514'), (repeat('x', 201), 1, null, '23514'), ('A', 50, null, '23514'),
  ('A', -1, null, '23514'), ('A', 0, null, '23505'), ('A', 1, 'ftp://a', '23514')) v (name, place, url, state);

select * from tests.finish();
rollback;
