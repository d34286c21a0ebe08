-- get_installation_report: the facts that npm run doctor, /api/health/report and /api/metrics show.
begin;
select tests.start();
select tests.person('vic');

select tests.access('get_installation_report', 'select private.get_installation_report()',
  '42501: anon vic; ok 1: service');
create function pg_temp.report(section text, digest text default null) returns jsonb language sql as $$
  select private.get_installation_report(digest) -> section $$;

select set_eq('select jsonb_object_keys(private.get_installation_report())', $$ values ('timestamp'), ('database'),
  ('migration'), ('missingObjects'), ('grants'), ('queues'), ('jobs'), ('wakeUps'), ('settings'), ('deliveries'),
  ('imports'), ('calendars'), ('billing'), ('stoppedSenders'), ('estimatedRows') $$,
  'get_installation_report returns its sections');

-- What is missing
select is(pg_temp.report('missingObjects'), '[]', 'a complete installation lacks no object');
select is(pg_temp.report('grants'), '{"undeclared": [], "missing": []}', 'the grants are those of sql/');
-- of Auth's and Storage's tables only their owners may drop what the product has there
insert into private.installed_objects values ('trigger', 't905_gone on auth.users'), ('bucket', 'gone');
drop policy users_receive_own_inbox on realtime.messages;
alter publication supabase_realtime drop table public.episodes;
select cron.unschedule('sweep_storage');
delete from private.frequent_jobs where name = 'publish_due_episodes';
select pgmq.drop_queue('feed_pings_dlq');
select set_eq($$ select o.kind, o.name
    from jsonb_to_recordset(pg_temp.report('missingObjects')) o (kind text, name text) $$,
  $$ values ('trigger', 't905_gone on auth.users'),
    ('policy', 'users_receive_own_inbox on realtime.messages'),
    ('publication', 'public.episodes in supabase_realtime'), ('cron job', 'sweep_storage'),
    ('frequent job', 'publish_due_episodes'), ('bucket', 'gone'), ('queue', 'feed_pings_dlq') $$,
  'get_installation_report lists the objects outside our schemas that are missing or disabled');
select is((select count(*) from private.list_platform_objects() o
  where o.name in ('t900_provision on auth.users', 'media', 'staging', 'pgmq')), 4::bigint,
  'list_platform_objects lists triggers on auth.users, buckets and extensions');
select is(
  (select count(*) from jsonb_array_elements(pg_temp.report('queues')) q where q ->> 'queue' = 'feed_pings'), 0::bigint,
  'get_installation_report leaves out a queue that is missing');
delete from private.installed_objects where name in ('t905_gone on auth.users', 'gone');
select private.install();
select is(pg_temp.report('missingObjects'), '[]', 'private.install() brings back what was missing');
grant execute on function private.set_setting to anon;
revoke execute on function public.create_podcast from authenticated;
select is(pg_temp.report('grants'), '{"undeclared": ["EXECUTE on private.set_setting to anon"],
  "missing": ["EXECUTE on public.create_podcast to authenticated"]}',
  'get_installation_report lists grants beyond sql/, and those that are missing');

-- Queues and jobs
select is((select count(*) from jsonb_array_elements(pg_temp.report('queues'))), (select count(*) from private.queues),
  'get_installation_report has each queue');
update private.frequent_jobs set last_run_at = '2026-05-01T10:00Z', last_error = 'it broke',
  failed_at = '2026-05-01T10:00Z' where name = 'publish_due_episodes';
insert into cron.job_run_details (jobid, runid, status, return_message, start_time, end_time)
select j.jobid, r.n, r.status, r.message, now() - r.ago, now() - r.ago
from cron.job j, (values (-1, 'succeeded', '1 row', interval '1 hour'), (-2, 'failed', 'no such table', '2 hours'),
  (-3, 'failed', 'older', '30 hours')) r (n, status, message, ago)
where j.jobname = 'sweep_storage';
create function pg_temp.job(name text) returns jsonb language sql as $$
  select j from jsonb_array_elements(pg_temp.report('jobs')) j where j ->> 'name' = name $$;
select is(pg_temp.job('publish_due_episodes'), '{"name": "publish_due_episodes", "periodSeconds": 15, "isActive": true,
  "lastRunAt": "2026-05-01T10:00:00.000Z", "lastError": "it broke", "failedAt": "2026-05-01T10:00:00.000Z"}',
  'get_installation_report has the outcome of a frequent job');
