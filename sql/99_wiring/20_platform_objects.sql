-- Objects that a schema diff skips: queues, cron jobs, buckets, triggers on auth.users and pgmq, the realtime
-- publication and the storage of columns.
create function private.install_platform_objects() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  queue     text;
  published text;
  jobs      constant text[][] := array[
    ['publish_due_episodes', '15 seconds', 'select private.publish_due_episodes()'],
    ['end_expired_pauses', '11 * * * *', 'select private.end_expired_pauses()'],
    ['enqueue_due_deletions', '23 * * * *', 'select private.enqueue_due_deletions()'],
    ['fan_out_waiting_events', '10 seconds', 'select private.fan_out_waiting_events()'],
    ['enqueue_due_deliveries', '10 seconds', 'select private.enqueue_due_deliveries()'],
    ['enqueue_due_calendar_reads', '* * * * *', 'select private.enqueue_due_calendar_reads()'],
    ['purge_notifications', '* * * * *', 'select private.purge_notifications()'],
    ['release_due_notifications', '10 seconds', 'select private.release_due_notifications()'],
    ['fold_notification_counts', '10 seconds', 'select private.fold_notification_counts()'],
    ['delete_stale_imports', '* * * * *', 'select private.delete_stale_imports()'],
    ['expire_pending_bookings', '* * * * *', 'select private.expire_pending_bookings()'],
    ['tell_untold_guest', '10 seconds', 'select private.tell_untold_guest()'],
    ['start_due_automations', '10 seconds', 'select private.start_due_automations()'],
    ['purge_automations', '*/10 * * * *', 'select private.purge_automations()'],
    ['purge_bookings', '29 * * * *', 'select private.purge_bookings()'],
    ['wake_worker_if_pending', '5 seconds', 'select private.wake_worker_if_pending()'],
    ['enqueue_stale_show_notes', '*/5 * * * *', 'select private.enqueue_stale_show_notes()'],
    ['sweep_storage', '17 3 * * *', 'select private.sweep_storage()'],
    ['sweep_staging', '*/5 * * * *', 'select private.sweep_staging()'],
    ['reconcile_subscriptions', '37 3 * * *', 'select private.reconcile_subscriptions()'],
    ['reap_unconfirmed_users', '43 * * * *', 'select private.reap_unconfirmed_users()'],
    ['purge_stripe_events', '52 3 * * *', 'select private.purge_stripe_events()'],
    ['end_rejected_push_subscriptions', '47 3 * * *', 'select private.end_rejected_push_subscriptions()'],
    ['purge_rate_limits', '57 3 * * *', 'select private.purge_rate_limits()'],
    ['purge_email_recipients', '2 4 * * *', 'select private.purge_email_recipients()'],
    ['purge_cron_history', '7 4 * * *', 'select private.purge_cron_history()']
  ];
  job       text[];
begin
  for queue in select n from private.queues q, unnest(array[q.name, q.name || '_dlq']) n loop
    perform pgmq.create(queue) where not exists (select from pgmq.meta m where m.queue_name = queue);
  end loop;
  create index if not exists q_feed_pings_message_idx on pgmq.q_feed_pings using hash (message);
  create index if not exists q_cdn_purge_message_idx on pgmq.q_cdn_purge using hash (message);

  foreach job slice 1 in array jobs loop
    perform cron.schedule(job[1], job[2], job[3])
    where not exists (
      select from cron.job j where (j.jobname, j.schedule, j.command, j.active) = (job[1], job[2], job[3], true));
  end loop;

  -- media is public; staging takes direct uploads, which the service checks and copies
  insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types) values
    ('media', 'media', true, private.max_audio_bytes(), null),
    ('staging', 'staging', false, private.max_audio_bytes(), private.audio_types())
  on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
    allowed_mime_types = excluded.allowed_mime_types
    where (b.public, b.file_size_limit, b.allowed_mime_types)
      is distinct from (excluded.public, excluded.file_size_limit, excluded.allowed_mime_types);

  -- without columns and conditions, which would make Auth's own changes of these columns fail
  create or replace trigger t100_drop_sign_up_password before update on auth.users
    for each row execute function private.drop_sign_up_password();
  create or replace trigger t900_provision after insert or update on auth.users
    for each row execute function private.provision_user();
  create or replace trigger t910_relink_guests after update on auth.users
    for each row execute function private.relink_user_to_guests();

  create or replace trigger t900_fail_import_item after insert on pgmq.q_import_items_dlq
    for each row execute function private.fail_import_item_on_dead_letter();
  create or replace trigger t900_fail_import_file after insert on pgmq.q_import_files_dlq
    for each row execute function private.fail_import_file_on_dead_letter();
  create or replace trigger t900_fail_import_feed after insert on pgmq.q_import_feeds_dlq
    for each row execute function private.fail_import_feed_on_dead_letter();
  create or replace trigger t900_postpone_import_item after update of headers on pgmq.q_import_items
    for each row execute function private.postpone_import_item();

  create or replace trigger t900_fail_delivery after insert on pgmq.q_email_deliveries_dlq
    for each row execute function private.fail_delivery_on_dead_letter();
  create or replace trigger t900_fail_delivery after insert on pgmq.q_push_deliveries_dlq
    for each row execute function private.fail_delivery_on_dead_letter();
  create or replace trigger t900_record_delivery_retry after update of headers on pgmq.q_email_deliveries
    for each row execute function private.record_delivery_retry();
  create or replace trigger t900_record_delivery_retry after update of headers on pgmq.q_push_deliveries
    for each row execute function private.record_delivery_retry();

  create or replace trigger t900_fail_automation after insert on pgmq.q_automation_runs_dlq
    for each row execute function private.fail_automation_on_dead_letter();
  create or replace trigger t900_fail_webhook after insert on pgmq.q_automation_webhooks_dlq
    for each row execute function private.fail_webhook_on_dead_letter();

  foreach published in array array['podcasts', 'episodes', 'episode_messages', 'podcast_imports',
    'podcast_import_items', 'podcast_invitations', 'podcast_transfers', 'notifications', 'bookings']
  loop
    if not exists (
      select from pg_catalog.pg_publication_tables t
      where (t.pubname, t.schemaname, t.tablename) = ('supabase_realtime', 'public', published)) then
      execute format('alter publication supabase_realtime add table public.%I', published);
    end if;
  end loop;

  -- staged texts are stored uncompressed, because compression costs more than the rest of staging
  if exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = 'public.podcast_import_item_texts'::regclass and a.atttypid = 'text'::regtype
      and a.attstorage <> 'e') then
    alter table public.podcast_import_item_texts alter column description set storage external,
      alter column content set storage external, alter column summary set storage external;
  end if;
end $$;
comment on function private.install_platform_objects is 'Part of private.install(): writes the platform objects.';

-- Ends every migration. Safe to repeat.
create function private.install() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.install_reference_rows();
  perform private.install_texts();
  perform private.install_notification_types();
  perform private.install_automation_tags();
  perform private.add_missing_notification_preferences();
  perform private.add_missing_notification_counts();
  perform private.fan_out_past_events();
  perform private.install_platform_objects();
  perform private.guard_client_writes();
  perform private.generate_call_functions();
  perform private.limit_lock_waits_over_rest();
  perform private.revoke_default_privileges();
end $$;
comment on function private.install is
  'Writes what a schema diff skips: reference rows, queues, cron jobs, buckets, triggers on auth.users, the '
  'publication, the private.call_ functions, the settings of API roles and the default privileges. It also derives the '
  'guards of direct writes from the grants. Every migration ends with it.';
