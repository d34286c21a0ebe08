-- list_episode_people: the roster with its credits, and the people who could be added.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.member('moe', 'show'), tests.person('stranger'), tests.podcast('other', 'otto'), tests.member('vic',
  'other');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('abroad', 'other');
update profiles set avatar_url = 'https://a.test/moe.png' where id = tests.id('moe');
select tests.guest('gus', 'pilot'), tests.guest('gil', 'pilot', 'active'), tests.guest('gem', 'pilot', 'declined'),
  tests.guest('gone', 'pilot', 'removed'), tests.guest('far', 'second');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor',
  avatar_url => 'https://a.test/eve.png', external_url => 'https://eve.test');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic'));
select public.reorder_episode_credits(tests.id('pilot'), array(
  select id from public.episode_credits where episode_id = tests.id('pilot') order by display_order desc));
select tests.act_as('postgres');

select is(tests.result_of(who, format('select public.list_episode_people(tests.id(%L))', episode)), expected,
  format('list_episode_people of %s as %s returns %s', episode, who, expected))
from (values ('anon', 'pilot', '42501'), ('stranger', 'pilot', 'PT403'), ('ola', 'pilot', 'ok 1'),
  ('ana', 'pilot', 'ok 1'), ('vic', 'pilot', 'ok 1'), ('moe', 'pilot', 'PT403'), ('vic', 'second', 'PT403'),
  ('vic', 'abroad', 'PT403'), ('ola', 'abroad', 'PT403'), ('otto', 'pilot', 'PT403')) w (who, episode, expected);
select is(tests.result_of('ana', 'select public.list_episode_people(gen_random_uuid())'), 'PT404',
  'list_episode_people returns 404 for an unknown episode');

select tests.act_as('vic');
create temp table response as select public.list_episode_people(tests.id('pilot')) as data;
select tests.act_as('postgres');
select is((select jsonb_path_query_array(data, '$.people[*].name') from response), '["Vic", "Eve", "Gil"]',
  'list_episode_people returns credited people in the order of their credits');
select is((select (data #> '{people,1}') - '{createdAt,updatedAt}'::text[] from response), (select jsonb_build_object(
    'id', p.id, 'episodeId', p.episode_id, 'sourceType', 'external', 'userId', null, 'guestId', null, 'name', 'Eve',
    'roleLabel', 'Editor', 'avatarUrl', 'https://a.test/eve.png', 'externalUrl', 'https://eve.test',
    'isActive', true, 'creditId', p.credit_id, 'credited', jsonb_build_object('id', p.credit_id, 'name', 'Eve',
      'roleLabel', 'Editor', 'avatarUrl', 'https://a.test/eve.png', 'externalUrl', 'https://eve.test',
      'displayOrder', 1)) from episode_people p where p.name = 'Eve'),
  'list_episode_people returns exactly these fields of a person and the credit');
select ok((select data #>> '{people,0,createdAt}' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'
    and data #>> '{people,0,updatedAt}' ~ 'Z$' from response), 'list_episode_people returns times as ISO 8601 in UTC');
select is((select data #> '{candidates,teamCandidates}' from response), jsonb_build_array(
  jsonb_build_object('userId', tests.id('ana'), 'name', 'Ana', 'role', 'admin', 'avatarUrl', null),
  jsonb_build_object('userId', tests.id('moe'), 'name', 'Moe', 'role', 'member', 'avatarUrl', 'https://a.test/moe.png'),
  jsonb_build_object('userId', tests.id('ola'), 'name', 'Ola', 'role', 'owner', 'avatarUrl', null)),
  'list_episode_people returns members outside the roster as team candidates');
select is((select data #> '{candidates,guestCandidates}' from response), jsonb_build_array(
  jsonb_build_object('guestId', tests.id('pilot/gem'), 'name', 'Gem', 'email', 'gem@test.example', 'status',
    'declined'),
  jsonb_build_object('guestId', tests.id('pilot/gus'), 'name', 'Gus', 'email', 'gus@test.example', 'status',
    'invited')),
  'list_episode_people returns the episode''s guests outside the roster as candidates, except removed ones');

-- without a credit, inactive, empty
update episode_people set is_active = false, credit_id = null where name = 'Vic';
select is(tests.result_of('vic', $$ select public.list_episode_people(tests.id('pilot')) $$), 'PT403',
  'list_episode_people rejects a member who is inactive on the roster');
select tests.act_as('ana');
select is(jsonb_path_query_array(public.list_episode_people(tests.id('pilot')), '$.people[*].name'),
  '["Eve", "Gil", "Vic"]', 'list_episode_people returns people without a credit last');
select is((public.list_episode_people(tests.id('pilot')) #> '{people,2}') ? 'credited', false,
  'list_episode_people omits `credited` of a person without a credit');
select is(jsonb_path_query_array(public.list_episode_people(tests.id('pilot')), '$.candidates.teamCandidates[*].name'),
  '["Ana", "Moe", "Ola"]', 'list_episode_people returns no inactive person as a candidate');
select tests.act_as('otto');
select is(public.list_episode_people(tests.id('abroad')) #> path, '[]',
  format('list_episode_people returns an empty list of %s for an episode without any', path[cardinality(path)]))
from (values ('{people}'::text[]), ('{candidates,guestCandidates}')) v (path);
select tests.act_as('postgres');
update episode_people set is_active = true where name = 'Vic';
delete from podcast_members where user_id = tests.id('vic') and podcast_id = tests.id('show');
select is(tests.result_of('vic', $$ select public.list_episode_people(tests.id('pilot')) $$), 'PT403',
  'list_episode_people rejects a person on the roster who left the team');

select * from tests.finish();
rollback;
