-- list_extra_tags: who may list the carried tags of a podcast or an episode, and how those of all episodes are counted.
begin;
select tests.start();
select tests.podcast('show', 'owner'), tests.podcast('other', 'owner');
select tests.person('admin'), tests.person('member'), tests.person('stranger');
select tests.member('admin', 'show', 'admin'), tests.member('member', 'show');
select tests.publish_daily_episodes('show', 3);
update public.podcasts set extra_tags = '["<rating>G</rating>", "<x:a xmlns:x=\"https://x.example/\"/>"]'
where id = tests.id('show');
update public.episodes set extra_tags = case slug
    when 'e1' then '["<order>1</order>", "<order>2</order>", "<dc:creator>Ana</dc:creator>"]'::jsonb
    when 'e2' then '["<order/>"]' else '[]' end
where podcast_id = tests.id('show');
create function pg_temp.episode(of_slug text) returns uuid language sql security definer as $$
  select id from public.episodes where slug = of_slug and podcast_id = tests.id('show')
$$;
grant execute on function pg_temp.episode to authenticated;

select tests.access('list_extra_tags', $$ select public.list_extra_tags(tests.id('show')) $$,
  'PT403: stranger member; ok 1: admin owner');
select is(tests.result_of('owner', $$ select public.list_extra_tags(gen_random_uuid()) $$), 'PT404',
  'list_extra_tags returns 404 for an unknown podcast');
select is(tests.result_of('owner', $$ select public.list_extra_tags(tests.id('other'), pg_temp.episode('e1')) $$),
  'PT404', 'list_extra_tags returns 404 for an episode of another podcast');

select tests.act_as('admin');
select is(public.list_extra_tags(tests.id('show')), '{"data": {
  "tags": [{"name": "rating", "xml": "<rating>G</rating>"},
    {"name": "x:a", "xml": "<x:a xmlns:x=\"https://x.example/\"/>"}],
  "episodeTags": [{"name": "order", "tags": 3, "episodes": 2}, {"name": "dc:creator", "tags": 1, "episodes": 1}]}}',
  'list_extra_tags lists the tags of a podcast, and counts those of its episodes by name');
select is(public.list_extra_tags(tests.id('show'), pg_temp.episode('e2')),
  '{"data": {"tags": [{"name": "order", "xml": "<order/>"}]}}', 'list_extra_tags lists the tags of an episode');
select is(public.list_extra_tags(tests.id('show'), pg_temp.episode('e3')), '{"data": {"tags": []}}',
  'list_extra_tags lists no tags of an episode without any');

select * from finish();
rollback;
