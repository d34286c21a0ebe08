-- remove_extra_tags: who may remove carried tags, from where, and in which batches.
begin;
select tests.start();
select tests.podcast('show', 'owner'), tests.podcast('other', 'owner');
select tests.person('admin'), tests.person('member'), tests.person('stranger');
select tests.member('admin', 'show', 'admin'), tests.member('member', 'show');
select tests.publish_daily_episodes('other', 501);
select tests.published_episode(name, 'show') from unnest(array['s1', 's2', 's3']) name;
create function pg_temp.fill() returns void language sql security definer as $$
  update public.podcasts set extra_tags = '["<rating>G</rating>", "<order>1</order>"]' where true;
  update public.episodes set extra_tags = '["<order>1</order>", "<order>2</order>", "<dc:creator>Ana</dc:creator>"]'
  where true;
$$;
create function pg_temp.episode(of_slug text) returns uuid language sql security definer as $$
  select id from public.episodes where slug = of_slug and podcast_id = tests.id('show')
$$;
grant execute on function pg_temp.episode to authenticated;
create function pg_temp.messages() returns bigint language sql security definer as $$
  select count(*) from pgmq.q_feed_invalidation where message ->> 'podcast_id' = tests.id('show')::text
$$;

select tests.access('remove_extra_tags', $$ select public.remove_extra_tags(tests.id('show'), '{rating}') $$,
  'PT403: stranger member; ok 1: admin owner');
select is(tests.result_of('owner', $$ select public.remove_extra_tags(gen_random_uuid(), '{a}') $$), 'PT404',
  'remove_extra_tags returns 404 for an unknown podcast');
select is(tests.result_of('owner',
  $$ select public.remove_extra_tags(tests.id('other'), '{order}', pg_temp.episode('s1')) $$), 'PT404',
  'remove_extra_tags returns 404 for an episode of another podcast');
select is(tests.result_of('owner', format('select public.remove_extra_tags(tests.id(%L), %s)', 'show', given)), 'PT400',
  format('remove_extra_tags returns 400 for the arguments %s', given))
from unnest(array['null', '''{}''', '''{a,null}''', 'array_fill(''a''::text, array[101])',
  '''{a}'', pg_temp.episode(''s1''), true']) given;
select is(tests.result_of('owner', $$ update public.podcasts set extra_tags = '[]' where id = tests.id('show') $$),
  '42501', 'podcasts.extra_tags has no writer but remove_extra_tags and imports');

select pg_temp.fill();
select tests.act_as('admin');
select is(public.remove_extra_tags(tests.id('show'), '{order,other}'), '{"data": {"removed": 1, "hasMore": false}}',
  'remove_extra_tags counts what it removes from the podcast');
select tests.act_as('postgres');
select is((select extra_tags from public.podcasts where id = tests.id('show')), '["<rating>G</rating>"]',
  'remove_extra_tags keeps the podcast''s other tags');
select is((select count(*) from public.episodes where podcast_id = tests.id('show')
  and jsonb_array_length(extra_tags) = 3), 3::bigint,
  'remove_extra_tags of a podcast keeps the tags of its episodes');

select tests.act_as('admin');
select is(public.remove_extra_tags(tests.id('show'), '{<order>2</order>}', pg_temp.episode('s2')),
  '{"data": {"removed": 1, "hasMore": false}}', 'remove_extra_tags removes one tag of an episode by its XML');
select is((select extra_tags from public.episodes where id = pg_temp.episode('s2')),
  '["<order>1</order>", "<dc:creator>Ana</dc:creator>"]', 'remove_extra_tags keeps the other tags of an episode');

select is(public.remove_extra_tags(tests.id('show'), '{order}', all_episodes => true),
  '{"data": {"removed": 5, "hasMore": false}}', 'remove_extra_tags removes tags of all episodes by their name');
select is((select array_agg(distinct extra_tags::text) from public.episodes where podcast_id = tests.id('show')),
  array['["<dc:creator>Ana</dc:creator>"]'], 'remove_extra_tags keeps other tags of all episodes');
select is(public.remove_extra_tags(tests.id('show'), '{order}', all_episodes => true),
  '{"data": {"removed": 0, "hasMore": false}}', 'remove_extra_tags changes nothing when no tag matches');
select tests.act_as('postgres');
select is((select count(*) from public.episodes where podcast_id = tests.id('other')
  and jsonb_array_length(extra_tags) = 3), 501::bigint, 'remove_extra_tags changes no other podcast');

select pgmq.purge_queue('feed_invalidation');
select tests.act_as('admin');
select public.remove_extra_tags(tests.id('show'), '{dc:creator}', pg_temp.episode('s1'));
select tests.act_as('postgres');
select is(pg_temp.messages(), 1::bigint, 'remove_extra_tags invalidates the feed');

select tests.act_as('owner');
select is(public.remove_extra_tags(tests.id('other'), '{order}', all_episodes => true),
  '{"data": {"removed": 1000, "hasMore": true}}', 'remove_extra_tags changes at most 500 episodes per call');
select is(public.remove_extra_tags(tests.id('other'), '{order}', all_episodes => true),
  '{"data": {"removed": 2, "hasMore": false}}', 'remove_extra_tags changes the rest with the next call');

select * from finish();
rollback;
