-- remove_episode_person: removes roster entry and credit, and informs feed and calendar.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana')),
  public.add_episode_person(tests.id('pilot'), 'external', 'Eve'),
  public.add_episode_person(tests.id('pilot'), 'external', 'Zed');
select tests.act_as('postgres');
select tests.remember('roster/' || name, id) from episode_people;
update episode_people set credit_id = null where name = 'Eve';
delete from episode_credits where name = 'Eve';
select tests.empty_queue('feed_invalidation'), tests.empty_queue('calendar_sync');

select is(tests.result_of(who, $$ select public.remove_episode_person(tests.id('pilot'), tests.id('roster/Eve')) $$),
  expected, format('remove_episode_person as %s returns %s', who, expected))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, expected);
select is(tests.result_of('ana', format('select public.remove_episode_person(tests.id(%L), %s)', episode, person)),
  'PT404', format('remove_episode_person returns 404 for %s', title))
from (values ('second', $$tests.id('roster/Eve')$$, 'a person of another episode'),
  ('pilot', 'gen_random_uuid()', 'an unknown person')) w (episode, person, title);

select tests.act_as('ana');
select is(public.remove_episode_person(tests.id('pilot'), tests.id('roster/Ana')),
  jsonb_build_object('id', tests.id('roster/Ana'), 'name', 'Ana'), 'remove_episode_person returns id and name');
select tests.act_as('postgres');
select results_eq($$ select name, display_order from episode_credits $$, $$ values ('Zed', 0) $$,
  'remove_episode_person removes the credit and renumbers the others');
select is((select count(*) from episode_people where name = 'Ana'), 0::bigint,
  'remove_episode_person removes the roster entry');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'remove_episode_person of a credited person invalidates the feed once');
select results_eq($$ select q from tests.queued('calendar_sync') q $$,
  $$ select jsonb_build_object('type', 'attendee.removed', 'podcast_id', tests.id('show'), 'episode_id',
    tests.id('pilot'),
       'user_id', tests.id('ana')) $$, 'remove_episode_person of a team member enqueues attendee.removed');
select is(tests.result_of('ana', $$ select public.remove_episode_person(tests.id('pilot'), tests.id('roster/Eve')) $$),
  'ok 1', 'remove_episode_person removes a person without a credit');
select is((select (count(*), (select count(*) from tests.queued('calendar_sync')))::text
    from tests.queued('feed_invalidation')), '(1,1)',
  'remove_episode_person of an external person without a credit enqueues nothing');
select is(tests.result_of('ana', $$ select public.remove_episode_person(tests.id('pilot'), tests.id('roster/Eve')) $$),
  'PT404', 'remove_episode_person returns 404 when it is repeated');

-- best effort
select tests.act_as('ana');
select is(public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana')) ->> 'alreadyExisted', null,
  'add_episode_person adds a removed person again');
select tests.act_as('postgres');
update tests.ids set id = (select p.id from episode_people p where p.name = 'Ana') where name = 'roster/Ana';
alter table pgmq.q_calendar_sync rename to q_lost;
select is(tests.result_of('ana', $$ select public.remove_episode_person(tests.id('pilot'), tests.id('roster/Ana')) $$),
  'ok 1', 'remove_episode_person succeeds even if the calendar message cannot be enqueued');
select is((select count(*) from episode_people), 1::bigint,
  'remove_episode_person removes the person even if the calendar message cannot be enqueued');
alter table pgmq.q_lost rename to q_calendar_sync;

select * from tests.finish();
rollback;
