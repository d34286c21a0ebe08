-- Objects that a schema diff skips: buckets, indexes and triggers of queues, triggers on auth.users, the realtime
-- publication, the policies of private channels and the storage of columns.
create function private.install_platform_objects() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  published text;
begin
  create index if not exists q_feed_pings_message_idx on pgmq.q_feed_pings using hash (message);
  create index if not exists q_cdn_purge_message_idx on pgmq.q_cdn_purge using hash (message);
  create index if not exists q_calendar_reads_message_idx on pgmq.q_calendar_reads using hash (message);

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
  create or replace trigger t920_delete_profile after update on auth.users
    for each row execute function private.delete_profile_of_deleted_user();
  create or replace trigger t930_announce_address after update on auth.users
    for each row execute function private.announce_address();

  create or replace trigger t500_add_account before insert on pgmq.q_import_items
    for each row execute function private.add_account_to_message();
  create or replace trigger t500_add_account before insert on pgmq.q_import_files
    for each row execute function private.add_account_to_message();
  create or replace trigger t900_fail_import_item after insert on pgmq.q_import_items_dlq
    for each row execute function private.fail_import_item_on_dead_letter();
  create or replace trigger t900_fail_import_file after insert on pgmq.q_import_files_dlq
    for each row execute function private.fail_import_file_on_dead_letter();
  create or replace trigger t900_fail_import_feed after insert on pgmq.q_import_feeds_dlq
    for each row execute function private.fail_import_feed_on_dead_letter();
  create or replace trigger t900_postpone_import_item after update of headers on pgmq.q_import_items
    for each row when (new.headers ->> 'waits_for' = 'retry') execute function private.postpone_import_item();

  create or replace trigger t900_fail_delivery after insert on pgmq.q_email_deliveries_dlq
    for each row execute function private.fail_delivery_on_dead_letter();
  create or replace trigger t900_fail_delivery after insert on pgmq.q_push_deliveries_dlq
    for each row execute function private.fail_delivery_on_dead_letter();
  create or replace trigger t900_record_delivery_retry after update of headers on pgmq.q_email_deliveries
    for each row when (new.headers ->> 'waits_for' = 'retry') execute function private.record_delivery_retry();
  create or replace trigger t900_record_delivery_retry after update of headers on pgmq.q_push_deliveries
    for each row when (new.headers ->> 'waits_for' = 'retry') execute function private.record_delivery_retry();

  create or replace trigger t900_fail_automation after insert on pgmq.q_automation_runs_dlq
    for each row execute function private.fail_automation_on_dead_letter();
  create or replace trigger t900_fail_webhook after insert on pgmq.q_automation_webhooks_dlq
    for each row execute function private.fail_webhook_on_dead_letter();

  foreach published in array array['podcasts', 'episodes', 'episode_messages', 'podcast_imports',
    'podcast_import_items', 'podcast_invitations', 'podcast_transfers', 'bookings']
  loop
    if not exists (
      select from pg_catalog.pg_publication_tables t
      where (t.pubname, t.schemaname, t.tablename) = ('supabase_realtime', 'public', published)) then
      execute format('alter publication supabase_realtime add table public.%I', published);
    end if;
  end loop;

  -- users receive messages about their own inbox; without a policy for inserts, clients send nothing
  if not exists (
    select from pg_catalog.pg_policies p
    where (p.schemaname, p.tablename, p.policyname) = ('realtime', 'messages', 'users_receive_own_inbox')) then
    create policy users_receive_own_inbox on realtime.messages for select to authenticated
      using (extension = 'broadcast' and (select realtime.topic()) = 'inbox:' || (select auth.uid()));
  end if;
  if not exists (
    select from pg_catalog.pg_policies p
    where (p.schemaname, p.tablename, p.policyname) = ('realtime', 'messages', 'admins_receive_automations')) then
    create policy admins_receive_automations on realtime.messages for select to authenticated
      using (extension = 'broadcast' and (select realtime.topic()) = any (array(
        select 'automations:' || p from unnest((select private.my_podcasts('admin'))::uuid[]) p)));
  end if;

  -- staged texts are stored uncompressed, because compression costs more than the rest of staging
  if exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = 'public.podcast_import_item_texts'::regclass and a.atttypid = 'text'::regtype
      and a.attstorage <> 'e') then
    alter table public.podcast_import_item_texts alter column description set storage external,
      alter column content set storage external, alter column summary set storage external,
      alter column subtitle set storage external;
  end if;
end $$;
comment on function private.install_platform_objects is 'Part of private.install(): writes the platform objects.';

create function private.delete_obsolete_rows() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  -- null, which deletes nothing, in a transaction that installed none
  installed constant text[] := string_to_array(nullif(current_setting('castbase.installed', true), ''), ' ');
begin
  delete from private.settings s where 'setting:' || s.key <> all (installed);
  delete from private.plan_limits l where 'plan_limit:' || l.name <> all (installed);
  delete from private.frequent_jobs f where 'frequent_job:' || f.name <> all (installed);
  perform cron.unschedule(j.jobid) from cron.job j
  where j.command = format('select private.%I()', j.jobname) and 'job:' || j.jobname <> all (installed);
end $$;
comment on function private.delete_obsolete_rows is
  'Part of private.install(): deletes the settings, plan limits and jobs that this run has not installed.';

-- Ends every migration. Safe to repeat.
create function private.install() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.installed', '', true);  -- install functions note there what they write
  perform private.install_foundation();
  perform private.install_accounts();
  perform private.install_podcasts();
  perform private.install_lifecycle();
  perform private.install_billing();
  perform private.install_episodes();
  perform private.install_media();
  perform private.install_guests();
  perform private.install_people();
  perform private.install_bookings();
  perform private.install_notifications();
  perform private.install_imports();
  perform private.install_automations();
  perform private.install_feeds();
  perform private.install_public();
  perform private.install_personal_data();
  perform private.delete_obsolete_rows();
  perform private.install_texts();
  perform private.add_missing_notification_preferences();
  perform private.add_missing_notification_counts();
  perform private.fan_out_past_events();
  perform private.install_platform_objects();
  perform private.guard_client_writes();
  perform private.generate_call_functions();
  perform private.limit_lock_waits_over_rest();
  perform private.revoke_default_privileges();
  perform private.revoke_undeclared_grants();
  perform private.record_installed_objects();
end $$;
comment on function private.install is
  'Writes what a schema diff skips: reference rows, queues, cron jobs, buckets, triggers on auth.users, the '
  'publication, the private.call_ functions, and the settings of API roles. It also '
  'derives the guards of direct writes from the grants, and revokes grants that sql/ does not give. Every migration '
  'ends with it.';
