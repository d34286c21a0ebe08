-- end_expired_pauses: the scheduled job that ends pauses.
begin;
select tests.start();

select tests.podcast(name, 'ola') from unnest(array['first', 'second', 'later', 'leaving', 'active']) name;
select tests.set_status('first', 'paused', '2027-01-10Z'), tests.set_status('second', 'paused', '2027-01-11Z'),
  tests.set_status('later', 'paused', '2027-02-01Z'), tests.set_status('leaving', 'paused', '2027-01-10Z');
select tests.set_status('leaving', 'pending_deletion', '2027-01-12Z');

select is(private.end_expired_pauses('2027-04-09 23:59:59Z'), 0, 'end_expired_pauses ends no pause before its expiry');
select is(private.end_expired_pauses('2027-04-11Z'), 2,
  'end_expired_pauses ends every pause that has expired, from the moment of its expiry');
select is((select jsonb_object_agg(title, jsonb_build_array(status, paused_at is null, pause_expires_at is null,
    (last_pause_ended_at at time zone 'UTC')::date)) from public.podcasts),
  '{"first": ["active", true, true, "2027-04-10"], "second": ["active", true, true, "2027-04-11"],
    "later": ["paused", false, false, null], "leaving": ["pending_deletion", false, false, null],
    "active": ["active", true, true, null]}',
  'end_expired_pauses sets active and last_pause_ended_at, and leaves podcasts pending deletion alone');
select is((select jsonb_agg(payload order by payload) from private.events where type = 'podcast.unpaused'),
  (select jsonb_agg(e order by e) from unnest(array['first', 'second']) name,
    jsonb_build_object('podcast_id', tests.id(name), 'actor_id', null) e),
  'end_expired_pauses records podcast.unpaused without an actor for each podcast');
select is(private.end_expired_pauses('2027-04-12Z'), 0, 'end_expired_pauses changes nothing when it runs again');

-- The bound of a run
insert into public.podcasts (owner_id, title, status, paused_at, pause_expires_at)
select tests.id('ola'), 'Many', 'paused', '2027-01-01Z', '2027-02-01Z' from generate_series(1, 3);
select is(private.end_expired_pauses('2027-04-12Z', 2), 2, 'end_expired_pauses ends at most max_podcasts pauses');
select is(private.end_expired_pauses('2027-04-12Z'), 1, 'end_expired_pauses ends the others in its next run');
select is((select jsonb_agg(jsonb_build_array(schedule, command, active)) from cron.job
    where jobname = 'end_expired_pauses'),
  '[["11 * * * *", "select private.end_expired_pauses()", true]]', 'end_expired_pauses runs every hour');

select * from tests.finish();
rollback;
