-- fire_episode: each scheduled time of an episode fires episode.scheduled. fire_automations.test.sql has publications.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show'),
  tests.upload_audio('pilot');
select tests.rule('plan', 'show', 'episode.scheduled'), tests.rule('foreign', 'other', 'episode.scheduled');
create function pg_temp.fired() returns bigint language sql as $$
  with fired as (update automation_executions set rule_name = 'known' where rule_name <> 'known' returning 1)
  select count(*) from fired
$$;

update episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('pilot');
select results_eq($$ select e.rule_name, e.occurrence_key, e.context_data ->> 'episode_id',
    e.context_data #>> '{tags,episode_scheduled_at}' from automation_executions e $$,
  $$ select 'plan', format('episode.scheduled:%s:%s', tests.id('pilot'), t), tests.id('pilot')::text, t
  from private.format_timestamp(now() + interval '1 day') t $$, 'a scheduled episode fires episode.scheduled');
select pg_temp.fired();
update episodes set title = 'Renamed', scheduled_at = scheduled_at where id = tests.id('pilot');
select is(pg_temp.fired(), 0::bigint, 'a change of a scheduled episode fires no automation');
update episodes set scheduled_at = now() + interval '2 days' where id = tests.id('pilot');
select is(pg_temp.fired(), 1::bigint, 'another time of a scheduled episode fires episode.scheduled');
update episodes set status = 'draft' where id = tests.id('pilot');
update episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('pilot');
select is(pg_temp.fired(), 0::bigint, 'an episode that is scheduled again for the same time fires no automation');
update episodes set status = 'published' where id = tests.id('pilot');
select is(pg_temp.fired(), 0::bigint, 'a publication does not fire episode.scheduled');
select tests.podcast('external', 'ola', 'external'), tests.rule('abroad', 'external', 'episode.scheduled');
insert into episodes (podcast_id, title, origin, status, scheduled_at)
select tests.id('external'), origin, origin, 'scheduled', now() + interval '1 day'
from unnest('{app,import}'::episode_origin[]) origin;
select results_eq($$ select e.context_data #>> '{tags,episode_title}' from automation_executions e
  where e.rule_name = 'abroad' $$, array['app'],
  'an episode that is inserted as scheduled fires episode.scheduled, an imported one does not');
select pg_temp.fired();
update episodes set scheduled_at = now() + interval '3 days' where title = 'import';
select is(pg_temp.fired(), 0::bigint, 'an imported episode fires no automation when its time changes');

select * from tests.finish();
rollback;
