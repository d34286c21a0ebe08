-- Rules of the whole catalog
begin;
select tests.start();

create temp view tables as
  select c.*, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind in ('r', 'p');

select is_empty('select relname from tables where not relrowsecurity', 'every table has row level security enabled');
select is_empty($$ select proname from tests.functions where nspname = 'public'
  and prosecdef $$, 'no function of public is security definer');
select is_empty($$ select proname from tests.functions
  where not ('search_path=""' = any (coalesce(proconfig, '{}'))) $$,
  'every function sets search_path to an empty string');
select is_empty($$ select proname from tests.functions where nspname = 'public' group by 1 having count(*) > 1 $$,
  'no function of public is overloaded');
select is_empty($$ select proname from tests.functions
  where nspname = 'public' and obj_description(oid, 'pg_proc') is null $$,
  'every function of public has a comment');
select is_empty($$ select proname from tests.functions where nspname = 'private' and prorettype <> 'trigger'::regtype
  and obj_description(oid, 'pg_proc') is null
  and proname not in (select proname from tests.functions where nspname = 'public') $$,
  'every function of private has a comment, except trigger functions and those named as a function of public');
select is_empty($$ select relname from tables where nspname = 'public' and obj_description(oid, 'pg_class') is null $$,
  'every table of public has a comment');
select is_empty($$
  with recursive calls as materialized (
    select distinct o.proname, o.provolatile, called[1] as callee
    from tests.functions o, regexp_matches(o.body, 'private\.(\w+)\(', 'g') called),
  lockers as (
    select o.proname, o.provolatile from tests.functions o
    where o.body ~ '\mfor (no key update|update|key share|share)\M'
    union
    select c.proname, c.provolatile from calls c join lockers l on l.proname = c.callee)
  select proname from lockers where provolatile <> 'v' $$,
  'every function that locks rows is volatile, because PostgREST runs the others in read-only transactions');
select is_empty($$ select proname from tests.functions where body ~* 'raise\s+exception' $$,
  'no function raises an error without a status');
select set_eq($$ select proname::text from tests.functions where body like '%Authentication required%' $$,
  array['require_user'], 'require_user alone raises that a user is required');
select is_empty(
  $$ select polname from pg_policy where polrelid in (select oid from tables) and (polcmd = '*' or polroles = '{0}') $$,
  'every policy names its command and its roles');
select is_empty($$ select tgname from pg_trigger where tgrelid in (select oid from tables) and not tgisinternal
  and tgname !~ '^t\d{3}_[a-z_]+$' $$, 'every trigger name begins with its order, tNNN_');
select is_empty($$ select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind = 'v'
    and not 'security_invoker=true' = any (coalesce(c.reloptions, '{}')) $$, 'every view is security_invoker');
select is_empty($$ select t.relname, who from tables t, unnest(array['anon', 'authenticated', 'service_role']) who
  where t.nspname = 'private' and (has_table_privilege(who, t.oid, 'DELETE, TRUNCATE, TRIGGER')
    or has_any_column_privilege(who, t.oid, 'SELECT, INSERT, UPDATE, REFERENCES')) $$,
    'no table of private and none of its columns is granted to an API role');
select is_empty($$ select t.relname, who from tables t, unnest(array['anon', 'authenticated', 'service_role']) who
  where has_table_privilege(who, t.oid, 'TRUNCATE, REFERENCES, TRIGGER') $$,
    'no API role may TRUNCATE, REFERENCE or TRIGGER a table');
select set_eq($$ select relname::text from tables where has_any_column_privilege('anon', oid, 'SELECT') $$,
  array['plans', 'plan_prices', 'podcast_categories'],
  'anon reads only the tables plans, plan_prices and podcast_categories');
select is_empty($$ select relname from tables where has_any_column_privilege('anon', oid, 'INSERT, UPDATE')
  or has_table_privilege('anon', oid, 'DELETE') $$, 'anon writes no table');
select is((
    select string_agg(c.relname, ' ' order by c.relname) from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and case verb
      when 'DELETE' then has_table_privilege(who, c.oid, verb) else has_any_column_privilege(who, c.oid, verb) end),
  names, format('the listed tables are the only ones with a grant of %s to %s', verb, who))
