-- pause_podcast: 90 days, once in twelve months, on a paid plan.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.set_plan('ola', 'pro');
create function pg_temp.as_ola(operation text, at timestamptz) returns text language sql as $$
  select tests.value_as('ola', format('select tests.describe_error(%L)',
    format('select private.%s(tests.id(''show''), %L)', operation, at)))
$$;

select tests.access('pause_podcast', $$ select public.pause_podcast(tests.id('show')) $$,
  '42501: anon; PT403: stranger vic ana; 42501: service');

select tests.act_as('ola');
set local timezone = 'America/New_York';  -- its clocks change on 2027-03-14
select is(private.pause_podcast(tests.id('show'), '2027-01-10 12:00Z'), jsonb_build_object(
    'status', 'paused', 'paused_at', '2027-01-10T12:00:00.000Z', 'pause_expires_at', '2027-04-10T12:00:00.000Z'),
  'pause_podcast returns status, begin and end, 90 times 24 hours later in every time zone');
select is((select (status, paused_at, pause_expires_at, last_pause_ended_at)::text from public.podcasts),
  (('paused'::public.podcast_status, '2027-01-10 12:00Z'::timestamptz, '2027-04-10 12:00Z'::timestamptz,
    null::timestamptz)::text), 'pause_podcast stores begin and end of the pause');
reset timezone;
select tests.act_as('postgres');
select is((select payload from private.events where type = 'podcast.paused'), jsonb_build_object(
    'podcast_id', tests.id('show'), 'actor_id', tests.id('ola'), 'pause_expires_at', '2027-04-10T12:00:00.000Z'),
  'pause_podcast records the event podcast.paused');
select is(pg_temp.as_ola('pause_podcast', '2027-01-11Z'),
  'PT409 / The podcast is paused; only an active podcast can be paused / INVALID_PODCAST_STATUS',
  'pause_podcast names the status paused');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.as_ola('pause_podcast', '2027-01-11Z'),
  'PT409 / The podcast is pending_deletion; only an active podcast can be paused / INVALID_PODCAST_STATUS',
  'pause_podcast names the status pending_deletion');
select tests.set_status('show', 'paused', '2027-01-10 12:00Z');

-- The plan, before the date of the next pause
select is(pg_temp.as_ola('unpause_podcast', '2027-02-01 08:00Z'), 'none', 'unpause_podcast ends the pause');
select tests.set_plan('ola', 'free');
select is(pg_temp.as_ola('pause_podcast', '2027-02-02Z'),
  'PT403 / Pausing requires a paid plan; upgrade first / PAID_PLAN_REQUIRED',
  'pause_podcast returns 403 on a free plan, before it checks the last pause');
select tests.set_status('show', 'paused');
select is(pg_temp.as_ola('pause_podcast', '2027-02-02Z'),
  'PT409 / The podcast is paused; only an active podcast can be paused / INVALID_PODCAST_STATUS',
  'pause_podcast checks the status before the plan');
select tests.set_status('show', 'active'), tests.set_plan('ola', 'pro');
select tests.person('rich'), tests.set_plan('rich', 'pro'), tests.member('rich', 'show', 'admin');
select tests.set_plan('ola', 'free');
select is(pg_temp.as_ola('pause_podcast', '2028-02-01 08:00Z'),
  'PT403 / Pausing requires a paid plan; upgrade first / PAID_PLAN_REQUIRED',
  'pause_podcast follows the plan of the owner, not of another member');
select tests.set_plan('ola', 'pro');

-- Twelve months
select is(pg_temp.as_ola('pause_podcast', '2028-02-01 07:59:59.999Z'),
  'PT409 / A podcast can be paused again 12 months after its last pause ended; try again then / PAUSE_TOO_SOON / '
    '{"next_pause_available_at": "2028-02-01T08:00:00.000Z"}',
  'pause_podcast returns 409 PAUSE_TOO_SOON until 12 months after the end of the last pause');
select is(pg_temp.as_ola('pause_podcast', '2028-02-01 08:00Z'), 'none',
  'pause_podcast pauses again 12 months after the end of the last pause');
select is(pg_temp.as_ola('unpause_podcast', '2028-02-29 23:30Z'), 'none',
  'unpause_podcast ends a pause on February 29');
set local timezone = 'Pacific/Auckland';  -- where it is March 1
select is(pg_temp.as_ola('pause_podcast', '2029-02-28 23:29Z'),
  'PT409 / A podcast can be paused again 12 months after its last pause ended; try again then / PAUSE_TOO_SOON / '
    '{"next_pause_available_at": "2029-02-28T23:30:00.000Z"}',
  'pause_podcast counts 12 months from February 29 to February 28, in UTC');
select is(pg_temp.as_ola('pause_podcast', '2029-02-28 23:30Z'), 'none',
  'pause_podcast accepts February 28 after a leap day');
reset timezone;
select is(pg_temp.as_ola('unpause_podcast', '2029-08-31Z'), 'none', 'unpause_podcast accepts a pause that expired');
select is((select last_pause_ended_at from public.podcasts), '2029-05-29 23:30Z',
  'unpause_podcast ends an expired pause at its expiry, as end_expired_pauses does');

select tests.podcast('elsewhere', 'ola', 'external');
select is(tests.result_of('ola', $$ select public.pause_podcast(tests.id('elsewhere')) $$), 'ok 1',
  'pause_podcast pauses an external podcast');

select * from tests.finish();
rollback;
