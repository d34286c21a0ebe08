-- The states of podcasts: constraints and transitions, for every writer.
begin;
select tests.start();

select tests.podcast('active', 'ola'), tests.podcast('paused', 'ola'), tests.podcast('leaving', 'ola'),
  tests.podcast('external', 'ola', 'external');
select tests.set_status('paused', 'paused', '2027-01-01Z'), tests.set_status('leaving', 'paused', '2027-01-01Z');
select tests.set_status('leaving', 'pending_deletion', '2027-02-01Z');
-- 'ok', or the constraint that rejects a change of the podcast
create function pg_temp.rejects(podcast text, change text) returns text language plpgsql as $$
declare
  rejecting text;
begin
  execute format('update public.podcasts set %s where id = tests.id(%L)', change, podcast);
  return 'ok';
exception when check_violation then
  get stacked diagnostics rejecting = constraint_name;
  return rejecting;
end $$;

select is(pg_temp.rejects(podcast, change), rejecting,
  format('the constraint %s rejects %s of a podcast that is %s', rejecting, change, podcast))
from (values
  ('pause_has_start_and_end', 'paused', 'pause_expires_at = null'),
  ('pause_is_at_most_90_days', 'paused', $$pause_expires_at = paused_at$$),
  ('pause_is_at_most_90_days', 'paused', $$pause_expires_at = paused_at + interval '90 days 1 second'$$),
  ('paused_has_pause', 'paused', 'paused_at = null, pause_expires_at = null'),
  ('paused_has_pause', 'active', $$status = 'paused'$$),
  ('active_has_no_pause', 'active', $$paused_at = now(), pause_expires_at = now() + interval '1 day'$$),
  ('active_has_no_pause', 'paused', $$status = 'active'$$),
  ('only_pending_deletion_has_schedule', 'active', 'deletion_requested_at = now()'),
  ('only_pending_deletion_has_schedule', 'active', 'deletion_requested_at = now(), deletion_scheduled_at = now()'),
  ('only_pending_deletion_has_schedule', 'active', $$status = 'pending_deletion'$$),
  ('only_pending_deletion_has_schedule', 'leaving', 'deletion_scheduled_at = null'),
  ('only_pending_deletion_has_schedule', 'leaving', $$status = 'paused'$$),
  ('deletion_window_is_0_to_90_days', 'leaving', $$deletion_scheduled_at = deletion_requested_at - interval '1s'$$),
  ('deletion_window_is_0_to_90_days', 'leaving',
    $$deletion_scheduled_at = deletion_requested_at + interval '91 days'$$),
  ('deletion_redirect_has_window', 'active', $$deletion_redirect_url = 'https://new.example'$$),
  ('deletion_redirect_has_window', 'leaving',
    $$deletion_redirect_url = 'https://new.example', deletion_scheduled_at = deletion_requested_at$$),
  ('deletion_redirect_url_is_parsable', 'leaving', $$deletion_redirect_url = 'ftp://new.example'$$),
  ('feed_redirect_url_is_parsable', 'active', $$feed_redirect_url = 'ftp://new.example'$$),
  ('external_has_no_redirect', 'external', $$feed_redirect_url = 'https://new.example'$$),
  ('external_is_deleted_at_once', 'external', $$status = 'pending_deletion', deletion_requested_at = now(),
    deletion_scheduled_at = now() + interval '1 day'$$)
) v (rejecting, podcast, change);
select is(pg_temp.rejects(podcast, change), 'ok',
  format('podcasts accepts %s of a podcast that is %s', change, podcast))
from (values
  ('paused', $$pause_expires_at = paused_at + interval '2160 hours'$$),
  ('external', $$status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()$$),
  ('leaving', $$deletion_scheduled_at = deletion_requested_at$$),
  ('leaving', $$deletion_scheduled_at = deletion_requested_at + interval '2160 hours'$$),
  ('leaving', $$deletion_redirect_url = 'https://new.example'$$)) v (podcast, change);

-- Columns that clients may not write
select is(has_column_privilege('authenticated', 'public.podcasts', name, 'INSERT, UPDATE'), false,
  format('clients may not write podcasts.%s', name))
from unnest(array['status', 'paused_at', 'pause_expires_at', 'last_pause_ended_at', 'deletion_requested_at',
  'deletion_redirect_url', 'deletion_scheduled_at', 'feed_redirect_url', 'is_being_deleted']) name;

select * from tests.finish();
rollback;