from (values
  ('authenticated', 'INSERT', 'automation_actions automation_rules automation_templates booking_links '
    'episode_chapters episode_messages episode_transcripts episodes podcasts'),
  ('authenticated', 'UPDATE', 'automation_actions automation_rules automation_templates booking_links '
    'episode_chapters episode_transcripts episodes notification_preferences podcast_members podcasts profiles'),
  ('authenticated', 'DELETE', 'automation_actions automation_addresses automation_rules automation_templates '
    'booking_links episode_chapters episode_messages episode_transcripts episodes podcast_members'),
  ('service_role', 'INSERT', 'automation_actions automation_rules automation_templates booking_links '
    'episode_chapters episodes podcast_members podcasts'),
  ('service_role', 'UPDATE', 'automation_actions automation_rules automation_templates billing_accounts '
    'booking_links episode_chapters episodes podcast_members podcasts profiles'),
  ('service_role', 'DELETE', 'automation_actions automation_addresses automation_rules automation_templates '
    'booking_links episode_chapters episode_transcripts episodes podcast_members')) v (who, verb, names);
select is_empty($$
  select t.relname, a.attname from tables t join pg_attribute a on a.attrelid = t.oid
  where t.nspname = 'public' and has_any_column_privilege('authenticated', t.oid, 'INSERT')
  and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef and a.attidentity = ''
  and not has_column_privilege('authenticated', t.oid, a.attnum, 'INSERT') $$,
  'every column that clients cannot insert is nullable or has a default, so that generated types do not require it');
-- Functions that each API role may execute, a line per folder of sql/
select set_eq($$ select proname::text from tests.functions
  where nspname = 'public' and has_function_privilege('anon', oid, 'EXECUTE') $$, array[
  'check_health',
  'accept_guest_invitation', 'decline_guest_invitation', 'get_guest_episode', 'list_guest_messages',
    'post_guest_message',
  'request_booking', 'get_guest_booking', 'verify_guest_booking', 'cancel_guest_booking', 'reschedule_guest_booking',
  'record_push_click', 'record_email_open', 'record_email_click', 'unsubscribe_email',
  'notify_chat_message', 'mark_guest_notifications_read',
  'get_availability', 'get_month_availability', 'get_public_booking_link',
  'confirm_automation_address',
  'get_public_podcast', 'list_public_episodes', 'get_latest_public_episode', 'get_public_episode',
    'get_public_episode_by_id', 'get_public_chapters', 'list_public_transcripts', 'get_oembed',
    'get_public_neighbors', 'list_public_episode_page', 'count_public_sitemaps', 'list_public_sitemaps',
    'list_public_sitemap_urls'
], 'anon executes only the listed functions of public');
select set_eq($$ select proname::text from tests.functions
  where nspname = 'public' and not has_function_privilege('authenticated', oid, 'EXECUTE') $$,
  array['lift_email_suppression', 'retry_failed_deliveries', 'list_queues', 'list_queue_messages',
    'get_queue_message', 'retry_queue_messages', 'drop_queue_message', 'pause_queue', 'resume_queue'],
  'authenticated executes every function of public except the listed ones');
select set_eq($$ select proname::text from tests.functions
  where nspname = 'public' and has_function_privilege('service_role', oid, 'EXECUTE') $$,
  array['check_health', 'record_push_click', 'lift_email_suppression', 'retry_failed_deliveries', 'list_queues',
    'list_queue_messages', 'get_queue_message', 'retry_queue_messages', 'drop_queue_message', 'pause_queue',
    'resume_queue',
  'get_availability', 'get_month_availability', 'get_public_booking_link',
  'get_public_podcast', 'list_public_episodes', 'get_latest_public_episode', 'get_public_episode',
    'get_public_episode_by_id', 'get_public_chapters', 'list_public_transcripts', 'get_oembed',
    'get_public_neighbors', 'list_public_episode_page', 'count_public_sitemaps', 'list_public_sitemaps',
    'list_public_sitemap_urls'
], 'service_role executes only the listed functions of public');
create temp table anon_helpers (name text);
insert into anon_helpers select unnest(array[
  'get_setting', 'error_response', 'encode_path_segment', 'format_timestamp',
  'feed_url',
  'respond_to_guest_invitation', 'get_guest_episode', 'list_guest_messages',
    'post_guest_message',
  'get_availability', 'get_month_availability', 'get_public_booking_link',
  'request_booking', 'get_guest_booking', 'verify_guest_booking', 'cancel_guest_booking', 'reschedule_guest_booking',
  'record_push_click', 'record_email_open', 'record_email_click', 'unsubscribe_email',
  'notify_chat_message', 'mark_guest_notifications_read',
  'confirm_automation_address',
  'listen_url', 'get_public_podcast', 'list_public_episodes', 'get_latest_public_episode', 'get_public_episode',
    'get_public_episode_by_id',
    'get_public_neighbors', 'list_public_episode_page', 'count_public_sitemaps', 'list_public_sitemaps',
    'list_public_sitemap_urls',
    'get_public_chapters', 'list_public_transcripts', 'get_oembed'
]);
select set_eq($$ select proname::text from tests.functions
  where nspname = 'private' and has_function_privilege('anon', oid, 'EXECUTE') $$, 'select name from anon_helpers',
  'anon executes only the listed functions of private');
