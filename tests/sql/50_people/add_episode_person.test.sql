-- Adding people: who may be added, what they are called, once each, and who hears of it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.podcast('elsewhere', 'stranger');
select tests.guest('gus', 'pilot'), tests.guest('gil', 'second'), tests.guest('gone', 'pilot', 'removed');
select tests.empty_queue('feed_invalidation');

-- What the verb answers and with which status, on the pilot, as `who`
create function pg_temp.add(who text, source text, name text, label text default null, status out int, answer out jsonb) language plpgsql as $$
begin
  perform set_config('response.status', '', true), tests.act_as(who);
  answer := public.add_episode_person(tests.id('pilot'), source::public.person_source_type, initcap(name), role_label => label,
    user_id => case source when 'team' then tests.id(name) end, guest_id => case source when 'guest' then tests.id('pilot/' || name) end);
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
  perform tests.act_as('postgres');
end $$;

select is(tests.result_of(who, format($$ select public.add_episode_person(tests.id('pilot'), 'external', 'Eve') -- %s $$, who)), wanted, format('%s: %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', $$ select public.add_episode_person(gen_random_uuid(), 'external', 'Eve') $$), 'PT404', 'an episode that is not there is 404');
select is(tests.result_of('ana', format($$ select public.add_episode_person(tests.id('pilot'), %s) $$, args)), wanted, claim)
from (values
  ($$ 'team', 'Vic' $$, 'PT400', 'a team entry needs a user'),
  ($$ 'team', 'Vic', guest_id => tests.id('pilot/gus') $$, 'PT400', 'and a guest is none'),
  ($$ 'team', 'Stranger', tests.id('stranger') $$, 'PT400', 'who must be a member of this very podcast'),
  ($$ 'team', 'Nobody', gen_random_uuid() $$, 'PT400', 'and exist'),
  ($$ 'guest', 'Gus' $$, 'PT400', 'a guest entry needs a guest'),
  ($$ 'guest', 'Gil', guest_id => tests.id('second/gil') $$, 'PT400', 'of this very episode'),
  ($$ 'guest', 'Gone', guest_id => tests.id('pilot/gone') $$, 'PT400', 'who was not removed from it'),
  ($$ 'guest', 'Nobody', guest_id => gen_random_uuid() $$, 'PT400', 'and exists'),
  ($$ 'external', 'Eve', role_label => 'Sound wizard' $$, 'PT400', 'an external''s label is one of the credits'''),
  ($$ 'external', 'Eve', role_label => 'host' $$, 'PT400', 'letter for letter'),
  ($$ 'external', 'Eve', role_label => 'Participant' $$, 'PT400', 'also not the word for nothing said'),
  ($$ 'external', 'Eve', role_label => '' $$, 'PT400', 'or nothing'),
  ($$ 'external', '' $$, 'PT400', 'everyone has a name'),
  ($$ 'external', E' \u00a0 ' $$, 'PT400', 'that can be seen'),
  ($$ 'external', repeat('x', 201) $$, 'PT400', 'of at most 200 characters'),
  ($$ 'external', null $$, 'PT400', 'and not null'),
  ($$ 'external', 'Eve', avatar_url => 'javascript:alert(1)' $$, 'PT400', 'an avatar is a web address'),
  ($$ 'external', 'Eve', external_url => '/eve' $$, 'PT400', 'and so is a link')
) w (args, wanted, claim);
select is_empty($$ select 1 from episode_people union all select 1 from episode_credits $$, 'nothing of that left a trace');
select is_empty($$ select 1 from private.events union all select 1 from tests.queued('calendar_sync') union all select 1 from tests.queued('feed_invalidation') $$, 'or was heard of');

-- Labels
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from pg_temp.add('ana', 'team', 'ola', 'Editor') a $$, $$ values (201, 'Host') $$, 'an owner is Host, whatever was asked for');
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from pg_temp.add('ana', 'team', 'ana', 'Sound wizard') a $$, $$ values (201, 'Producer') $$, 'an admin Producer, and a label that is none is no matter');
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from pg_temp.add('ana', 'team', 'vic') a $$, $$ values (201, 'Co-host') $$, 'a member Co-host');
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from pg_temp.add('ana', 'guest', 'gus', 'Host') a $$, $$ values (201, 'Guest') $$, 'a guest Guest, whatever was asked for');
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from pg_temp.add('ana', 'external', 'eve') a $$, $$ values (201, 'Participant') $$, 'an external without a label Participant');
select results_eq($$ select a.status, a.answer #>> '{data,roleLabel}' from unnest(enum_range(null::public.credit_role_label)) label, pg_temp.add('ola', 'external', 'mo', label::text) a $$,
  $$ select 201, unnest(enum_range(null::public.credit_role_label))::text $$, 'or any of the set');
select results_eq($$ select p.name, p.source_type::text, c.role_label::text, c.display_order from episode_people p left join episode_credits c on c.id = p.credit_id
    where p.name <> 'Mo' order by c.display_order nulls last $$,
  $$ values ('Ola', 'team', 'Host', 0), ('Ana', 'team', 'Producer', 1), ('Vic', 'team', 'Co-host', 2), ('Eve', 'external', 'Guest', 3), ('Gus', 'guest', null, null) $$,
  'team and externals are credited at once, in the order of adding, a Participant as Guest; guests are not');
select results_eq($$ select c.role_label, count(*) from episode_credits c where c.name = 'Mo' group by 1 order by 1 $$,
  $$ select unnest(enum_range(null::public.credit_role_label)), 1::bigint $$, 'two externals of one name are two people, each label its own credit');
