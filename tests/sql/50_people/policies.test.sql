-- Roster and credits over the API: each caller reads only their rows, and the constraints hold for every writer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.member('moe', 'show'), tests.person('stranger'), tests.person('gus');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.guest('gus', 'pilot', 'active');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic')),
  public.add_episode_person(tests.id('second'), 'external', 'Eve');
select tests.act_as('postgres');

-- read and write
select is(tests.result_of(who, format('select * from public.%I', name)), expected,
  format('selecting %s as %s returns %s', name, who, expected))
from (values
  ('anon', '42501', '42501'), ('stranger', 'ok 0', 'ok 0'), ('gus', 'ok 0', 'ok 0'), ('moe', 'ok 0', 'ok 3'),
  ('vic', 'ok 2', 'ok 3'), ('ana', 'ok 3', 'ok 3'), ('ola', 'ok 3', 'ok 3'), ('service', 'ok 3', 'ok 3')
) w (who, people, credits), lateral (values ('episode_people', people), ('episode_credits', credits)) t (name,
  expected);

-- the plan of the policy
create function tests.plan() returns setof text language plpgsql as $$
begin
  return query execute 'explain select * from public.episode_people';
end $$;
set local enable_seqscan = off;
select tests.act_as('vic');
select matches(string_agg(p, E'\n'), expected, 'the policy of episode_people ' || title)
from tests.plan() p, (values ('hashed SubPlan', 'hashes the rosters of the caller once'),
  ('episode_people_podcast_id_idx', 'uses the index on podcast_id')) v (expected, title)
group by expected, title;
reset enable_seqscan;
select tests.act_as('postgres');
update episode_people set is_active = false, credit_id = null where name = 'Vic';
select is(tests.result_of('vic', 'select * from public.episode_people'), 'ok 0',
  'a member who is inactive on a roster may not read it');
update episode_people set is_active = true where name = 'Vic';
delete from podcast_members where user_id = tests.id('vic');
select is(tests.result_of('vic', 'select * from public.episode_people'), 'ok 0',
  'a person on a roster who left the team may not read it');

-- constraints
select throws_ok(format('insert into episode_people (episode_id, source_type, name, user_id, guest_id)
    values (tests.id(''pilot''), %s)', row), '23514', null, 'episode_people rejects ' || title)
from (values
  ($$'team', 'X', null, null$$, 'a team entry without a user'),
  ($$'guest', 'X', null, null$$, 'a guest entry without a guest'),
  ($$'external', 'X', tests.id('moe'), null$$, 'an external entry with a user'),
  ($$'external', 'X', null, tests.id('pilot/gus')$$, 'an external entry with a guest'),
  ($$'team', 'X', tests.id('moe'), tests.id('pilot/gus')$$, 'an entry with user and guest')) w (row, title);
insert into episode_people (episode_id, source_type, name, user_id)
values (tests.id('pilot'), 'team', 'Moe', tests.id('moe'));
select is((select (role_label, is_active, podcast_id = tests.id('show'))::text from episode_people where name = 'Moe'),
  '(Participant,t,t)', 'a roster entry is an active Participant of the episode''s podcast by default');
select throws_ok($$ insert into episode_people (episode_id, source_type, name, user_id)
    values (tests.id('pilot'), 'team', 'Moe', tests.id('moe')) $$, '23505', null,
  'episode_people rejects a user who is on the roster');
select throws_ok($$ insert into episode_people (episode_id, source_type, name, guest_id)
    values (tests.id('pilot'), 'guest', 'Gus', tests.id('pilot/gus')) $$, '23505', null,
  'episode_people rejects a guest who is on the roster');
select throws_ok($$ insert into episode_credits (episode_id, name, role_label, display_order)
    values (tests.id('pilot'), 'X', 'Guest', -1) $$, '23514', null, 'episode_credits rejects a negative display_order');

select * from tests.finish();
rollback;