select set_eq($$ select proname::text from tests.functions
  where nspname = 'private' and has_function_privilege('authenticated', oid, 'EXECUTE')
  except select name from anon_helpers $$, array[
  'is_blank', 'invisible_characters', 'normalize_line', 'is_list_of_texts', 'is_http_url', 'is_parsable_http_url',
    'is_language_tag', 'is_timezone', 'normalize_timezone', 'consume_rate_limit', 'raise_anonymous_user',
  'require_user', 'require_account',
  'my_podcasts', 'require_role', 'reject_pending_deletion', 'require_writable_podcast', 'my_teammate_ids',
  'my_podcast_invitation_ids', 'invite_podcast_member', 'accept_podcast_invitation', 'decline_podcast_invitation',
  'withdraw_podcast_invitation', 'resend_podcast_invitation',
  'offer_podcast_transfer', 'accept_podcast_transfer', 'end_podcast_transfer',
  'get_podcast_lifecycle', 'pause_podcast', 'unpause_podcast', 'delete_podcast', 'update_deletion_redirect',
  'set_feed_redirect', 'update_deleted_podcast_redirect',
    'cancel_deletion', 'audio_types', 'audio_extension', 'require_episode_role',
  'transcript_types', 'transcript_extension', 'normalize_transcript_type', 'location_error', 'chapters_base_url',
    'chapters_error', 'lock_episode_chapters', 'insert_episode_chapters',
  'require_audio_target', 'max_audio_bytes', 'require_upload_size', 'require_allowance',
    'require_declared_upload', 'audio_path', 'require_upload_episode', 'require_transcript_target', 'transcript_path',
  'image_spec', 'image_extension', 'image_path', 'image_folder', 'is_image_of_episode', 'require_own_image',
    'image_url', 'own_object_path', 'normalize_base_url', 'require_image_target',
  'validate_image_format', 'validate_image', 'uploadable_image_spec', 'importable_image_spec',
  'remove_episode_audio', 'delete_podcast_image', 'begin_direct_upload', 'begin_direct_upload_completion',
    'temporary_artwork', 'current_image_url', 'get_storage_usage', 'get_billing',
  'list_podcast_guests', 'get_podcast_guest', 'update_podcast_guest', 'invite_guest', 'delete_episode_message',
  'my_roster_episode_ids', 'list_episode_people', 'add_episode_person', 'update_episode_person',
    'remove_episode_person',
  'set_episode_person_credit', 'remove_episode_person_credit', 'reorder_episode_credits', 'remove_episode_guest',
    'set_podcast_credits', 'availability_rules_error', 'booking_questions_error', 'session_location_error',
    'hours_error', 'date_overrides_error', 'explain_availability',
    'require_booking_link_role', 'booking_link_json', 'update_booking_link', 'answer_booking_as_host',
    'reschedule_booking', 'set_booking_location', 'list_bookings',
  'list_notification_mutes', 'mute_notifications', 'unmute_notifications',
  'push_subscription_json', 'add_push_subscription', 'remove_push_subscription',
  'my_notification_counts', 'list_notifications', 'change_notification', 'read_notification_group',
    'mark_all_notifications_read', 'unarchive_all_notifications',
  'get_email_status', 'request_email_confirmation', 'confirm_email_address',
  'start_import', 'verify_import_ownership', 'begin_feed_recheck', 'resend_ownership_code', 'get_import',
  'get_import_report', 'get_import_refresh', 'get_import_switch', 'confirm_import', 'cancel_import',
  'resume_import', 'retry_failed_import_items', 'retry_import_item', 'retry_import_files',
  'connected_calendar_json', 'calendar_connection_json', 'calendars_json', 'begin_calendar_connection',
    'remove_calendar_connection', 'select_calendars',
  'require_automation_role', 'automation_template_json', 'update_automation_template',
    'preview_automation_template', 'require_page', 'require_page_size',
  'automation_action_json', 'automation_rule_json', 'replace_actions', 'update_automation_rule',
    'rotate_webhook_secret', 'test_automation_action', 'plan_automation', 'try_planned_update', 'write_planned_fields',
    'update_automated_field', 'write_error', 'constraint_message',
  'automation_execution_json', 'list_automation_executions', 'retry_automation_execution',
    'retry_failed_automation_executions', 'get_automation_stats',
  'automation_address_json', 'request_automation_address', 'get_feed_report', 'list_extra_tags', 'remove_extra_tags',
    'delete_account', 'export_account'
], 'authenticated executes only the listed functions of private, and those of anon');
-- types/service.ts lists those of service_role; tests/shape/service_calls.test.ts compares them with the calls.
select is_empty($$ select proname from tests.functions where proargnames && array['access_token', '_access_token']
  and proname <> 'store_calendar_token'  -- the token of a provider
  and has_function_privilege('service_role', oid, 'EXECUTE') $$,
  'service_role executes no function that takes an access token');