select is(
  (select array[j ->> 'schedule', j ->> 'failuresOfDay', j ->> 'lastError', (j ->> 'failedAt' is not null)::text]
  from pg_temp.job('sweep_storage') j), array['17 3 * * *', '1', null, 'true'],
  'get_installation_report has the runs of a job of pg_cron, and no error of one that has succeeded since');

-- Wake-ups
delete from net._http_response;
select is(pg_temp.report('wakeUps'), '{"hasSecret": false, "isSecretEqual": null, "accepted": 0, "refused": 0,
  "lastRefusal": null}',
  'get_installation_report says that Vault has no secret of the worker');
select vault.create_secret('s3cret-of-the-worker', 'worker_secret');
insert into net._http_response (id, status_code, error_msg, content, created) values
  (1, 202, null, '{}', now()), (2, 401, null, '{"error": "Invalid worker secret"}', now() - interval '1 minute'),
  (3, null, 'Could not connect', null, now() - interval '2 minutes'), (4, 500, null, 'old', now() - interval '1 hour');
select is(pg_temp.report('wakeUps', encode(sha256('s3cret-of-the-worker'), 'hex')),
  '{"hasSecret": true, "accepted": 1, "refused": 2, "lastRefusal": "401 {\"error\": \"Invalid worker secret\"}",
    "isSecretEqual": true}', 'get_installation_report counts the wake-ups of ten minutes');
select is(pg_temp.report('wakeUps', encode(sha256('another one'), 'hex')) -> 'isSecretEqual', 'false',
  'get_installation_report compares the secret of the functions with Vault''s');
select is(private.get_installation_report()::text ~ 's3cret', false, 'get_installation_report has no secret');

-- Settings
select is(pg_temp.report('settings') ->> 'public_url', 'https://casts.test', 'get_installation_report has the URLs');
update private.settings set value = null where key = 'public_url';
select is(pg_temp.report('settings') -> 'base_url', 'null', 'get_installation_report has null for an incomplete URL');
update private.settings set value = 'https://casts.test' where key = 'public_url';

-- Deliveries, imports, calendars, senders
select tests.podcast('show', 'ann'), tests.member('bob', 'show');
select tests.sent_email('late', 'bob', 'episode.team_added', 'queued'),
  tests.sent_email('failed', 'bob', 'episode.team_added', 'failed'),
  tests.sent_email('old', 'bob', 'episode.team_added', 'sent');
update public.notification_deliveries set due_at = now() - interval '1 hour' where id = tests.id('late');
update public.notification_deliveries set created_at = now() - interval '2 days' where id = tests.id('old');
select is(pg_temp.report('deliveries') -> 'open',
  '[{"channel": "email", "status": "queued", "count": 1, "oldestDueSeconds": 3600}]',
  'get_installation_report counts the deliveries that are due, with the age of the oldest');
select is(pg_temp.report('deliveries') -> 'ofDay', '[{"channel": "email", "status": "queued", "count": 1},
  {"channel": "email", "status": "failed", "count": 1}]', 'get_installation_report counts the deliveries of a day');
select tests.import('i1', 'show', 'running'), tests.import('i2', 'show', 'failed');
select is(pg_temp.report('imports'), '{"running": 1, "failed": 1}', 'get_installation_report counts imports by status');
insert into public.calendar_connections (id, user_id, provider, account_name, status)
select gen_random_uuid(), tests.id('ann'), c.provider::public.calendar_provider, 'a',
  c.status::public.calendar_connection_status
from (values ('google', 'active'), ('google', 'revoked'), ('microsoft', 'failing')) c (provider, status);
insert into private.calendar_credentials (connection_id, secret_id, account_digest, access_expires_at)
select c.id, gen_random_uuid(), sha256('a'), now() - interval '2 days' from public.calendar_connections c
where c.status = 'active';
select is(pg_temp.report('calendars'), '[
  {"provider": "google", "connections": 2, "failing": 0, "revoked": 1, "expired": 1},
  {"provider": "microsoft", "connections": 1, "failing": 1, "revoked": 0, "expired": 0}]',
  'get_installation_report counts calendar connections that fail, were revoked, or have an expired token');

-- The database
select ok(d ->> 'version' like '17%' and (d -> 'maxConnections')::int > 0 and jsonb_array_length(d -> 'tables') = 25
  and (d -> 'sizeBytes')::bigint > 0, 'get_installation_report describes the server and its largest tables')
from pg_temp.report('database') d;

select * from tests.finish();
rollback;
