-- The tables themselves: who reads which rows, and that nobody writes them past the verbs.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.member('moe', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.guest('gus', 'pilot', 'active');
select tests.person('gus');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic')), public.add_episode_person(tests.id('second'), 'external', 'Eve');
select tests.act_as('postgres');

select is(tests.result_of(who, format('select * from public.%I', name)), wanted, format('%s reads %s: %s', who, name, wanted))
from (values
  ('anon', 'episode_people', '42501'), ('anon', 'episode_credits', '42501'),
  ('stranger', 'episode_people', 'ok 0'), ('stranger', 'episode_credits', 'ok 0'),
  ('gus', 'episode_people', 'ok 0'), ('gus', 'episode_credits', 'ok 0'),
  ('moe', 'episode_people', 'ok 0'), ('moe', 'episode_credits', 'ok 3'),
  ('vic', 'episode_people', 'ok 2'), ('vic', 'episode_credits', 'ok 3'),
  ('ana', 'episode_people', 'ok 3'), ('ana', 'episode_credits', 'ok 3'),
  ('ola', 'episode_people', 'ok 3'), ('ola', 'episode_credits', 'ok 3'),
  ('service', 'episode_people', 'ok 3'), ('service', 'episode_credits', 'ok 3')) w (who, name, wanted);
select is(tests.result_of(who, statement), '42501', format('%s may not %s', who, statement))
from unnest('{anon,stranger,gus,moe,vic,ana,ola,service}'::text[]) who, unnest(array[
  $$insert into public.episode_people (episode_id, source_type, name) values (tests.id('pilot'), 'external', 'X')$$,
  $$insert into public.episode_credits (episode_id, name, role_label, display_order) values (tests.id('pilot'), 'X', 'Host', 9)$$,
  'update public.episode_people set name = ''X''', 'update public.episode_people set is_active = false', 'update public.episode_people set credit_id = null',
  'update public.episode_credits set name = ''X''', 'update public.episode_credits set display_order = 5',
  'delete from public.episode_people', 'delete from public.episode_credits']) statement;
select is(tests.result_of(who, 'select private.append_credit(p, ''X'', ''Host'', null, null) from public.episode_people p'), '42501', format('%s may not append a credit past the verb', who))
from unnest('{anon,ola}'::text[]) who;

create function tests.plan() returns setof text language plpgsql as $$ begin return query execute 'explain select * from public.episode_people'; end $$;
set local enable_seqscan = off;
select tests.act_as('vic');
select matches(string_agg(p, E'\n'), claim.part, claim.words) from tests.plan() p, (values
  ('hashed SubPlan', 'one''s own rosters are hashed, not searched for every row'), ('episode_people_podcast_id_idx', 'and rosters of other podcasts are not read')) claim (part, words)
group by claim.part, claim.words;
reset enable_seqscan;
select tests.act_as('postgres');
update episode_people set is_active = false, credit_id = null where name = 'Vic';
select is(tests.result_of('vic', 'select * from public.episode_people'), 'ok 0', 'who is inactive on the roster reads it no more');
update episode_people set is_active = true where name = 'Vic';
delete from podcast_members where user_id = tests.id('vic');
select is(tests.result_of('vic', 'select * from public.episode_people'), 'ok 0', 'nor does who left the team');

-- The rows themselves
select throws_ok(format('insert into episode_people (episode_id, source_type, name, user_id, guest_id) values (tests.id(''pilot''), %s)', row), '23514', null, claim)
from (values
  ($$'team', 'X', null, null$$, 'a team entry has a user'), ($$'guest', 'X', null, null$$, 'a guest entry a guest'), ($$'external', 'X', tests.id('moe'), null$$, 'an external neither'),
  ($$'external', 'X', null, tests.id('pilot/gus')$$, '(nor a guest)'), ($$'team', 'X', tests.id('moe'), tests.id('pilot/gus')$$, 'and nobody both')) w (row, claim);
insert into episode_people (episode_id, source_type, name, user_id) values (tests.id('pilot'), 'team', 'Moe', tests.id('moe'));
select is((select (role_label, is_active, podcast_id = tests.id('show'))::text from episode_people where name = 'Moe'), '(Participant,t,t)', 'a bare entry is an active Participant, of the episode''s podcast');
select throws_ok($$ insert into episode_people (episode_id, source_type, name, user_id) values (tests.id('pilot'), 'team', 'Moe', tests.id('moe')) $$, '23505', null, 'a user is on it once');
select throws_ok($$ insert into episode_people (episode_id, source_type, name, guest_id) values (tests.id('pilot'), 'guest', 'Gus', tests.id('pilot/gus')) $$, '23505', null, 'a guest too');
select throws_ok($$ insert into episode_credits (episode_id, name, role_label, display_order) values (tests.id('pilot'), 'X', 'Guest', -1) $$, '23514', null, 'places begin at 0');

select * from tests.finish();
rollback;