select is_empty($$
  select c.conrelid::regclass, c.conname from pg_constraint c
  where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
    and not exists (select from pg_index i where i.indrelid = c.conrelid
      and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey) $$, 'every foreign key has an index');
select is_empty($$
  select a.attrelid::regclass, a.attname from tables t join pg_attribute a on a.attrelid = t.oid
  where a.attnum > 0 and not a.attisdropped and has_column_privilege('authenticated', t.oid, a.attnum, 'UPDATE')
    and (t.relname = 'podcasts' or exists (select from pg_attribute k where k.attrelid = t.oid
      and k.attname = 'podcast_id'))
    and not exists (
      select from pg_trigger g where g.tgrelid = t.oid and g.tgfoid in ('private.guard_writable_podcast'::regproc,
        'private.guard_podcast'::regproc)
        and g.tgtype & 16 <> 0 and (cardinality(g.tgattr::int2[]) = 0 or a.attnum = any (g.tgattr))) $$,
  'a guard trigger covers every column that clients may update, so that podcasts pending deletion cannot change');
select is_empty($$
  select t.relname, who, verb from tables t join pg_attribute k on k.attrelid = t.oid and k.attname = 'podcast_id',
    unnest(array['authenticated', 'service_role']) who, (values ('INSERT', 4), ('DELETE', 8)) v (verb, bit)
  where case verb when 'INSERT' then has_any_column_privilege(who, t.oid, verb)
    else has_table_privilege(who, t.oid, verb) end
    and not exists (select from pg_trigger g where g.tgrelid = t.oid and g.tgtype & v.bit <> 0
      and g.tgfoid = 'private.guard_writable_podcast'::regproc) $$,
  'a guard trigger covers every table of a podcast into which API roles may insert, or from which they may delete');
-- The tables without the guard. Its trigger reads the podcast once per row.
select set_eq($$
  select t.relname::text from tables t join pg_attribute k on k.attrelid = t.oid and k.attname = 'podcast_id'
  where not exists (select from pg_trigger g where g.tgrelid = t.oid
    and g.tgfoid = 'private.guard_writable_podcast'::regproc) $$, array[
  -- a recipient may decline at any time; the other verbs check the podcast
  'podcast_invitations', 'podcast_invitation_blocks', 'podcast_transfers',
  -- each edit locks the roster, which checks the podcast
  'episode_people', 'episode_credits',
  -- set_podcast_credits checks the podcast
  'podcast_credits',
  -- the worker writes many rows of an import, which the deletion of its podcast cancels
  'podcast_import_items', 'podcast_import_item_texts', 'podcast_import_channels',
  -- an execution of a podcast pending deletion is canceled when it runs
  'automation_executions', 'automation_usage', 'automation_webhooks',
  -- triggers and a job count executions
  'automation_execution_counts', 'automation_hourly_counts', 'automation_count_changes',
  -- each upload checks the podcast when it begins and when it ends; sweeps delete what it left
  'direct_uploads', 'media_objects',
  -- the deletion itself is announced by email, from which recipients can unsubscribe
  'delivery_addresses', 'email_suppressions',
  -- triggers and the worker write them, also while the deletion is pending, and the deletion itself
  'feed_documents', 'feed_items', 'feed_pages', 'episode_slugs', 'podcast_slugs', 'podcast_tombstones',
  'episode_search',
  -- a podcast pending deletion has reminders
  'podcast_reminders', 'feed_redirects',
  -- a member mutes a podcast pending deletion, too
  'notification_mutes'
], 'every table with a podcast_id has the guard of podcasts pending deletion, except those with a reason');
select set_eq($$ select tablename::text from pg_publication_tables where pubname = 'supabase_realtime' $$,
  array['podcasts', 'episodes', 'episode_messages', 'podcast_imports', 'podcast_import_items', 'podcast_invitations',
    'podcast_transfers', 'bookings'], 'realtime publishes only the listed tables');
