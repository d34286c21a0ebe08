-- add_episode_person: who can be added, under which label, once each, and which messages follow.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('elsewhere', 'stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.guest('gus', 'pilot'), tests.guest('gil', 'second'), tests.guest('gone', 'pilot', 'removed');
select tests.empty_queue('feed_invalidation');
-- Adds a person of that name to the pilot, and returns status and response.
create function pg_temp.add(
  who text, source text, name text, label text default null, status out int, response out jsonb
) language plpgsql as $$
begin
  perform set_config('response.status', '', true), tests.act_as(who);
  response := public.add_episode_person(tests.id('pilot'), source::public.person_source_type, initcap(name),
    role_label => label, user_id => case source when 'team' then tests.id(name) end,
    guest_id => case source when 'guest' then tests.id('pilot/' || name) end);
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
  perform tests.act_as('postgres');
end $$;

select tests.access('add_episode_person', $$ select public.add_episode_person(tests.id('pilot'), 'external', 'Eve') $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ana', format($$ select public.add_episode_person(tests.id('pilot'), %s) $$, args)), 'PT400',
  format('add_episode_person rejects %s', title))
from (values
  ($$ 'team', 'Vic' $$, 'a team entry without a user'),
  ($$ 'team', 'Vic', guest_id => tests.id('pilot/gus') $$, 'a team entry with a guest'),
  ($$ 'team', 'Stranger', tests.id('stranger') $$, 'a user who is not a member of the podcast'),
  ($$ 'team', 'Unknown', gen_random_uuid() $$, 'an unknown user'),
  ($$ 'guest', 'Gus' $$, 'a guest entry without a guest'),
  ($$ 'guest', 'Gil', guest_id => tests.id('second/gil') $$, 'a guest of another episode'),
  ($$ 'guest', 'Gone', guest_id => tests.id('pilot/gone') $$, 'a removed guest'),
  ($$ 'guest', 'Unknown', guest_id => gen_random_uuid() $$, 'an unknown guest'),
  ($$ 'external', 'Eve', role_label => 'Sound wizard' $$, 'an external person with a label outside the set'),
  ($$ 'external', 'Eve', role_label => 'host' $$, 'an external person with a label in another letter case'),
  ($$ 'external', 'Eve', role_label => 'Participant' $$, 'an external person with the roster''s default label'),
  ($$ 'external', 'Eve', role_label => '' $$, 'an external person with an empty label'),
  ($$ 'external', '' $$, 'an empty name'),
  ($$ 'external', E' \u00a0 ' $$, 'an invisible name'),
  ($$ 'external', repeat('x', 201) $$, 'a name of 201 characters'),
  ($$ 'external', null $$, 'a null name'),
  ($$ 'external', 'Eve', avatar_url => 'javascript:alert(1)' $$, 'a javascript URL as avatar'),
  ($$ 'external', 'Eve', external_url => '/eve' $$, 'a relative external URL')) w (args, title);
select is_empty($$ select 1 from episode_people union all select 1 from episode_credits $$,
  'a rejected add_episode_person creates no roster entry and no credit');
select is_empty($$ select 1 from private.events union all select 1 from tests.queued('calendar_sync')
  union all select 1 from tests.queued('feed_invalidation') $$, 'a rejected add_episode_person enqueues nothing');

-- labels and credits
select results_eq(
  format('select a.status, a.response #>> %L from pg_temp.add(%L, %L, %L, %L) a', '{data,roleLabel}', 'ana', source,
    name, label),
  format('values (201, %L)', expected),
  format('add_episode_person labels %s, asked for %L, as %s', title, label, expected))
from (values ('team', 'ola', 'Editor', 'Host', 'the owner'), ('team', 'ana', 'Sound wizard', 'Producer', 'an admin'),
  ('team', 'vic', null, 'Co-host', 'a member'), ('guest', 'gus', 'Host', 'Guest', 'a guest'),
  ('external', 'eve', null, 'Participant', 'an external person')) w (source, name, label, expected, title);
select results_eq($$ select a.status, a.response #>> '{data,roleLabel}'
    from unnest(enum_range(null::public.credit_role_label)) label, pg_temp.add('ola', 'external', 'mo',
      label::text) a $$,
  $$ select 201, unnest(enum_range(null::public.credit_role_label))::text $$,
  'add_episode_person accepts each credit role label for an external person');
select results_eq($$ select p.name, p.source_type::text, c.role_label::text, c.display_order
    from episode_people p left join episode_credits c on c.id = p.credit_id
    where p.name <> 'Mo' order by c.display_order nulls last $$,
  $$ values ('Ola', 'team', 'Host', 0), ('Ana', 'team', 'Producer', 1), ('Vic', 'team', 'Co-host', 2),
    ('Eve', 'external', 'Guest', 3), ('Gus', 'guest', null, null) $$,
  'add_episode_person credits team and external people in the order of adding, but no guests');
select results_eq($$ select c.role_label, count(*) from episode_credits c where c.name = 'Mo' group by 1 order by 1 $$,
  $$ select unnest(enum_range(null::public.credit_role_label)), 1::bigint $$,
  'add_episode_person credits external people of the same name separately');
create temp table ned as select * from pg_temp.add('ana', 'external', 'ned');
select is((select (response #>> '{data,creditId}')::uuid from ned), (select c.id from episode_credits c
  where c.name = 'Ned'), 'add_episode_person returns the id of the credit');
select is((select array_agg(k order by k) from ned, jsonb_object_keys(response) k), '{data}',
  'add_episode_person returns no warning when entry and credit are created');

-- messages
select results_eq($$ select type, payload from private.events order by id $$,
  $$ select 'episode.team_added', jsonb_build_object('actor_id', tests.id('ana'), 'podcast_id', tests.id('show'),
       'episode_id', tests.id('pilot'))
     from unnest('{ola,vic}'::text[]) who $$,
  'add_episode_person records the event episode.team_added for added members, except the caller');
select set_eq($$ select user_id from public.notifications where type = 'episode.team_added' $$,
  $$ values (tests.id('ola')), (tests.id('vic')) $$, 'add_episode_person notifies added members, except the caller');
select results_eq($$ select q from tests.queued('calendar_sync') q $$,
  $$ select jsonb_build_object('type', 'attendee.added', 'podcast_id', tests.id('show'),
       'episode_id', tests.id('pilot'), 'user_id', tests.id(who)) from unnest('{ola,ana,vic}'::text[]) who $$,
  'add_episode_person enqueues attendee.added for each team member, the caller included');
select results_eq($$ select q - 'timestamp' from tests.queued('feed_invalidation') q limit 1 $$,
  $$ select jsonb_build_object('type', 'episode.credits.updated', 'podcast_id', tests.id('show'), 'podcast_slug',
    'show', 'episode_id', tests.id('pilot')) $$, 'add_episode_person enqueues episode.credits.updated');
select ok((select bool_and((q ->> 'timestamp')::timestamptz = now()) from tests.queued('feed_invalidation') q),
  'the message episode.credits.updated contains a timestamp');
select is((select count(*) from tests.queued('feed_invalidation')), (select count(*) from episode_credits),
  'add_episode_person invalidates the feed once per credit');

-- adding a person again
select tests.empty_queue('feed_invalidation'), tests.empty_queue('calendar_sync');
delete from private.events;
create temp table before as select * from episode_people;
select results_eq($$ select a.status, a.response ->> 'alreadyExisted', a.response #>> '{data,name}'
    from (values ('team', 'ana'), ('guest', 'gus')) w (source, who), pg_temp.add('ola', w.source, w.who, 'Host') a $$,
  $$ values (200, 'true', 'Ana'), (200, 'true', 'Gus') $$,
  'add_episode_person returns 200 with alreadyExisted for a person on the roster');
delete from podcast_members where user_id = tests.id('vic');
update episode_guests set status = 'removed' where id = tests.id('pilot/gus');
select results_eq($$ select a.status, a.response ->> 'alreadyExisted', a.response #>> '{data,name}'
    from (values ('team', 'vic'), ('guest', 'gus')) w (source, who), pg_temp.add('ola', w.source, w.who) a $$,
  $$ values (200, 'true', 'Vic'), (200, 'true', 'Gus') $$,
  'add_episode_person returns alreadyExisted for people on the roster who left the team or were removed as guests');
select results_eq('select * from episode_people order by id', 'select * from before order by id',
  'add_episode_person does not change an existing entry');
select is((select count(distinct a.response #>> '{data,id}') from generate_series(1, 2) n,
    pg_temp.add('ana', 'external', left('twin' || n, 4)) a), 2::bigint,
  'add_episode_person adds external people of the same name twice');
select is_empty($$ select 1 from private.events where type like 'episode.%'
    union all select 1 from tests.queued('calendar_sync') $$,
  'add_episode_person of people on the roster records no event and enqueues no calendar message');
select is((select count(*) from tests.queued('feed_invalidation')), 2::bigint,
  'add_episode_person of people on the roster does not invalidate the feed');

-- a credit that fails
create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  if new.name = 'Failing' then
    raise sqlstate '23514' using message = 'failed';
  elsif new.name = 'Deadlock' then
    raise sqlstate '40P01' using message = 'failed';
  end if;
  return new;
end $$;
create trigger t999_fail before insert on episode_credits for each row execute function pg_temp.fail();
select results_eq($$ select a.status, a.response ->> 'warning', a.response #>> '{data,name}',
  a.response #>> '{data,creditId}'
    from pg_temp.add('ana', 'external', 'failing') a $$,
  $$ values (201, 'Added to the roster, but the credit could not be created', 'Failing', null) $$,
  'add_episode_person returns 201 with a warning if only the credit fails');
select is((select count(*) from episode_people where name = 'Failing' and is_active and credit_id is null), 1::bigint,
  'add_episode_person keeps the roster entry if the credit fails');
select throws_ok($$ select pg_temp.add('ana', 'external', 'deadlock') $$, '40P01', null,
  'add_episode_person fails as a whole if the credit fails with a deadlock, so that the call is retried');

-- the limit
select tests.episode('crowd', 'show');
insert into episode_people (episode_id, source_type, name) select tests.id('crowd'), 'external', 'P' || n
from generate_series(1, 199 - (select count(*) from episode_people where episode_id = tests.id('crowd'))) n;
select is(tests.result_of('ana',
    $$ select public.add_episode_person(tests.id('crowd'), 'team', 'Ola', tests.id('ola')) $$), 'ok 1',
  'add_episode_person adds person 200 of a roster');
select tests.act_as('ana');
select throws_ok($$ select public.add_episode_person(tests.id('crowd'), 'external', 'One more') $$, 'PT409',
  'An episode''s roster is limited to 200 people', 'add_episode_person rejects person 201 of a roster');
select tests.act_as('postgres');
select is(tests.result_of('ana',
    $$ select public.add_episode_person(tests.id('crowd'), 'team', 'Ola', tests.id('ola')) $$), 'ok 1',
  'add_episode_person returns an existing entry of a full roster');
select tests.guest('gro', 'crowd', 'active');
select is((select count(*) from episode_people where episode_id = tests.id('crowd')), 201::bigint,
  'a guest who accepts is added to a full roster');

select * from tests.finish();
rollback;