create temp table ned as select * from pg_temp.add('ana', 'external', 'ned');
select is((select (answer #>> '{data,creditId}')::uuid from ned), (select c.id from episode_credits c where c.name = 'Ned'), 'the answer bears the credit''s id');
select is((select array_agg(k order by k) from jsonb_object_keys((select answer from pg_temp.add('ana', 'external', 'kim'))) k), '{data}', 'and stands alone when all went well');

-- Events
select results_eq($$ select type, payload from private.events order by id $$,
  $$ select 'episode.team_added', jsonb_build_object('user_id', tests.id(who), 'actor_id', tests.id('ana'), 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'),
       'channels', '["in_app", "email"]'::jsonb) from unnest('{ola,vic}'::text[]) who $$, 'team members are told, but not who added themself; guests and externals are not');
select results_eq($$ select q from tests.queued('calendar_sync') q $$,
  $$ select jsonb_build_object('type', 'attendee.added', 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'user_id', tests.id(who)) from unnest('{ola,ana,vic}'::text[]) who $$,
  'the calendar hears of each team member, of who added themself too');
select results_eq($$ select q - 'timestamp' from tests.queued('feed_invalidation') q limit 1 $$,
  $$ select jsonb_build_object('type', 'episode.credits.updated', 'podcast_id', tests.id('show'), 'podcast_slug', 'show', 'episode_id', tests.id('pilot')) $$, 'the feed of each credit');
select ok((select bool_and((q ->> 'timestamp')::timestamptz = now()) from tests.queued('feed_invalidation') q), 'with its time');
select is((select count(*) from tests.queued('feed_invalidation')), (select count(*) from episode_credits), 'once');

-- Again
select tests.empty_queue('feed_invalidation'), tests.empty_queue('calendar_sync');
delete from private.events;
create temp table before as select * from episode_people;
select results_eq($$ select a.status, a.answer ->> 'alreadyExisted', (a.answer #>> '{data,id}')::uuid, a.answer #>> '{data,name}' from (values ('team', 'ana'), ('guest', 'gus')) w (source, who), pg_temp.add('ola', w.source, w.who, 'Host') a $$,
  $$ select 200, 'true', p.id, p.name from unnest('{Ana,Gus}'::text[]) w (name) join episode_people p using (name) $$, 'who is on it already is answered with 200 and alreadyExisted');
delete from podcast_members where user_id = tests.id('vic');
update episode_guests set status = 'removed' where id = tests.id('pilot/gus');
select results_eq($$ select a.status, a.answer ->> 'alreadyExisted', a.answer #>> '{data,name}' from (values ('team', 'vic'), ('guest', 'gus')) w (source, who), pg_temp.add('ola', w.source, w.who) a $$,
  $$ values (200, 'true', 'Vic'), (200, 'true', 'Gus') $$, 'also who has left the team since, or was removed as a guest');
select results_eq('select * from episode_people order by id', 'select * from before order by id', 'and stays as they were');
select is((select (count(*), count(distinct (a.answer #>> '{data,id}')))::text from generate_series(1, 2) n, pg_temp.add('ana', 'external', left('twin' || n, 4)) a), '(2,2)', 'externals may come twice');
select is_empty($$ select 1 from private.events union all select 1 from tests.queued('calendar_sync') $$, 'nobody is told again');
select is((select count(*) from tests.queued('feed_invalidation')), 2::bigint, 'the feed hears of the twins only');

-- The credit half
create function pg_temp.fails() returns trigger language plpgsql as $$ begin raise sqlstate '23514' using message = 'no'; end $$;
create function pg_temp.races() returns trigger language plpgsql as $$ begin raise sqlstate '40P01' using message = 'no'; end $$;
create trigger t999_fails before insert on episode_credits for each row when (new.name = 'Cursed') execute function pg_temp.fails();
create trigger t999_races before insert on episode_credits for each row when (new.name = 'Racer') execute function pg_temp.races();
select results_eq($$ select a.status, a.answer ->> 'warning', a.answer #>> '{data,name}', a.answer #>> '{data,creditId}' from pg_temp.add('ana', 'external', 'cursed') a $$,
  $$ values (201, 'Added to the roster, but the credit could not be created', 'Cursed', null) $$, 'when only the credit fails, it is 201 with a warning');
select is((select count(*) from episode_people where name = 'Cursed' and is_active and credit_id is null), 1::bigint, 'and the roster entry stays');
select throws_ok($$ select pg_temp.add('ana', 'external', 'racer') $$, '40P01', null, 'a race that was lost is no such failure: it is tried again as a whole');

-- How many
select tests.episode('crowd', 'show');
insert into episode_people (episode_id, source_type, name) select tests.id('crowd'), 'external', 'P' || n
from generate_series(1, 199 - (select count(*) from episode_people where episode_id = tests.id('crowd'))) n;
select is(tests.result_of('ana', $$ select public.add_episode_person(tests.id('crowd'), 'team', 'Ola', tests.id('ola')) $$), 'ok 1', 'a roster has room for 200');
select tests.act_as('ana');
select throws_ok($$ select public.add_episode_person(tests.id('crowd'), 'external', 'One more') $$, 'PT409', 'An episode''s roster is limited to 200 people', 'and for no more');
select tests.act_as('postgres');
select is(tests.result_of('ana', $$ select public.add_episode_person(tests.id('crowd'), 'team', 'Ola', tests.id('ola')) $$), 'ok 1', 'who is on it already is answered as ever');
select tests.guest('gro', 'crowd', 'active');
select is((select count(*) from episode_people where episode_id = tests.id('crowd')), 201::bigint, 'and a guest who accepts takes part nevertheless');

-- On its way out
update podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', $$ select public.add_episode_person(tests.id('pilot'), 'external', 'Late') $$), 'PT409', 'nobody is added to a podcast that is scheduled for deletion');

select * from tests.finish();
rollback;
