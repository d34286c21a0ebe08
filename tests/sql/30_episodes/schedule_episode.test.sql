-- Scheduling: a time in the future, published by the clock and dated as scheduled.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.upload_audio('pilot'), tests.episode('second', 'show'), tests.upload_audio('second');
select tests.act_as('ola');
select throws_ok($$ select public.schedule_episode(tests.id('pilot'), now()) $$, 'PT400', 'scheduled_at must be in the future', 'now is not the future');
select throws_ok($$ select public.schedule_episode(tests.id('pilot'), null) $$, 'PT400', null, 'never is not');
select throws_ok($$ select public.schedule_episode(tests.id('pilot'), 'infinity') $$, '23514', null, 'eternity neither');
select throws_ok($$ update public.episodes set status = 'scheduled' $$, 'PT400', null, 'a plain update needs a time too');
select is((public.schedule_episode(tests.id('pilot'), now() + interval '1 hour')).status::text, 'scheduled', 'in an hour');
select is((public.schedule_episode(tests.id('second'), now() + interval '2 hours')).status::text, 'scheduled', 'and in two');
select lives_ok($$ update public.episodes set title = 'Renamed' where id = tests.id('second') $$, 'a scheduled episode is edited');
select tests.act_as('postgres');
select is(private.publish_due_episodes(), 0, 'nothing is due');
select is(private.publish_due_episodes(now() + interval '61 minutes'), 1, 'one is, an hour later');
select is((select (status::text, published_at = now() + interval '1 hour', scheduled_at is null)::text from public.episodes where id = tests.id('pilot')),
  '(published,t,t)', 'dated as scheduled');
select is(private.publish_due_episodes(now() + interval '61 minutes'), 0, 'once');
update public.podcasts set status = 'pending_deletion';
select is(private.publish_due_episodes(now() + interval '3 hours'), 0, 'a podcast on its way out publishes nothing');
update public.podcasts set status = 'paused';
select is(private.publish_due_episodes(now() + interval '3 hours'), 1, 'a paused one does');
select isnt_empty($$ select from cron.job where jobname = 'publish_due_episodes' and schedule = '15 seconds' and active $$, 'the clock asks well within a minute');

select * from tests.finish();
rollback;
