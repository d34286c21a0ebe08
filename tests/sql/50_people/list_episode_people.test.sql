-- Reading the roster: who may, what stands there, who could be added.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.member('moe', 'show'), tests.person('stranger');
select tests.podcast('other', 'otto'), tests.member('vic', 'other');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('abroad', 'other');
update profiles set avatar_url = 'https://a.test/moe.png' where id = tests.id('moe');
select tests.guest('gus', 'pilot'), tests.guest('gil', 'pilot', 'active'), tests.guest('gem', 'pilot', 'declined'), tests.guest('gone', 'pilot', 'removed'), tests.guest('far', 'second');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor', avatar_url => 'https://a.test/eve.png', external_url => 'https://eve.test');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic'));
select public.reorder_episode_credits(tests.id('pilot'), array(select id from public.episode_credits where episode_id = tests.id('pilot') order by display_order desc));
select tests.act_as('postgres');

select is(tests.result_of(who, format('select public.list_episode_people(tests.id(%L))', episode)), wanted, format('%s, %s: %s', who, episode, wanted))
from (values ('anon', 'pilot', '42501'), ('stranger', 'pilot', 'PT403'), ('ola', 'pilot', 'ok 1'), ('ana', 'pilot', 'ok 1'), ('vic', 'pilot', 'ok 1'), ('moe', 'pilot', 'PT403'),
  ('vic', 'second', 'PT403'), ('vic', 'abroad', 'PT403'), ('ola', 'abroad', 'PT403'), ('otto', 'pilot', 'PT403')) w (who, episode, wanted);
select is(tests.result_of('ana', 'select public.list_episode_people(gen_random_uuid())'), 'PT404', 'an episode that is not there is 404');

select tests.act_as('vic');
create temp table listed as select public.list_episode_people(tests.id('pilot')) as l;
select tests.act_as('postgres');
select is((select jsonb_path_query_array(l, '$.people[*].name') from listed), '["Vic", "Eve", "Gil"]', 'the credited stand in the feed''s order');
select is((select (l #> '{people,1}') - '{createdAt,updatedAt}'::text[] from listed), (select jsonb_build_object('id', p.id, 'episodeId', p.episode_id, 'sourceType', 'external', 'userId', null, 'guestId', null,
  'name', 'Eve', 'roleLabel', 'Editor', 'avatarUrl', 'https://a.test/eve.png', 'externalUrl', 'https://eve.test', 'isActive', true, 'creditId', p.credit_id,
  'credited', jsonb_build_object('id', p.credit_id, 'name', 'Eve', 'roleLabel', 'Editor', 'avatarUrl', 'https://a.test/eve.png', 'externalUrl', 'https://eve.test', 'displayOrder', 1))
  from episode_people p where p.name = 'Eve'), 'each with everything, and the credit');
select ok((select l #>> '{people,0,createdAt}' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$' and l #>> '{people,0,updatedAt}' ~ 'Z$' from listed), 'times are ISO 8601 in UTC');
select is((select l #> '{candidates,teamCandidates}' from listed), jsonb_build_array(
  jsonb_build_object('userId', tests.id('ana'), 'name', 'Ana', 'role', 'admin', 'avatarUrl', null),
  jsonb_build_object('userId', tests.id('moe'), 'name', 'Moe', 'role', 'member', 'avatarUrl', 'https://a.test/moe.png'),
  jsonb_build_object('userId', tests.id('ola'), 'name', 'Ola', 'role', 'owner', 'avatarUrl', null)), 'members who are not on it could be added');
select is((select l #> '{candidates,guestCandidates}' from listed), jsonb_build_array(
  jsonb_build_object('guestId', tests.id('pilot/gem'), 'name', 'Gem', 'email', 'gem@test.example', 'status', 'declined'),
  jsonb_build_object('guestId', tests.id('pilot/gus'), 'name', 'Gus', 'email', 'gus@test.example', 'status', 'invited')), 'and guests of this episode, but not those who were removed');

-- Without a credit, inactive, empty
update episode_people set is_active = false, credit_id = null where name = 'Vic';
select is(tests.result_of('vic', $$ select public.list_episode_people(tests.id('pilot')) $$), 'PT403', 'a member who is inactive reads it no more');
select tests.act_as('ana');
select is(jsonb_path_query_array(public.list_episode_people(tests.id('pilot')), '$.people[*].name'), '["Eve", "Gil", "Vic"]', 'who is not credited stands at the end');
select is((public.list_episode_people(tests.id('pilot')) #> '{people,2}') ? 'credited', false, 'without `credited`');
select is(jsonb_path_query_array(public.list_episode_people(tests.id('pilot')), '$.candidates.teamCandidates[*].name'), '["Ana", "Moe", "Ola"]', 'and is no candidate, although inactive');
select tests.act_as('otto');
select is(public.list_episode_people(tests.id('abroad')) #> '{people}', '[]', 'an episode may have nobody');
select is(public.list_episode_people(tests.id('abroad')) #> '{candidates,guestCandidates}', '[]', 'and no guests');
select tests.act_as('postgres');
update episode_people set is_active = true where name = 'Vic';
delete from podcast_members where user_id = tests.id('vic') and podcast_id = tests.id('show');
select is(tests.result_of('vic', $$ select public.list_episode_people(tests.id('pilot')) $$), 'PT403', 'who left the team reads nothing, also when on the roster');

select * from tests.finish();
rollback;