select set_eq($$ select tgname::text from pg_trigger where tgrelid = 'auth.users'::regclass and not tgisinternal $$,
  array['t100_drop_sign_up_password', 't900_provision', 't910_relink_guests', 't920_delete_profile',
    't930_announce_address'],
    'auth.users has only the triggers of sign-up passwords, provisioning, guest links and the address at Stripe');
select set_eq($$
  select o.identity
  from pg_depend d join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid,
    pg_identify_object(d.classid, d.objid, d.objsubid) o
  where c.relnamespace in ('auth'::regnamespace, 'storage'::regnamespace) and (
    o.identity ~ '\m(public|private)\.'
    or d.refobjsubid <> 0 and d.classid = 'pg_trigger'::regclass
      and d.objid in (select g.oid from pg_trigger g join tests.functions on tests.functions.oid = g.tgfoid)) $$,
  array['profiles_id_fkey on public.profiles', 'reapable_users_user_id_fkey on private.reapable_users'],
  'no object except two foreign keys depends on tables of auth and storage, which the platform''s migrations change');
select set_eq($$ select distinct m[1] from tests.functions, regexp_matches(body, 'pgmq\.([a-z_]+)\(', 'g') m $$,
  array['create', 'delete', 'metrics', 'send'],
  'no other function of pgmq is called: the platform has 1.5.1');
select set_eq($$ select name from private.list_scheduled_jobs() where is_active $$,
  array['end_expired_pauses', 'enqueue_due_deletions', 'enqueue_due_redirect_checks', 'announce_near_ends',
    'send_due_digests', 'publish_due_episodes',
    'delete_stale_imports',
    'fan_out_waiting_events', 'enqueue_due_deliveries', 'enqueue_due_calendar_reads', 'purge_notifications',
    'end_missed_notifications',
    'release_due_notifications', 'fold_notification_counts', 'expire_pending_bookings', 'send_due_reminders',
    'tell_untold_guest',
    'purge_bookings', 'start_due_automations', 'release_due_webhooks', 'fold_automation_counts', 'purge_automations',
    'cancel_held_executions', 'remind_of_storage',
    'wake_worker_if_pending', 'enqueue_stale_show_notes', 'sweep_storage', 'enqueue_missing_image_copies',
    'sweep_staging', 'reconcile_subscriptions', 'reap_unconfirmed_users', 'purge_stripe_events',
    'end_rejected_push_subscriptions', 'purge_rate_limits', 'purge_email_recipients', 'purge_cron_history'],
  'only the listed jobs are scheduled');
select ok((select sum(case when schedule ~ ' seconds$' then 3600 / split_part(schedule, ' ', 1)::int
      when schedule like '*/%' then 60 / substring(schedule from '^\*/(\d+) ')::int
      when schedule like '* %' then 60 else 1 end) from cron.job) <= 900,
  'pg_cron starts at most 900 runs an hour');
select is((select (public, file_size_limit)::text from storage.buckets where id = 'media'), '(t,524288000)',
  'the bucket media is public and accepts 500 MB');
select is((select (public, file_size_limit, allowed_mime_types = private.audio_types())::text from storage.buckets
  where id = 'staging'), '(f,524288000,t)', 'the bucket staging is private and accepts 500 MB of audio');
select is((select array_agg(attstorage) from pg_attribute where attrelid = 'public.podcast_import_item_texts'::regclass
  and atttypid = 'text'::regtype), '{e,e,e,e}', 'staged texts are stored without compression');
select is((select string_agg(defaclobjtype::text || ':' || defaclacl::text, ' ') from pg_default_acl
  where defaclrole = 'postgres'::regrole and defaclnamespace = 0 and defaclacl::text ~ '(^|[{,])=X'),
  null, 'default privileges grant PUBLIC no EXECUTE');

select set_eq($$
  select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'status'
  join pg_type t on t.oid = a.atttypid and t.typtype = 'e'
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not exists (
    select from pg_trigger g where g.tgrelid = c.oid and g.tgfoid = 'private.guard_status'::regproc) $$,
  array['episodes'], 'guard_status holds the transitions of every table with a status, except episodes');

select set_eq($$ select m[1] from tests.functions, regexp_matches(body, 'from ((?:public|private)\.[a-z_]+)', 'g') m
    where proname = 'find_podcasts' $$,
  $$ select nspname || '.' || relname from tables t
    where (select array_agg(attname::text) from pg_attribute a where a.attrelid = t.oid and atttypid = 'uuid'::regtype)
      @> array['id', 'podcast_id'] or relname = 'podcasts' $$,
  'find_podcasts reads every table whose rows have an id and belong to a podcast');

select * from tests.finish();
rollback;
