-- schedule_episode and publish_due_episodes
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode(name, 'show'), tests.upload_audio(name) from unnest(array['pilot', 'second']) name;
select tests.episode('silent', 'show');
select tests.access('schedule_episode',
  $$ select public.schedule_episode(tests.id('pilot'), now() + interval '1 day') $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ola', $$ select public.schedule_episode(tests.id('silent'), now() + interval '1 day') $$),
  'PT428', 'schedule_episode returns 428 without audio');

select tests.act_as('ola');
select throws_ok(format('select public.schedule_episode(tests.id(''pilot''), %L)', at), 'PT400',
  'scheduled_at must be in the future', format('schedule_episode returns 400 for %s', coalesce(at::text, 'null')))
from unnest(array[now(), null]) at;
select throws_ok($$ select public.schedule_episode(tests.id('pilot'), 'infinity') $$, '23514', null,
  'schedule_episode rejects infinity');
select throws_ok($$ update public.episodes set status = 'scheduled' where id = tests.id('pilot') $$, 'PT400', null,
  'an update to scheduled requires scheduled_at');
select is((public.schedule_episode(tests.id(name), now() + after)).status::text, 'scheduled',
  format('schedule_episode accepts a time in %s', after))
from (values ('pilot', interval '1 hour'), ('second', interval '2 hours')) e (name, after);
select lives_ok($$ update public.episodes set title = 'Renamed' where id = tests.id('second') $$,
  'an admin updates a scheduled episode');

-- publish_due_episodes
select tests.act_as('postgres');
select is(private.publish_due_episodes(), 0, 'publish_due_episodes publishes no episode before scheduled_at');
select is(private.publish_due_episodes(now() + interval '61 minutes'), 1,
  'publish_due_episodes publishes a due episode');
select is(
  (select (status::text, published_at = now() + interval '1 hour', scheduled_at is null)::text
   from public.episodes where id = tests.id('pilot')),
  '(published,t,t)', 'publish_due_episodes sets published_at to scheduled_at');
select is(private.publish_due_episodes(now() + interval '61 minutes'), 0,
  'publish_due_episodes publishes an episode once');
select tests.set_status('show', 'pending_deletion');
select is(private.publish_due_episodes(now() + interval '3 hours'), 0,
  'publish_due_episodes skips a podcast pending deletion');
select tests.set_status('show', 'paused');
select is(private.publish_due_episodes(now() + interval '3 hours'), 1,
  'publish_due_episodes publishes the episodes of a paused podcast');
select isnt_empty(
  $$ select from private.list_scheduled_jobs()
    where name = 'publish_due_episodes' and schedule = '15 seconds' and is_active $$,
  'cron calls publish_due_episodes every 15 seconds');

select * from tests.finish();
rollback;
