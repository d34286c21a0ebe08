-- unpause_podcast: the owner ends a pause.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.set_status('show', 'paused', '2027-01-10Z');

select tests.access('unpause_podcast', $$ select public.unpause_podcast(tests.id('show')) $$,
  '42501: anon; PT403: stranger vic ana; 42501: service');

select tests.act_as('ola');
select is(private.unpause_podcast(tests.id('show'), '2027-02-01 08:00Z'), '{"status": "active"}',
  'unpause_podcast returns the status active, also on a free plan');
select tests.act_as('postgres');
select is((select (status, paused_at, pause_expires_at, last_pause_ended_at at time zone 'UTC')::text
  from public.podcasts), '(active,,,"2027-02-01 08:00:00")',
  'unpause_podcast clears the pause and stores when it ended');
select is((select payload from private.events where type = 'podcast.unpaused'),
  jsonb_build_object('podcast_id', tests.id('show'), 'actor_id', tests.id('ola')),
  'unpause_podcast records the event podcast.unpaused');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.unpause_podcast(tests.id('show')) $$),
  'PT409 / The podcast is active; only a paused podcast can be unpaused / INVALID_PODCAST_STATUS',
  'unpause_podcast names the status active');
select tests.act_as('postgres');
select tests.set_status('show', 'paused'), tests.set_status('show', 'pending_deletion');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.unpause_podcast(tests.id('show')) $$),
  'PT409 / The podcast is pending_deletion; only a paused podcast can be unpaused / INVALID_PODCAST_STATUS',
  'unpause_podcast names the status pending_deletion, also of a podcast that was paused');

select * from tests.finish();
rollback;
