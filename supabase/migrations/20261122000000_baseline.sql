-- Written by npm run db:migration from sql/: change it there.
set check_function_bodies = off;

alter default privileges for role "postgres" in schema "public" revoke all on sequences from "anon";

alter default privileges for role "postgres" in schema "public" revoke all on sequences from "authenticated";

alter default privileges for role "postgres" in schema "public" revoke all on sequences from "service_role";

alter default privileges for role "postgres" in schema "public" revoke all on tables from "anon";

alter default privileges for role "postgres" in schema "public" revoke all on tables from "authenticated";

alter default privileges for role "postgres" in schema "public" revoke all on tables from "service_role";

create schema "private";

create extension if not exists "pg_cron";

create extension if not exists "pg_net" schema "extensions";

create extension if not exists "pg_trgm" schema "extensions";

create extension if not exists "pgmq";

create extension if not exists "unaccent" schema "extensions";

create table "private"."direct_uploads" (
  "id"                 uuid                     not null default gen_random_uuid(),
  "podcast_id"         uuid                     not null,
  "episode_id"         uuid                     not null,
  "staged_path"        text                     not null,
  "path"               text                     not null,
  "content_type"       text                     not null,
  "bytes"              bigint                   not null,
  "expected_audio_url" text,
  "created_at"         timestamp with time zone not null default now(),
  "completing_until"   timestamp with time zone,
  "completed_at"       timestamp with time zone,
  "refused_as"         text,
  constraint "direct_uploads_path_key" unique (path),
  constraint "direct_uploads_pkey" primary key (id),
  constraint "direct_uploads_staged_path_key" unique (staged_path),
  constraint "refused_has_ended" check (((refused_as IS NULL) OR (completed_at IS NOT NULL)))
);

alter table "private"."direct_uploads"
  enable row level security;

create table "private"."episode_slugs" (
  "podcast_id" uuid not null,
  "slug"       text not null,
  "episode_id" uuid not null,
  constraint "episode_slugs_pkey" primary key (podcast_id, slug)
);

alter table "private"."episode_slugs"
  enable row level security;

create table "private"."events" (
  "id"         bigint                   generated always as identity not null,
  "type"       text                     not null,
  "payload"    jsonb                    not null,
  "created_at" timestamp with time zone not null default now(),
  constraint "events_pkey" primary key (id),
  constraint "payload_is_an_object" check ((jsonb_typeof(payload) = 'object'::text)),
  constraint "type_is_dotted" check ((type ~ '^[a-z_]+\.[a-z_]+$'::text))
);

alter table "private"."events"
  enable row level security;

create table "private"."feed_documents" (
  "podcast_id"    uuid                     not null,
  "etag"          text                     not null,
  "last_modified" timestamp with time zone not null,
  "digest"        text                     not null,
  "bytes"         bigint                   not null,
  "zipped"        bigint                   not null,
  "head"          bytea                    not null,
  "items"         bigint[]                 not null,
  "tail"          bytea                    not null,
  "version"       bigint                   not null default 1,
  constraint "feed_documents_pkey" primary key (podcast_id),
  constraint "last_modified_is_whole_seconds" check ((last_modified = date_trunc('second'::text, last_modified)))
);

alter table "private"."feed_documents"
  enable row level security;

create table "private"."feed_items" (
  "id"            bigint                   generated always as identity not null,
  "podcast_id"    uuid                     not null,
  "episode_id"    uuid                     not null,
  "rendered_from" timestamp with time zone not null,
  "context"       text                     not null,
  "deflated"      bytea                    not null,
  "crc32"         bigint                   not null,
  "bytes"         integer                  not null,
  "digest"        bytea                    not null,
  constraint "crc32_has_32_bits" check (((crc32 >= 0) AND (crc32 <= '4294967295'::bigint))),
  constraint "feed_items_pkey" primary key (id)
);

alter table "private"."feed_items"
  enable row level security;

create table "private"."guest_invitations" (
  "episode_guest_id"   uuid                     not null,
  "message"            text,
  "invited_by"         uuid,
  "requested_at"       timestamp with time zone not null default clock_timestamp(),
  "sent_at"            timestamp with time zone,
  "email_count"        integer                  not null default 0,
  "token_hash"         bytea,
  "expires_at"         timestamp with time zone,
  "pending_token_hash" bytea,
  "pending_expires_at" timestamp with time zone,
  constraint "guest_invitations_pending_token_hash_key" unique (pending_token_hash),
  constraint "guest_invitations_pkey" primary key (episode_guest_id),
  constraint "guest_invitations_token_hash_key" unique (token_hash),
  constraint "hashes_are_sha256" check (((octet_length(token_hash) = 32) AND (octet_length(pending_token_hash) = 32))),
  constraint "tokens_have_expiry"
    check
    (((num_nulls(token_hash, expires_at) = ANY (ARRAY[0, 2])) AND (num_nulls(pending_token_hash, pending_expires_at) =
    ANY (ARRAY[0, 2]))))
);

alter table "private"."guest_invitations"
  enable row level security;

create table "private"."image_types" (
  "name"       text    not null,
  "formats"    text[]  not null,
  "max_bytes"  integer not null,
  "min_width"  integer not null,
  "min_height" integer not null,
  "width"      integer not null,
  "height"     integer not null,
  "ratio"      numeric not null,
  "uploaded"   boolean not null,
  "imported"   boolean not null,
  constraint "image_types_pkey" primary key (name),
  constraint "recommended_is_allowed" check (((width >= min_width) AND (height >= min_height))),
  constraint "sizes_are_positive"
    check ((LEAST((max_bytes)::numeric, (min_width)::numeric, (min_height)::numeric, ratio) > (0)::numeric))
);

alter table "private"."image_types"
  enable row level security;

create table "private"."import_messages" (
  "import_item_id" uuid   not null,
  "msg_id"         bigint not null,
  constraint "import_messages_pkey" primary key (import_item_id)
);

alter table "private"."import_messages"
  enable row level security;

create table "private"."import_owners" (
  "import_id"       uuid                     not null,
  "owner_email"     text                     not null,
  "code_key"        bytea                    not null,
  "code_hash"       bytea,
  "code_expires_at" timestamp with time zone,
  "wrong_tries"     integer                  not null default 0,
  "issued_at"       timestamp with time zone,
  constraint "codes_expire" check ((num_nulls(code_hash, code_expires_at, issued_at) = ANY (ARRAY[0, 3]))),
  constraint "hash_is_sha256" check ((octet_length(code_hash) = 32)),
  constraint "import_owners_pkey" primary key (import_id),
  constraint "key_is_long" check ((octet_length(code_key) >= 16)),
  constraint "tries_are_not_negative" check ((wrong_tries >= 0))
);

alter table "private"."import_owners"
  enable row level security;

create table "private"."import_transfers" (
  "import_item_id" uuid                     not null,
  "path"           text                     not null,
  "content_type"   text                     not null,
  "upload_url"     text                     not null,
  "received"       bigint                   not null default 0,
  "furthest"       bigint                   not null default 0,
  "total"          bigint,
  "source_etag"    text,
  "updated_at"     timestamp with time zone not null default now(),
  constraint "import_transfers_pkey" primary key (import_item_id),
  constraint "received_is_a_part" check (((received >= 0) AND ((total IS NULL) OR (received <= total))))
);

alter table "private"."import_transfers"
  enable row level security;

create table "private"."leases" (
  "queue"      text                     not null,
  "msg_id"     bigint                   not null,
  "expires_at" timestamp with time zone not null,
  constraint "leases_pkey" primary key (queue, msg_id)
);

alter table "private"."leases"
  enable row level security;

create table "private"."media_objects" (
  "path"         text                     not null,
  "account_id"   uuid,
  "podcast_id"   uuid,
  "episode_id"   uuid,
  "purpose"      text                     not null,
  "bytes"        bigint                   not null,
  "content_type" text                     not null,
  "width"        integer,
  "height"       integer,
  "created_at"   timestamp with time zone not null default now(),
  "released_at"  timestamp with time zone,
  constraint "bytes_are_positive" check ((bytes > 0)),
  constraint "live_has_an_account" check (((account_id IS NOT NULL) OR (released_at IS NOT NULL))),
  constraint "media_objects_pkey" primary key (path),
  constraint "purpose_has_its_place" check (
CASE
    WHEN (purpose = ANY (ARRAY['audio'::text, 'episode_cover'::text])) THEN (num_nulls(podcast_id, episode_id) = 0)
    WHEN (purpose = ANY (ARRAY['cover'::text, 'header'::text, 'banner'::text, 'profile'::text])) THEN ((podcast_id IS
      NOT NULL) AND (episode_id IS NULL))
    ELSE ((purpose = 'temporary'::text) AND (num_nonnulls(podcast_id, episode_id) = 0))
END),
  constraint "size_is_an_image_s"
    check
    ((((num_nulls(width, height) = 0) AND (width > 0) AND (height > 0) AND (purpose <> 'audio'::text)) OR
    (num_nonnulls(width, height) = 0)))
);

alter table "private"."media_objects"
  enable row level security;

create table "private"."object_removals" (
  "id"    uuid                     not null default gen_random_uuid(),
  "path"  text                     not null,
  "until" timestamp with time zone not null,
  constraint "object_removals_pkey" primary key (id)
);

alter table "private"."object_removals"
  enable row level security;

create table "private"."podcast_invitation_emails" (
  "invitation_id" uuid                     not null,
  "requested_at"  timestamp with time zone not null default clock_timestamp(),
  "sent_at"       timestamp with time zone,
  constraint "podcast_invitation_emails_pkey" primary key (invitation_id)
);

alter table "private"."podcast_invitation_emails"
  enable row level security;

create table "private"."podcast_invitation_recipients" (
  "podcast_id"  uuid                     not null,
  "email"       text                     not null,
  "email_count" integer                  not null default 0,
  "blocked_at"  timestamp with time zone,
  constraint "podcast_invitation_recipients_pkey" primary key (podcast_id, email)
);

alter table "private"."podcast_invitation_recipients"
  enable row level security;

create table "private"."podcast_slugs" (
  "slug"       text collate pg_catalog."C" not null,
  "podcast_id" uuid not null,
  constraint "podcast_slugs_pkey" primary key (slug)
);

alter table "private"."podcast_slugs"
  enable row level security;

create table "private"."queues" (
  "name"         text     not null,
  "max_attempts" integer  not null,
  "backoff_base" interval not null,
  "backoff_max"  interval not null,
  "description"  text     not null,
  "paused"       boolean  not null default false,
  "concurrency"  integer,
  constraint "backoff_base_not_above_max"
    check (((backoff_base > '00:00:00'::interval) AND (backoff_base <= backoff_max))),
  constraint "concurrency_is_positive" check ((concurrency > 0)),
  constraint "max_attempts_in_range" check (((max_attempts >= 1) AND (max_attempts <= 100))),
  constraint "queues_pkey" primary key (name)
);

alter table "private"."queues"
  enable row level security;

create table "private"."rate_limits" (
  "key"               text                     not null,
  "window_started_at" timestamp with time zone not null,
  "request_count"     integer                  not null,
  constraint "rate_limits_pkey" primary key (key)
);

alter table "private"."rate_limits"
  enable row level security;

create table "private"."reapable_users" (
  "user_id" uuid                     not null,
  "email"   text,
  "at"      timestamp with time zone not null,
  constraint "reapable_users_pkey" primary key (user_id)
);

alter table "private"."reapable_users"
  enable row level security;

create table "private"."roster_removals" (
  "episode_guest_id" uuid                     not null,
  "removed_at"       timestamp with time zone not null default now(),
  constraint "roster_removals_pkey" primary key (episode_guest_id)
);

alter table "private"."roster_removals"
  enable row level security;

create table "private"."settings" (
  "key"           text not null,
  "value"         text,
  "default_value" text,
  "description"   text not null,
  constraint "key_is_snake_case" check ((key ~ '^[a-z][a-z0-9_]*$'::text)),
  constraint "settings_pkey" primary key (key)
);

alter table "private"."settings"
  enable row level security;

create table "public"."billing_accounts" (
  "user_id"              uuid                     not null,
  "plan_code"            text                     not null default 'free'::text,
  "subscription_status"  text                     not null default 'none'::text,
  "collection_paused"    boolean                  not null default false,
  "cancel_at_period_end" boolean                  not null default false,
  "storage_bytes_used"   bigint                   not null default 0,
  "created_at"           timestamp with time zone not null default now(),
  "updated_at"           timestamp with time zone not null default now(),
  constraint "billing_accounts_pkey" primary key (user_id),
  constraint "storage_is_not_negative" check ((storage_bytes_used >= 0))
);

alter table "public"."billing_accounts"
  enable row level security;

create table "public"."episode_credits" (
  "id"            uuid                     not null default gen_random_uuid(),
  "episode_id"    uuid                     not null,
  "podcast_id"    uuid                     not null default (NULLIF(''::text, ''::text))::uuid,
  "name"          text                     not null,
  "avatar_url"    text,
  "external_url"  text,
  "display_order" integer                  not null,
  "created_at"    timestamp with time zone not null default now(),
  "updated_at"    timestamp with time zone not null default now(),
  constraint "display_order_not_negative" check ((display_order >= 0)),
  constraint "display_order_unique_per_episode" unique (episode_id, display_order) deferrable,
  constraint "episode_credits_id_episode_id_key" unique (id, episode_id),
  constraint "episode_credits_pkey" primary key (id)
);

alter table "public"."episode_credits"
  enable row level security;

create table "public"."episode_guests" (
  "id"               uuid                     not null default gen_random_uuid(),
  "episode_id"       uuid                     not null,
  "podcast_id"       uuid                     not null default (NULLIF(''::text, ''::text))::uuid,
  "podcast_guest_id" uuid                     not null,
  "invited_at"       timestamp with time zone not null default now(),
  "last_accessed_at" timestamp with time zone,
  "created_at"       timestamp with time zone not null default now(),
  constraint "episode_guests_pkey" primary key (id),
  constraint "guest_unique_per_episode" unique (episode_id, podcast_guest_id)
);

alter table "public"."episode_guests"
  enable row level security;

create table "public"."episode_messages" (
  "id"              uuid                     not null default gen_random_uuid(),
  "episode_id"      uuid                     not null,
  "podcast_id"      uuid                     not null default (NULLIF(''::text, ''::text))::uuid,
  "sender_guest_id" uuid,
  "body"            text,
  "created_at"      timestamp with time zone not null default clock_timestamp(),
  "deleted_at"      timestamp with time zone,
  constraint "deleted_has_no_body" check (((body IS NULL) = (deleted_at IS NOT NULL))),
  constraint "episode_messages_pkey" primary key (id),
  "sender_user_id"  uuid                     default auth.uid(),
  constraint "exactly_one_sender" check ((num_nonnulls(sender_user_id, sender_guest_id) = 1))
);

alter table "public"."episode_messages"
  enable row level security;

create table "public"."episode_people" (
  "id"           uuid                     not null default gen_random_uuid(),
  "episode_id"   uuid                     not null,
  "podcast_id"   uuid                     not null default (NULLIF(''::text, ''::text))::uuid,
  "user_id"      uuid,
  "guest_id"     uuid,
  "name"         text                     not null,
  "role_label"   text                     not null default 'Participant'::text,
  "avatar_url"   text,
  "external_url" text,
  "is_active"    boolean                  not null default true,
  "credit_id"    uuid,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "credit_unique_per_person" unique (credit_id, episode_id),
  constraint "episode_people_pkey" primary key (id),
  constraint "guest_unique_per_roster" unique (episode_id, guest_id),
  constraint "inactive_has_no_credit" check ((is_active OR (credit_id IS NULL))),
  constraint "user_unique_per_roster" unique (episode_id, user_id)
);

alter table "public"."episode_people"
  enable row level security;

create table "public"."episodes" (
  "id"                     uuid                     not null default gen_random_uuid(),
  "podcast_id"             uuid                     not null,
  "slug"                   text                     not null default NULLIF(''::text, ''::text),
  "guid"                   text                     not null default NULLIF(''::text, ''::text),
  "title"                  text                     not null,
  "itunes_title"           text,
  "summary"                text,
  "description"            text                     not null default ''::text,
  "show_notes_html"        text,
  "show_notes_safe_html"   text,
  "show_notes_version"     integer,
  "season_number"          integer,
  "episode_number"         integer,
  "explicit"               boolean                  not null default false,
  "is_blocked"             boolean                  not null default false,
  "scheduled_at"           timestamp with time zone,
  "published_at"           timestamp with time zone,
  "first_published_at"     timestamp with time zone,
  "transcripts"            jsonb                    not null default '[]'::jsonb,
  "chapters_url"           text,
  "audio_url"              text,
  "audio_file_size_bytes"  bigint,
  "audio_content_type"     text,
  "audio_duration_seconds" integer,
  "cover_image_url"        text,
  "created_at"             timestamp with time zone not null default now(),
  "updated_at"             timestamp with time zone not null default now(),
  constraint "audio_columns_all_or_none"
    check ((num_nulls(audio_url, audio_file_size_bytes, audio_content_type) = ANY (ARRAY[0, 3]))),
  constraint "audio_size_and_duration_not_negative"
    check (((audio_file_size_bytes >= 0) AND (audio_duration_seconds >= 0))),
  constraint "dates_are_in_range" check (((published_at >= '1970-01-01 00:00:00+00'::timestamp
    with time zone) AND (published_at <= '9999-12-31 00:00:00+00'::timestamp
    with time zone) AND ((scheduled_at >= '1970-01-01 00:00:00+00'::timestamp
    with time zone) AND (scheduled_at <= '9999-12-31 00:00:00+00'::timestamp with time zone)))),
  constraint "episode_and_season_numbers_are_not_negative" check (((season_number >= 0) AND (episode_number >= 0))),
  constraint "episodes_pkey" primary key (id),
  constraint "guid_is_1_to_1000_chars" check (((char_length(guid) >= 1) AND (char_length(guid) <= 1000))),
  constraint "guid_is_unique" unique (podcast_id, guid),
  constraint "safe_notes_are_size_limited" check ((octet_length(show_notes_safe_html) <= 2097152)),
  constraint "safe_notes_have_version" check (((show_notes_safe_html IS NULL) OR (show_notes_version > 0))),
  constraint "slug_is_1_to_100_chars" check (((char_length(slug) >= 1) AND (char_length(slug) <= 100))),
  constraint "slug_is_unique" unique (podcast_id, slug),
  constraint "slug_is_url_safe" check ((slug !~ '[/?#%\s]'::text)),
  constraint "texts_are_size_limited"
    check
    (((char_length(summary) <= 4000) AND (char_length(description) <= 10000) AND (octet_length(show_notes_html) <=
    1048576))),
  constraint "transcripts_are_array" check ((jsonb_typeof(transcripts) = 'array'::text)),
  constraint "transcripts_are_size_limited" check ((octet_length((transcripts)::text) <= 65536)),
  "created_by"             uuid                     default auth.uid()
);

alter table "public"."episodes"
  enable row level security;

create table "public"."plans" (
  "code"                   text    not null,
  "name"                   text    not null,
  "is_paid"                boolean not null,
  "storage_gb_per_account" integer not null,
  constraint "code_is_snake_case" check ((code ~ '^[a-z][a-z0-9_]*$'::text)),
  constraint "plans_pkey" primary key (code),
  constraint "storage_is_positive" check ((storage_gb_per_account > 0))
);

alter table "public"."plans"
  enable row level security;

create table "public"."podcast_categories" (
  "category"    text not null,
  "subcategory" text not null default ''::text,
  constraint "podcast_categories_pkey" primary key (category, subcategory)
);

alter table "public"."podcast_categories"
  enable row level security;

create table "public"."podcast_guest_notes" (
  "guest_id"   uuid not null,
  "podcast_id" uuid not null default (NULLIF(''::text, ''::text))::uuid,
  "notes"      text,
  "bio"        text,
  constraint "notes_and_bio_are_at_most_2000_chars"
    check (((char_length(notes) <= 2000) AND (char_length(bio) <= 2000))),
  constraint "podcast_guest_notes_pkey" primary key (guest_id)
);

alter table "public"."podcast_guest_notes"
  enable row level security;

create table "public"."podcast_guests" (
  "id"           uuid                     not null default gen_random_uuid(),
  "podcast_id"   uuid                     not null,
  "display_name" text                     not null,
  "email"        text                     not null,
  "user_id"      uuid,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "email_unique_per_podcast" unique (podcast_id, email),
  constraint "podcast_guests_pkey" primary key (id)
);

alter table "public"."podcast_guests"
  enable row level security;

create table "public"."podcast_import_items" (
  "id"              uuid                     not null default gen_random_uuid(),
  "import_id"       uuid                     not null,
  "podcast_id"      uuid                     not null,
  "position"        integer                  not null,
  "guid"            text                     not null,
  "title"           text,
  "published_at"    timestamp with time zone,
  "parsed_payload"  jsonb                    not null,
  "warnings"        jsonb                    not null default '[]'::jsonb,
  "error_message"   text,
  "error_code"      text,
  "next_attempt_at" timestamp with time zone,
  "attempts"        integer                  not null default 0,
  "episode_id"      uuid,
  "created_at"      timestamp with time zone not null default now(),
  "updated_at"      timestamp with time zone not null default now(),
  constraint "payload_is_an_object" check ((jsonb_typeof(parsed_payload) = 'object'::text)),
  constraint "podcast_import_items_pkey" primary key (id),
  constraint "position_and_attempts_are_not_negative" check ((("position" >= 0) AND (attempts >= 0))),
  constraint "warnings_are_an_array" check ((jsonb_typeof(warnings) = 'array'::text))
);

alter table "public"."podcast_import_items"
  enable row level security;

create table "public"."podcast_import_texts" (
  "import_item_id" uuid not null,
  "podcast_id"     uuid not null,
  "description"    text,
  "content"        text,
  "summary"        text,
  constraint "podcast_import_texts_pkey" primary key (import_item_id)
);

alter table "public"."podcast_import_texts"
  enable row level security;

create table "public"."podcast_imports" (
  "id"                     uuid                     not null default gen_random_uuid(),
  "podcast_id"             uuid                     not null,
  "feed_url"               text                     not null,
  "is_locked_source"       boolean                  not null default false,
  "verification_token"     text,
  "locked_owner_email"     text,
  "feed_guid"              uuid,
  "channel_explicit"       boolean,
  "staged_at"              timestamp with time zone,
  "started_at"             timestamp with time zone,
  "finished_at"            timestamp with time zone,
  "total_items"            integer                  not null default 0,
  "completed_count"        integer                  not null default 0,
  "failed_count"           integer                  not null default 0,
  "skipped_count"          integer                  not null default 0,
  "is_hosting_migration"   boolean                  not null default false,
  "detection"              jsonb,
  "warnings"               jsonb                    not null default '[]'::jsonb,
  "apply_detected_numbers" boolean,
  "error_message"          text,
  "error_code"             text,
  "created_at"             timestamp with time zone not null default now(),
  "updated_at"             timestamp with time zone not null default now(),
  constraint "address_is_masked" check ((locked_owner_email ~ '^.\*\*\*@.\*\*\*(\.[^.@]+)?$'::text)),
  constraint "counts_are_parts_of_the_total"
    check
    (((LEAST(total_items, completed_count, failed_count, skipped_count) >= 0) AND (((completed_count + failed_count) +
    skipped_count) <= total_items))),
  constraint "detection_is_an_object" check ((jsonb_typeof(detection) = 'object'::text)),
  constraint "podcast_imports_pkey" primary key (id),
  constraint "token_is_ours" check ((verification_token ~ '^castbase-verify-[0-9a-f-]{36}$'::text)),
  constraint "warnings_are_an_array" check ((jsonb_typeof(warnings) = 'array'::text)),
  "created_by"             uuid                     default auth.uid()
);

alter table "public"."podcast_imports"
  enable row level security;

create table "public"."podcast_invitations" (
  "id"            uuid                     not null default gen_random_uuid(),
  "podcast_id"    uuid                     not null,
  "email"         text                     not null,
  "podcast_title" text                     not null,
  "inviter_name"  text,
  "invited_by"    uuid,
  "accepted_by"   uuid,
  "expires_at"    timestamp with time zone not null,
  "created_at"    timestamp with time zone not null default clock_timestamp(),
  "updated_at"    timestamp with time zone not null default now(),
  constraint "podcast_invitations_pkey" primary key (id)
);

alter table "public"."podcast_invitations"
  enable row level security;

create table "public"."podcast_members" (
  "podcast_id"               uuid                     not null,
  "user_id"                  uuid                     not null,
  "auto_add_to_new_episodes" boolean                  not null default false,
  "created_at"               timestamp with time zone not null default now(),
  constraint "podcast_members_pkey" primary key (podcast_id, user_id)
);

alter table "public"."podcast_members"
  enable row level security;

create table "public"."podcast_transfers" (
  "id"            uuid                     not null default gen_random_uuid(),
  "podcast_id"    uuid                     not null,
  "user_id"       uuid                     not null,
  "offered_by"    uuid                     not null,
  "storage_bytes" bigint                   not null default 0,
  "created_at"    timestamp with time zone not null default now(),
  "updated_at"    timestamp with time zone not null default now(),
  constraint "parties_differ" check ((user_id <> offered_by)),
  constraint "podcast_transfers_pkey" primary key (id),
  constraint "storage_is_not_negative" check ((storage_bytes >= 0))
);

alter table "public"."podcast_transfers"
  enable row level security;

create table "public"."podcasts" (
  "id"                 uuid                     not null default gen_random_uuid(),
  "slug"               text                     not null default NULLIF(''::text, ''::text),
  "title"              text                     not null,
  "description"        text                     not null default ''::text,
  "language"           text                     not null default 'en'::text,
  "author"             text,
  "owner_name"         text,
  "owner_email"        text,
  "show_owner_email"   boolean                  not null default false,
  "categories"         jsonb                    not null default '[]'::jsonb,
  "explicit"           boolean                  not null default false,
  "copyright"          text,
  "link"               text,
  "medium"             text                     not null default 'podcast'::text,
  "funding"            jsonb                    not null default '[]'::jsonb,
  "is_complete"        boolean                  not null default false,
  "is_blocked"         boolean                  not null default false,
  "podcast_guid"       uuid                     not null default (NULLIF(''::text, ''::text))::uuid,
  "locked"             boolean                  not null default true,
  "verify_texts"       jsonb                    not null default '[]'::jsonb,
  "apple_verify_token" text,
  "ai_disclosure"      text,
  "cover_image_url"    text,
  "header_image_url"   text,
  "banner_image_url"   text,
  "profile_image_url"  text,
  "created_at"         timestamp with time zone not null default now(),
  "updated_at"         timestamp with time zone not null default now(),
  constraint "ai_disclosure_is_at_most_4000_chars" check ((char_length(ai_disclosure) <= 4000)),
  constraint "apple_verify_token_is_at_most_1000_chars" check ((char_length(apple_verify_token) <= 1000)),
  constraint "description_is_at_most_10000_chars" check ((char_length(description) <= 10000)),
  constraint "lists_are_arrays"
    check
    (((jsonb_typeof(categories) = 'array'::text) AND (jsonb_typeof(funding) = 'array'::text) AND
    (jsonb_typeof(verify_texts) = 'array'::text))),
  constraint "lists_are_size_limited"
    check
    (((octet_length((categories)::text) <= 1000) AND (octet_length((funding)::text) <= 32768) AND
    (octet_length((verify_texts)::text) <= 131072))),
  constraint "medium_is_known"
    check ((medium ~ '^((podcast|music|video|film|audiobook|newsletter|blog|publisher|course)L?|mixed)$'::text)),
  constraint "names_are_at_most_255_chars"
    check (((char_length(author) <= 255) AND (char_length(owner_name) <= 255) AND (char_length(copyright) <= 255))),
  constraint "owner_email_is_valid"
    check (((owner_email ~ '^[^@\s]+@[^@\s]+$'::text) AND (char_length(owner_email) <= 254))),
  constraint "podcasts_pkey" primary key (id),
  constraint "podcasts_slug_key" unique (slug),
  constraint "slug_is_1_to_100_chars" check (((char_length(slug) >= 1) AND (char_length(slug) <= 100))),
  constraint "slug_is_url_safe" check ((slug !~ '[/?#%\s]'::text)),
  "owner_id"           uuid                     not null default auth.uid()
);

alter table "public"."podcasts"
  enable row level security;

create table "public"."profiles" (
  "id"           uuid                     not null,
  "display_name" text,
  "avatar_url"   text,
  "timezone"     text                     not null default 'UTC'::text,
  "locale"       text                     not null default 'en'::text,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "locale_is_bcp47"
    check (((locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$'::text) AND (char_length(locale) <= 35))),
  constraint "profiles_pkey" primary key (id)
);

alter table "public"."profiles"
  enable row level security;

alter table "private"."media_objects"
  add column "place" uuid generated always as (COALESCE(episode_id, podcast_id)) stored;

create type "public"."credit_role_label" as enum (
  'Host',
  'Co-host',
  'Producer',
  'Guest',
  'Editor',
  'Composer'
);

alter table "public"."episode_credits"
  add column "role_label" public.credit_role_label not null;

create type "public"."episode_guest_status" as enum (
  'invited',
  'active',
  'declined',
  'removed'
);

alter table "public"."episode_guests"
  add column "status" public.episode_guest_status not null default 'invited'::public.episode_guest_status;

create type "public"."episode_origin" as enum (
  'app',
  'import'
);

alter table "public"."episodes"
  add column "origin" public.episode_origin not null default 'app'::public.episode_origin;

create type "public"."episode_status" as enum (
  'draft',
  'scheduled',
  'published',
  'archived'
);

alter table "public"."episodes"
  add column "status" public.episode_status not null default 'draft'::public.episode_status;

create type "public"."episode_type" as enum (
  'full',
  'trailer',
  'bonus'
);

alter table "public"."episodes"
  add column "episode_type" public.episode_type not null default 'full'::public.episode_type;

create type "public"."hosting_type" as enum (
  'native',
  'external'
);

alter table "public"."podcasts"
  add column "hosting_type" public.hosting_type not null default 'native'::public.hosting_type;

create type "public"."import_item_status" as enum (
  'pending',
  'processing',
  'completed',
  'failed',
  'skipped_duplicate',
  'skipped_oversize',
  'skipped_canceled',
  'skipped_user_limit'
);

alter table "public"."podcast_import_items"
  add column "status" public.import_item_status not null default 'pending'::public.import_item_status;

create type "public"."import_status" as enum (
  'verification_required',
  'preview',
  'pending',
  'running',
  'completed',
  'partial',
  'failed',
  'canceled'
);

alter table "public"."podcast_imports"
  add column "status" public.import_status not null default 'pending'::public.import_status;

create type "public"."import_verification" as enum (
  'email_code',
  'feed_recheck'
);

alter table "public"."podcast_imports"
  add column "verification_method" public.import_verification;

create type "public"."person_source_type" as enum (
  'team',
  'guest',
  'external'
);

alter table "public"."episode_people"
  add column "source_type" public.person_source_type not null;

create type "public"."podcast_invitation_status" as enum (
  'pending',
  'accepted',
  'declined',
  'withdrawn',
  'expired'
);

alter table "public"."podcast_invitations"
  add column "status" public.podcast_invitation_status not null default 'pending'::public.podcast_invitation_status;

create type "public"."podcast_role" as enum (
  'member',
  'admin',
  'owner'
);

alter table "public"."podcast_invitations"
  add column "role" public.podcast_role not null default 'member'::public.podcast_role;

alter table "public"."podcast_members"
  add column "role" public.podcast_role not null default 'member'::public.podcast_role;

create type "public"."podcast_status" as enum (
  'active',
  'paused',
  'pending_deletion',
  'deleted'
);

alter table "public"."podcasts"
  add column "status" public.podcast_status not null default 'active'::public.podcast_status;

create type "public"."podcast_transfer_status" as enum (
  'pending',
  'accepted',
  'declined',
  'withdrawn',
  'ended'
);

alter table "public"."podcast_transfers"
  add column "status" public.podcast_transfer_status not null default 'pending'::public.podcast_transfer_status;

create type "public"."podcast_type" as enum (
  'episodic',
  'serial'
);

alter table "public"."podcasts"
  add column "type" public.podcast_type not null default 'episodic'::public.podcast_type;

create or replace function private.accept_guest_invitation (
  access_token text,
  at           timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  return private.respond_to_guest_invitation(
    accept_guest_invitation.access_token, 'active', accept_guest_invitation.at);
end $function$;

create or replace function private.accept_podcast_invitation (
  invitation_id uuid,
  at            timestamp with time zone default now()
)
  returns public.podcast_members
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations := private.lock_my_invitation(accept_podcast_invitation.invitation_id);
  member     public.podcast_members;
begin
  perform private.require_pending_invitation(invitation);
  if invitation.expires_at <= accept_podcast_invitation.at then
    raise sqlstate 'PT409' using message = 'The invitation has expired; ask the team for a new one', hint = 'INVITATION_EXPIRED';
  end if;
  perform private.require_writable_podcast(invitation.podcast_id);
  select m.* into member from public.podcast_members m
  where m.podcast_id = invitation.podcast_id and m.user_id = auth.uid() for update;
  if not found then
    insert into public.podcast_members (podcast_id, user_id, role) values (invitation.podcast_id, auth.uid(), invitation.role)
    returning * into member;
  elsif member.role < invitation.role then
    update public.podcast_members m set role = invitation.role
    where m.podcast_id = member.podcast_id and m.user_id = member.user_id returning * into member;
  end if;
  update public.podcast_invitations i set status = 'accepted', accepted_by = auth.uid() where i.id = invitation.id;
  update private.podcast_invitation_recipients r set email_count = 0
  where r.podcast_id = invitation.podcast_id and r.email = invitation.email;
  return member;
end $function$;

create or replace function private.accept_podcast_transfer (
  transfer_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  transfer public.podcast_transfers;
  told     bigint;
begin
  perform from public.podcasts p
  where p.id = (
    select t.podcast_id from public.podcast_transfers t where t.id = accept_podcast_transfer.transfer_id and t.user_id = auth.uid())
  for no key update;
  perform from public.profiles f where f.id = auth.uid() for key share;  -- as a deletion of the account locks them
  perform from public.podcast_members m
  where m.user_id = auth.uid()
    and m.podcast_id = (select t.podcast_id from public.podcast_transfers t where t.id = accept_podcast_transfer.transfer_id)
  for update;
  transfer := private.lock_pending_transfer(
    accept_podcast_transfer.transfer_id,
    (select t.user_id from public.podcast_transfers t where t.id = accept_podcast_transfer.transfer_id));
  told := transfer.storage_bytes;
  update public.podcast_transfers t set status = 'pending' where t.id = transfer.id returning * into transfer;  -- measures
  if transfer.storage_bytes > told then
    return private.error_response(409, 'The podcast has grown since it was offered; check storage_bytes and accept again', 'TRANSFER_GREW',
      jsonb_build_object('storage_bytes', transfer.storage_bytes));
  end if;
  update public.podcast_transfers t set status = 'accepted' where t.id = transfer.id returning * into transfer;
  update public.podcasts p set owner_id = transfer.user_id where p.id = transfer.podcast_id;
  perform private.notify('podcast.transfer_accepted', jsonb_build_object(
    'transfer_id', transfer.id, 'podcast_id', transfer.podcast_id, 'user_id', transfer.offered_by, 'actor_id', transfer.user_id));
  return to_jsonb(transfer);
end $function$;

create or replace function private.account_staged_bytes (
  account_id uuid
)
  returns bigint
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (select coalesce(sum(private.staged_bytes(p.id)), 0) from public.podcasts p where p.owner_id = account_id);
end $function$;

create or replace function private.acknowledge_jobs (
  queue    text,
  msg_ids  bigint[],
  attempts integer[] default null::integer[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  completed bigint[] := array(
    select own.msg_id from (
      select * from unnest(acknowledge_jobs.msg_ids, acknowledge_jobs.attempts) u (msg_id, attempt)
      order by u.msg_id  -- every caller locks them in this order
    ) own cross join lateral private.lock_job(acknowledge_jobs.queue, own.msg_id, own.attempt));
begin
  delete from private.leases l where l.queue = acknowledge_jobs.queue and l.msg_id = any (completed);
  perform pgmq.delete(queue, completed);
end $function$;

create or replace function private.add_episode_person (
  episode_id   uuid,
  source_type  public.person_source_type,
  name         text,
  user_id      uuid,
  guest_id     uuid,
  role_label   text,
  avatar_url   text,
  external_url text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  show_id    uuid := private.lock_roster_for_edit(add_episode_person.episode_id, added_user_id => add_episode_person.user_id);
  label      text := 'Guest';
  held       public.podcast_role;
  person     public.episode_people;
  warning    text;
begin
  perform private.validate_person_fields(add_episode_person.name, add_episode_person.role_label, add_episode_person.avatar_url, add_episode_person.external_url);
  select * into person from public.episode_people p
  where p.episode_id = add_episode_person.episode_id and p.source_type = add_episode_person.source_type
    and (p.user_id = add_episode_person.user_id or p.guest_id = add_episode_person.guest_id);
  if found then  -- whether they could be added now or not
    return jsonb_build_object('data', private.person_json(person), 'alreadyExisted', true);
  end if;

  if source_type = 'team' then
    select m.role into held from public.podcast_members m
    where m.podcast_id = show_id and m.user_id = add_episode_person.user_id;
    if not found then
      raise sqlstate 'PT400' using message = case when user_id is null
        then 'A team entry needs a userId' else 'The user is not a member of this podcast' end;
    end if;
    label := private.role_label_for_member(held);
  elsif source_type = 'guest' then
    perform from public.episode_guests g
    where g.id = add_episode_person.guest_id and g.episode_id = add_episode_person.episode_id and g.status <> 'removed';
    if not found then
      raise sqlstate 'PT400' using message = case when guest_id is null
        then 'A guest entry needs a guestId' else 'The guest is not one of this episode''s' end;
    end if;
    delete from private.roster_removals r where r.episode_guest_id = add_episode_person.guest_id;
  else
    perform private.require_credit_role_label(add_episode_person.role_label);
    label := coalesce(add_episode_person.role_label, 'Participant');
  end if;

  if (select count(*) from public.episode_people p where p.episode_id = add_episode_person.episode_id) >= 200 then
    raise sqlstate 'PT409' using message = 'An episode''s roster has at most 200 people', hint = 'ROSTER_FULL';
  end if;
  insert into public.episode_people as p (episode_id, source_type, user_id, guest_id, name, role_label, avatar_url, external_url)
  values (add_episode_person.episode_id, add_episode_person.source_type,
    case source_type when 'team' then add_episode_person.user_id end, case source_type when 'guest' then add_episode_person.guest_id end,
    add_episode_person.name, label, add_episode_person.avatar_url, add_episode_person.external_url)
  returning p.* into person;
  if source_type <> 'guest' then  -- a guest is credited on becoming active
    begin
      person.credit_id := (private.append_credit(
        person, person.name, private.default_credit_role_label(person), person.avatar_url, person.external_url)).id;
    exception when others then  -- the roster entry stays
      if sqlstate like '40%' then
        raise;  -- lost a race: tried again, not half done
      end if;
      warning := 'Added to the roster, but the credit could not be created';
      raise log 'castbase: no credit for % on the roster of %: % (%)', person.id, person.episode_id, sqlerrm, sqlstate;
    end;
  end if;
  if source_type = 'team' then
    perform private.notify_team_added(person.user_id, auth.uid(), show_id, person.episode_id);
    perform private.enqueue_attendee_change('added', show_id, person.episode_id, person.user_id);
  end if;
  perform set_config('response.status', '201', true);
  return jsonb_strip_nulls(jsonb_build_object('warning', warning))
    || jsonb_build_object('data', private.person_json(private.require_roster_person(person.episode_id, person.id)));
end $function$;

create or replace function private.add_guest_to_roster()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  perform private.lock_roster(new.episode_id);
  perform from private.roster_removals r where r.episode_guest_id = new.id;
  if found then
    return null;
  end if;
  insert into public.episode_people (episode_id, source_type, guest_id, name, role_label, avatar_url)
  select new.episode_id, 'guest', new.id, g.display_name, 'Guest', f.avatar_url
  from public.podcast_guests g left join public.profiles f on f.id = g.user_id
  where g.id = new.podcast_guest_id
  on conflict on constraint guest_unique_per_roster do nothing;
  select * into strict person from public.episode_people p where p.episode_id = new.episode_id and p.guest_id = new.id;
  if person.is_active and person.credit_id is null then  -- an inactive one was taken off by an admin
    perform private.append_credit(person, person.name, private.default_credit_role_label(person), person.avatar_url, person.external_url);
  end if;
  return null;
end $function$;

create or replace function private.add_team_to_roster()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  with seats as (
    select s.user_id, private.display_name_or_default(f.display_name) as name, s.label, f.avatar_url, gen_random_uuid() as credit_id,
      row_number() over (order by s.joined nulls first, s.user_id) - 1 as place
    from (
      select new.created_by as user_id, 'Host' as label, null::timestamptz as joined  -- first of all, whatever their role
      union all
      select m.user_id, private.role_label_for_member(m.role), m.created_at from public.podcast_members m
      where m.podcast_id = new.podcast_id and m.auto_add_to_new_episodes and m.user_id is distinct from new.created_by
    ) s
    join public.profiles f on f.id = s.user_id
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, display_order)
    select s.credit_id, new.id, s.name, s.label::public.credit_role_label, s.avatar_url, s.place from seats s
    where new.origin <> 'import'  -- a back catalogue has credits of its own, or none
  )
  insert into public.episode_people (episode_id, source_type, user_id, name, role_label, avatar_url, credit_id)
  select new.id, 'team', s.user_id, s.name, s.label, s.avatar_url, case when new.origin <> 'import' then s.credit_id end from seats s;

  if new.origin <> 'import' then
    perform private.notify_team_added(p.user_id, new.created_by, new.podcast_id, new.id)
    from public.episode_people p where p.episode_id = new.id;
  end if;
  return null;
end $function$;

create or replace function private.allowed_bytes (
  account_id uuid
)
  returns bigint
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select p.storage_gb_per_account * 1073741824::bigint
  from public.billing_accounts a join public.plans p on p.code = a.plan_code
  where a.user_id = account_id);
end $function$;

create or replace function private.announce_accepted_guest()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.notify('guest.accepted', jsonb_build_object(
    'episode_guest_id', new.id, 'podcast_guest_id', new.podcast_guest_id, 'episode_id', new.episode_id, 'podcast_id', new.podcast_id));
  return null;
end $function$;

create or replace function private.announce_credits()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  episode record;
begin
  for episode in  -- an episode that is deleted with its credits has no row here
    select e.id, e.podcast_id, p.slug from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.id in (select c.episode_id from changed_rows c)
  loop
    update public.episodes e set updated_at = clock_timestamp() where e.id = episode.id and e.status = 'published';
    begin
      perform private.invalidate_feed('episode.credits.updated', episode.podcast_id, episode.slug, episode.id);
    exception when others then  -- best effort: a credit is saved even if the message cannot be queued
      raise log 'castbase: failed to queue episode.credits.updated for %: % (%)', episode.id, sqlerrm, sqlstate;
    end;
  end loop;
  return null;
end $function$;

create or replace function private.announce_episode()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  was_listed boolean := tg_op <> 'INSERT' and old.status = 'published';
  is_listed  boolean := tg_op <> 'DELETE' and new.status = 'published';
  podcast    public.podcasts;
begin
  if not was_listed and not is_listed
     or current_setting('castbase.renders_feed', true) = 'yes' then  -- see store_show_notes
    return null;
  end if;
  if tg_op = 'UPDATE' then  -- what no feed shows
    old.updated_at := new.updated_at;
    old.created_by := new.created_by;
    if old is not distinct from new then
      return null;
    end if;
  end if;
  select * into podcast from public.podcasts p where p.id = case tg_op when 'DELETE' then old.podcast_id else new.podcast_id end;
  if podcast.hosting_type = 'native' then  -- not found: the podcast goes too
    perform private.invalidate_feed(
      case when not was_listed then 'episode.published' when not is_listed then 'episode.unpublished' else 'episode.updated' end,
      podcast.id, podcast.slug, case tg_op when 'DELETE' then old.id else new.id end);
  end if;
  return null;
end $function$;

create or replace function private.announce_import_end()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.notify(case new.status when 'failed' then 'import.failed' else 'import.completed' end, jsonb_build_object(
    'user_id', new.created_by, 'podcast_id', new.podcast_id, 'import_id', new.id, 'status', new.status,
    'completed_count', new.completed_count, 'failed_count', new.failed_count, 'skipped_count', new.skipped_count)
    || jsonb_strip_nulls(jsonb_build_object('error_code', new.error_code)));
  return null;
end $function$;

create or replace function private.announce_podcast()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then  -- what no feed shows
    old.updated_at := new.updated_at;
    old.owner_id := new.owner_id;
    if old is not distinct from new then
      return null;
    end if;
  end if;
  perform private.invalidate_feed(case tg_op when 'INSERT' then 'podcast.created' else 'podcast.updated' end, new.id, new.slug);
  return null;
end $function$;

create or replace function private.announce_show_notes()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.enqueue('show_notes', jsonb_build_object('podcast_id', c.podcast_id))
  from (select distinct r.podcast_id from changed_rows r where r.show_notes_version = 0) c;
  return null;
end $function$;

create or replace function private.append_credit (
  person       public.episode_people,
  name         text,
  role_label   public.credit_role_label,
  avatar_url   text,
  external_url text
)
  returns public.episode_credits
  language plpgsql
  set search_path to ''
  AS $function$
declare
  made public.episode_credits;
begin
  insert into public.episode_credits (episode_id, name, role_label, avatar_url, external_url, display_order)
  values (person.episode_id, append_credit.name, append_credit.role_label, append_credit.avatar_url, append_credit.external_url,
    (select coalesce(max(c.display_order) + 1, 0) from public.episode_credits c where c.episode_id = person.episode_id))
  returning * into made;
  update public.episode_people p set credit_id = made.id where p.id = person.id;
  return made;
end $function$;

create or replace function private.argument_sql (
  name          text,
  camel_name    text,
  type          regtype,
  default_value text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  raw   text := case when camel_name = name then format('args -> %L', name)
                     else format('coalesce(args -> %L, args -> %L)', name, camel_name) end;
  value text := case
    when type = 'jsonb'::regtype then format('nullif(%s, ''null'')', raw)
    when type::text like '%[]' then
      format('case when %1$s <> ''null'' then array(select jsonb_array_elements_text(%1$s)) end::%2$s', raw, type)
    else format('((%s) #>> ''{}'')::%s', raw, type)
  end;
begin
  return format('%I => ', name) || case
    when default_value is null then value
    else format('case when args ?| %L then %s else %s end', array[name, camel_name], value, default_value)
  end;
end $function$;

create or replace function private.artwork_source (
  source_path text
)
  returns private.media_objects
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  source private.media_objects;
begin
  if source_path ~ '^imports/[0-9a-f-]{36}/[0-9a-f-]{36}\.(jpg|png|webp)$' is not true then
    raise sqlstate 'PT404' using message = 'Artwork not found';  -- not even one that was moved: there the name alone counts
  elsif not starts_with(source_path, format('imports/%s/', auth.uid())) then
    raise sqlstate 'PT403' using message = 'This artwork was imported by someone else';
  end if;
  select * into source from private.media_objects m
  where m.path = source_path and m.purpose = 'temporary' and m.account_id = auth.uid() and m.released_at is null;
  return source;
end $function$;

create or replace function private.ask_owner (
  import_id   uuid,
  owner_email text,
  at          timestamp with time zone default now()
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Per address, over all imports: starting another import sends no more emails. The day first: its reset is the later one.
  perform private.consume_rate_limit(private.email_rate_limit_key('ownership_code_emails', ask_owner.owner_email),
    private.setting('ownership_code_emails_per_day')::int, interval '1 day', ask_owner.at);
  perform private.consume_rate_limit(private.email_rate_limit_key('import-address', ask_owner.owner_email), 6, interval '1 hour', ask_owner.at);
  insert into private.import_owners as o (import_id, owner_email, code_key)
  values (ask_owner.import_id, ask_owner.owner_email, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  on conflict on constraint import_owners_pkey do update set
    owner_email = excluded.owner_email, code_key = excluded.code_key, code_hash = null, code_expires_at = null,
    wrong_tries = 0, issued_at = null;
  perform private.enqueue('ownership_codes', jsonb_build_object('type', 'ownership_code', 'import_id', ask_owner.import_id));
end $function$;

create or replace function private.audio_extension (
  content_type text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case content_type
    when 'audio/mpeg' then 'mp3'
    when 'audio/mp4' then 'm4a' when 'audio/x-m4a' then 'm4a'
    when 'audio/wav' then 'wav' when 'audio/x-wav' then 'wav' end;
end $function$;

create or replace function private.audio_path (
  podcast_id   uuid,
  episode_id   uuid,
  id           uuid,
  content_type text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return format('podcasts/%s/e/%s/audio/%s.%s', podcast_id, episode_id, id, private.audio_extension(content_type));
end $function$;

create or replace function private.audio_types()
  returns text[]
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return array['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav'];
end $function$;

create or replace function private.authenticate_guest (
  access_token text,
  at           timestamp with time zone default now(),
  for_write    boolean                  default false
)
  returns public.episode_guests
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  digest     bytea := sha256(convert_to(authenticate_guest.access_token, 'UTF8'));
  invitation record;
  guest      public.episode_guests;
  is_visit   boolean;
begin
  select i.episode_guest_id, case digest when i.token_hash then i.expires_at else i.pending_expires_at end as expires_at
  into invitation from private.guest_invitations i where i.token_hash = digest or i.pending_token_hash = digest;
  if invitation.expires_at <= authenticate_guest.at then
    raise sqlstate 'PT401' using message = 'The invitation has expired; ask the host for a new one', hint = 'EXPIRED';
  end if;
  select g.* into guest from public.episode_guests g where g.id = invitation.episode_guest_id and g.status <> 'removed';
  is_visit := guest.last_accessed_at is null or guest.last_accessed_at <= authenticate_guest.at - interval '1 minute';
  if is_visit or for_write then
    perform from public.episodes e where e.id = guest.episode_id for no key update;  -- before the guest, as deletions
    update public.episode_guests g set last_accessed_at = case when is_visit then authenticate_guest.at else g.last_accessed_at end
    where g.id = guest.id and g.status <> 'removed' returning g.* into guest;
  end if;
  if guest.id is null then
    raise sqlstate 'PT401' using message = 'The access token opens nothing', hint = 'INVALID';
  end if;
  return guest;
end $function$;

create or replace function private.begin_import_feed (
  import_id uuid,
  msg_id    bigint,
  attempt   integer
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  import public.podcast_imports;
begin
  perform private.lock_job('import_feeds', begin_import_feed.msg_id, begin_import_feed.attempt);
  if not found then
    return null;
  end if;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = begin_import_feed.import_id) for key share;
  select * into import from public.podcast_imports i where i.id = begin_import_feed.import_id and i.status = 'pending' for no key update;
  if not found then
    return null;
  end if;
  delete from public.podcast_import_items i where i.import_id = import.id;
  update public.podcast_imports i set updated_at = now() where i.id = import.id;
  return import.feed_url;
end $function$;

create or replace function private.begin_import_item (
  import_item_id uuid,
  attempt        integer,
  msg_id         bigint  default null::bigint
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item    public.podcast_import_items := private.hold_import_item(begin_import_item.import_item_id);
  import  public.podcast_imports;
  podcast public.podcasts;
begin
  if item.id is null then
    return jsonb_build_object('skip', 'gone');
  elsif item.status not in ('pending', 'processing') then
    return jsonb_build_object('skip', item.status);
  end if;
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  if private.is_superseded(item.id, begin_import_item.msg_id, begin_import_item.attempt) then
    return jsonb_build_object('skip', 'superseded');  -- two must not work on it at once
  end if;
  if podcast.status in ('pending_deletion', 'deleted') then
    perform private.end_import_item(item, 'failed', 'The podcast is scheduled for deletion', 'PODCAST_PENDING_DELETION');
    return jsonb_build_object('skip', 'failed');
  elsif import.status = 'canceled' and (item.status = 'pending' or begin_import_item.attempt > 1) then
    -- a first attempt that goes on in another run is a transfer, which may finish; a later attempt is a new one
    perform private.end_import_item(item, 'skipped_canceled', 'The import was canceled');
    return jsonb_build_object('skip', 'skipped_canceled');
  elsif private.has_imported_guid(item) then
    perform private.end_import_item(item, 'skipped_duplicate', 'The podcast has an episode with this GUID');
    return jsonb_build_object('skip', 'skipped_duplicate');
  elsif private.is_guid_too_long(item.guid) then
    perform private.end_import_item(item, 'failed', 'The episode''s GUID is longer than an episode can have', 'GUID_TOO_LONG');
    return jsonb_build_object('skip', 'failed');
  end if;
  if item.status = 'pending' and item.next_attempt_at is null then  -- someone had it tried again: what it reached before says nothing of these runs
    update private.import_transfers t set furthest = t.received where t.import_item_id = item.id and t.furthest <> t.received;
  end if;
  update public.podcast_import_items i set status = 'processing', attempts = begin_import_item.attempt,
    error_message = null, error_code = null, next_attempt_at = null
  where i.id = item.id;
  if msg_id is not null then
    insert into private.import_messages as m (import_item_id, msg_id) values (item.id, begin_import_item.msg_id)
    on conflict on constraint import_messages_pkey do update set msg_id = excluded.msg_id;
  end if;
  return jsonb_build_object('podcastId', item.podcast_id, 'importId', item.import_id, 'itemId', item.id,
    'episodeId', item.id,  -- an episode of an import has its item's id: objects have their place before it is there, and it is made once
    'guid', item.guid, 'title', item.title, 'payload', item.parsed_payload,
    'transfer', (select jsonb_build_object('path', t.path, 'contentType', t.content_type, 'uploadUrl', t.upload_url,
        'received', t.received, 'furthest', t.furthest, 'total', t.total, 'etag', t.source_etag, 'storedBytes', private.stored_size(t.path))
      from private.import_transfers t where t.import_item_id = item.id),
    'allowanceLeft', (select greatest(0, private.allowed_bytes(a.user_id) - a.storage_bytes_used - private.account_staged_bytes(a.user_id))
      from public.billing_accounts a where a.user_id = podcast.owner_id),
    'maxBytes', 524288000);
end $function$;

create or replace function private.begin_object_removal (
  path    text,
  seconds integer default 30
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  removal uuid;
begin
  perform private.lock_object(begin_object_removal.path);
  perform from private.media_objects m where m.path = begin_object_removal.path;
  if found then
    return null;
  end if;
  delete from private.object_removals r where r.id in (  -- of processes that ended within a removal
    select e.id from private.object_removals e where e.until <= clock_timestamp() for update skip locked);
  insert into private.object_removals (path, until)
  values (begin_object_removal.path, clock_timestamp() + make_interval(secs => begin_object_removal.seconds))
  returning id into removal;
  return removal;
end $function$;

create or replace function private.charge_account (
  account_id uuid,
  bytes      bigint
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  used bigint;
begin
  if charge_account.bytes = 0 then
    return;
  end if;
  -- asked before it is written: when many are refused at once, Postgres can stumble over their undone updates (XX000)
  select a.storage_bytes_used + charge_account.bytes into used from public.billing_accounts a
  where a.user_id = charge_account.account_id
  for no key update;
  if charge_account.bytes > 0 and used > private.allowed_bytes(charge_account.account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED';
      -- without numbers: at a transfer the account is someone else's
  end if;
  update public.billing_accounts a set storage_bytes_used = used, updated_at = now()
  where a.user_id = charge_account.account_id;
end $function$;

create or replace function private.charge_media_objects()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  accounts uuid[] := '{}';
  amounts  bigint[] := '{}';
begin
  if tg_op <> 'DELETE' then
    select array_agg(account_id), array_agg(bytes) into accounts, amounts from new_rows where released_at is null;
  end if;
  if tg_op <> 'INSERT' then
    select accounts || array_agg(account_id), amounts || array_agg(-bytes) into accounts, amounts from old_rows where released_at is null;
  end if;
  -- once per account and statement, and in the accounts' order: two transfers in opposite directions do not deadlock
  perform private.charge_account(delta.account_id, delta.bytes)
  from (
    select d.account_id, sum(d.bytes)::bigint as bytes from unnest(accounts, amounts) d (account_id, bytes)
    where d.account_id is not null
    group by d.account_id having sum(d.bytes) <> 0 order by d.account_id
  ) delta;
  return null;
end $function$;

create or replace function private.check_ownership_code (
  import_id uuid,
  code      text,
  at        timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  held  public.podcast_imports := private.held_import(check_ownership_code.import_id);
  owner private.import_owners;
begin
  if coalesce(check_ownership_code.code, '') !~ '^[0-9]{6}$' then
    raise sqlstate 'PT400' using message = 'The code has exactly six digits';
  elsif (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.refuse_import_state(held, 'no code is asked for');
  end if;
  select * into owner from private.import_owners o where o.import_id = held.id;
  -- a refusal that must leave a mark is returned; what is compared are digests of which nobody can choose the bytes
  if owner.wrong_tries >= 5 then
    return private.error_response(400, 'Too many wrong codes; ask for a new one', code => 'LOCKED_OUT');
  elsif owner.code_expires_at <= check_ownership_code.at then
    return private.error_response(400, 'The code has expired; ask for a new one', code => 'EXPIRED');
  end if;
  begin
    perform private.consume_rate_limit(private.email_rate_limit_key('import-address', owner.owner_email) || '/tries', 20, interval '1 hour', check_ownership_code.at)
    where owner.import_id is not null;
  exception when sqlstate 'PT429' then
    return private.error_response(400, 'Too many codes were tried for this address; try again in an hour', code => 'LOCKED_OUT');
  end;
  if owner.code_hash is distinct from sha256(owner.code_key || convert_to(check_ownership_code.code, 'UTF8')) then
    update private.import_owners o set wrong_tries = o.wrong_tries + 1 where o.import_id = held.id;
    return private.error_response(400, 'The code is not the one that was mailed last', code => 'INVALID');
  end if;
  delete from private.import_owners o where o.import_id = held.id;
  update public.podcast_imports i set status = 'preview', verification_method = null where i.id = held.id returning * into held;
  return private.described_staging(held);
end $function$;

create or replace function private.claim_import_feed (
  import_id             uuid,
  visible_after_seconds integer default 60
)
  returns table (
    msg_id  bigint,
    attempt integer
  )
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return query update pgmq.q_import_feeds q set
    read_ct = q.read_ct + 1, vt = clock_timestamp() + make_interval(secs => claim_import_feed.visible_after_seconds)
  where q.message ->> 'import_id' = claim_import_feed.import_id::text and q.read_ct = 0
  returning q.msg_id, q.read_ct;
end $function$;

create or replace function private.claim_jobs (
  queue                      text,
  max_jobs                   integer,
  visibility_timeout_seconds integer,
  at                         timestamp with time zone default clock_timestamp()
)
  returns table (
    msg_id  bigint,
    attempt integer,
    message jsonb
  )
  language plpgsql
  set search_path to ''
  AS $function$
declare
  policy private.queues;
  job    record;
  free   int := max_jobs;
begin
  select * into strict policy from private.queues q where q.name = claim_jobs.queue;
  if policy.paused then
    return;
  end if;
  if policy.concurrency is not null then
    perform pg_advisory_xact_lock(hashtextextended('queue/' || claim_jobs.queue, 0));  -- claims see each other's leases
    delete from private.leases l where l.queue = claim_jobs.queue and l.msg_id in (
      select e.msg_id from private.leases e
      where e.queue = claim_jobs.queue and e.expires_at <= claim_jobs.at
      for update skip locked);  -- a locked lease is being extended or released
    free := least(max_jobs, policy.concurrency - (select count(*) from private.leases l where l.queue = claim_jobs.queue));
    if free <= 0 then
      return;
    end if;
  end if;
  for job in execute format($read$
    with visible as (
      select q.msg_id from pgmq.%1$I q where q.vt <= $1 order by q.msg_id limit $2 for update skip locked
    ), claimed as (
      update pgmq.%1$I q set vt = $1 + make_interval(secs => $3), read_ct = q.read_ct + 1
      from visible v where q.msg_id = v.msg_id returning q.msg_id, q.read_ct, q.vt, q.message
    )
    select * from claimed c order by c.msg_id$read$, 'q_' || claim_jobs.queue)
    using claim_jobs.at, free, visibility_timeout_seconds  -- pgmq.read takes no time
  loop
    if job.read_ct > policy.max_attempts then
      perform private.fail_job(queue, job.msg_id, 'The worker crashed on every attempt', is_permanent => true);
    else
      if policy.concurrency is not null then
        insert into private.leases as l (queue, msg_id, expires_at) values (claim_jobs.queue, job.msg_id, job.vt)
        on conflict on constraint leases_pkey do update set expires_at = excluded.expires_at;
      end if;
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $function$;

create or replace function private.collect_objects (
  paths  text[],
  bucket text   default 'media'::text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.enqueue('storage_gc', jsonb_build_object('bucket', collect_objects.bucket, 'paths', chunk))
  from (select jsonb_agg(path) as chunk from unnest(paths) with ordinality p (path, n) group by (n - 1) / 100) chunks;
end $function$;

create or replace function private.confirm_feed (
  podcast_id uuid,
  version    bigint
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not private.lock_feed(confirm_feed.podcast_id, confirm_feed.version) then
    return false;
  end if;
  update private.feed_documents d set version = d.version + 1 where d.podcast_id = confirm_feed.podcast_id;
  return true;
end $function$;

create or replace function private.consume_plan_rate_limit (
  name text,
  at   timestamp with time zone default now()
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  max_count int := private.plan_limit('max_' || name || '_per_hour', auth.uid());
begin
  if max_count is not null then
    perform private.consume_rate_limit(name || ':' || auth.uid(), max_count, interval '1 hour', consume_plan_rate_limit.at);
  end if;
end $function$;

create or replace function private.consume_rate_limit (
  key       text,
  max_count integer,
  period    interval,
  at        timestamp with time zone default now()
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  reset_at timestamptz := private.try_rate_limit(
    consume_rate_limit.key, consume_rate_limit.max_count, consume_rate_limit.period, consume_rate_limit.at);
begin
  if reset_at is not null then
    raise sqlstate 'PT429' using message = 'Too many requests; try again later', hint = 'RATE_LIMITED',
      detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(reset_at))::text;
  end if;
end $function$;

create or replace function private.copy_channel (
  podcast_id uuid,
  channel    jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  token      text := nullif(btrim(copy_channel.channel ->> 'appleVerifyToken'), '');
  disclosure text := nullif(btrim(copy_channel.channel ->> 'aiDisclosure'), '');
  texts      jsonb := coalesce(nullif(copy_channel.channel -> 'verifyTexts', 'null'), '[]');
begin
  if num_nonnulls(token, disclosure) = 0 and texts = '[]' then
    return;  -- what the feed does not say stays as the podcaster has it
  end if;
  update public.podcasts p set
    apple_verify_token = case when char_length(token) <= 1000 then token else p.apple_verify_token end,
    ai_disclosure = coalesce(left(disclosure, 4000), p.ai_disclosure),
    verify_texts = case when texts = '[]' then p.verify_texts else private.joined_verify_texts(texts, p.verify_texts) end
  where p.id = copy_channel.podcast_id;
end $function$;

create or replace function private.count_import_items()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  ids      uuid[] := '{}';
  statuses public.import_item_status[] := '{}';
  signs    int[] := '{}';
begin
  if tg_op <> 'DELETE' then
    select array_agg(n.import_id), array_agg(n.status), array_agg(1) into ids, statuses, signs from new_rows n;
  end if;
  if tg_op <> 'INSERT' then
    select ids || array_agg(o.import_id), statuses || array_agg(o.status), signs || array_agg(-1) into ids, statuses, signs from old_rows o;
  end if;
  update public.podcast_imports i set
    total_items = i.total_items + d.total, completed_count = i.completed_count + d.completed,
    failed_count = i.failed_count + d.failed, skipped_count = i.skipped_count + d.skipped
  from (
    select c.import_id, sum(c.sign) as total, coalesce(sum(c.sign) filter (where c.status = 'completed'), 0) as completed,
      coalesce(sum(c.sign) filter (where c.status = 'failed'), 0) as failed,
      coalesce(sum(c.sign) filter (where c.status >= 'skipped_duplicate'), 0) as skipped  -- in the enum's order
    from unnest(ids, statuses, signs) c (import_id, status, sign)
    group by c.import_id
  ) d
  where i.id = d.import_id and (d.total, d.completed, d.failed, d.skipped) <> (0, 0, 0, 0);
  return null;
end $function$;

create or replace function private.credit_imported_people (
  episode_id uuid,
  persons    jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with named as (
    select left(private.normalize_line(p ->> 'name'), 200) as name, private.imported_role(p ->> 'role', p ->> 'group') as label,
      case when private.is_http_url(p ->> 'img') then p ->> 'img' end as avatar_url,
      case when private.is_http_url(p ->> 'href') then p ->> 'href' end as external_url, n
    from jsonb_array_elements(case jsonb_typeof(persons) when 'array' then persons end) with ordinality a (p, n)
  ), once as (
    select distinct on (name, label) * from named
    where label is not null and not private.is_blank(name)
    order by name, label, n
  ), seats as (
    select o.*, gen_random_uuid() as credit_id, row_number() over (order by o.n) - 1 as place from once o
    order by o.n limit 150  -- a roster has 200 places, some of them the team's
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, external_url, display_order)
    select s.credit_id, credit_imported_people.episode_id, s.name, s.label, s.avatar_url, s.external_url, s.place from seats s
  )
  insert into public.episode_people (episode_id, source_type, name, role_label, avatar_url, external_url, credit_id)
  select credit_imported_people.episode_id, 'external', s.name, s.label::text, s.avatar_url, s.external_url, s.credit_id from seats s;
end $function$;

create or replace function private.credit_json (
  credit public.episode_credits
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('id', credit.id, 'name', credit.name, 'roleLabel', credit.role_label,
    'avatarUrl', credit.avatar_url, 'externalUrl', credit.external_url, 'displayOrder', credit.display_order);
end $function$;

create or replace function private.decline_guest_invitation (
  access_token text,
  at           timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  return private.respond_to_guest_invitation(
    decline_guest_invitation.access_token, 'declined', decline_guest_invitation.at);
end $function$;

create or replace function private.decline_podcast_invitation (
  invitation_id uuid,
  block         boolean
)
  returns public.podcast_invitations
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations := private.lock_my_invitation(decline_podcast_invitation.invitation_id);
begin
  if invitation.status = 'accepted' then
    perform private.require_pending_invitation(invitation);
  elsif invitation.status = 'pending' then
    update public.podcast_invitations i set status = 'declined' where i.id = invitation.id returning * into invitation;
  end if;
  insert into private.podcast_invitation_recipients as r (podcast_id, email, blocked_at)
  values (invitation.podcast_id, invitation.email, case when decline_podcast_invitation.block then clock_timestamp() end)
  on conflict on constraint podcast_invitation_recipients_pkey do update set
    blocked_at = case when decline_podcast_invitation.block then coalesce(r.blocked_at, excluded.blocked_at) end;
  return invitation;
end $function$;

create or replace function private.decline_podcast_transfer (
  transfer_id uuid
)
  returns public.podcast_transfers
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(
    decline_podcast_transfer.transfer_id, (select t.user_id from public.podcast_transfers t where t.id = decline_podcast_transfer.transfer_id));
begin
  update public.podcast_transfers t set status = 'declined' where t.id = transfer.id returning * into transfer;
  return transfer;
end $function$;

create or replace function private.decode_cursor (
  cursor text,
  OUT    at timestamp with time zone,
  OUT    id uuid
)
  returns record
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  decoded text;
begin
  at := 'infinity';
  id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  if cursor is null then
    return;
  end if;
  decoded := convert_from(decode(translate(cursor, '-_', '+/') || repeat('=', -length(cursor) & 3), 'base64'), 'UTF8');
  at := to_timestamp(0) + split_part(decoded, ' ', 1)::numeric * interval '1 second';
  id := split_part(decoded, ' ', 2)::uuid;
exception when others then
  raise sqlstate 'PT400' using message = 'Invalid cursor';
end $function$;

create or replace function private.decode_html (
  value text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  decoded text;
begin
  if strpos(value, '&') = 0 then
    return value;  -- the usual case
  end if;
  select string_agg(
      coalesce(c.letter || substr(p.piece, strpos(p.piece, ';') + 1), case when p.n > 1 then '&' else '' end || p.piece),
      '' order by p.n)
  into decoded
  from string_to_table(value, '&') with ordinality p (piece, n)
  left join lateral (
    select case when r.name ~ '^#' then private.html_character(replace(lower(r.name), '#', '0')::int)
      else private.html_entities() ->> r.name end
    from substring(p.piece from '^(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]+[0-9]*);') r (name)
  ) c (letter) on p.n > 1;
  return decoded;
end $function$;

create or replace function private.default_credit_role_label (
  person public.episode_people
)
  returns public.credit_role_label
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case when private.is_credit_role_label(person.role_label) then person.role_label
    when person.source_type = 'team' then 'Co-host' else 'Guest' end;
end $function$;

create or replace function private.delete_episode_message (
  message_id uuid,
  at         timestamp with time zone default now()
)
  returns public.episode_messages
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  message public.episode_messages;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into message from public.episode_messages m
  where m.id = delete_episode_message.message_id and m.podcast_id = any (private.my_podcasts('member'))
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Message not found';
  elsif message.sender_user_id is distinct from auth.uid() then
    raise sqlstate 'PT403' using message = 'Only its sender can delete a message';
  elsif message.deleted_at is null then
    update public.episode_messages m set body = null, deleted_at = delete_episode_message.at
    where m.id = message.id
    returning * into message;
  end if;
  return message;
end $function$;

create or replace function private.delete_roster_removal()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  delete from private.roster_removals r where r.episode_guest_id = new.id;
  return null;
end $function$;

create or replace function private.delete_unconfirmed_user (
  user_id uuid
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  confirmed_at timestamptz;
begin
  -- the lock makes a confirmation that is on its way either come first, and then be seen, or find no row
  select coalesce(u.email_confirmed_at, u.phone_confirmed_at) into confirmed_at from auth.users u where u.id = delete_unconfirmed_user.user_id for update;
  if not found then
    return false;
  end if;
  if confirmed_at is not null then
    raise sqlstate 'PT409' using message = 'A confirmed user is not deleted as unconfirmed';
  end if;
  delete from auth.users u where u.id = delete_unconfirmed_user.user_id;
  return true;
end $function$;

create or replace function private.derive_episode_status()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  becomes boolean := tg_op = 'INSERT' or new.status is distinct from old.status;
begin
  if new.status in ('published', 'scheduled') and new.audio_url is null
     and (select p.hosting_type from public.podcasts p where p.id = new.podcast_id) = 'native' then
    raise sqlstate 'PT428' using
      message = 'Upload audio before this episode is published or scheduled', hint = 'AUDIO_REQUIRED';
  end if;
  if new.status = 'scheduled' then
    if new.scheduled_at is null or ((becomes or new.scheduled_at is distinct from old.scheduled_at) and new.scheduled_at <= now()) then
      raise sqlstate 'PT400' using message = 'scheduled_at must be a time in the future';
    end if;
  else
    new.scheduled_at := null;
  end if;
  if new.status = 'published' then
    new.published_at := coalesce(new.published_at, now());
    new.first_published_at := coalesce(new.first_published_at, now());
  end if;
  return new;
end $function$;

create or replace function private.derive_transfer_storage()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  new.storage_bytes := coalesce((
    select sum(m.bytes) from private.media_objects m where m.podcast_id = new.podcast_id and m.released_at is null), 0)
    + private.staged_bytes(new.podcast_id);
  return new;
end $function$;

create or replace function private.described_import (
  import_id uuid
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  import public.podcast_imports := private.require_import_role(described_import.import_id);
begin
  return (
    select row_to_json(described) from (
      select import.id, import.podcast_id, import.created_by, import.status, import.feed_url, import.is_locked_source,
        import.verification_method, import.verification_token, import.locked_owner_email, import.feed_guid, import.channel_explicit,
        private.format_timestamp(import.staged_at) as staged_at, private.format_timestamp(import.started_at) as started_at, private.format_timestamp(import.finished_at) as finished_at,
        import.total_items, import.completed_count, import.failed_count, import.skipped_count, import.is_hosting_migration,
        import.detection, import.warnings, import.apply_detected_numbers, import.error_message, import.error_code,
        private.format_timestamp(import.created_at) as created_at, private.format_timestamp(import.updated_at) as updated_at,
        coalesce((select json_agg(item) from (
          select i.id, i.import_id, i.podcast_id, i.position, i.guid, i.status, i.title, private.format_timestamp(i.published_at) as published_at,
            (select payload from (
              select i.parsed_payload -> 'episodeNumber' as "episodeNumber", i.parsed_payload -> 'seasonNumber' as "seasonNumber",
                i.parsed_payload -> 'episodeType' as "episodeType", i.parsed_payload -> 'durationSeconds' as "durationSeconds",
                i.parsed_payload -> 'enclosure' as enclosure) payload) as parsed_payload,
            i.warnings, i.error_message, i.error_code, i.attempts, private.format_timestamp(i.next_attempt_at) as next_attempt_at, i.episode_id,
            private.format_timestamp(i.created_at) as created_at, private.format_timestamp(i.updated_at) as updated_at
          from public.podcast_import_items i where i.import_id = import.id order by i.created_at, i.position) item), '[]') as items
    ) described);
end $function$;

create or replace function private.described_staging (
  import public.podcast_imports
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object('importId', import.id, 'status', import.status, 'totalItems', import.total_items)
    || case when import.status = 'preview' then jsonb_build_object('detection', import.detection)
    when import.verification_method = 'email_code' then jsonb_build_object('method', 'email_code', 'ownerEmail', import.locked_owner_email)
    else jsonb_build_object('method', 'feed_recheck', 'verificationToken', import.verification_token) end
$function$;

create or replace function private.direct_upload (
  upload_id uuid,
  at        timestamp with time zone       default now(),
  OUT       upload private.direct_uploads,
  OUT       bytes bigint,
  OUT       refused_as text,
  OUT       lease timestamp with time zone
)
  returns record
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  audio_url text;
  unused    timestamptz := at - make_interval(hours => private.setting('temporary_hours')::int);
begin
  select * into upload from private.direct_uploads d
  where d.id = direct_upload.upload_id and (d.completing_until > at or d.created_at > unused)
  for update;  -- a completion under way ends first, and takes the staged object with it
  if not found then
    raise sqlstate 'PT404' using message = 'Upload not found';
  end if;
  perform private.require_role(upload.podcast_id, 'admin');
  bytes := case when upload.completed_at is null then private.stored_size(upload.staged_path, 'staging') else private.stored_size(upload.path) end;
  select e.audio_url into audio_url from public.episodes e where e.id = upload.episode_id;
  refused_as := case
    when upload.refused_as is not null then upload.refused_as
    when private.own_object_path(audio_url) is not distinct from upload.path then null
    when upload.completed_at is not null or audio_url is distinct from upload.expected_audio_url then 'CONCURRENT_REPLACEMENT'
    when bytes > upload.bytes then 'LARGER_THAN_ANNOUNCED' end;
  if upload.completed_at is null and refused_as is not null then
    perform private.end_direct_uploads(array[upload.id], refused_as);
  -- as long as a request may take, and some; an upload that is temporary_hours old keeps its last lease, so that a client
  -- cannot keep it open by completing it again and again
  elsif upload.completed_at is null and bytes > 0 and upload.created_at > unused then
    update private.direct_uploads d set completing_until = clock_timestamp() + interval '3 minutes' where d.id = upload.id
    returning d.completing_until into lease;
    if upload.completing_until > at then
      lease := null;  -- another completion may still copy: this one prolongs its lease, and must not release it
    end if;
  end if;
end $function$;

create or replace function private.dispatch_import (
  import_id uuid,
  item_id   uuid default null::uuid
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sent bigint[];
begin
  perform private.require_import_queue();
  with due as (
    select i.id, i.podcast_id, row_number() over (order by i.published_at desc nulls last, i.position) - 1 as n
    from public.podcast_import_items i
    where i.import_id = dispatch_import.import_id and i.status = 'pending' and i.id = coalesce(dispatch_import.item_id, i.id)
  ), batches as (
    select least(floor(d.n * 0.25), 900)::int as delay, array_agg(jsonb_build_object('type', 'import_item',
      'import_id', dispatch_import.import_id, 'import_item_id', d.id, 'podcast_id', d.podcast_id) order by d.n) as messages
    from due d group by 1
  )
  select array_agg(s.msg_id) into sent
  from (select * from batches b order by b.delay) b cross join lateral pgmq.send_batch('import_items', b.messages, b.delay) s (msg_id);
  if sent is null then
    return 0;
  end if;
  insert into private.import_messages as m (import_item_id, msg_id)
  select (q.message ->> 'import_item_id')::uuid, q.msg_id from pgmq.q_import_items q where q.msg_id = any (sent)
  on conflict on constraint import_messages_pkey do update set msg_id = excluded.msg_id;
  perform private.wake_worker_once('import_items');
  return cardinality(sent);
end $function$;

create or replace function private.display_name_or_default (
  display_name text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return coalesce(display_name, 'Team member');  -- never the address: feeds are public
end $function$;

create or replace function private.drop_episode_audio (
  episode_id uuid
)
  returns public.episodes
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(drop_episode_audio.episode_id, 'admin');
  select * into episode from public.episodes e where e.id = drop_episode_audio.episode_id for update;
  if episode.status in ('published', 'scheduled') then
    raise sqlstate 'PT409' using
      message = format('The audio of a %s episode cannot be removed', episode.status), hint = 'AUDIO_IN_USE';
  end if;
  if episode.audio_url is null then
    return episode;
  end if;
  perform private.release_episode_audio(episode);
  update public.episodes e set
    audio_url = null, audio_file_size_bytes = null, audio_content_type = null, audio_duration_seconds = null
  where e.id = episode.id
  returning * into episode;
  return episode;
end $function$;

create or replace function private.drop_import_transfer (
  import_item_id uuid
)
  returns void
  language sql
  set search_path to ''
  AS $function$ delete from private.import_transfers t where t.import_item_id = $1 $function$;

create or replace function private.drop_podcast_image (
  podcast_id uuid,
  image_type text
)
  returns text[]
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  paths text[];
begin
  perform private.require_role(drop_podcast_image.podcast_id, 'admin');
  perform private.set_image_column(drop_podcast_image.podcast_id, image_type, null);
  paths := array(
    select m.path from private.media_objects m
    where m.place = drop_podcast_image.podcast_id and m.purpose = image_type order by m.path);
  perform private.collect_objects(paths);
  return paths;
end $function$;

create or replace function private.drop_staging (
  import_id uuid,
  msg_id    bigint  default null::bigint,
  attempt   integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.require_reader(drop_staging.msg_id, drop_staging.attempt) where drop_staging.msg_id is not null;
  perform private.acknowledge_jobs('import_feeds', array[drop_staging.msg_id]) where drop_staging.msg_id is not null;
  delete from public.podcast_imports i where i.id = drop_staging.import_id and i.status = 'pending';
  return found;
end $function$;

create or replace function private.email_rate_limit_key (
  name  text,
  email text
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$ select $1 || ':' || encode(sha256(convert_to($2, 'UTF8')), 'hex') $function$;

create or replace function private.encode_cursor (
  at timestamp with time zone,
  id uuid
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select rtrim(
    translate(encode(convert_to(extract(epoch from $1)::text || ' ' || $2, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$function$;

create or replace function private.encode_path_segment (
  segment text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  if segment ~ '^[A-Za-z0-9._~-]*$' then
    return segment;  -- the usual case
  end if;
  return (
    select string_agg(
      case when c.letter ~ '[A-Za-z0-9._~-]' then c.letter
        else regexp_replace(upper(encode(convert_to(c.letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by c.n)
    from regexp_split_to_table(segment, '') with ordinality c (letter, n));
end $function$;

create or replace function private.end_abandoned_stagings (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  ended int;
begin
  delete from public.podcast_imports i where i.id in (
    select o.id from public.podcast_imports o
    where o.status = 'pending' and o.updated_at < end_abandoned_stagings.at - interval '10 minutes'
    order by o.id for update skip locked);
  get diagnostics ended = row_count;
  return ended;
end $function$;

create or replace function private.end_direct_uploads (
  upload_ids uuid[],
  refused_as text   default null::text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  staged text[];
  copies text[];
begin
  with ended as (
    update private.direct_uploads d set completed_at = now(), completing_until = null, refused_as = end_direct_uploads.refused_as
    where d.completed_at is null and d.id in (
      select o.id from private.direct_uploads o where o.id = any (upload_ids) order by o.id for update)
    returning d.staged_path, d.path
  ) select array_agg(e.staged_path), array_agg(e.path) into staged, copies from ended e;
  perform private.collect_objects(staged, 'staging');
  if end_direct_uploads.refused_as is not null then  -- a completion that died may have left its copy
    perform private.collect_objects(copies);
  end if;
end $function$;

create or replace function private.end_import()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if new.completed_count + new.failed_count + new.skipped_count = new.total_items then
    new.status := case when new.failed_count = 0 then 'completed' when new.completed_count = 0 then 'failed' else 'partial' end;
    new.finished_at := now();
  end if;
  return new;
end $function$;

create or replace function private.end_import_item (
  item   public.podcast_import_items,
  status public.import_item_status,
  reason text,
  code   text                        default null::text
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if item.status is null or item.status not in ('pending', 'processing') then
    return false;
  end if;
  update public.podcast_import_items i set
    status = end_import_item.status, error_message = left(end_import_item.reason, 2000), error_code = end_import_item.code,
    next_attempt_at = null
  where i.id = item.id;
  return true;
end $function$;

create or replace function private.end_object_removal (
  id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from private.object_removals r where r.id = end_object_removal.id;
end $function$;

create or replace function private.end_replaced_uploads()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.end_direct_uploads(array_agg(d.id), 'CONCURRENT_REPLACEMENT')
  from private.direct_uploads d
  where d.episode_id = new.id and d.completed_at is null and d.expected_audio_url is distinct from new.audio_url
    and d.path is distinct from private.own_object_path(new.audio_url)
  having count(*) > 0;
  return null;
end $function$;

create or replace function private.end_transfers_of_member()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.podcast_transfers t set status = 'ended'
  where t.podcast_id = old.podcast_id and old.user_id in (t.user_id, t.offered_by) and t.status = 'pending';
  return null;
end $function$;

create or replace function private.end_transfers_of_podcast()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.podcast_transfers t set status = 'ended' where t.podcast_id = new.id and t.status = 'pending';
  return null;
end $function$;

create or replace function private.enqueue (
  queue         text,
  message       jsonb,
  delay_seconds integer                  default 0,
  at            timestamp with time zone default clock_timestamp()
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  id bigint;
begin
  select send into id from pgmq.send(queue, message, enqueue.at + make_interval(secs => delay_seconds));
  if delay_seconds = 0 then
    perform private.wake_worker_once(queue);
  end if;
  return id;
end $function$;

create or replace function private.enqueue_attendee_change (
  change     text,
  podcast_id uuid,
  episode_id uuid,
  user_id    uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.enqueue('calendar_sync', jsonb_build_object(
    'type', 'attendee.' || change, 'podcast_id', podcast_id, 'episode_id', episode_id, 'user_id', user_id));
end $function$;

create or replace function private.enqueue_stale_show_notes (
  max_podcasts integer                  default 1000,
  at           timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  enqueued int;
  current  int := private.show_notes_version();
  parked   text[] := array(
    select d.message #>> '{message,podcast_id}' from pgmq.q_show_notes_dlq d
    where d.enqueued_at > enqueue_stale_show_notes.at - interval '1 day' and d.message #>> '{message,podcast_id}' is not null);
begin
  if (select m.queue_length from pgmq.metrics('show_notes') m) > 0 then
    return 0;
  end if;
  with recursive stale (version, podcast_id) as (
    (select e.show_notes_version, e.podcast_id from public.episodes e
     where e.show_notes_version < current order by e.show_notes_version, e.podcast_id limit 1)
    union all
    select next.* from stale s cross join lateral (
      select e.show_notes_version, e.podcast_id from public.episodes e
      where e.show_notes_version < current and (e.show_notes_version, e.podcast_id) > (s.version, s.podcast_id)
      order by e.show_notes_version, e.podcast_id limit 1) next
  )
  select count(private.enqueue('show_notes', jsonb_build_object('podcast_id', due.podcast_id))) into enqueued
  from (
    select distinct first.podcast_id
    from (select s.podcast_id from stale s where s.podcast_id::text <> all (parked) limit max_podcasts) first
  ) due;
  return enqueued;
end $function$;

create or replace function private.error_response (
  status  integer,
  message text,
  code    text    default null::text,
  extra   jsonb   default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('response.status', error_response.status::text, true);
  return jsonb_strip_nulls(jsonb_build_object('error', message, 'code', code)) || coalesce(extra, '{}');
end $function$;

create or replace function private.estimate_dates (
  import          public.podcast_imports,
  last_build_date timestamp with time zone
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  epoch        constant timestamptz := '1970-01-01Z';
  -- of a feed without any date of the past; a build date that the server makes up at each request, or never set, is none
  base         constant timestamptz := case when last_build_date > epoch and last_build_date <= import.created_at then last_build_date
    else import.created_at - interval '1 day' end;
  oldest_first boolean;
  newest       timestamptz;
  estimated    int;
begin
  perform from public.podcast_import_items i where i.import_id = import.id and i.published_at is null;
  if not found then
    return 0;
  end if;
  select coalesce((array_agg(i.published_at order by i.position))[1] < (array_agg(i.published_at order by i.position desc))[1], false),
    max(i.published_at) filter (where i.published_at <= import.created_at)
    into oldest_first, newest
  from public.podcast_import_items i where i.import_id = import.id and i.published_at is not null;

  with items as (  -- `above`: how many dated items stand before this place, and thereby which gap it is in
    select i.id, i.position, i.published_at, count(i.published_at) over (order by i.position) as above
    from public.podcast_import_items i where i.import_id = import.id
  ), undated as (
    select i.id, i.above, row_number() over (order by i.position) as nth,
      row_number() over (partition by i.above order by i.position) as n, count(*) over (partition by i.above) as size
    from items i where i.published_at is null
  )
  update public.podcast_import_items t set published_at = greatest(epoch, least(newest, date_trunc('second', case
    when newest is null then base - u.nth * interval '1 second'
    when before.published_at is null then after.published_at + (u.size - u.n + 1) * interval '1 second' * case when oldest_first then -1 else 1 end
    when after.published_at is null then before.published_at - u.n * interval '1 second' * case when oldest_first then -1 else 1 end
    else before.published_at + (after.published_at - before.published_at) * (u.n::double precision / (u.size + 1)) end)))
  from undated u
  left join items before on before.published_at is not null and before.above = u.above
  left join items after on after.published_at is not null and after.above = u.above + 1
  where t.id = u.id;
  get diagnostics estimated = row_count;
  return estimated;
end $function$;

create or replace function private.extend_job_visibility (
  queue   text,
  msg_id  bigint,
  seconds integer,
  attempt integer                  default null::integer,
  at      timestamp with time zone default clock_timestamp()
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  visible_at timestamptz := at + make_interval(secs => seconds);
begin
  perform private.lock_job(extend_job_visibility.queue, extend_job_visibility.msg_id, extend_job_visibility.attempt);
  if not found then
    return false;
  end if;
  -- a message that has failed keeps its attempt until it is claimed again, but has no lease
  perform from private.queues q where q.name = extend_job_visibility.queue and q.concurrency is not null
    and not exists (
      select from private.leases l
      where l.queue = extend_job_visibility.queue and l.msg_id = extend_job_visibility.msg_id for update);
  if found then
    return false;
  end if;
  execute format('update pgmq.%I q set vt = $1 where q.msg_id = $2', 'q_' || extend_job_visibility.queue)
    using visible_at, extend_job_visibility.msg_id;
  update private.leases l set expires_at = visible_at
  where l.queue = extend_job_visibility.queue and l.msg_id = extend_job_visibility.msg_id;
  return true;
end $function$;

create or replace function private.fail_dead_import_feed()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if pg_input_is_valid(new.message #>> '{message,import_id}', 'uuid') then
    perform private.fail_import_feed((new.message #>> '{message,import_id}')::uuid,
      'The feed could not be read because of a problem on our side; start the import again', 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $function$;

create or replace function private.fail_dead_import_item()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item_id uuid;
  parked  bigint;
begin
  if pg_input_is_valid(new.message #>> '{message,import_item_id}', 'uuid') then
    item_id := (new.message #>> '{message,import_item_id}')::uuid;
    parked := case jsonb_typeof(new.message -> 'msg_id') when 'number' then (new.message ->> 'msg_id')::bigint end;
    perform private.fail_import_item(item_id, new.message ->> 'error', msg_id => parked, code => 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $function$;

create or replace function private.fail_import_feed (
  import_id uuid,
  error     text,
  code      text,
  msg_id    bigint  default null::bigint,
  attempt   integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.require_reader(fail_import_feed.msg_id, fail_import_feed.attempt) where fail_import_feed.msg_id is not null;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = fail_import_feed.import_id) for key share;
  perform from public.podcast_imports i where i.id = fail_import_feed.import_id and i.status = 'pending' for no key update;
  if not found then
    return false;
  end if;
  delete from public.podcast_import_items i where i.import_id = fail_import_feed.import_id;
  update public.podcast_imports i set status = 'failed', error_message = left(fail_import_feed.error, 2000), error_code = fail_import_feed.code
  where i.id = fail_import_feed.import_id;
  return true;
end $function$;

create or replace function private.fail_import_item (
  import_item_id uuid,
  error          text,
  code           text    default null::text,
  msg_id         bigint  default null::bigint,
  attempt        integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item public.podcast_import_items := private.hold_import_item(fail_import_item.import_item_id);
begin
  return not private.is_superseded(item.id, fail_import_item.msg_id, fail_import_item.attempt)
    and private.end_import_item(item, 'failed', coalesce(nullif(fail_import_item.error, ''), 'Nobody said why'), fail_import_item.code);
end $function$;

create or replace function private.fail_job (
  queue               text,
  msg_id              bigint,
  error               text,
  is_permanent        boolean                  default false,
  retry_after_seconds integer                  default null::integer,
  attempt             integer                  default null::integer,
  at                  timestamp with time zone default clock_timestamp()
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  policy  private.queues;
  job     record;
  seconds numeric;
begin
  select * into strict policy from private.queues q where q.name = fail_job.queue;
  select * into job from private.lock_job(fail_job.queue, fail_job.msg_id, fail_job.attempt);
  if not found then
    return 'not_found';
  end if;
  delete from private.leases l where l.queue = fail_job.queue and l.msg_id = fail_job.msg_id;
  if is_permanent or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dlq', jsonb_build_object(
      'message', job.message, 'msg_id', fail_job.msg_id, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', fail_job.at));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead_lettered';
  end if;
  -- exponential, half of it jitter, so that jobs which failed together do not return together; a source's own wait counts
  -- up to the maximum
  seconds := greatest(1, ceil(
    extract(epoch from least(policy.backoff_max, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ), case when fail_job.retry_after_seconds > 0
    then least(fail_job.retry_after_seconds, extract(epoch from policy.backoff_max)) end);
  -- only a failure writes headers, so a trigger on that column sees every retry
  execute format($update$
    update pgmq.%I q set vt = $1 + make_interval(secs => $2),
      headers = coalesce(q.headers, '{}') || jsonb_build_object('last_error', $3)
    where q.msg_id = $4$update$, 'q_' || fail_job.queue)
    using fail_job.at, seconds, left(fail_job.error, 2000), fail_job.msg_id;
  return 'retry_scheduled';
end $function$;

create or replace function private.feed_url (
  slug text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.setting('public_api_url') || '/feeds/' || private.encode_path_segment(slug) || '.xml';
end $function$;

create or replace function private.finish_artwork_import (
  actor        uuid,
  path         text,
  bytes        bigint,
  content_type text,
  image        jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.lock_finishing_object(finish_artwork_import.path);
  if not starts_with(finish_artwork_import.path, format('imports/%s/', actor)) then
    raise sqlstate 'PT500' using message = 'The object lies outside its place';
  end if;
  perform private.require_measured(finish_artwork_import.path, finish_artwork_import.bytes);
  perform from public.billing_accounts a where a.user_id = actor for no key update;  -- the user stays until this ends
  if not found then
    raise sqlstate 'PT404' using message = 'The account is gone';
  end if;
  insert into private.media_objects (path, account_id, purpose, bytes, content_type, width, height)
  values (finish_artwork_import.path, actor, 'temporary', finish_artwork_import.bytes, finish_artwork_import.content_type,
    (image ->> 'width')::int, (image ->> 'height')::int)
  on conflict on constraint media_objects_pkey do nothing;
  return jsonb_build_object('path', finish_artwork_import.path, 'publicUrl', private.image_url(finish_artwork_import.path));
end $function$;

create or replace function private.finish_artwork_move (
  actor       uuid,
  source_path text,
  podcast_id  uuid,
  image_type  text,
  path        text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  source private.media_objects;
begin
  perform private.lock_finishing_object(finish_artwork_move.path);
  perform from public.podcasts p where p.id = finish_artwork_move.podcast_id for no key update;  -- before the ledger
  select * into source from private.media_objects m
  where m.path = finish_artwork_move.source_path and m.purpose = 'temporary' and m.account_id = actor for update;
  if not found or source.released_at is not null and not exists (
    select from private.media_objects m where m.path = finish_artwork_move.path and m.released_at is null) then
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform from public.billing_accounts a
  where a.user_id in (actor, (select p.owner_id from public.podcasts p where p.id = finish_artwork_move.podcast_id))
  order by a.user_id for no key update;  -- both sums change: in a transfer's order, whom the podcast's lock keeps away
  perform private.release_media_objects(array[source.path], false);  -- first, so that the bytes count once
  return private.finish_image_upload(actor, finish_artwork_move.podcast_id, image_type, null, finish_artwork_move.path, source.bytes,
    source.content_type, jsonb_build_object('width', source.width, 'height', source.height)) || jsonb_build_object('collectable', array[source.path]);
end $function$;

create or replace function private.finish_audio_upload (
  actor              uuid,
  podcast_id         uuid,
  episode_id         uuid,
  path               text,
  bytes              bigint,
  content_type       text,
  duration_seconds   integer,
  expected_audio_url text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  episode public.episodes;
  upload  private.direct_uploads;
  url     text := private.setting('media_url') || '/' || finish_audio_upload.path;
begin
  perform private.require_finishable(actor, finish_audio_upload.podcast_id, finish_audio_upload.episode_id,
    finish_audio_upload.path, finish_audio_upload.bytes);
  if not starts_with(finish_audio_upload.path,
       format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id)) then
    raise sqlstate 'PT500' using message = 'The object lies outside the episode';
  end if;
  select * into upload from private.direct_uploads d where d.path = finish_audio_upload.path for update;
  if upload.refused_as is not null then  -- its objects are being deleted
    raise sqlstate 'PT409' using message = 'The upload was replaced or expired in the meantime', hint = 'CONCURRENT_REPLACEMENT';
  end if;
  select * into episode from public.episodes e where e.id = finish_audio_upload.episode_id;
  -- equal: this very upload, finished before; safe to repeat, also after media_url changed
  if private.own_object_path(episode.audio_url) is distinct from finish_audio_upload.path then
    if episode.audio_url is distinct from finish_audio_upload.expected_audio_url then
      raise sqlstate 'PT409' using message = 'The audio was replaced by another upload in the meantime', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_episode_audio(episode);
    insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type)
    select finish_audio_upload.path, p.owner_id, p.id, episode.id, 'audio', finish_audio_upload.bytes, finish_audio_upload.content_type
    from public.podcasts p where p.id = episode.podcast_id;
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = finish_audio_upload.bytes, audio_content_type = finish_audio_upload.content_type,
      audio_duration_seconds = finish_audio_upload.duration_seconds
    where e.id = episode.id  -- the feed hears of it by the episodes' own trigger
    returning * into episode;
  end if;
  perform private.end_direct_uploads(array[upload.id]);
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', episode.audio_url, 'fileSize', episode.audio_file_size_bytes,
    'contentType', episode.audio_content_type, 'durationSeconds', episode.audio_duration_seconds);
end $function$;

create or replace function private.finish_image_upload (
  actor        uuid,
  podcast_id   uuid,
  image_type   text,
  episode_id   uuid,
  path         text,
  bytes        bigint,
  content_type text,
  image        jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  url       text;
  replaced  text[];
  is_repeat boolean;
begin
  perform private.require_finishable(actor, finish_image_upload.podcast_id, finish_image_upload.episode_id,
    finish_image_upload.path, finish_image_upload.bytes);
  if not starts_with(finish_image_upload.path, case image_type
       when 'episode_cover' then format('podcasts/%s/e/%s/images/', finish_image_upload.podcast_id, finish_image_upload.episode_id)
       else format('podcasts/%s/images/%s/', finish_image_upload.podcast_id, image_type) end) then
    raise sqlstate 'PT500' using message = 'The object lies outside its place';
  end if;
  is_repeat := exists (select from private.media_objects m where m.path = finish_image_upload.path);
  if is_repeat then
    select case image_type when 'episode_cover' then (select e.cover_image_url from public.episodes e where e.id = finish_image_upload.episode_id)
      else private.image_column(p, image_type) end into url
    from public.podcasts p where p.id = finish_image_upload.podcast_id;
  else
    url := private.image_url(finish_image_upload.path);
    select array_agg(m.path) into replaced from private.media_objects m
    where m.place = coalesce(finish_image_upload.episode_id, finish_image_upload.podcast_id) and m.purpose = image_type and m.released_at is null;
    -- the column first: what it named before is released by its trigger, and the feed hears of it
    if image_type = 'episode_cover' then
      update public.episodes e set cover_image_url = url where e.id = finish_image_upload.episode_id;
    else
      perform private.set_image_column(finish_image_upload.podcast_id, image_type, url);
    end if;
    insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type, width, height)
    select finish_image_upload.path, p.owner_id, p.id, finish_image_upload.episode_id, image_type, finish_image_upload.bytes,
      finish_image_upload.content_type, (image ->> 'width')::int, (image ->> 'height')::int
    from public.podcasts p where p.id = finish_image_upload.podcast_id;
  end if;
  return jsonb_build_object('path', finish_image_upload.path, 'publicUrl', url,
    'collectable', case when image_type = 'episode_cover' then coalesce(to_jsonb(replaced), '[]') else '[]' end);
end $function$;

create or replace function private.finish_import_item (
  import_item_id   uuid,
  path             text,
  bytes            bigint,
  content_type     text,
  duration_seconds integer,
  image            jsonb   default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item   public.podcast_import_items;
  cover  jsonb := case when image ? 'path' then image end;
  prefix text;
begin
  perform private.lock_finishing_object(finish_import_item.path);
  perform private.lock_finishing_object(cover ->> 'path') where cover is not null;
  item := private.hold_import_item(finish_import_item.import_item_id);
  if item.id is null then
    raise sqlstate 'PT404' using message = 'The import is gone';
  end if;
  if item.status in ('pending', 'processing') then  -- pending: tried again while this went on, which has come to its end
    perform private.require_writable_podcast(item.podcast_id);
    prefix := format('podcasts/%s/e/%s/', item.podcast_id, item.id);
    if not starts_with(finish_import_item.path, prefix || 'audio/') or not starts_with(coalesce(cover ->> 'path', prefix || 'images/'), prefix || 'images/') then
      raise sqlstate 'PT500' using message = 'The object lies outside the episode';
    end if;
    if private.has_imported_guid(item) then
      perform private.end_import_item(item, 'skipped_duplicate', 'The podcast has an episode with this GUID');
    else
      perform private.require_measured(finish_import_item.path, finish_import_item.bytes);
      perform private.require_measured(cover ->> 'path', (cover ->> 'bytes')::bigint) where cover is not null;
      perform private.note_import_item(item.id, jsonb_build_array(image -> 'warning')) where image ? 'warning';
      perform private.make_imported_episode(item, finish_import_item.path, finish_import_item.bytes, finish_import_item.content_type,
        finish_import_item.duration_seconds, cover);
      update public.podcast_import_items i set status = 'completed', episode_id = item.id, error_message = null, error_code = null,
        next_attempt_at = null
      where i.id = item.id;
      delete from private.import_transfers t where t.import_item_id = item.id;
    end if;
    select * into item from public.podcast_import_items i where i.id = item.id;
  end if;
  return jsonb_build_object('status', item.status, 'episodeId', item.episode_id,
    'kept', exists (select from private.media_objects m where m.path = finish_import_item.path));
end $function$;

create or replace function private.finish_recheck (
  import_id uuid,
  channel   jsonb,
  caller    uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  held      public.podcast_imports;
  is_locked boolean := coalesce((finish_recheck.channel ->> 'locked')::boolean, false);
  address   text := coalesce(
    private.reachable_address(finish_recheck.channel ->> 'lockedOwner'), private.reachable_address(finish_recheck.channel ->> 'ownerEmail'));
  has_token boolean;
begin
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = finish_recheck.import_id) for key share;
  select * into held from public.podcast_imports i where i.id = finish_recheck.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_writable_podcast(held.podcast_id);
  if held.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'The import does not wait for its feed', hint = 'NOT_APPLICABLE';
  end if;
  has_token := exists (
    select from jsonb_array_elements(coalesce(nullif(finish_recheck.channel -> 'verifyTexts', 'null'), '[]')) t
    where position(held.verification_token in t ->> 'text') > 0);
  -- in this order
  if not is_locked or has_token then
    delete from private.import_owners o where o.import_id = held.id;
    update public.podcast_imports i set status = 'preview', verification_method = null, is_locked_source = is_locked
    where i.id = held.id returning * into held;
  elsif held.verification_method = 'feed_recheck' and address is not null then
    perform private.consume_rate_limit('import-owner/' || finish_recheck.caller, private.setting('ownership_codes_per_hour')::int, interval '1 hour');
    update public.podcast_imports i set verification_method = 'email_code', locked_owner_email = private.masked_address(address)
    where i.id = held.id returning * into held;
    perform private.ask_owner(held.id, address);
  else
    raise sqlstate 'PT400' using message = case held.verification_method
      when 'email_code' then 'The feed is still locked; enter the code that was mailed to its owner'
      else 'The feed is still locked, and neither the token nor an owner''s address is in it' end, hint = 'STILL_LOCKED';
  end if;
  return private.described_staging(held);
end $function$;

create or replace function private.finish_staging (
  import_id uuid,
  channel   jsonb,
  detection jsonb,
  warnings  jsonb,
  at        timestamp with time zone default now(),
  msg_id    bigint                   default null::bigint,
  attempt   integer                  default null::integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  held    public.podcast_imports := private.hold_staging(finish_staging.import_id, finish_staging.msg_id, finish_staging.attempt);
  is_locked boolean := coalesce((finish_staging.channel ->> 'locked')::boolean, false);
  -- podcast:locked's owner, else itunes:email
  address text := case when is_locked then coalesce(
    private.reachable_address(finish_staging.channel ->> 'lockedOwner'), private.reachable_address(finish_staging.channel ->> 'ownerEmail')) end;
  stated_guid text := finish_staging.channel ->> 'podcastGuid';
begin
  -- The planner evaluates a cast of a constant even in a branch of a case that is never reached
  if not pg_input_is_valid(stated_guid, 'uuid') then
    stated_guid := null;
  end if;
  if held.total_items = 0 then
    raise sqlstate 'PT400' using message = 'The feed has no episode', hint = 'EMPTY_FEED';
  end if;
  perform private.estimate_dates(held, (finish_staging.channel ->> 'lastBuildDate')::timestamptz);
  update public.podcast_import_items i set status = 'skipped_duplicate'
  where i.import_id = held.id and i.status = 'pending' and exists (
    select from public.episodes e where e.podcast_id = held.podcast_id and e.guid = i.guid);
  if address is not null then
    perform private.consume_rate_limit('import-owner/' || coalesce(held.created_by, held.podcast_id), private.setting('ownership_codes_per_hour')::int, interval '1 hour', finish_staging.at);
  end if;
  update public.podcast_imports i set
    status = case when is_locked then 'verification_required' else 'preview' end::public.import_status,
    is_locked_source = is_locked,
    verification_method = case when address is not null then 'email_code' when is_locked then 'feed_recheck' end::public.import_verification,
    verification_token = case when is_locked and address is null then 'castbase-verify-' || gen_random_uuid() end,
    locked_owner_email = private.masked_address(address),
    feed_guid = stated_guid::uuid,
    channel_explicit = (finish_staging.channel ->> 'explicit')::boolean,
    detection = finish_staging.detection, warnings = coalesce(finish_staging.warnings, '[]'), staged_at = finish_staging.at
  where i.id = held.id returning * into held;
  if address is not null then
    perform private.ask_owner(held.id, address, finish_staging.at);
  end if;
  perform private.copy_channel(held.podcast_id, finish_staging.channel);
  perform private.acknowledge_jobs('import_feeds', array[finish_staging.msg_id]) where finish_staging.msg_id is not null;
  return private.described_staging(held);
end $function$;

create or replace function private.follow_episode_cover()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.follow_image(new.id, 'episode_cover', new.cover_image_url);
  return null;
end $function$;

create or replace function private.follow_image (
  place   uuid,
  purpose text,
  url     text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  named text := private.own_object_path(url);
begin
  perform from private.media_objects m
  where m.place = follow_image.place and m.purpose = follow_image.purpose and (m.released_at is null or m.path = named)
  order by m.path for update;  -- rows are locked in one order everywhere
  -- an episode has one cover object (contract); a podcast's images are in cached feeds, and wait for the sweep
  perform private.release_media_objects(array_agg(m.path), follow_image.purpose <> 'episode_cover')
  from private.media_objects m
  where m.place = follow_image.place and m.purpose = follow_image.purpose and m.released_at is null and m.path is distinct from named
  having count(*) > 0;
  update private.media_objects m set released_at = null  -- its account has followed the podcast all the time
  where m.path = named and m.place = follow_image.place and m.purpose = follow_image.purpose and m.released_at is not null;
end $function$;

create or replace function private.follow_podcast_images()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.follow_image(new.id, i.purpose, i.now)
  from (values
    ('cover', old.cover_image_url, new.cover_image_url), ('header', old.header_image_url, new.header_image_url),
    ('banner', old.banner_image_url, new.banner_image_url), ('profile', old.profile_image_url, new.profile_image_url)
  ) i (purpose, before, now)
  where i.before is distinct from i.now;
  return null;
end $function$;

create or replace function private.format_timestamp (
  at timestamp with time zone
)
  returns text
  language plpgsql
  stable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $function$;

create or replace function private.generate_call_functions()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  callable private.callable_functions;
  orphan   text;
begin
  for callable in select * from private.callable_functions loop
    execute format($create$
create or replace function private.%1$I(claims json, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as %2$L$create$, 'call_' || callable.name, format($body$
declare
  caller  text := claims ->> 'role';
  problem text := private.invalid_argument_message(args, %1$L, %2$L, %3$s);
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token''s role is not allowed to call this API';
  elsif problem is not null then
    raise sqlstate 'PT400' using message = problem;
  end if;
  perform set_config('request.jwt.claims', claims::text, true),
    set_config('castbase.through_functions', 'yes', true),  -- an edge function does the operation's second half
    set_config('role', caller, true);
  select to_jsonb(public.%4$I(%5$s)) into data;  -- no simple expression: it would keep an earlier caller's permission check
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $body$, callable.names, callable.camel_names, callable.required_count, callable.name, callable.arguments_sql));
    execute format('comment on function private.%I is %L', 'call_' || callable.name,
      format('Runs %s as the caller of claims, with named args in camelCase or snake_case. PT401: the role may not call; PT400: an unknown, duplicate or missing field. Generated by private.install().', callable.name));
  end loop;

  for orphan in
    select p.proname from pg_catalog.pg_proc p
    where p.pronamespace = 'private'::regnamespace
      and p.proargnames = '{claims,args,status,data}'
      and not exists (select from private.callable_functions c where 'call_' || c.name = p.proname)
  loop
    execute format('drop function private.%I', orphan);
  end loop;
end $function$;

create or replace function private.get_guest_episode (
  access_token text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest public.episode_guests := private.authenticate_guest(get_guest_episode.access_token);
begin
  return private.guest_invitation_json(guest) || (
    select jsonb_build_object(
      'episode', jsonb_build_object(
        'id', e.id, 'slug', e.slug, 'title', e.title, 'description', private.public_description(e.summary, e.description, e.show_notes_safe_html),
        'status', e.status, 'scheduledAt', private.format_timestamp(e.scheduled_at), 'coverImageUrl', e.cover_image_url,
        'publishedAt', case when e.status = 'published' then private.format_timestamp(e.published_at) end,
        'audioUrl', case when e.status = 'published' then e.audio_url end),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', p.cover_image_url))
    from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = guest.episode_id);
end $function$;

create or replace function private.get_podcast_guest (
  id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  guest    public.podcast_guests := private.require_guest_role(get_podcast_guest.id, 'member');
  is_admin boolean := guest.podcast_id = any (private.my_podcasts('admin'));
  written  public.podcast_guest_notes;
begin
  if is_admin then
    select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  end if;
  return private.guest_json(guest) || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'privateNotesVisible', is_admin,
    'createdAt', private.format_timestamp(guest.created_at), 'updatedAt', private.format_timestamp(guest.updated_at),
    'episodes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', e.title, 'episodeSlug', e.slug,
        'status', g.status, 'invitedAt', private.format_timestamp(g.invited_at), 'lastAccessedAt', private.format_timestamp(g.last_accessed_at))
        order by g.invited_at desc, g.id desc), '[]')
      from public.episode_guests g join public.episodes e on e.id = g.episode_id
      where g.podcast_guest_id = guest.id));
end $function$;

create or replace function private.guard_audio_columns()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if current_user in ('anon', 'authenticated')
     and (new.audio_url, new.audio_file_size_bytes, new.audio_content_type, new.audio_duration_seconds)
       is distinct from (old.audio_url, old.audio_file_size_bytes, old.audio_content_type, old.audio_duration_seconds) then
    raise sqlstate '42501' using message = 'The audio columns are written by the upload, not by clients';
  end if;
  return new;
end $function$;

create or replace function private.guard_episode()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  entry jsonb;
begin
  if tg_op = 'UPDATE' then
    if new.guid is distinct from old.guid then
      raise sqlstate 'PT409' using message = 'The GUID of an episode never changes', hint = 'GUID_IMMUTABLE';
    end if;
    if new.podcast_id is distinct from old.podcast_id then
      raise sqlstate 'PT409' using message = 'An episode stays on its podcast';
    end if;
    if new.slug is distinct from old.slug and old.first_published_at is not null then
      raise sqlstate 'PT409' using message = 'The slug is fixed once the episode has been published', hint = 'SLUG_IMMUTABLE';
    end if;
    if old.first_published_at is not null and new.first_published_at is distinct from old.first_published_at then
      raise sqlstate 'PT409' using message = 'The first publication is set once';
    end if;
  end if;
  if new.published_at > now() and current_user in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT400' using message = 'published_at must not be in the future; schedule the episode instead';
  end if;
  for entry in select value from jsonb_array_elements(case jsonb_typeof(new.transcripts) when 'array' then new.transcripts end) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or coalesce(entry ->> 'type', '') !~ '^[a-z]+/[a-z0-9.+-]+$' then
      raise sqlstate 'PT400' using message = 'A transcript needs a url (http or https) and a MIME type';
    end if;
    if entry ->> 'language' is not null and not private.is_language_tag(entry ->> 'language') then
      raise sqlstate 'PT400' using message = 'The language of a transcript must be a BCP 47 tag, for example en or de-AT';
    end if;
    if coalesce(entry ->> 'rel', 'captions') <> 'captions' then
      raise sqlstate 'PT400' using message = 'The rel of a transcript must be captions, or absent';
    end if;
  end loop;
  return new;
end $function$;

create or replace function private.guard_episode_cover()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'INSERT' or new.cover_image_url is distinct from old.cover_image_url then
    perform private.require_own_image('cover_image_url', new.cover_image_url, format('podcasts/%s/e/%s/images/', new.podcast_id, new.id),
      'PUT /api/media/upload/{uploadId} with imageType episode_cover stores a copy and sets the column');
  end if;
  return new;
end $function$;

create or replace function private.guard_episode_writer()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if current_user = 'authenticated' and new.podcast_id <> all (private.my_podcasts('admin')) then
    raise sqlstate '42501' using message = 'This needs an admin or the owner of the podcast';
  end if;
  return new;
end $function$;

create or replace function private.guard_import_item_status()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  raise sqlstate 'PT409' using message = format('An item that is %s does not become %s', old.status, new.status), hint = 'IMPORT_STATE';
end $function$;

create or replace function private.guard_import_status()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not (case old.status
    when 'pending' then new.status in ('verification_required', 'preview', 'canceled', 'failed')
    when 'verification_required' then new.status in ('preview', 'canceled')
    when 'preview' then new.status in ('running', 'canceled')
    when 'running' then new.status in ('completed', 'partial', 'failed', 'canceled')
    when 'canceled' then new.status in ('verification_required', 'preview', 'running')
    when 'partial' then new.status = 'running'
    when 'failed' then new.status = 'running'
    else false end) then
    raise sqlstate 'PT409' using message = format('An import that is %s does not become %s', old.status, new.status), hint = 'IMPORT_STATE';
  end if;
  return new;
end $function$;

create or replace function private.guard_message_delete()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if current_user = 'authenticated' then
    raise sqlstate '42501' using message = 'Messages are not deleted as rows; call delete_episode_message';
  end if;
  return null;
end $function$;

create or replace function private.guard_message_sender()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if current_user = 'authenticated' and new.podcast_id <> all (private.my_podcasts('member')) then
    raise sqlstate '42501' using message = 'You are not a member of this podcast';
  end if;
  return new;
end $function$;

create or replace function private.guard_owner()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  owner_id uuid;
begin
  select p.owner_id into owner_id from public.podcasts p
  where p.id = case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end;
  if tg_op = 'DELETE' then
    if old.user_id = owner_id then
      raise sqlstate 'PT409' using message = 'The owner cannot be removed; transfer the podcast first', hint = 'OWNERSHIP_TRANSFER_REQUIRED';
    end if;
    return old;
  end if;
  if (new.role = 'owner') <> (new.user_id = owner_id) then
    raise sqlstate 'PT409' using message = case when new.role = 'owner'
      then 'Ownership moves only by a transfer of the podcast'
      else 'The owner cannot be demoted; transfer the podcast first' end, hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  return new;
end $function$;

create or replace function private.guard_podcast()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if old.status in ('pending_deletion', 'deleted') then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
  end if;
  if (new.slug, new.hosting_type) is distinct from (old.slug, old.hosting_type)
     or new.podcast_guid <> old.podcast_guid  -- but for one that an import brings along, before anyone knows the podcast by its own
       and new.podcast_guid::text is distinct from current_setting('castbase.imported_guid', true) then
    raise sqlstate 'PT409' using message = 'A podcast keeps its slug, its GUID and its hosting type';
  end if;
  return new;
end $function$;

create or replace function private.guard_podcast_images()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  image record;
begin
  for image in
    select i.type, i.url
    from (values
      ('cover', new.cover_image_url, old.cover_image_url), ('header', new.header_image_url, old.header_image_url),
      ('banner', new.banner_image_url, old.banner_image_url), ('profile', new.profile_image_url, old.profile_image_url)
    ) i (type, url, before)
    where i.url is distinct from i.before and i.url is not null
  loop
    perform private.require_own_image(image.type || '_image_url', image.url, format('podcasts/%s/images/%s/', new.id, image.type),
      'POST /api/media/import-artwork with podcastId and imageType copies it and sets the column');
  end loop;
  return new;
end $function$;

create or replace function private.guard_podcast_lists()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  entry jsonb;
begin
  if 'array' <> any (array[jsonb_typeof(new.categories), jsonb_typeof(new.funding), jsonb_typeof(new.verify_texts)]) then
    return new;  -- refused by the check lists_are_arrays
  end if;
  if jsonb_array_length(new.categories) > 3 or jsonb_array_length(new.funding) > 10 or jsonb_array_length(new.verify_texts) > 20 then
    raise sqlstate 'PT400' using message = 'At most 3 categories, 10 funding links and 20 verify texts';
  end if;
  if jsonb_array_length(new.categories) <> (select count(distinct value) from jsonb_array_elements(new.categories)) then
    raise sqlstate 'PT400' using message = 'A category is given twice';
  end if;
  for entry in select value from jsonb_array_elements(new.categories) loop
    perform from public.podcast_categories c
    where c.category = entry ->> 'category' and c.subcategory = coalesce(entry ->> 'subcategory', '');
    if not found then
      raise sqlstate 'PT400' using message = format('Unknown category: %s', left(entry::text, 200)), detail = 'See the table podcast_categories';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.funding) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or char_length(coalesce(entry ->> 'text', '')) not between 1 and 128 then
      raise sqlstate 'PT400' using message = 'A funding entry needs a url (http or https) and a text of 1 to 128 characters';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.verify_texts) loop
    if char_length(coalesce(entry ->> 'text', '')) not between 1 and 4000 or char_length(coalesce(entry ->> 'purpose', '')) > 128 then
      raise sqlstate 'PT400' using message = 'A verify text needs a text of 1 to 4,000 characters, and its purpose is at most 128 long';
    end if;
    if entry ->> 'purpose' = 'ai-content' and entry ->> 'text' not in ('true', 'false') then
      raise sqlstate 'PT400' using message = 'The text of the purpose ai-content must be true or false; use ai_disclosure for other texts';
    end if;
  end loop;
  return new;
end $function$;

create or replace function private.guard_writable_podcast()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.require_writable_podcast(case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end);
  return case when tg_op = 'DELETE' then old else new end;
end $function$;

create or replace function private.guest_invitation_email (
  episode_guest_id uuid
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'requestedAt', i.requested_at::text,  -- to the microsecond: it names the request
    'to', jsonb_build_object('name', g.display_name, 'address', g.email),
    'podcastTitle', p.title, 'episodeTitle', e.title, 'invitedBy', host.display_name, 'message', i.message,
    'guestUrl', private.setting('guest_url'))
  from private.guest_invitations i
  join public.episode_guests eg on eg.id = i.episode_guest_id
  join public.podcast_guests g on g.id = eg.podcast_guest_id
  join public.episodes e on e.id = eg.episode_id
  join public.podcasts p on p.id = eg.podcast_id
  left join public.profiles host on host.id = i.invited_by
  where i.episode_guest_id = $1 and i.sent_at is null and eg.status <> 'removed'
$function$;

create or replace function private.guest_invitation_json (
  invited public.episode_guests
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'episodeGuest', jsonb_build_object('id', invited.id, 'episodeId', invited.episode_id, 'podcastGuestId', invited.podcast_guest_id,
      'status', invited.status, 'invitedAt', private.format_timestamp(invited.invited_at), 'lastAccessedAt', private.format_timestamp(invited.last_accessed_at)),
    'guest', (select private.guest_json(g) from public.podcast_guests g where g.id = invited.podcast_guest_id))
$function$;

create or replace function private.guest_json (
  guest public.podcast_guests
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object('id', guest.id, 'displayName', guest.display_name, 'email', guest.email, 'userId', guest.user_id,
    'avatarUrl', (select p.avatar_url from public.profiles p where p.id = guest.user_id))
$function$;

create or replace function private.guest_message_json (
  message public.episode_messages,
  reader  uuid
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'id', $1.id, 'body', $1.body, 'createdAt', private.format_timestamp($1.created_at), 'deletedAt', private.format_timestamp($1.deleted_at),
    'isMine', $1.sender_guest_id is not distinct from $2,
    'sender', jsonb_build_object(
      'type', case when $1.sender_guest_id is null then 'member' else 'guest' end,
      'name', case when $1.sender_guest_id is null then p.display_name else g.display_name end,
      'avatarUrl', p.avatar_url))
  from (select) one
  left join public.episode_guests eg on eg.id = $1.sender_guest_id
  left join public.podcast_guests g on g.id = eg.podcast_guest_id
  left join public.profiles p on p.id = coalesce($1.sender_user_id, g.user_id)
$function$;

create or replace function private.has_content (
  html text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- editors leave empty paragraphs; longer texts are not parsed, because they cannot be empty
  return octet_length(html) > 4000 or html ~* '<img\M' or not private.is_blank(private.plain_text('<p>' || html));
end $function$;

create or replace function private.has_imported_guid (
  item public.podcast_import_items
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return exists (select from public.episodes e where e.podcast_id = item.podcast_id and e.guid = item.guid);
end $function$;

create or replace function private.has_markup (
  value text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return value ~ '<[a-zA-Z/!?]';
end $function$;

create or replace function private.held_import (
  import_id uuid
)
  returns public.podcast_imports
  language plpgsql
  set search_path to ''
  AS $function$
declare
  show uuid := (private.require_import_role(held_import.import_id)).podcast_id;
  held public.podcast_imports;
begin
  perform from public.podcasts p where p.id = show for key share;
  perform private.require_writable_podcast(show);
  select * into held from public.podcast_imports i where i.id = held_import.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';  -- gone meanwhile
  end if;
  return held;
end $function$;

create or replace function private.hold_import_item (
  import_item_id uuid
)
  returns public.podcast_import_items
  language plpgsql
  set search_path to ''
  AS $function$
declare
  place record;
  item  public.podcast_import_items;
begin
  select i.podcast_id, i.import_id, m.created_by into place
  from public.podcast_import_items i join public.podcast_imports m on m.id = i.import_id
  where i.id = hold_import_item.import_item_id;
  perform from public.podcasts p where p.id = place.podcast_id for share;
  perform from public.profiles f where f.id = place.created_by for key share;
  perform from public.podcast_imports m where m.id = place.import_id for no key update;
  select * into item from public.podcast_import_items i where i.id = hold_import_item.import_item_id for no key update;
  return item;
end $function$;

create or replace function private.hold_staging (
  import_id uuid,
  msg_id    bigint  default null::bigint,
  attempt   integer default null::integer
)
  returns public.podcast_imports
  language plpgsql
  set search_path to ''
  AS $function$
declare
  held public.podcast_imports;
begin
  perform private.require_reader(hold_staging.msg_id, hold_staging.attempt) where hold_staging.msg_id is not null;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = hold_staging.import_id) for key share;
  select * into held from public.podcast_imports i where i.id = hold_staging.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_writable_podcast(held.podcast_id);
  if held.status <> 'pending' then
    perform private.refuse_import_state(held, 'its feed is not being read any more');
  end if;
  return held;
end $function$;

create or replace function private.html_character (
  code integer
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select case
    when code between 128 and 159 then substr(E'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ', code - 127, 1)
    when code in (9, 10, 13) then ' '
    when code between 32 and 55295 or code between 57344 and 1114111 then chr(code)
  end
$function$;

create or replace function private.html_entities()
  returns jsonb
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select '{
    "nbsp": "\u00a0", "iexcl": "¡", "cent": "¢", "pound": "£", "curren": "¤", "yen": "¥", "brvbar": "¦", "sect": "§",
    "uml": "¨", "copy": "©", "ordf": "ª", "laquo": "«", "not": "¬", "shy": "\u00ad", "reg": "®", "macr": "¯",
    "deg": "°", "plusmn": "±", "sup2": "²", "sup3": "³", "acute": "´", "micro": "µ", "para": "¶", "middot": "·",
    "cedil": "¸", "sup1": "¹", "ordm": "º", "raquo": "»", "frac14": "¼", "frac12": "½", "frac34": "¾", "iquest": "¿",
    "Agrave": "À", "Aacute": "Á", "Acirc": "Â", "Atilde": "Ã", "Auml": "Ä", "Aring": "Å", "AElig": "Æ",
    "Ccedil": "Ç", "Egrave": "È", "Eacute": "É", "Ecirc": "Ê", "Euml": "Ë", "Igrave": "Ì", "Iacute": "Í",
    "Icirc": "Î", "Iuml": "Ï", "ETH": "Ð", "Ntilde": "Ñ", "Ograve": "Ò", "Oacute": "Ó", "Ocirc": "Ô", "Otilde": "Õ",
    "Ouml": "Ö", "times": "×", "Oslash": "Ø", "Ugrave": "Ù", "Uacute": "Ú", "Ucirc": "Û", "Uuml": "Ü", "Yacute": "Ý",
    "THORN": "Þ", "szlig": "ß", "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "auml": "ä", "aring": "å",
    "aelig": "æ", "ccedil": "ç", "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë", "igrave": "ì",
    "iacute": "í", "icirc": "î", "iuml": "ï", "eth": "ð", "ntilde": "ñ", "ograve": "ò", "oacute": "ó", "ocirc": "ô",
    "otilde": "õ", "ouml": "ö", "divide": "÷", "oslash": "ø", "ugrave": "ù", "uacute": "ú", "ucirc": "û",
    "uuml": "ü", "yacute": "ý", "thorn": "þ", "yuml": "ÿ", "Alpha": "Α", "Beta": "Β", "Gamma": "Γ", "Delta": "Δ",
    "Epsilon": "Ε", "Zeta": "Ζ", "Eta": "Η", "Theta": "Θ", "Iota": "Ι", "Kappa": "Κ", "Lambda": "Λ", "Mu": "Μ",
    "Nu": "Ν", "Xi": "Ξ", "Omicron": "Ο", "Pi": "Π", "Rho": "Ρ", "Sigma": "Σ", "Tau": "Τ", "Upsilon": "Υ",
    "Phi": "Φ", "Chi": "Χ", "Psi": "Ψ", "Omega": "Ω", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ",
    "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π", "rho": "ρ", "sigmaf": "ς", "sigma": "σ", "tau": "τ",
    "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "amp": "&", "lt": "<", "gt": ">",
    "quot": "\u0022", "apos": "''", "ndash": "–", "mdash": "—", "hellip": "…", "bull": "•", "euro": "€",
    "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "lsaquo": "‹", "rsaquo": "›",
    "trade": "™", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ", "ensp": " ",
    "emsp": " ", "thinsp": " ", "fnof": "ƒ", "zwnj": "\u200c", "zwj": "\u200d", "lrm": "\u200e",
    "rlm": "\u200f", "circ": "ˆ", "tilde": "˜", "dagger": "†", "Dagger": "‡", "permil": "‰", "prime": "′",
    "Prime": "″", "oline": "‾", "frasl": "⁄", "image": "ℑ", "real": "ℜ", "weierp": "℘", "alefsym": "ℵ",
    "thetasym": "ϑ", "upsih": "ϒ", "piv": "ϖ", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔",
    "crarr": "↵", "lArr": "⇐", "uArr": "⇑", "rArr": "⇒", "dArr": "⇓", "hArr": "⇔", "forall": "∀", "part": "∂",
    "exist": "∃", "empty": "∅", "nabla": "∇", "isin": "∈", "notin": "∉", "ni": "∋", "prod": "∏", "sum": "∑",
    "minus": "−", "lowast": "∗", "radic": "√", "prop": "∝", "infin": "∞", "ang": "∠", "and": "∧", "or": "∨",
    "cap": "∩", "cup": "∪", "int": "∫", "there4": "∴", "sim": "∼", "cong": "≅", "asymp": "≈", "ne": "≠",
    "equiv": "≡", "le": "≤", "ge": "≥", "sub": "⊂", "sup": "⊃", "nsub": "⊄", "sube": "⊆", "supe": "⊇", "oplus": "⊕",
    "otimes": "⊗", "perp": "⊥", "sdot": "⋅", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lang": "〈",
    "rang": "〉", "loz": "◊", "spades": "♠", "clubs": "♣", "hearts": "♥", "diams": "♦"
  }'::jsonb
$function$;

create or replace function private.image_column (
  podcast    public.podcasts,
  image_type text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case image_type
    when 'cover' then podcast.cover_image_url when 'header' then podcast.header_image_url
    when 'banner' then podcast.banner_image_url when 'profile' then podcast.profile_image_url end;
end $function$;

create or replace function private.image_extension (
  content_type text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case content_type when 'image/jpeg' then 'jpg' when 'image/png' then 'png' when 'image/webp' then 'webp' end;
end $function$;

create or replace function private.image_path (
  podcast_id   uuid,
  image_type   text,
  episode_id   uuid,
  id           uuid,
  content_type text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case image_type
    when 'episode_cover' then format('podcasts/%s/e/%s/images/%s.%s', podcast_id, episode_id, id, private.image_extension(content_type))
    else format('podcasts/%s/images/%s/%s.%s', podcast_id, image_type, id, private.image_extension(content_type)) end;
end $function$;

create or replace function private.image_type (
  name text
)
  returns private.image_types
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  found_type private.image_types;
begin
  select * into found_type from private.image_types t where t.name = image_type.name;
  if not found then
    raise sqlstate 'PT400' using message = 'Invalid image type',
      detail = 'One of: ' || (select string_agg(t.name, ', ' order by t.name) from private.image_types t);
  end if;
  return found_type;
end $function$;

create or replace function private.image_url (
  path text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return format('%s/%s?v=%s', private.setting('media_url'), path, floor(extract(epoch from clock_timestamp()) * 1000));
end $function$;

create or replace function private.imported_int (
  said jsonb
)
  returns integer
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case when jsonb_typeof(said) = 'number' and said::numeric between 0 and 2147483647 and said::numeric % 1 = 0 then said::numeric::int end;
end $function$;

create or replace function private.imported_role (
  role    text,
  "group" text
)
  returns public.credit_role_label
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case regexp_replace(lower(coalesce(role, 'host')), '[^a-z]+', '', 'g')  -- without a role the namespace means the host
    when 'host' then 'Host'
    when 'cohost' then 'Co-host'
    when 'guest' then 'Guest'
    when 'producer' then 'Producer' when 'executiveproducer' then 'Producer' when 'associateproducer' then 'Producer'
    when 'composer' then 'Composer'
    when 'audioeditor' then 'Editor'
    -- that of the group Writing prepares scripts
    when 'editor' then case when coalesce("group", '') !~* 'writing' then 'Editor' end
  end::public.credit_role_label;
end $function$;

create or replace function private.imported_transcripts (
  transcripts jsonb
)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select jsonb_agg(b.entry order by b.n) from (
      select t.entry, t.n, sum(octet_length(t.entry::text) + 2) over (order by t.n) as bytes
      from (
        select a.n, jsonb_strip_nulls(jsonb_build_object('url', a.said ->> 'url', 
          'language', case when private.is_language_tag(a.said ->> 'language') then a.said ->> 'language' end,
          'rel', case when a.said ->> 'rel' = 'captions' then 'captions' end,
          'type', coalesce(a.said ->> 'type', case substring(lower(a.said ->> 'url') from '\.([a-z]+)(?:[?#]|$)')
            when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
            when 'html' then 'text/html' when 'txt' then 'text/plain' end))) as entry
        from jsonb_array_elements(case jsonb_typeof(imported_transcripts.transcripts) when 'array' then imported_transcripts.transcripts end)
          with ordinality a (said, n)
      ) t
      where private.is_http_url(t.entry ->> 'url') and t.entry ->> 'type' ~ '^[a-z]+/[a-z0-9.+-]+$'
    ) b
    where b.bytes <= 65000), '[]');
end $function$;

create or replace function private.install()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.install_reference_rows();
  perform private.install_platform_objects();
  perform private.generate_call_functions();
  perform private.revoke_default_privileges();
end $function$;

create or replace function private.install_platform_objects()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  queue text;
  heard text;
  jobs  constant text[][] := array[
    ['publish_due_episodes', '15 seconds', 'select private.publish_due_episodes()'],
    ['end_abandoned_stagings', '* * * * *', 'select private.end_abandoned_stagings()'],
    ['wake_worker_if_pending', '5 seconds', 'select private.wake_worker_if_pending()'],
    ['enqueue_stale_show_notes', '*/5 * * * *', 'select private.enqueue_stale_show_notes()'],
    ['sweep_storage', '17 3 * * *', 'select private.sweep_storage()'],
    ['sweep_staging', '*/5 * * * *', 'select private.sweep_staging()'],
    ['reap_unconfirmed_users', '43 3 * * *', 'select private.reap_unconfirmed_users()'],
    ['purge_rate_limits', '57 3 * * *', 'select private.purge_rate_limits()'],
    ['purge_cron_history', '7 4 * * *', 'select private.purge_cron_history()']
  ];
  job   text[];
begin
  for queue in select n from private.queues q, unnest(array[q.name, q.name || '_dlq']) n loop
    perform pgmq.create(queue) where not exists (select from pgmq.meta m where m.queue_name = queue);
  end loop;

  foreach job slice 1 in array jobs loop
    perform cron.schedule(job[1], job[2], job[3])
    where not exists (select from cron.job j where (j.jobname, j.schedule, j.command, j.active) = (job[1], job[2], job[3], true));
  end loop;

  -- what is served, and what clients put before it is looked at
  insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types) values
    ('media', 'media', true, 524288000, null),
    ('staging', 'staging', false, 524288000, private.audio_types())
  on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types
    where (b.public, b.file_size_limit, b.allowed_mime_types) is distinct from (excluded.public, excluded.file_size_limit, excluded.allowed_mime_types);

  create or replace trigger t900_provision_confirmed after insert on auth.users
    for each row when (new.email_confirmed_at is not null) execute function private.provision_user();
  create or replace trigger t900_provision_confirmation after update of email_confirmed_at on auth.users
    for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null) execute function private.provision_user();
  create or replace trigger t910_relink_guests after update of email on auth.users
    for each row when (old.email is distinct from new.email and new.email_confirmed_at is not null) execute function private.relink_user_to_guests();

  create or replace trigger t900_fail_import_item after insert on pgmq.q_import_items_dlq
    for each row execute function private.fail_dead_import_item();
  create or replace trigger t900_fail_import_feed after insert on pgmq.q_import_feeds_dlq
    for each row execute function private.fail_dead_import_feed();
  create or replace trigger t900_postpone_import_item after update of headers on pgmq.q_import_items
    for each row execute function private.postpone_import_item();

  foreach heard in array array['podcasts', 'episodes', 'episode_messages', 'podcast_imports', 'podcast_import_items', 'podcast_invitations', 'podcast_transfers'] loop
    if not exists (select from pg_catalog.pg_publication_tables t where (t.pubname, t.schemaname, t.tablename) = ('supabase_realtime', 'public', heard)) then
      execute format('alter publication supabase_realtime add table public.%I', heard);
    end if;
  end loop;

  -- a feed's texts are stored as they are: compressing them costs more than all the rest of staging
  if exists (select from pg_catalog.pg_attribute a where a.attrelid = 'public.podcast_import_texts'::regclass and a.atttypid = 'text'::regtype and a.attstorage <> 'e') then
    alter table public.podcast_import_texts alter column description set storage external, alter column content set storage external,
      alter column summary set storage external;
  end if;
end $function$;

create or replace function private.install_reference_rows()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.plans as p (code, name, is_paid, storage_gb_per_account) values
    ('free', 'Free', false, 1),
    ('pro', 'Pro', true, 100)
  on conflict (code) do nothing;  -- an operator may have changed them

  insert into private.settings as s (key, default_value, description) values
    ('public_url', null, 'Where the platform''s API is reached from outside, without a slash at the end'),
    ('base_url', '{public_url}/functions/v1', 'Base of the /api routes'),
    ('public_api_url', '{public_url}/functions/v1/public', 'Base of /v1 and of the feeds'),
    ('embed_url', '{public_url}/functions/v1/public', 'Base of the player and its iframe pages'),
    ('listen_url', '{public_api_url}/listen', 'Base of the listen pages'),
    ('guest_url', '{public_api_url}/guest', 'The page of a guest''s invitation; the access token follows it as #token='),
    ('guest_token_ttl_days', '90', 'How long a guest''s access token opens, from the mail that carries it'),
    ('max_guest_invitations_per_hour', '100', 'How many guests a user may invite in an hour'),
    ('max_guest_invitation_emails_per_episode', '3', 'How many invitation emails a guest gets for one episode before they accept'),
    ('max_guest_invitation_emails_per_day', '10', 'How many guest invitations of all podcasts are emailed to one address in a day'),
    ('storage_url', '{public_url}/storage/v1', 'Base of Supabase Storage, where clients upload by signed URL'),
    ('media_url', '{storage_url}/object/public/media', 'Base of public objects; a CDN may stand here'),
    ('former_media_urls', '{storage_url}/object/public/media', 'Earlier values of media_url, separated by commas: URLs below them are still ours'),
    ('worker_url', '{public_url}/functions/v1/worker', 'Where the database wakes the worker'),
    ('audio_upload_cap_bytes', '5242880', 'The interim cap of an audio upload through a function'),
    ('orphan_guard_hours', '168', 'How long an unreferenced object is kept, so that cached addresses still answer'),
    ('temporary_hours', '24', 'How long artwork imports and direct uploads are kept that nobody uses'),
    ('artwork_imports_per_hour', '120', 'How many images a user may import from the web in an hour'),
    ('direct_uploads_per_hour', '600', 'How many direct uploads a user may announce in an hour'),
    ('fetch_allowed_hosts', '', 'Hosts (host or host:port, by commas) that may be fetched although their addresses are private'),
    ('ownership_codes_per_hour', '30', 'How many imports of a locked feed, each with a code mailed to its owner, a user may start in an hour'),
    ('ownership_code_emails_per_day', '10', 'How many ownership codes of all imports are emailed to one address in a day'),
    ('app_url', '{public_url}', 'The front end, where the team signs in; emails to users link to it'),
    ('podcast_invitation_ttl_days', '14', 'How long an invitation to a team is open'),
    ('max_podcast_invitations_per_hour', '60', 'How many people a user may invite to teams in an hour, resends included'),
    ('max_podcast_invitations_per_hour_paid', '{max_podcast_invitations_per_hour}', 'The same on a paid plan'),
    ('max_podcast_invitation_emails_per_address', '3', 'How many invitation emails a podcast may send to one address before its owner joins'),
    ('max_podcast_invitation_emails_per_day', '5', 'How many team invitations of all podcasts are emailed to one address in a day'),
    ('max_podcast_transfers_per_hour', '20', 'How many transfers a user may offer in an hour'),
    ('max_podcast_transfers_per_hour_paid', '{max_podcast_transfers_per_hour}', 'The same on a paid plan'),
    ('max_podcasts_per_hour', '10', 'How many podcasts a user may create in an hour'),
    ('max_podcasts_per_hour_paid', '100', 'The same on a paid plan'),
    ('max_podcasts_per_account', '50', 'How many podcasts a user may own and still create another; empty: unlimited'),
    ('max_podcasts_per_account_paid', '', 'The same on a paid plan'),
    ('max_feed_imports_per_hour', '30', 'How many imports a user may start or recheck in an hour'),
    ('max_feed_imports_per_hour_paid', '200', 'The same on a paid plan'),
    ('unconfirmed_user_ttl_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set default_value = excluded.default_value, description = excluded.description
    where (s.default_value, s.description) is distinct from (excluded.default_value, excluded.description);

  -- an operator's pause stays: it is only written with a new queue
  insert into private.queues as q (name, max_attempts, backoff_base, backoff_max, concurrency, description, paused) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', null, 'Renders a podcast''s feed document again', false),
    ('show_notes', 10, interval '2 seconds', interval '5 minutes', null, 'Sanitizes the show notes of a podcast''s episodes', false),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', null, 'Deletes stored objects that nothing refers to', false),
    ('guest_invitations', 10, interval '5 seconds', interval '1 hour', null, 'Mails guests their invitation and access token', false),
    ('podcast_invitations', 10, interval '5 seconds', interval '1 hour', null, 'Emails invitations to a podcast''s team', false),
    ('import_feeds', 4, interval '5 seconds', interval '1 minute', null, 'Reads a feed and stages its episodes', false),
    ('import_items', 6, interval '5 seconds', interval '15 minutes', 4, 'Fetches an episode''s audio and artwork and writes the episode', false),
    ('ownership_codes', 5, interval '5 seconds', interval '5 minutes', null, 'Mails the owner of a locked feed the code that opens its import', false),
    ('calendar_sync', 10, interval '5 seconds', interval '1 hour', null, 'Updates the attendees of a session''s calendar event', true)  -- nobody does yet
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_max = excluded.backoff_max, concurrency = excluded.concurrency, description = excluded.description
    where (q.max_attempts, q.backoff_base, q.backoff_max, q.concurrency, q.description)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_max, excluded.concurrency, excluded.description);

  insert into private.image_types as t (name, formats, max_bytes, min_width, min_height, width, height, ratio, uploaded, imported) values
    ('cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, true),
    ('episode_cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, false),
    ('header', '{image/jpeg,image/png,image/webp}', 2097152, 1200, 200, 1920, 300, 6.4, true, true),
    ('banner', '{image/jpeg,image/png,image/webp}', 2097152, 600, 315, 1200, 630, 1.91, true, true),
    ('profile', '{image/jpeg,image/png,image/webp}', 2097152, 200, 200, 400, 400, 1, false, true)
  on conflict (name) do update set formats = excluded.formats, max_bytes = excluded.max_bytes, min_width = excluded.min_width,
    min_height = excluded.min_height, width = excluded.width, height = excluded.height, ratio = excluded.ratio,
    uploaded = excluded.uploaded, imported = excluded.imported
    where t is distinct from excluded;

  insert into public.podcast_categories (category, subcategory)
  select tree.category, sub.name
  from (values
    ('Arts', '{Books,Design,Fashion & Beauty,Food,Performing Arts,Visual Arts}'::text[]),
    ('Business', '{Careers,Entrepreneurship,Investing,Management,Marketing,Non-Profit}'),
    ('Comedy', '{Comedy Interviews,Improv,Stand-Up}'),
    ('Education', '{Courses,How To,Language Learning,Self-Improvement}'),
    ('Fiction', '{Comedy Fiction,Drama,Science Fiction}'),
    ('Government', '{}'),
    ('History', '{}'),
    ('Health & Fitness', '{Alternative Health,Fitness,Medicine,Mental Health,Nutrition,Sexuality}'),
    ('Kids & Family', '{Education for Kids,Parenting,Pets & Animals,Stories for Kids}'),
    ('Leisure', '{Animation & Manga,Automotive,Aviation,Crafts,Games,Hobbies,Home & Garden,Video Games}'),
    ('Music', '{Music Commentary,Music History,Music Interviews}'),
    ('News', '{Business News,Daily News,Entertainment News,News Commentary,Politics,Sports News,Tech News}'),
    ('Religion & Spirituality', '{Buddhism,Christianity,Hinduism,Islam,Judaism,Religion,Spirituality}'),
    ('Science', '{Astronomy,Chemistry,Earth Sciences,Life Sciences,Mathematics,Natural Sciences,Nature,Physics,Social Sciences}'),
    ('Society & Culture', '{Documentary,Personal Journals,Philosophy,Places & Travel,Relationships}'),
    ('Sports', '{Baseball,Basketball,Cricket,Fantasy Sports,Football,Golf,Hockey,Rugby,Running,Soccer,Swimming,Tennis,Volleyball,Wilderness,Wrestling}'),
    ('Technology', '{}'),
    ('True Crime', '{}'),
    ('TV & Film', '{After Shows,Film History,Film Interviews,Film Reviews,TV Reviews}')
  ) tree (category, subcategories)
  cross join lateral unnest(array[''] || tree.subcategories) sub (name)
  on conflict (category, subcategory) do nothing;
end $function$;

create or replace function private.invalid_argument_message (
  args           jsonb,
  names          text[],
  camel_names    text[],
  required_count integer
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  key text;
begin
  foreach key in array array(select jsonb_object_keys(args)) loop
    if key <> all (names) and key <> all (camel_names) then
      return format('Unknown field: %s', left(key, 100));
    end if;
  end loop;
  for n in 1 .. cardinality(names) loop
    if names[n] <> camel_names[n] and args ?& array[names[n], camel_names[n]] then
      return format('Duplicate field: %s', camel_names[n]);
    elsif n <= required_count and not args ?| array[names[n], camel_names[n]] then
      return format('Missing field: %s', camel_names[n]);
    end if;
  end loop;
  return null;
end $function$;

create or replace function private.invalidate_feed (
  type         text,
  podcast_id   uuid,
  podcast_slug text,
  episode_id   uuid default null::uuid
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.enqueue('feed_invalidation', jsonb_build_object('type', type, 'podcast_id', podcast_id,
    'podcast_slug', podcast_slug, 'episode_id', episode_id, 'timestamp', now()));
end $function$;

create or replace function private.invisible_characters (
  value text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return regexp_replace(value,
    '[^[:space:]\u0001-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000'
      '\ufeff\ufffe\uffff]+', '', 'g');
end $function$;

create or replace function private.invite_guest (
  episode_id   uuid,
  email        text,
  display_name text,
  message      text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  show_id   uuid := private.require_episode_role(invite_guest.episode_id, 'admin');
  words     text := btrim(invite_guest.message);
  guest     public.podcast_guests;
  invited   public.episode_guests;
begin
  perform private.consume_rate_limit('guest_invitation:' || auth.uid(), private.setting('max_guest_invitations_per_hour')::int, interval '1 hour');

  insert into public.podcast_guests as g (podcast_id, display_name, email)
  values (show_id, invite_guest.display_name, invite_guest.email)
  on conflict on constraint email_unique_per_podcast do nothing;  -- who is known keeps the name
  select g.* into strict guest from public.podcast_guests g
  where g.podcast_id = show_id and g.email = private.normalize_email(invite_guest.email);

  insert into public.episode_guests as g (episode_id, podcast_guest_id) values (invite_guest.episode_id, guest.id)
  on conflict on constraint guest_unique_per_episode do update set
    status = case when g.status in ('declined', 'removed') then 'invited' else g.status end,
    invited_at = case when g.status in ('declined', 'removed') then excluded.invited_at else g.invited_at end
  returning * into invited;

  insert into private.guest_invitations as i (episode_guest_id, message, invited_by)
  values (invited.id, case when not private.is_blank(words) then words end, auth.uid())
  on conflict (episode_guest_id) do update set
    message = excluded.message, invited_by = excluded.invited_by;
  perform private.queue_guest_invitation_email(invited.id, guest.email);
  return private.guest_invitation_json(invited);
end $function$;

create or replace function private.invite_podcast_member (
  podcast_id uuid,
  email      text,
  role       public.podcast_role,
  at         timestamp with time zone default now()
)
  returns public.podcast_invitations
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  address    text := private.normalize_email(invite_podcast_member.email);
  invitation public.podcast_invitations;
begin
  perform private.require_role(invite_podcast_member.podcast_id, 'admin');
  if not coalesce(private.is_email_address(address), false) then
    raise sqlstate 'PT400' using message = 'email must be an email address';
  elsif invite_podcast_member.role = 'owner' then
    raise sqlstate 'PT409' using message = 'Ownership moves only by a transfer; invite a member or an admin', hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  perform private.consume_plan_rate_limit('podcast_invitations', invite_podcast_member.at);
  perform private.lock_team_for_edit(invite_podcast_member.podcast_id);
  select i.* into invitation from public.podcast_invitations i
  where i.podcast_id = invite_podcast_member.podcast_id and i.email = address and i.status = 'pending' for update;
  if invitation.expires_at > invite_podcast_member.at then
    raise sqlstate 'PT409' using message = 'This address has an open invitation; resend or withdraw it', hint = 'INVITATION_OPEN',
      detail = jsonb_build_object('invitation_id', invitation.id)::text;
  elsif private.is_known_member(invite_podcast_member.podcast_id, address) then
    raise sqlstate 'PT409' using message = 'This person is already on the team', hint = 'ALREADY_MEMBER';
  end if;
  update public.podcast_invitations i set status = 'expired' where i.id = invitation.id;
  insert into public.podcast_invitations (podcast_id, email, role, invited_by, expires_at)
  values (invite_podcast_member.podcast_id, address, invite_podcast_member.role, auth.uid(),
    invite_podcast_member.at + make_interval(days => private.setting('podcast_invitation_ttl_days')::int))
  returning * into invitation;
  perform private.queue_podcast_invitation_email(invitation, invite_podcast_member.at);
  return invitation;
end $function$;

create or replace function private.is_blank (
  value text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return private.invisible_characters(value) = value;
end $function$;

create or replace function private.is_credit_role_label (
  label text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return label = any (enum_range(null::public.credit_role_label)::text[]);
end $function$;

create or replace function private.is_email_address (
  email text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return email collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and email !~ '@(.*\.)?(\.|$)' and private.invisible_characters(email) = '' and char_length(email) <= 254;
end $function$;

create or replace function private.is_guid_too_long (
  guid text
)
  returns boolean
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$ select char_length($1) > 1000 or octet_length($1) > 2600 $function$;

create or replace function private.is_http_url (
  url text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return url ~* '^https?://[^\s/?#@"<>\\]+([/?#][^\s"<>\\]*)?$' and url !~ '[[:cntrl:]]' and char_length(url) <= 2048;
end $function$;

create or replace function private.is_known_member (
  podcast_id uuid,
  email      text
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return is_known_member.email = private.my_confirmed_email() or exists (
    select from public.podcast_invitations i
    join public.podcast_members m on m.podcast_id = i.podcast_id and m.user_id = i.accepted_by
    where i.podcast_id = is_known_member.podcast_id and i.email = is_known_member.email);
end $function$;

create or replace function private.is_language_tag (
  tag text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return char_length(tag) <= 35 and tag ~* concat(
    '^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?',
    '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$');
end $function$;

create or replace function private.is_list_of_texts (
  list jsonb,
  keys text[]
)
  returns boolean
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select not exists (
    select from jsonb_array_elements(case jsonb_typeof(list) when 'array' then list end) e (entry)
    where jsonb_typeof(e.entry) <> 'object' or exists (
      select from jsonb_each(case jsonb_typeof(e.entry) when 'object' then e.entry end) f (key, value)
      where f.key <> all (keys) or jsonb_typeof(f.value) not in ('string', 'null')))
$function$;

create or replace function private.is_named (
  path text
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  id    constant text := '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
  place text[] := regexp_match(path, format('^podcasts/%1$s/(?:images/([a-z]+)|e/%1$s/(audio|images))/', id));
  url   text;
begin
  if place[3] is null then
    select private.image_column(p, place[2]) into url from public.podcasts p where p.id = place[1]::uuid;
  else
    select case place[4] when 'audio' then e.audio_url else e.cover_image_url end into url
    from public.episodes e where e.id = place[3]::uuid and e.podcast_id = place[1]::uuid;
  end if;
  return coalesce(strpos(url, path) > 0 and private.own_object_path(url) = path, false);  -- the cheap test first
end $function$;

create or replace function private.is_superseded (
  import_item_id uuid,
  msg_id         bigint,
  attempt        integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return exists (
    select from private.import_messages m join pgmq.q_import_items q on q.msg_id = m.msg_id
    where m.import_item_id = is_superseded.import_item_id and (m.msg_id <> is_superseded.msg_id or q.read_ct > is_superseded.attempt));
end $function$;

create or replace function private.issue_guest_token (
  episode_guest_id uuid,
  requested_at     timestamp with time zone,
  token_hash       bytea,
  at               timestamp with time zone default now()
)
  returns timestamp with time zone
  language plpgsql
  set search_path to ''
  AS $function$
declare
  ends_at timestamptz := at + private.setting('guest_token_ttl_days')::int * interval '1 day';
begin
  update private.guest_invitations i set pending_token_hash = issue_guest_token.token_hash, pending_expires_at = ends_at
  where i.episode_guest_id = issue_guest_token.episode_guest_id and i.requested_at = issue_guest_token.requested_at and i.sent_at is null;
  return case when found then ends_at end;
end $function$;

create or replace function private.issue_ownership_code (
  import_id uuid,
  digest    bytea,
  at        timestamp with time zone default now()
)
  returns timestamp with time zone
  language plpgsql
  set search_path to ''
  AS $function$
declare
  ends_at timestamptz := issue_ownership_code.at + interval '15 minutes';
begin
  perform from public.podcast_imports i
  where i.id = issue_ownership_code.import_id and i.status = 'verification_required' and i.verification_method = 'email_code'
  for no key update;
  if not found then
    return null;
  end if;
  update private.import_owners o set code_hash = digest, code_expires_at = ends_at, wrong_tries = 0, issued_at = issue_ownership_code.at
  where o.import_id = issue_ownership_code.import_id;
  return case when found then ends_at end;
end $function$;

create or replace function private.joined_verify_texts (
  feed jsonb,
  own  jsonb
)
  returns jsonb
  language sql
  immutable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(entry order by n), '[]') from (
    select entry, n, row_number() over (order by n) as place, sum(octet_length(entry::text) + 2) over (order by n) as bytes from (
      select entry, min(n) as n
      from (
        select jsonb_strip_nulls(jsonb_build_object('text', e ->> 'text', 'purpose', e ->> 'purpose')) as entry, n
        from jsonb_array_elements($1 || $2) with ordinality a (e, n)
        where char_length(e ->> 'text') between 1 and 4000 and char_length(coalesce(e ->> 'purpose', '')) <= 128
      ) told
      group by entry
    ) once
  ) bounded
  where place <= 20 and bytes <= 131000
$function$;

create or replace function private.limit_podcast_creation()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  max_podcasts int;
begin
  perform private.consume_plan_rate_limit('podcasts');  -- its row lock makes the count below exact
  max_podcasts := private.plan_limit('max_podcasts_per_account', auth.uid());
  if (select count(*) from public.podcasts p where p.owner_id = auth.uid()) >= max_podcasts then
    raise sqlstate 'PT429' using message = format('The plan includes at most %s podcasts; delete or transfer one first', max_podcasts),
      hint = 'TOO_MANY_PODCASTS';
  end if;
  return new;
end $function$;

create or replace function private.link_guest_to_user()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.lock_guest_emails(new.email);
  new.user_id := (
    select p.id from auth.users u join public.profiles p on p.id = u.id
    where u.email = new.email and u.is_sso_user = false and u.email_confirmed_at is not null);
  return new;
end $function$;

create or replace function private.link_user_to_guests()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  address text := (
    select u.email from auth.users u where u.id = new.id and u.is_sso_user = false and u.email_confirmed_at is not null);
begin
  perform private.lock_guest_emails(address);
  update public.podcast_guests g set user_id = new.id where g.email = address;
  return null;
end $function$;

create or replace function private.list_episode_people (
  episode_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  found_podcast uuid;
  held          public.podcast_role;
  takes_part    boolean;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select e.podcast_id, m.role, p.id is not null into found_podcast, held, takes_part
  from public.episodes e
  left join public.podcast_members m on m.podcast_id = e.podcast_id and m.user_id = auth.uid()
  left join public.episode_people p on p.episode_id = e.id and p.user_id = auth.uid() and p.is_active
  where e.id = list_episode_people.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  elsif held is null then
    raise sqlstate 'PT403' using message = 'You are not a member of this podcast';
  elsif held < 'admin' and not takes_part then
    raise sqlstate 'PT403' using message = 'This needs an admin, or someone who is active on the episode''s roster';
  end if;

  return (
    with entries as materialized (
      select p as person, c as credit, p.user_id, p.guest_id from public.episode_people p
      left join public.episode_credits c on c.id = p.credit_id
      where p.episode_id = list_episode_people.episode_id
    )
    select jsonb_build_object(
      'people', (
        select coalesce(jsonb_agg(private.person_json(e.person)
            || case when (e.credit).id is null then '{}' else jsonb_build_object('credited', private.credit_json(e.credit)) end
          order by (e.credit).display_order nulls last, (e.person).created_at, (e.person).id), '[]')
        from entries e),
      'candidates', jsonb_build_object(
        'teamCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object('userId', m.user_id, 'name', private.display_name_or_default(f.display_name),
              'role', m.role, 'avatarUrl', f.avatar_url) order by private.display_name_or_default(f.display_name), m.user_id), '[]')
          from public.podcast_members m join public.profiles f on f.id = m.user_id
          where m.podcast_id = found_podcast and not exists (select from entries e where e.user_id = m.user_id)),
        'guestCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object('guestId', i.id, 'name', g.display_name,
              'email', g.email, 'status', i.status) order by g.display_name, i.id), '[]')
          from public.episode_guests i join public.podcast_guests g on g.id = i.podcast_guest_id
          where i.episode_id = list_episode_people.episode_id and i.status <> 'removed'
            and not exists (select from entries e where e.guest_id = i.id)))));
end $function$;

create or replace function private.list_guest_messages (
  access_token text,
  cursor       text,
  page_size    integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest  public.episode_guests := private.authenticate_guest(list_guest_messages.access_token);
  before record;
  page   record;
begin
  perform private.require_not_declined(guest);
  if page_size is null or page_size not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select c.at, c.id into before from private.decode_cursor(list_guest_messages.cursor) c;
  select coalesce(jsonb_agg(private.guest_message_json(m.message, guest.id) order by m.n) filter (where m.n <= page_size), '[]') as data,
    max(private.encode_cursor((m.message).created_at, (m.message).id)) filter (where m.n = page_size) as next,
    count(*) > page_size as has_more
  into page
  from (
    select m as message, row_number() over (order by m.created_at desc, m.id desc) as n
    from public.episode_messages m
    where m.episode_id = guest.episode_id and (m.created_at, m.id) < (before.at, before.id)
    order by m.created_at desc, m.id desc
    limit page_size + 1
  ) m;
  return jsonb_build_object(
    'data', page.data,
    'pagination', jsonb_build_object('nextCursor', case when page.has_more then page.next end, 'hasMore', page.has_more));
end $function$;

create or replace function private.list_podcast_guests (
  podcast_id uuid,
  q          text,
  page_size  integer
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  wanted text := '%' || regexp_replace(btrim(q), '([\\%_])', '\\\1', 'g') || '%';  -- what was typed, and no pattern
begin
  perform private.require_role(list_podcast_guests.podcast_id, 'member');
  if char_length(btrim(q)) > 455 then  -- no name and address together are longer
    raise sqlstate 'PT400' using message = 'q is longer than any name and address';
  end if;
  return (
    select coalesce(jsonb_agg(found.described order by found.name, found.id), '[]')
    from (
      select lower(g.display_name) as name, g.id, private.guest_json(g) || jsonb_build_object(
        'episodeCount', (select count(*) from public.episode_guests e where e.podcast_guest_id = g.id),
        'createdAt', private.format_timestamp(g.created_at)) as described
      from public.podcast_guests g
      where g.podcast_id = list_podcast_guests.podcast_id
        and (wanted is null or (g.display_name || E'\n' || g.email) ilike wanted)
      order by lower(g.display_name), g.id
      limit page_size
    ) found);
end $function$;

create or replace function private.list_stale_show_notes (
  podcast_id     uuid,
  version        integer,
  published_only boolean default false,
  max_rows       integer default 200,
  max_bytes      bigint  default 1048576
)
  returns table (
    episode_id uuid,
    source     text,
    is_html    boolean,
    digest     text
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return query
    select s.id, s.chosen, s.chosen = s.show_notes_html or private.has_markup(s.chosen), md5(s.chosen)
    from (
      select e.id, coalesce(e.show_notes_html, '') as show_notes_html, chosen,
        row_number() over by_id as n, sum(octet_length(chosen)) over by_id as bytes
      from (
        select x.* from public.episodes x
        where x.podcast_id = list_stale_show_notes.podcast_id and x.show_notes_version < list_stale_show_notes.version
          and (not published_only or x.status = 'published')
        order by x.id limit max_rows
      ) e
      cross join lateral private.show_notes_source(e.show_notes_html, e.description, e.summary) chosen
      window by_id as (order by e.id)
    ) s
    where s.n = 1 or s.bytes <= max_bytes
    order by s.n;
end $function$;

create or replace function private.lock_feed (
  podcast_id uuid,
  version    bigint
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || lock_feed.podcast_id, 0));
  perform from public.podcasts p where p.id = lock_feed.podcast_id for key share;  -- the rows to write refer to it
  return found and lock_feed.version
    = coalesce((select d.version from private.feed_documents d where d.podcast_id = lock_feed.podcast_id), 0);
end $function$;

create or replace function private.lock_finishing_object (
  path text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_object(lock_finishing_object.path);
  perform from private.object_removals r where r.path = lock_finishing_object.path and r.until > clock_timestamp();
  if found then
    raise sqlstate 'PT503' using message = 'A failed upload of this file is still being removed; try again';
  end if;
end $function$;

create or replace function private.lock_guest_emails (
  VARIADIC addresses text[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('guest-addresses'), held.place)
  from (select distinct hashtext(a) & 255 as place from unnest(addresses) a order by place) held;  -- in one order for all
end $function$;

create or replace function private.lock_job (
  queue   text,
  msg_id  bigint,
  attempt integer default null::integer
)
  returns table (
    read_ct     integer,
    message     jsonb,
    enqueued_at timestamp with time zone
  )
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return query execute format($lock$
    select q.read_ct, q.message, q.enqueued_at from pgmq.%I q
    where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct) for update$lock$,
    'q_' || lock_job.queue) using lock_job.msg_id, lock_job.attempt;
end $function$;

create or replace function private.lock_my_invitation (
  invitation_id uuid
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_invitations i where i.id = lock_my_invitation.invitation_id)
    and lock_my_invitation.invitation_id = any (private.my_podcast_invitations())
  for share;  -- its status stays until commit
  select i.* into invitation from public.podcast_invitations i
  where i.id = lock_my_invitation.invitation_id and i.id = any (private.my_podcast_invitations()) for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Invitation not found';
  end if;
  return invitation;
end $function$;

create or replace function private.lock_object (
  path text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('object/' || path, 0));
end $function$;

create or replace function private.lock_pending_transfer (
  transfer_id uuid,
  party       uuid
)
  returns public.podcast_transfers
  language plpgsql
  set search_path to ''
  AS $function$
declare
  transfer public.podcast_transfers;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select t.* into transfer from public.podcast_transfers t where t.id = lock_pending_transfer.transfer_id for update;
  if not found or party is distinct from auth.uid() then
    raise sqlstate 'PT404' using message = 'Transfer not found';
  elsif transfer.status <> 'pending' then
    raise sqlstate 'PT409' using message = format('The transfer is no longer open: %s', transfer.status), hint = 'TRANSFER_ENDED';
  end if;
  return transfer;
end $function$;

create or replace function private.lock_roster (
  episode_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from public.episodes e where e.id = lock_roster.episode_id for no key update;
  if not found then  -- deleted while this waited
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
end $function$;

create or replace function private.lock_roster_for_edit (
  episode_id    uuid,
  added_user_id uuid default null::uuid
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  show_id uuid := private.require_episode_role(episode_id, 'admin');
begin
  perform private.require_writable_podcast(show_id);
  perform from public.profiles p where p.id = added_user_id for key share;  -- before the episode, as accounts are deleted
  perform private.lock_roster(episode_id);
  return show_id;
end $function$;

create or replace function private.lock_team_for_edit (
  podcast_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from public.podcasts p where p.id = lock_team_for_edit.podcast_id for no key update;
  perform from public.podcast_members m
  where m.podcast_id = lock_team_for_edit.podcast_id and m.user_id = auth.uid() for share;  -- the role stays until commit
  perform private.require_role(lock_team_for_edit.podcast_id, 'admin');
  perform private.require_writable_podcast(lock_team_for_edit.podcast_id);
end $function$;

create or replace function private.lock_team_invitation (
  invitation_id uuid
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select i.* into invitation from public.podcast_invitations i
  where i.id = lock_team_invitation.invitation_id and i.podcast_id = any (private.my_podcasts('member'));
  if not found then
    raise sqlstate 'PT404' using message = 'Invitation not found';
  end if;
  perform private.lock_team_for_edit(invitation.podcast_id);
  select i.* into invitation from public.podcast_invitations i where i.id = invitation.id for update;
  perform private.require_pending_invitation(invitation);
  return invitation;
end $function$;

create or replace function private.make_imported_episode (
  item             public.podcast_import_items,
  path             text,
  bytes            bigint,
  content_type     text,
  duration_seconds integer,
  image            jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  payload     constant jsonb := item.parsed_payload;
  import      public.podcast_imports;
  podcast     public.podcasts;
  titled      text := private.normalize_line(coalesce(item.title, payload ->> 'title'));
  description text;
  notes       text;
  short       text;
  in_itunes   text := nullif(private.normalize_line(payload ->> 'itunesTitle'), titled);
  dated       timestamptz;
  is_cut      boolean := false;
begin
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  select t.description, t.content, t.summary into description, notes, short
  from public.podcast_import_texts t where t.import_item_id = item.id;

  if not private.has_content(notes) then  -- <p></p>
    notes := null;
  end if;
  -- What is too long for its column is cut or moves to the notes, which hold a megabyte
  if char_length(short) > 4000 and description is null then
    description := short;
    short := null;
  end if;
  if char_length(description) > 10000 then
    is_cut := true;
    notes := coalesce(notes, description);
    description := left(description, 10000);
  end if;
  if char_length(short) > 4000 then
    is_cut := is_cut or notes is not null;
    notes := coalesce(notes, short);
    short := null;
  end if;
  if octet_length(notes) > 1048576 then
    is_cut := true;
    notes := null;
  end if;
  if char_length(titled) > 255 then
    is_cut := true;
    titled := left(titled, 255);
  end if;
  if char_length(in_itunes) > 255 then
    is_cut := true;
    in_itunes := left(in_itunes, 255);
  end if;
  if coalesce(private.is_blank(titled), true) then
    titled := 'Untitled episode';
  end if;
  if is_cut then
    perform private.note_import_item(item.id, '[{"code": "TEXT_CUT", "message": "A text was too long; it was cut"}]');
  end if;
  -- staging dated every item (private.estimate_dates)
  dated := greatest('1970-01-01Z', least('9999-12-31Z', coalesce(item.published_at, import.created_at - interval '1 day')));

  insert into public.episodes (id, podcast_id, guid, title, itunes_title, summary, description, show_notes_html, status, origin, season_number,
    episode_number, episode_type, explicit, is_blocked, scheduled_at, published_at, first_published_at, created_by, transcripts, chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url)
  select item.id, item.podcast_id, item.guid, titled, case when not private.is_blank(in_itunes) then in_itunes end, short, coalesce(description, ''), notes,
    case when dated > now() then 'scheduled' else 'published' end::public.episode_status, 'import',
    private.imported_int(payload -> 'seasonNumber'), private.imported_int(payload -> 'episodeNumber'),
    case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType' else 'full' end::public.episode_type,
    case payload -> 'explicit' when 'true' then true when 'false' then false else coalesce(import.channel_explicit, podcast.explicit) end,
    coalesce(payload -> 'isBlocked' = 'true', false),
    case when dated > now() then dated end, case when dated <= now() then dated end, case when dated <= now() then dated end,
    import.created_by, private.imported_transcripts(payload -> 'transcripts'),
    case when private.is_http_url(payload ->> 'chapters') then payload ->> 'chapters' end,
    private.setting('media_url') || '/' || make_imported_episode.path, make_imported_episode.bytes, make_imported_episode.content_type,
    make_imported_episode.duration_seconds, case when image is not null then private.image_url(image ->> 'path') end;
  perform private.credit_imported_people(item.id, payload -> 'persons');
  insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type, width, height)
  select o.path, podcast.owner_id, podcast.id, item.id, o.purpose, o.bytes, o.content_type, o.width, o.height
  from (values
    (make_imported_episode.path, 'audio', make_imported_episode.bytes, make_imported_episode.content_type, null::int, null::int),
    (image ->> 'path', 'episode_cover', (image ->> 'bytes')::bigint, image ->> 'contentType', (image ->> 'width')::int, (image ->> 'height')::int)
  ) o (path, purpose, bytes, content_type, width, height)
  where o.path is not null order by o.path;
end $function$;

create or replace function private.mark_guest_invitation_sent (
  token_hash   bytea,
  requested_at timestamp with time zone
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  update private.guest_invitations i set
    token_hash = i.pending_token_hash, expires_at = i.pending_expires_at, pending_token_hash = null, pending_expires_at = null,
    sent_at = case when i.requested_at = $2 then now() end
  where i.pending_token_hash = $1
$function$;

create or replace function private.mark_podcast_invitation_sent (
  invitation_id uuid,
  requested_at  timestamp with time zone
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  update private.podcast_invitation_emails e set sent_at = now() where e.invitation_id = $1 and e.requested_at = $2
$function$;

create or replace function private.masked_address (
  address text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  domain text := substring(address from '[^@]*$');
begin
  return left(address, 1) || '***@' || left(domain, 1) || '***' || coalesce(substring(domain from '\.[^.]+$'), '');
end $function$;

create or replace function private.move_media_account()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  staged bigint := private.staged_bytes(new.id);
begin
  update private.media_objects m set account_id = new.owner_id
  where m.path in (  -- rows are locked in one order everywhere
    select o.path from private.media_objects o where o.podcast_id = new.id order by o.path for update);
  if staged > 0 then
    perform from public.billing_accounts a
    where a.user_id = new.owner_id
      and a.storage_bytes_used + private.account_staged_bytes(a.user_id) > private.allowed_bytes(a.user_id);
    if found then
      raise sqlstate 'PT409' using
        message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED';
    end if;
  end if;
  return null;
end $function$;

create or replace function private.moved_artwork (
  podcast_id uuid,
  image_type text,
  path       text
)
  returns text
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.require_role(moved_artwork.podcast_id, 'admin');
  return (
    select private.image_column(p, image_type) from public.podcasts p join private.media_objects m on m.place = p.id
    where p.id = moved_artwork.podcast_id and m.path = moved_artwork.path and m.released_at is null);
end $function$;

create or replace function private.my_confirmed_email()
  returns text
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path to ''
  AS $function$
begin
  return (
    select lower(u.email) from auth.users u
    where u.id = auth.uid() and u.email_confirmed_at is not null and not u.is_sso_user);  -- SSO is no proof of an address
end $function$;

create or replace function private.my_podcast_invitations()
  returns uuid[]
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select array_agg(i.id) from public.podcast_invitations i
    left join private.podcast_invitation_recipients r on r.podcast_id = i.podcast_id and r.email = i.email
    where i.email = private.my_confirmed_email() and (r.blocked_at is null or i.created_at <= r.blocked_at)), '{}');
end $function$;

create or replace function private.my_podcasts (
  role public.podcast_role
)
  returns uuid[]
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select array_agg(m.podcast_id) from public.podcast_members m
    where m.user_id = auth.uid() and m.role >= my_podcasts.role), '{}');
end $function$;

create or replace function private.my_roster_episode_ids()
  returns SETOF uuid
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path to ''
  AS $function$
begin
  return query select p.episode_id from public.episode_people p where p.user_id = (select auth.uid()) and p.is_active;
end $function$;

create or replace function private.my_storage()
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object('used', a.storage_bytes_used + of_podcasts.staged, 'allowed', private.allowed_bytes(a.user_id),
      'staged', of_podcasts.staged, 'podcasts', of_podcasts.entries,
      'temporary', coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.purpose = 'temporary' and m.released_at is null), 0))
    from public.billing_accounts a
    cross join lateral (
      select coalesce(sum(p.staged), 0) as staged,
        coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'used', p.used) order by p.used desc, p.id), '[]') as entries
      from (
        select o.id, o.slug, o.title, s.staged, coalesce(m.bytes, 0) + s.staged as used
        from public.podcasts o
        cross join lateral private.staged_bytes(o.id) s (staged)
        left join (
          select m.podcast_id, sum(m.bytes) as bytes from private.media_objects m
          where m.account_id = a.user_id and m.released_at is null group by m.podcast_id) m on m.podcast_id = o.id
        where o.owner_id = a.user_id) p
    ) of_podcasts
    where a.user_id = auth.uid());
end $function$;

create or replace function private.my_teammate_ids()
  returns uuid[]
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select array_agg(distinct theirs.user_id)
    from public.podcast_members mine
    join public.podcast_members theirs using (podcast_id)
    where mine.user_id = auth.uid()), '{}');
end $function$;

create or replace function private.next_available_slug (
  base_slug   text,
  taken_slugs text[]
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select case when base_slug = any (taken_slugs) then base_slug || '-' || min(n) else base_slug end
  from generate_series(2, cardinality(taken_slugs) + 2) n
  left join unnest(taken_slugs) t (slug) on t.slug = base_slug || '-' || n
  where t.slug is null
$function$;

create or replace function private.normalize_base_url (
  url text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  bare   text := regexp_replace(btrim(url), '[?#].*$', '');
  origin text := substring(bare from '^[A-Za-z]+://[^/]+');
begin
  -- scheme and host are the same in upper case, and with the scheme's own port (RFC 3986); a path is not
  return regexp_replace(regexp_replace(lower(origin), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
    || substr(bare, length(origin) + 1);
end $function$;

create or replace function private.normalize_email (
  input text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return lower(btrim(input, private.invisible_characters(input)));
end $function$;

create or replace function private.normalize_episode()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  wanted text;
  holder uuid;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.itunes_title := private.normalize_line(new.itunes_title);
  if tg_op = 'INSERT' then
    new.guid := coalesce(new.guid, new.id::text);
  end if;
  if tg_op = 'INSERT' or new.slug is distinct from old.slug then
    perform pg_advisory_xact_lock(hashtextextended('episode-slug/' || new.podcast_id, 0));
    wanted := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'episode' end);
    if wanted is null or (new.slug is not null and wanted = 'latest') then
      raise sqlstate 'PT400' using message = 'A slug needs at least one letter or digit, and is not "latest"';
    end if;
    if new.slug is null then
      wanted := private.next_available_slug(wanted, 'latest'::text || array(  -- /episodes/latest is a route
        select s.slug from private.episode_slugs s
        where s.podcast_id = new.podcast_id and s.episode_id <> new.id
          and (s.slug = wanted  -- the point follows the hyphen
            or (s.slug collate "C" > wanted || '-' and s.slug collate "C" < wanted || '.'))));
    end if;
    new.slug := wanted;
    insert into private.episode_slugs as s (podcast_id, slug, episode_id) values (new.podcast_id, wanted, new.id)
    on conflict (podcast_id, slug) do update set episode_id = s.episode_id returning s.episode_id into holder;
    if holder <> new.id then
      raise sqlstate 'PT409' using message = format('The slug %L is taken', wanted), hint = 'SLUG_TAKEN';
    end if;
  end if;
  return new;
end $function$;

create or replace function private.normalize_episode_credit()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  if tg_op = 'INSERT' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  end if;
  return new;
end $function$;

create or replace function private.normalize_episode_guest()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  perform from public.podcast_guests g where g.id = new.podcast_guest_id and g.podcast_id = new.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'The guest is not one of this podcast''s';
  end if;
  return new;
end $function$;

create or replace function private.normalize_episode_message()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform from public.episode_guests g where g.id = new.sender_guest_id and g.episode_id = new.episode_id;
  if not found and new.sender_guest_id is not null then
    raise sqlstate 'PT404' using message = 'The guest is not one of this episode''s';
  end if;
  return new;
end $function$;

create or replace function private.normalize_episode_person()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  new.role_label := private.normalize_line(new.role_label);
  if tg_op = 'INSERT' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  -- Who deletes their account, and a guest who goes, took part nevertheless: name and credit stay
  elsif (old.user_id is not null and new.user_id is null) or (old.guest_id is not null and new.guest_id is null) then
    new.source_type := 'external';
  end if;
  return new;
end $function$;

create or replace function private.normalize_line (
  line text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  if line ~ '^[^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+( [^ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+)*$' then
    return line;  -- the usual case
  end if;
  return btrim(regexp_replace(line, '[ \t\n\v\f\r\u0085\u2028\u2029]+', ' ', 'g'), E' \u00a0');
end $function$;

create or replace function private.normalize_lines (
  list jsonb,
  keys text[]
)
  returns jsonb
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(e.entry || coalesce((
    select jsonb_object_agg(f.key, private.normalize_line(f.value))
    from jsonb_each_text(e.entry) f (key, value) where f.key = any (keys)), '{}') order by e.n), '[]')
  from jsonb_array_elements(list) with ordinality e (entry, n)
$function$;

create or replace function private.normalize_podcast()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  wanted text;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.author := private.normalize_line(new.author);
  new.owner_name := private.normalize_line(new.owner_name);
  new.owner_email := private.normalize_line(new.owner_email);
  new.copyright := private.normalize_line(new.copyright);
  new.apple_verify_token := private.normalize_line(new.apple_verify_token);
  if jsonb_typeof(new.funding) = 'array' and private.is_list_of_texts(new.funding, '{url,text}') then
    new.funding := private.normalize_lines(new.funding, '{text}');
  end if;
  if jsonb_typeof(new.verify_texts) = 'array' and private.is_list_of_texts(new.verify_texts, '{text,purpose}') then
    new.verify_texts := private.normalize_lines(new.verify_texts, '{text,purpose}');
  end if;
  if tg_op = 'INSERT' then
    -- serialises two podcasts that want the same slug: the second sees the first
    wanted := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'podcast' end);
    if wanted is null then
      raise sqlstate 'PT400' using message = 'A slug needs at least one letter or digit';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('podcast-slug/' || wanted, 0));
    if new.slug is not null then
      new.slug := wanted;
    else
      new.slug := private.next_available_slug(wanted, array(
        select s.slug from private.podcast_slugs s
        where s.slug = wanted or (s.slug > wanted || '-' and s.slug < wanted || '.')));  -- the point follows the hyphen
    end if;
    insert into private.podcast_slugs (slug, podcast_id) values (new.slug, new.id);
    -- https://github.com/Podcastindex-org/podcast-namespace, guid: UUIDv5 of the feed URL without its scheme and trailing slashes
    new.podcast_guid := coalesce(new.podcast_guid, extensions.uuid_generate_v5(
      'ead4c236-bf58-58c6-a2c6-a6b28d128cb6', regexp_replace(private.feed_url(new.slug), '^[a-z]+://|/+$', '', 'g')));
  end if;
  return new;
exception when unique_violation then
  raise sqlstate 'PT409' using message = format('The slug %L is taken', new.slug), hint = 'SLUG_TAKEN';
end $function$;

create or replace function private.normalize_podcast_guest()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.display_name := private.normalize_line(new.display_name);
  new.email := private.normalize_email(new.email);
  return new;
end $function$;

create or replace function private.normalize_podcast_guest_note()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  select g.podcast_id into new.podcast_id from public.podcast_guests g where g.id = new.guest_id;
  return new;
end $function$;

create or replace function private.normalize_podcast_invitation()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  if new.status = 'pending' and new.invited_by is null then  -- the inviter's account was deleted
    new.status := 'withdrawn';
  end if;
  if tg_op = 'INSERT' or new.expires_at <> old.expires_at then
    new.podcast_title := (select p.title from public.podcasts p where p.id = new.podcast_id);
    new.inviter_name := (select f.display_name from public.profiles f where f.id = new.invited_by);
  end if;
  return new;
end $function$;

create or replace function private.normalize_podcast_transfer()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  return new;
end $function$;

create or replace function private.normalize_profile()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.display_name := private.normalize_line(new.display_name);
  if tg_op = 'INSERT' or new.timezone is distinct from old.timezone then
    begin
      perform now() at time zone new.timezone;
    exception when invalid_parameter_value then
      new.timezone := '';
    end;
    if new.timezone !~ '^[A-Za-z_]+(/[A-Za-z0-9_+-]+){0,2}$' then  -- Postgres also knows POSIX rules, which nobody else does
      raise sqlstate 'PT400' using message = 'timezone must be the name of an IANA time zone';
    end if;
  end if;
  return new;
end $function$;

create or replace function private.note_import_item (
  import_item_id uuid,
  warnings       jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.podcast_import_items i set warnings = i.warnings || n.new
  from (
    select jsonb_agg(u.w order by u.n) as new from (
      select distinct on (e.w -> 'code') e.w, e.n from jsonb_array_elements(note_import_item.warnings) with ordinality e (w, n)
      where not exists (
        select from public.podcast_import_items k
        where k.id = note_import_item.import_item_id and k.warnings @> jsonb_build_array(jsonb_build_object('code', e.w -> 'code')))
      order by e.w -> 'code', e.n) u
  ) n
  where i.id = note_import_item.import_item_id and n.new is not null;
end $function$;

create or replace function private.notify (
  type    text,
  payload jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$ insert into private.events (type, payload) values ($1, $2) $function$;

create or replace function private.notify_team_added (
  user_id    uuid,
  actor_id   uuid,
  podcast_id uuid,
  episode_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if user_id is distinct from actor_id then  -- nobody is told what they did themselves
    perform private.notify('episode.team_added', jsonb_build_object('user_id', user_id, 'actor_id', actor_id,
      'podcast_id', podcast_id, 'episode_id', episode_id, 'channels', '["in_app", "email"]'::jsonb));
  end if;
end $function$;

create or replace function private.offer_podcast_transfer (
  podcast_id uuid,
  user_id    uuid,
  at         timestamp with time zone default now()
)
  returns public.podcast_transfers
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  transfer public.podcast_transfers;
begin
  perform private.require_role(offer_podcast_transfer.podcast_id, 'owner');
  perform private.consume_plan_rate_limit('podcast_transfers', offer_podcast_transfer.at);
  perform from public.podcasts p where p.id = offer_podcast_transfer.podcast_id for no key update;
  perform private.require_role(offer_podcast_transfer.podcast_id, 'owner');  -- again, under the lock
  perform private.require_writable_podcast(offer_podcast_transfer.podcast_id);
  if offer_podcast_transfer.user_id = auth.uid() then
    raise sqlstate 'PT409' using message = 'You own this podcast already; offer it to another member', hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  perform from public.podcast_members m
  where m.podcast_id = offer_podcast_transfer.podcast_id and m.user_id = offer_podcast_transfer.user_id for share;
  if not found then
    raise sqlstate 'PT404' using message = 'The new owner must be a member of the podcast', hint = 'NEW_OWNER_NOT_A_MEMBER';
  end if;
  select t.* into transfer from public.podcast_transfers t
  where t.podcast_id = offer_podcast_transfer.podcast_id and t.status = 'pending';
  if found then
    raise sqlstate 'PT409' using message = 'The podcast is already offered; withdraw that offer first', hint = 'TRANSFER_OPEN',
      detail = jsonb_build_object('transfer_id', transfer.id)::text;
  end if;
  insert into public.podcast_transfers (podcast_id, user_id, offered_by)
  values (offer_podcast_transfer.podcast_id, offer_podcast_transfer.user_id, auth.uid()) returning * into transfer;
  perform private.notify('podcast.transfer_offered', jsonb_build_object(
    'transfer_id', transfer.id, 'podcast_id', transfer.podcast_id, 'user_id', transfer.user_id, 'actor_id', transfer.offered_by));
  return transfer;
end $function$;

create or replace function private.open_feed (
  podcast_id   uuid,
  item_version integer,
  most         integer default 500,
  most_bytes   bigint  default 8388608
)
  returns table (
    podcast jsonb,
    show    jsonb,
    context text,
    items   bigint[],
    crc32s  bigint[],
    sizes   bigint[],
    zipped  bigint[],
    stale   jsonb,
    waiting integer,
    version bigint,
    written text,
    dated   timestamp with time zone,
    early   integer
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  found_podcast public.podcasts;
  episode_ids   uuid[];
  notes_bytes   int[];
  are_stale     boolean[];
  listen_base   text := private.setting('listen_url');
  last_modified timestamptz;
begin
  select * into found_podcast from public.podcasts p
  where p.id = open_feed.podcast_id and p.hosting_type = 'native' and p.status <> 'deleted';
  if not found then
    return;
  end if;
  podcast := to_jsonb(found_podcast) - 'owner_email' || jsonb_build_object(
    'shown_owner_email', case when found_podcast.show_owner_email then found_podcast.owner_email end,
    'feed_url', private.feed_url(found_podcast.slug),
    'listen_url', private.listen_url(found_podcast.slug, base => listen_base));
  show := jsonb_build_object('cover_image_url', found_podcast.cover_image_url, 'listen_url', podcast -> 'listen_url');
  context := md5(item_version || show::text);

  select coalesce(array_agg(coalesce(f.item_id, 0)), '{}'), coalesce(array_agg(coalesce(f.crc32, 0)), '{}'),
         coalesce(array_agg(coalesce(f.bytes, 0)), '{}'), coalesce(array_agg(coalesce(f.zipped, 0)), '{}'),
         array_agg(f.episode_id), array_agg(coalesce(f.notes_bytes, 0)),
         array_agg(f.rendered_from is distinct from f.updated_at or f.context is distinct from open_feed.context)
  into items, crc32s, sizes, zipped, episode_ids, notes_bytes, are_stale
  from (
    select * from private.feed_entries e where e.podcast_id = open_feed.podcast_id order by e.published_at desc, e.episode_id desc
  ) f;

  with unfit as (
    select f.episode_id, f.place - 1 as place, row_number() over by_place as n, sum(f.notes_bytes) over by_place as notes_bytes
    from unnest(episode_ids, notes_bytes, are_stale) with ordinality f (episode_id, notes_bytes, is_stale, place)
    where f.is_stale
    window by_place as (order by f.place)
  ), batch as (
    select u.episode_id, u.place from unfit u where u.n = 1 or (u.n <= most and u.notes_bytes <= most_bytes)
  )
  select coalesce(jsonb_agg(to_jsonb(e) - 'show_notes_html' || jsonb_build_object('place', b.place,
           'listen_url', private.listen_url(found_podcast.slug, e.slug, listen_base), 'credits', c.credits) order by b.place), '[]'),
         (select count(*) from unfit) - count(*)
  into stale, waiting
  from batch b join public.episodes e on e.id = b.episode_id
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role_label', c.role_label, 'avatar_url', c.avatar_url,
      'external_url', c.external_url) order by c.display_order), '[]') as credits
    from public.episode_credits c where c.episode_id = e.id
  ) c;

  select d.version, d.digest, d.last_modified into version, written, last_modified
  from private.feed_documents d where d.podcast_id = open_feed.podcast_id;
  version := coalesce(version, 0);
  dated := date_trunc('second', clock_timestamp());
  early := case when dated = last_modified
    then ceil(1000 * extract(epoch from dated + interval '1 second' - clock_timestamp())) else 0 end;
  return next;
end $function$;

create or replace function private.open_import (
  podcast_id uuid,
  feed_url   text,
  at         timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  opened    uuid;
  in_flight uuid;
begin
  perform private.require_role(open_import.podcast_id, 'admin');
  perform private.require_writable_podcast(open_import.podcast_id);
  if exists (select from public.podcasts p where p.id = open_import.podcast_id and p.hosting_type = 'external') then
    raise sqlstate 'PT409' using message = 'Episodes are imported into podcasts that are hosted here; this one is hosted elsewhere', hint = 'EXTERNAL_PODCAST';
  end if;
  if not coalesce(private.is_http_url(open_import.feed_url), false) then
    raise sqlstate 'PT400' using message = 'The feed''s address must be an absolute http or https URL', hint = 'INVALID_URL';
  end if;
  perform private.require_import_queue();
  perform private.consume_plan_rate_limit('feed_imports', open_import.at);
  perform private.end_abandoned_stagings(open_import.at);
  loop
    insert into public.podcast_imports as i (podcast_id, feed_url) values (open_import.podcast_id, open_import.feed_url)
    on conflict (podcast_id) where status in ('verification_required', 'preview', 'pending', 'running') do nothing
    returning i.id into opened;
    exit when opened is not null;
    select i.id into in_flight from public.podcast_imports i
    where i.podcast_id = open_import.podcast_id and i.status in ('verification_required', 'preview', 'pending', 'running');
    if found then
      raise sqlstate 'PT409' using message = 'An import into this podcast is in flight', hint = 'IMPORT_IN_FLIGHT',
        detail = jsonb_build_object('importId', in_flight)::text;
    end if;  -- else it has just ended
  end loop;
  -- the route needs a moment to claim the message, for which the worker is not woken
  perform private.enqueue('import_feeds', jsonb_build_object('type', 'import_feed', 'import_id', opened),
    case when current_setting('castbase.through_functions', true) = 'yes' then 5 else 0 end);
  return jsonb_build_object('importId', opened, 'status', 'pending');
end $function$;

create or replace function private.own_object_path (
  url text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  bare text := private.normalize_base_url(url);
  base text;
begin
  if bare is null then
    return null;
  end if;
  foreach base in array string_to_array(private.setting('media_url') || ',' || private.setting('former_media_urls'), ',') loop
    base := rtrim(private.normalize_base_url(base), '/') || '/';  -- a whole segment: …/media-old is another bucket
    if starts_with(bare, base) then
      return substr(bare, length(base) + 1);
    end if;
  end loop;
  return null;
end $function$;

create or replace function private.ownership_mail (
  import_id uuid
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object('to', o.owner_email, 'podcastTitle', p.title, 'feedUrl', i.feed_url, 'codeKey', encode(o.code_key, 'hex'))
  from private.import_owners o
  join public.podcast_imports i on i.id = o.import_id
  join public.podcasts p on p.id = i.podcast_id
  where o.import_id = $1 and i.status = 'verification_required' and i.verification_method = 'email_code'
$function$;

create or replace function private.person_json (
  person public.episode_people
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('id', person.id, 'episodeId', person.episode_id, 'sourceType', person.source_type,
    'userId', person.user_id, 'guestId', person.guest_id, 'name', person.name, 'roleLabel', person.role_label,
    'avatarUrl', person.avatar_url, 'externalUrl', person.external_url, 'isActive', person.is_active, 'creditId', person.credit_id,
    'createdAt', private.format_timestamp(person.created_at), 'updatedAt', private.format_timestamp(person.updated_at));
end $function$;

create or replace function private.plain_text (
  value text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  plain text := value;
begin
  if value is null or not private.has_markup(value) then
    return value;
  end if;
  -- separately: a top-level alternation would make each of them greedy
  plain := regexp_replace(plain, '<!--.*?(?:-->|$)', '', 'g');
  plain := regexp_replace(plain, '<script\M.*?(?:</script\s*>|$)', '', 'gi');
  plain := regexp_replace(plain, '<style\M.*?(?:</style\s*>|$)', '', 'gi');
  -- each block becomes a line; the white space is JavaScript's \s
  plain := regexp_replace(replace(plain, E'\n', ' '),
    '</?(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)\M[^<>]*>', E'\n', 'gi');
  plain := private.decode_html(regexp_replace(plain, '<[a-zA-Z/!?][^<>]*>', '', 'g'));
  plain := regexp_replace(plain, '[\t\v-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+', ' ', 'g');
  plain := btrim(regexp_replace(plain, ' ?\n[\n ]*', E'\n', 'g'), E' \n');
  -- escapes decoded tags, so that clients which insert the text as HTML stay safe
  return regexp_replace(plain, '<(?=[a-zA-Z/!?])', '&lt;', 'g');
end $function$;

create or replace function private.plan_limit (
  name    text,
  user_id uuid
)
  returns integer
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  is_paid boolean := coalesce((
    select p.is_paid from public.billing_accounts a join public.plans p on p.code = a.plan_code
    where a.user_id = plan_limit.user_id), false);
begin
  return nullif(private.setting(name || case when is_paid then '_paid' else '' end), '')::int;
end $function$;

create or replace function private.podcast_invitation_email (
  invitation_id uuid,
  at            timestamp with time zone default now()
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'requestedAt', e.requested_at::text,  -- to the microsecond: it identifies the request
    'to', i.email, 'podcastTitle', i.podcast_title, 'inviterName', i.inviter_name, 'role', i.role,
    'expiresAt', private.format_timestamp(i.expires_at), 'appUrl', private.setting('app_url'))
  from private.podcast_invitation_emails e
  join public.podcast_invitations i on i.id = e.invitation_id
  join public.podcasts p on p.id = i.podcast_id
  left join private.podcast_invitation_recipients r on r.podcast_id = i.podcast_id and r.email = i.email
  where i.id = $1 and e.sent_at is null and i.status = 'pending' and i.expires_at > $2
    and p.status in ('active', 'paused') and r.blocked_at is null
$function$;

create or replace function private.post_guest_message (
  access_token text,
  body         text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest   public.episode_guests := private.authenticate_guest(post_guest_message.access_token, for_write => true);
  written public.episode_messages;
begin
  perform private.require_not_declined(guest);
  perform private.consume_rate_limit('guest_message:' || guest.id, 30, interval '1 minute');
  insert into public.episode_messages (episode_id, sender_user_id, sender_guest_id, body)
  values (guest.episode_id, null, guest.id, post_guest_message.body)  -- also when a signed-in user holds the token
  returning * into written;
  return private.guest_message_json(written, guest.id);
end $function$;

create or replace function private.postpone_import_item()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item public.podcast_import_items;
begin
  if pg_input_is_valid(new.message ->> 'import_item_id', 'uuid') then
    item := private.hold_import_item((new.message ->> 'import_item_id')::uuid);
  end if;
  if item.status is null or item.status not in ('pending', 'processing') or private.is_superseded(item.id, new.msg_id, new.read_ct) then
    return null;
  end if;
  if exists (select from public.podcast_imports i where i.id = item.import_id and i.status = 'canceled') then
    perform private.end_import_item(item, 'skipped_canceled', 'The import was canceled');  -- the next claim acknowledges the message
  else
    update public.podcast_import_items i set status = 'pending', error_code = null, next_attempt_at = new.vt,
      error_message = coalesce(nullif(new.headers ->> 'last_error', ''), 'The last attempt failed')
    where i.id = item.id;
  end if;
  return null;
end $function$;

create or replace function private.provision_user()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  given text := coalesce(
    new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name', new.raw_user_meta_data ->> 'name');
  avatar text := new.raw_user_meta_data ->> 'avatar_url';
begin
  -- What a sign-up form sent must never keep someone from confirming: what does not fit is left out.
  insert into public.profiles (id, display_name, avatar_url)
  values (new.id, case when not private.is_blank(given) then left(private.normalize_line(given), 200) end, case when private.is_http_url(avatar) then avatar end)
  on conflict (id) do nothing;
  insert into public.billing_accounts (user_id) values (new.id) on conflict (user_id) do nothing;
  return null;
end $function$;

create or replace function private.public_description (
  summary              text,
  description          text,
  show_notes_safe_html text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  words text;
begin
  foreach words in array array[summary, description] loop
    words := private.plain_text(words);
    if not private.is_blank(words) then
      return words;
    end if;
  end loop;
  -- notes are HTML even without a tag; no more of them than a description may have, and no half of a tag or reference
  words := private.plain_text('<p>' || case when char_length(show_notes_safe_html) <= 10000 then show_notes_safe_html
    else regexp_replace(left(show_notes_safe_html, 10000), '(?:<[^<>]*|&[^&;]*)?$', '…') end);
  return case when private.is_blank(words) is false then words else '' end;
end $function$;

create or replace function private.public_episode_of (
  slug       text,
  id_or_slug text
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  wanted_id     uuid := case when pg_input_is_valid(id_or_slug, 'uuid') then id_or_slug::uuid end;
  found_episode jsonb;
begin
  select e.shown into found_episode from private.published_episodes e
  where e.podcast_slug = public_episode_of.slug
    and (e.slug = id_or_slug or e.id = wanted_id)
  order by e.slug = id_or_slug desc limit 1;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return found_episode;
end $function$;

create or replace function private.public_episodes (
  slug   text,
  most   integer,
  cursor text
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  podcast record;
  before  record;
  page    record;
begin
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select p.id, p.slug into podcast from public.podcasts p where p.slug = public_episodes.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select c.at, c.id into before from private.decode_cursor(public_episodes.cursor) c;
  with candidate as (
    select e.id, e.published_at, row_number() over newest as n, sum(e.notes_bytes) over newest as notes_bytes
    from private.published_episodes e
    where e.podcast_id = podcast.id and (e.published_at, e.id) < (before.at, before.id)
    window newest as (order by e.published_at desc, e.id desc)
    order by e.published_at desc, e.id desc
    limit most + 1
  ), fitting as (  -- a page ends early after a megabyte of notes, so that no response is a hundred of them
    select c.id, c.published_at, c.n from candidate c where c.n = 1 or (c.n <= most and c.notes_bytes <= 1048576)
  )
  select coalesce(jsonb_agg(e.shown order by f.n), '[]') as data,
    (array_agg(private.encode_cursor(f.published_at, f.id) order by f.n desc))[1] as cursor,
    count(*) < (select count(*) from candidate) as has_more
  into page
  from fitting f join private.published_episodes e on e.id = f.id;
  return jsonb_build_object(
    'data', page.data,
    'pagination', jsonb_build_object('nextCursor', case when page.has_more then page.cursor end, 'hasMore', page.has_more));
end $function$;

create or replace function private.public_podcast (
  slug text
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  found_podcast public.podcasts;
begin
  select * into found_podcast from public.podcasts p where p.slug = public_podcast.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return (
    select jsonb_build_object(
      'id', found_podcast.id, 'slug', found_podcast.slug, 'title', found_podcast.title,
      'description', private.plain_text(found_podcast.description), 'author', found_podcast.author, 'language', found_podcast.language,
      'explicit', found_podcast.explicit, 'link', found_podcast.link, 'coverImageUrl', found_podcast.cover_image_url,
      'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
      'podcastGuid', found_podcast.podcast_guid,
      'episodeCount', count(*), 'latestEpisodeAt', private.format_timestamp(max(e.published_at)))
    from public.episodes e where e.podcast_id = found_podcast.id and e.status = 'published');
end $function$;

create or replace function private.publish_due_episodes (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  published int;
begin
  with due as (
    select e.id from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.status = 'scheduled' and e.scheduled_at <= publish_due_episodes.at
      and p.status in ('active', 'paused')
      and (e.audio_url is not null or p.hosting_type = 'external')
    order by e.scheduled_at limit 500
    for update of e skip locked
  )
  update public.episodes e set status = 'published', published_at = e.scheduled_at
  from due where e.id = due.id;
  get diagnostics published = row_count;
  return published;
end $function$;

create or replace function private.purge_cron_history (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  purged int;
begin
  delete from cron.job_run_details d where d.end_time < purge_cron_history.at - interval '3 days';
  get diagnostics purged = row_count;
  return purged;
end $function$;

create or replace function private.purge_rate_limits (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  purged int;
begin
  delete from private.rate_limits r where r.window_started_at < purge_rate_limits.at - interval '2 days';
  get diagnostics purged = row_count;
  return purged;
end $function$;

create or replace function private.queue_guest_invitation_email (
  episode_guest_id uuid,
  email            text,
  at               timestamp with time zone default now()
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from private.guest_invitations i
  where i.episode_guest_id = queue_guest_invitation_email.episode_guest_id
    and i.email_count < private.setting('max_guest_invitation_emails_per_episode')::int;
  if not found or private.try_rate_limit(private.email_rate_limit_key('guest_invitation_email', queue_guest_invitation_email.email),
      private.setting('max_guest_invitation_emails_per_day')::int, interval '1 day', queue_guest_invitation_email.at) is not null then
    return;
  end if;
  update private.guest_invitations i set email_count = i.email_count + 1, requested_at = clock_timestamp(), sent_at = null
  where i.episode_guest_id = queue_guest_invitation_email.episode_guest_id;
  perform private.enqueue('guest_invitations', jsonb_build_object('episode_guest_id', queue_guest_invitation_email.episode_guest_id));
end $function$;

create or replace function private.queue_podcast_invitation_email (
  invitation public.podcast_invitations,
  at         timestamp with time zone
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  recipient private.podcast_invitation_recipients;
begin
  insert into private.podcast_invitation_recipients (podcast_id, email) values (invitation.podcast_id, invitation.email)
  on conflict do nothing;
  select r.* into recipient from private.podcast_invitation_recipients r
  where r.podcast_id = invitation.podcast_id and r.email = invitation.email for update;
  if recipient.blocked_at is not null
     or recipient.email_count >= private.setting('max_podcast_invitation_emails_per_address')::int
     or private.try_rate_limit(private.email_rate_limit_key('podcast_invitation_emails', invitation.email),
       private.setting('max_podcast_invitation_emails_per_day')::int, interval '1 day', queue_podcast_invitation_email.at) is not null then
    return;
  end if;
  update private.podcast_invitation_recipients r set email_count = r.email_count + 1
  where r.podcast_id = invitation.podcast_id and r.email = invitation.email;
  insert into private.podcast_invitation_emails as e (invitation_id) values (invitation.id)
  on conflict (invitation_id) do update set requested_at = excluded.requested_at, sent_at = null;
  perform private.enqueue('podcast_invitations', jsonb_build_object('invitation_id', invitation.id));
  perform private.notify('podcast.member_invited', jsonb_build_object(
    'invitation_id', invitation.id, 'podcast_id', invitation.podcast_id, 'actor_id', invitation.invited_by));
end $function$;

create or replace function private.reachable_address (
  typed text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  address text := private.normalize_email(typed);
begin
  -- as podcast_guests asks: one address, and nothing that a mail's header would read as more than that
  return case when address collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and address !~ '@(.*\.)?(\.|$)' and private.invisible_characters(address) = '' and char_length(address) <= 254 then address end;
end $function$;

create or replace function private.read_feed (
  podcast_id uuid
)
  returns table (
    etag          text,
    last_modified timestamp with time zone,
    bytes         bigint,
    zipped        bigint,
    gzip          bytea
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return query
    select d.etag, d.last_modified, d.bytes, d.zipped, d.head || coalesce((
        select string_agg(i.deflated, '' order by listed.place)
        from unnest(d.items) with ordinality listed (id, place) join private.feed_items i on i.id = listed.id
      ), '') || d.tail
    from private.feed_documents d where d.podcast_id = read_feed.podcast_id;
end $function$;

create or replace function private.reap_unconfirmed_users (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  stale  record;
  reaped int := 0;
begin
  for stale in
    select u.id, lower(u.email) as email from auth.users u
    where u.email_confirmed_at is null and u.phone_confirmed_at is null and u.invited_at is null
      and not u.is_anonymous
      and u.created_at < at - make_interval(days => private.setting('unconfirmed_user_ttl_days')::int)
    order by u.created_at
  loop
    exit when reaped >= 1000;
    insert into private.reapable_users (user_id, email, at) values (stale.id, stale.email, reap_unconfirmed_users.at);
    continue when not found;  -- invited
    begin
      reaped := reaped + private.delete_unconfirmed_user(stale.id)::int;
    exception
      when sqlstate 'PT409' then
        null;  -- confirmed in the meantime: theirs to keep
      when foreign_key_violation then
        raise log 'castbase: the unconfirmed user % owns something and is kept', stale.id;
    end;
    delete from private.reapable_users r where r.user_id = stale.id;
  end loop;
  return reaped;
end $function$;

create or replace function private.recheckable_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import public.podcast_imports := private.require_import_role(recheckable_import.import_id);
begin
  perform private.require_writable_podcast(import.podcast_id);
  if import.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'The import does not wait for its feed', hint = 'NOT_APPLICABLE';
  end if;
  perform private.consume_plan_rate_limit('feed_imports');
  return jsonb_build_object('feedUrl', import.feed_url, 'method', import.verification_method, 'verificationToken', import.verification_token,
    'caller', auth.uid());
end $function$;

create or replace function private.refuse_import_state (
  import public.podcast_imports,
  wanted text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  raise sqlstate 'PT409' using message = format('The import is %s; %s', replace(import.status::text, '_', ' '), wanted), hint = 'IMPORT_STATE';
end $function$;

create or replace function private.refuse_migration (
  import public.podcast_imports
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if import.is_hosting_migration then
    raise sqlstate 'PT409' using message = 'This is a hosting migration, which is set in motion where it was set up', hint = 'HOSTING_MIGRATION';
  end if;
end $function$;

create or replace function private.release_direct_completion (
  upload_id uuid,
  lease     timestamp with time zone
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update private.direct_uploads d set completing_until = null
  where d.id = release_direct_completion.upload_id and d.completing_until = release_direct_completion.lease;
end $function$;

create or replace function private.release_episode_audio (
  episode public.episodes
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.release_media_objects(array[m.path], episode.first_published_at is not null)
  from private.media_objects m
  where m.place = episode.id and m.purpose = 'audio' and m.released_at is null;
end $function$;

create or replace function private.release_media_objects (
  paths      text[],
  was_public boolean
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update private.media_objects m set released_at = now()
  where m.path in (
    select o.path from private.media_objects o where o.path = any (paths) and o.released_at is null order by o.path for update);
  if not was_public then
    perform private.collect_objects(paths);
  end if;
end $function$;

create or replace function private.release_media_of_episodes()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform from private.media_objects m where m.place in (select e.id from gone e) and m.released_at is null
  order by m.path for update;  -- all of them first: accounts are locked after the ledger
  perform private.release_media_objects(array_agg(m.path), was_public)
  from (select e.id, e.first_published_at is not null as was_public from gone e) e
  join private.media_objects m on m.place = e.id and m.released_at is null
  group by was_public;
  return null;
end $function$;

create or replace function private.release_media_of_podcasts()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.release_media_objects(array_agg(m.path order by m.path), true)
  from gone p join private.media_objects m on m.podcast_id = p.id and m.released_at is null
  having count(*) > 0;
  return null;
end $function$;

create or replace function private.release_temporaries_of_profile()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform from public.billing_accounts a where a.user_id = old.id for update;  -- no import finishes any more
  perform private.release_media_objects(array_agg(m.path), false)
  from private.media_objects m where m.account_id = old.id and m.purpose = 'temporary' and m.released_at is null
  having count(*) > 0;
  return old;
end $function$;

create or replace function private.relink_user_to_guests()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.lock_guest_emails(old.email, new.email);
  update public.podcast_guests g set user_id = null where g.user_id = new.id and g.email is distinct from new.email;
  update public.podcast_guests g set user_id = p.id from public.profiles p
  where p.id = new.id and g.email = new.email and not new.is_sso_user;
  return null;
end $function$;

create or replace function private.remove_episode_guest (
  episode_guest_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest  public.episode_guests;
  credit public.episode_credits;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.episode_guests g where g.id = remove_episode_guest.episode_guest_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found on any episode';
  end if;
  perform private.require_role(guest.podcast_id, 'admin');
  update public.episode_guests g set status = 'removed' where g.id = guest.id returning * into guest;
  select c.* into credit from public.episode_people p join public.episode_credits c on c.id = p.credit_id
  where p.guest_id = guest.id;
  return jsonb_strip_nulls(jsonb_build_object('warning', case when credit.id is not null then
      format('%s is still credited as %s; remove the credit to take the name out of the feed', credit.name, credit.role_label) end))
    || jsonb_build_object('data', private.guest_invitation_json(guest));
end $function$;

create or replace function private.remove_episode_person (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  show_id uuid := private.lock_roster_for_edit(remove_episode_person.episode_id);
  person  public.episode_people := private.require_roster_person(remove_episode_person.episode_id, remove_episode_person.person_id);
begin
  delete from public.episode_credits c where c.id = person.credit_id;
  delete from public.episode_people p where p.id = person.id;
  if person.source_type = 'guest' then
    insert into private.roster_removals (episode_guest_id)
    select g.id from public.episode_guests g where g.id = person.guest_id and g.status = 'active'
    on conflict do nothing;
  elsif person.source_type = 'team' then
    begin
      perform private.enqueue_attendee_change('removed', show_id, person.episode_id, person.user_id);
    exception when others then  -- best effort
      raise log 'castbase: the calendar of % was not told of a removal: % (%)', person.episode_id, sqlerrm, sqlstate;
    end;
  end if;
  return jsonb_build_object('id', person.id, 'name', person.name);
end $function$;

create or replace function private.remove_episode_person_credit (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  perform private.lock_roster_for_edit(remove_episode_person_credit.episode_id);
  person := private.require_roster_person(remove_episode_person_credit.episode_id, remove_episode_person_credit.person_id);
  delete from public.episode_credits c where c.id = person.credit_id;  -- which unlinks it
  if not found then
    raise sqlstate 'PT422' using message = 'This person is not credited', hint = 'NOT_CREDITED';
  end if;
  return jsonb_build_object('personId', person.id, 'name', person.name);
end $function$;

create or replace function private.remove_guest_from_roster()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  perform private.lock_roster(new.episode_id);
  delete from public.episode_people p where p.guest_id = new.id and p.is_active returning * into person;  -- inactive is an admin's word
  delete from public.episode_credits c where c.id = person.credit_id;
  return null;
end $function$;

create or replace function private.renumber_credits()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.episode_credits c set display_order = ordered.position
  from (
    select k.id, row_number() over (partition by k.episode_id order by k.display_order) - 1 as position
    from public.episode_credits k where k.episode_id in (select d.episode_id from deleted_rows d)
  ) ordered
  where c.id = ordered.id and c.display_order <> ordered.position;
  return null;
end $function$;

create or replace function private.reopen_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import  public.podcast_imports := private.held_import(reopen_import.import_id);
  refusal jsonb;
begin
  perform private.refuse_migration(import);
  if import.status <> 'canceled' then
    perform private.refuse_import_state(import, 'only a canceled one is resumed');
  elsif import.staged_at is null then
    perform private.refuse_import_state(import, 'its feed was not read to the end, so start a new one');
  end if;
  if import.started_at is not null then
    refusal := private.run_import(import, again => '{skipped_canceled}');
  else
    perform private.require_no_other_import(import);
    begin
      update public.podcast_imports i set
        status = case when i.verification_method is null then 'preview' else 'verification_required' end::public.import_status
      where i.id = import.id;
    exception when unique_violation then
      perform private.require_no_other_import(import);  -- it came in between
      raise;
    end;
  end if;
  return coalesce(refusal, jsonb_build_object('status', (select i.status from public.podcast_imports i where i.id = import.id)));
end $function$;

create or replace function private.reopen_invitation_of_removed_guest()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if exists (select from private.roster_removals r where r.episode_guest_id = new.id) then
    new.status := 'invited';
    new.invited_at := now();
  end if;
  return new;
end $function$;

create or replace function private.reorder_episode_credits (
  episode_id uuid,
  credit_ids uuid[]
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  present uuid[];
begin
  perform private.lock_roster_for_edit(reorder_episode_credits.episode_id);
  if coalesce(cardinality(credit_ids), 0) = 0 then
    raise sqlstate 'PT400' using message = 'creditIds is empty', hint = 'EMPTY_CREDIT_LIST';
  elsif cardinality(credit_ids) <> (select count(distinct id) from unnest(credit_ids) id) then
    raise sqlstate 'PT400' using message = 'creditIds names a credit twice', hint = 'DUPLICATE_CREDIT';
  end if;
  present := array(select c.id from public.episode_credits c where c.episode_id = reorder_episode_credits.episode_id);
  if not credit_ids <@ present then
    raise sqlstate 'PT400' using message = 'creditIds names a credit that is not of this episode', hint = 'UNKNOWN_CREDIT';
  elsif cardinality(credit_ids) <> cardinality(present) then
    raise sqlstate 'PT400' using message = 'creditIds must name every credit of the episode', hint = 'INCOMPLETE_CREDIT_LIST';
  end if;
  update public.episode_credits c set display_order = wanted.place - 1
  from unnest(credit_ids) with ordinality wanted (id, place)
  where c.id = wanted.id;
  return jsonb_build_object('episodeId', reorder_episode_credits.episode_id, 'order', to_jsonb(credit_ids));
end $function$;

create or replace function private.request_ownership_code (
  import_id uuid,
  at        timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  held public.podcast_imports := private.held_import(request_ownership_code.import_id);
begin
  if (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.refuse_import_state(held, 'no code is asked for');
  end if;
  perform private.consume_rate_limit('import-code/' || held.id || '/hour', 5, interval '1 hour', request_ownership_code.at);
  perform private.consume_rate_limit('import-code/' || held.id, 1, interval '1 minute', request_ownership_code.at);
  perform private.ask_owner(held.id, o.owner_email, request_ownership_code.at) from private.import_owners o where o.import_id = held.id;
  return jsonb_build_object('status', held.status, 'method', held.verification_method, 'ownerEmail', held.locked_owner_email);
end $function$;

create or replace function private.requeue_job (
  queue         text,
  msg_id        bigint,
  delay_seconds integer                  default 0,
  attempt       integer                  default null::integer,
  at            timestamp with time zone default clock_timestamp()
)
  returns bigint
  language plpgsql
  set search_path to ''
  AS $function$
declare
  job record;
begin
  select * into job from private.lock_job(requeue_job.queue, requeue_job.msg_id, requeue_job.attempt);
  if not found then
    return null;
  end if;
  perform private.acknowledge_jobs(queue, array[requeue_job.msg_id]);
  return private.enqueue(queue, job.message, delay_seconds, requeue_job.at);
end $function$;

create or replace function private.require_allowance (
  podcast_id uuid,
  episode_id uuid,
  purpose    text,
  bytes      bigint,
  staged     bigint default null::bigint
)
  returns void
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  account record;
  freed   bigint;
begin
  if purpose <> 'temporary' then
    perform private.require_role(require_allowance.podcast_id, 'admin');
  end if;
  select a.user_id, a.storage_bytes_used as used, private.allowed_bytes(a.user_id) as allowed into account
  from public.billing_accounts a
  where a.user_id = case when purpose = 'temporary' then auth.uid()
    else (select p.owner_id from public.podcasts p where p.id = require_allowance.podcast_id) end;
  staged := coalesce(staged, private.account_staged_bytes(account.user_id));
  select coalesce(sum(m.bytes), 0) into freed from private.media_objects m
  where m.place = coalesce(require_allowance.episode_id, require_allowance.podcast_id)
    and m.purpose = require_allowance.purpose and m.released_at is null;
  if account.used + staged - freed + require_allowance.bytes > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used + staged, 'bytes_allowed', account.allowed, 'bytes_wanted', require_allowance.bytes)::text;
  end if;
end $function$;

create or replace function private.require_announced (
  filename  text,
  file_size bigint
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if coalesce(filename, '') = '' or coalesce(file_size, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'filename and file_size (bytes, above 0) are required';
  end if;
  if file_size > 524288000 then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = '{"maxBytes": 524288000}';
  end if;
end $function$;

create or replace function private.require_audio_target (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if require_audio_target.content_type is null or require_audio_target.content_type <> all (private.audio_types()) then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = 'Accepted: ' || array_to_string(private.audio_types(), ', ');
  end if;
  perform private.require_role(require_audio_target.podcast_id, 'admin');
  perform from public.episodes e where e.id = require_audio_target.episode_id and e.podcast_id = require_audio_target.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
  end if;
  perform private.require_writable_podcast(require_audio_target.podcast_id);
end $function$;

create or replace function private.require_credit_role_label (
  label text
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if not private.is_credit_role_label(label) then
    raise sqlstate 'PT400' using message = 'Unknown credit role label', hint = 'INVALID_ROLE_LABEL',
      detail = 'roleLabel: one of ' || array_to_string(enum_range(null::public.credit_role_label), ', ');
  end if;
end $function$;

create or replace function private.require_episode_role (
  episode_id uuid,
  role       public.podcast_role
)
  returns uuid
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  podcast_id uuid;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select e.podcast_id into podcast_id from public.episodes e where e.id = require_episode_role.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform private.require_role(podcast_id, require_episode_role.role);
  return podcast_id;
end $function$;

create or replace function private.require_finishable (
  actor      uuid,
  podcast_id uuid,
  episode_id uuid,
  path       text,
  bytes      bigint
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_finishing_object(require_finishable.path);
  if require_finishable.episode_id is null then
    perform from public.podcasts p where p.id = require_finishable.podcast_id for no key update;
    if not found then
      raise sqlstate 'PT404' using message = 'The podcast is gone';
    end if;
  else
    perform from public.podcasts p where p.id = require_finishable.podcast_id for share;
    perform from public.episodes e
    where e.id = require_finishable.episode_id and e.podcast_id = require_finishable.podcast_id for update;
    if not found then
      raise sqlstate 'PT404' using message = 'The episode is gone';
    end if;
  end if;
  perform private.require_writable_podcast(require_finishable.podcast_id);
  perform from public.podcast_members m
  where m.podcast_id = require_finishable.podcast_id and m.user_id = require_finishable.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  perform private.require_measured(require_finishable.path, require_finishable.bytes);
end $function$;

create or replace function private.require_guest_role (
  guest_id uuid,
  role     public.podcast_role
)
  returns public.podcast_guests
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  guest public.podcast_guests;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.podcast_guests g where g.id = require_guest_role.guest_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found';
  end if;
  perform private.require_role(guest.podcast_id, require_guest_role.role);
  return guest;
end $function$;

create or replace function private.require_image (
  type         private.image_types,
  content_type text,
  bytes        bigint,
  image        jsonb,
  tolerance    numeric
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  width  bigint := (image ->> 'width')::bigint;
  height bigint := (image ->> 'height')::bigint;
begin
  perform private.require_image_format(type, require_image.content_type);
  if bytes > type.max_bytes then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', type.max_bytes)::text;
  end if;
  if coalesce(bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if image ->> 'type' is distinct from require_image.content_type then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Declared as %s, but the bytes are %s', require_image.content_type,
        coalesce(image ->> 'type', 'no JPEG, PNG or WebP image'));
  end if;
  if (width >= type.min_width and height >= type.min_height) is not true then
    raise sqlstate 'PT400' using message = 'Image dimensions too small', hint = 'DIMENSIONS_TOO_SMALL',
      detail = format('%s x %s pixels; a %s needs at least %s x %s', width, height, type.name, type.min_width, type.min_height);
  end if;
  if abs(width - type.ratio * height) > tolerance * type.ratio * height then
    raise sqlstate 'PT400' using message = 'Invalid aspect ratio', hint = 'INVALID_ASPECT_RATIO',
      detail = format('%s x %s pixels; a %s needs a ratio of %s:1, give or take %s %%', width, height, type.name,
        trim_scale(type.ratio), trim_scale(tolerance * 100));
  end if;
end $function$;

create or replace function private.require_image_format (
  type         private.image_types,
  content_type text
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if require_image_format.content_type = any (type.formats) is not true then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Accepted for %s: %s', type.name, array_to_string(type.formats, ', '));
  end if;
end $function$;

create or replace function private.require_image_target (
  podcast_id uuid,
  image_type text,
  episode_id uuid
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  perform private.require_role(require_image_target.podcast_id, 'admin');
  if require_image_target.image_type = 'episode_cover' then
    perform from public.episodes e where e.id = require_image_target.episode_id and e.podcast_id = require_image_target.podcast_id;
    if not found then
      raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
    end if;
  end if;
  perform private.require_writable_podcast(require_image_target.podcast_id);
end $function$;

create or replace function private.require_import_queue()
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if (select count(*) from private.queues q join pgmq.meta m on m.queue_name = q.name where q.name in ('import_feeds', 'import_items')) < 2 then
    raise sqlstate 'PT500' using message = 'Import queue is not configured';
  end if;
end $function$;

create or replace function private.require_import_role (
  import_id uuid
)
  returns public.podcast_imports
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  found_import public.podcast_imports;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into found_import from public.podcast_imports i where i.id = require_import_role.import_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_role(found_import.podcast_id, 'admin');
  return found_import;
end $function$;

create or replace function private.require_importable (
  image_type text
)
  returns private.image_types
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type private.image_types := private.image_type(require_importable.image_type);
begin
  if not type.imported then
    raise sqlstate 'PT400' using message = 'Invalid image type', detail = format('%s images are uploaded, not imported', type.name);
  end if;
  return type;
end $function$;

create or replace function private.require_measured (
  path  text,
  bytes bigint
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if private.stored_size(path) = require_measured.bytes is not true then
    raise sqlstate 'PT500' using message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
end $function$;

create or replace function private.require_no_other_import (
  import public.podcast_imports
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  other uuid;
begin
  select i.id into other from public.podcast_imports i
  where i.podcast_id = import.podcast_id and i.id <> import.id and i.status in ('verification_required', 'preview', 'pending', 'running');
  if found then
    raise sqlstate 'PT409' using message = 'An import into this podcast is in flight', hint = 'IMPORT_IN_FLIGHT',
      detail = jsonb_build_object('importId', other)::text;
  end if;
end $function$;

create or replace function private.require_not_declined (
  guest public.episode_guests
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if guest.status = 'declined' then
    raise sqlstate 'PT403' using message = 'You have declined; accept the invitation to take part in the chat', hint = 'INVITATION_DECLINED';
  end if;
end $function$;

create or replace function private.require_own_image (
  column_name text,
  url         text,
  folder      text,
  copy_with   text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  path text := private.own_object_path(url);
begin
  if path is null or not private.is_http_url(url)  -- the check of the column rejects it
     or path ~ ('^' || folder || '[A-Za-z0-9_-]+\.(jpg|png|webp)$') then
    return;
  end if;
  raise sqlstate 'PT400' using
    message = format('%s cannot use an object that is stored for something else; copy it first', column_name), hint = 'IMAGE_NOT_OWN',
    detail = case when starts_with(path, 'imports/') and copy_with like '%artwork%'
      then format('POST /api/media/move-artwork copies %s and sets the column', path) else copy_with end;
end $function$;

create or replace function private.require_pending_invitation (
  invitation public.podcast_invitations
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if invitation.status in ('accepted', 'declined') then
    raise sqlstate 'PT409' using message = format('The invitation was already %s', invitation.status), hint = 'INVITATION_ANSWERED';
  elsif invitation.status = 'withdrawn' then
    raise sqlstate 'PT409' using message = 'The invitation was withdrawn; ask the team for a new one', hint = 'INVITATION_WITHDRAWN';
  elsif invitation.status = 'expired' then
    raise sqlstate 'PT409' using message = 'The invitation has expired; ask the team for a new one', hint = 'INVITATION_EXPIRED';
  end if;
end $function$;

create or replace function private.require_reader (
  msg_id  bigint,
  attempt integer
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_job('import_feeds', require_reader.msg_id, require_reader.attempt);
  if not found then
    raise sqlstate 'PT409' using message = 'Another process reads this feed', hint = 'IMPORT_STATE';
  end if;
end $function$;

create or replace function private.require_role (
  podcast_id uuid,
  role       public.podcast_role
)
  returns void
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  held public.podcast_role;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  perform from public.podcasts p where p.id = require_role.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select m.role into held from public.podcast_members m
  where m.podcast_id = require_role.podcast_id and m.user_id = auth.uid();
  if held is null or held < require_role.role then
    raise sqlstate 'PT403' using message = case require_role.role
      when 'member' then 'You are not a member of this podcast'
      when 'admin' then 'This needs an admin or the owner of the podcast'
      else 'This needs the owner of the podcast' end;
  end if;
end $function$;

create or replace function private.require_roster_person (
  episode_id uuid,
  person_id  uuid
)
  returns public.episode_people
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  select * into person from public.episode_people p
  where p.id = require_roster_person.person_id and p.episode_id = require_roster_person.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person is not on the episode''s roster';
  end if;
  return person;
end $function$;

create or replace function private.require_upload_size (
  bytes bigint
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if bytes > private.setting('audio_upload_cap_bytes')::bigint then
    raise sqlstate 'PT413' using message = 'The audio is larger than the upload limit', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', private.setting('audio_upload_cap_bytes')::bigint)::text;
  end if;
end $function$;

create or replace function private.require_uploadable (
  image_type text
)
  returns private.image_types
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type private.image_types := private.image_type(require_uploadable.image_type);
begin
  if not type.uploaded then
    raise sqlstate 'PT400' using message = 'Invalid image type', detail = format('%s images are imported, not uploaded', type.name);
  end if;
  return type;
end $function$;

create or replace function private.require_writable_podcast (
  podcast_id uuid
)
  returns void
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  status public.podcast_status;
begin
  select p.status into status from public.podcasts p where p.id = require_writable_podcast.podcast_id;
  if status in ('pending_deletion', 'deleted') then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
  end if;
end $function$;

create or replace function private.resend_podcast_invitation (
  invitation_id uuid,
  at            timestamp with time zone default now()
)
  returns public.podcast_invitations
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  perform private.consume_plan_rate_limit('podcast_invitations', resend_podcast_invitation.at);
  invitation := private.lock_team_invitation(resend_podcast_invitation.invitation_id);
  update public.podcast_invitations i set invited_by = auth.uid(),
    expires_at = resend_podcast_invitation.at + make_interval(days => private.setting('podcast_invitation_ttl_days')::int)
  where i.id = invitation.id returning * into invitation;
  perform private.queue_podcast_invitation_email(invitation, resend_podcast_invitation.at);
  return invitation;
end $function$;

create or replace function private.reset_show_notes()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  source text := private.show_notes_source(new.show_notes_html, new.description, new.summary);
begin
  if tg_op = 'INSERT' or source is distinct from private.show_notes_source(old.show_notes_html, old.description, old.summary) then
    new.show_notes_safe_html := null;
    new.show_notes_version := case when source is not null then 0 end;
  end if;
  return new;
end $function$;

create or replace function private.respond_to_guest_invitation (
  access_token text,
  response     public.episode_guest_status,
  at           timestamp with time zone
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  guest public.episode_guests := private.authenticate_guest(
    respond_to_guest_invitation.access_token, respond_to_guest_invitation.at, for_write => true);
begin
  perform private.consume_rate_limit('guest_answer:' || guest.id, 30, interval '1 hour', respond_to_guest_invitation.at);
  update public.episode_guests g set status = respond_to_guest_invitation.response
  where g.id = guest.id returning * into guest;
  -- Accepting resets the number of emails; after declining, the guest gets at most one more for the episode.
  update private.guest_invitations i set email_count = case respond_to_guest_invitation.response when 'active' then 0
    else greatest(i.email_count, private.setting('max_guest_invitation_emails_per_episode')::int - 1) end
  where i.episode_guest_id = guest.id;
  return private.guest_invitation_json(guest);
end $function$;

create or replace function private.revoke_default_privileges()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  function_name regprocedure;
begin
  alter default privileges for role postgres revoke execute on functions from public;
  alter default privileges for role postgres in schema public
    revoke all on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on functions from anon, authenticated, service_role;

  for function_name in
    select p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and exists (
        select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0
      )
      and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('revoke all on function %s from public', function_name);
  end loop;
end $function$;

create or replace function private.revoke_guest_token()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update private.guest_invitations i set
    token_hash = null, expires_at = null, pending_token_hash = null, pending_expires_at = null, message = null,
    sent_at = coalesce(i.sent_at, now())  -- a worker that is about to send gets no token
  where i.episode_guest_id = new.id;
  return null;
end $function$;

create or replace function private.role_label_for_member (
  role public.podcast_role
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case role when 'owner' then 'Host' when 'admin' then 'Producer' else 'Co-host' end;
end $function$;

create or replace function private.run_failed (
  import_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import  public.podcast_imports := private.held_import(run_failed.import_id);
  again   public.import_item_status[] := '{failed}';
  count   bigint;
  refusal jsonb;
begin
  perform private.refuse_migration(import);
  if import.status = 'canceled' then
    if import.started_at is null then
      perform private.refuse_import_state(import, 'it was never confirmed, so resume it first');
    end if;
    again := '{failed,skipped_canceled}';
  elsif import.status not in ('partial', 'failed') or import.staged_at is null then
    perform private.refuse_import_state(import, 'nothing of it can be tried again');
  end if;
  select count(*) into count from public.podcast_import_items i
  where i.import_id = import.id and (i.status = any (again) or i.status = 'pending' or i.id in (select private.stranded_items(import.id)));
  refusal := private.run_import(import, again);
  return coalesce(refusal, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id), 'retriedCount', count));
end $function$;

create or replace function private.run_failed_item (
  import_id uuid,
  item_id   uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import  public.podcast_imports := private.held_import(run_failed_item.import_id);
  item    public.podcast_import_items;
  refusal jsonb;
begin
  perform private.refuse_migration(import);
  select * into item from public.podcast_import_items i
  where i.id = run_failed_item.item_id and i.import_id = import.id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'This item is not one of the import''s';
  elsif import.status not in ('partial', 'failed', 'running') then
    perform private.refuse_import_state(import, 'no item of it can be tried again');
  elsif item.status <> 'failed' then
    raise sqlstate 'PT409' using message = format('The item is %s; only one that failed is tried again', replace(item.status::text, '_', ' ')),
      hint = 'ITEM_NOT_FAILED';
  end if;
  refusal := private.run_import(import, '{failed}', item.id);
  return coalesce(refusal, jsonb_build_object('importId', import.id, 'itemId', item.id, 'status', 'pending'));
end $function$;

create or replace function private.run_import (
  import       public.podcast_imports,
  again        public.import_item_status[] default '{}'::public.import_item_status[],
  item_id      uuid                        default null::uuid,
  with_numbers boolean                     default false
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.require_import_queue();
  perform private.require_no_other_import(import);
  begin
    update public.podcast_import_items i set status = 'pending', error_message = null, error_code = null, next_attempt_at = null
    where i.import_id = import.id and i.id = coalesce(run_import.item_id, i.id)
      and (i.status = any (again) or i.id in (select private.stranded_items(import.id)));
    if with_numbers then
      perform private.write_detected_numbers(import);
    end if;
    update public.podcast_imports i set status = 'running', apply_detected_numbers = case i.status when 'preview' then with_numbers else i.apply_detected_numbers end
    where i.id = import.id;
    perform private.dispatch_import(import.id, run_import.item_id);
  exception
    when serialization_failure or deadlock_detected then
      raise;  -- lost a race: the whole is tried again
    when unique_violation then
      perform private.require_no_other_import(import);  -- it came in between
      raise;
    when query_canceled or others then  -- the first is a statement's time that is up, which `others` leaves out
      if sqlstate like 'PT4%' then
        raise;  -- a rule said no
      end if;
      raise log 'castbase: import % was not dispatched: % (%)', import.id, sqlerrm, sqlstate;
      return private.error_response(500, 'The episodes could not be queued; nothing was started', 'DISPATCH_FAILED');
  end;
  return null;
end $function$;

create or replace function private.run_previewed (
  import_id    uuid,
  with_numbers boolean,
  most         integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import   public.podcast_imports := private.held_import(run_previewed.import_id);
  selected bigint;
  held     bigint;
  refusal  jsonb;
begin
  perform private.refuse_migration(import);
  if import.status <> 'preview' then
    raise sqlstate 'PT400' using message = format('Only an import in preview is confirmed; this one is %s', replace(import.status::text, '_', ' ')),
      hint = 'NOT_IN_PREVIEW';
  elsif with_numbers and import.detection ->> 'pattern' is null then
    raise sqlstate 'PT400' using message = 'No pattern of episode numbers was detected, so there are none to apply', hint = 'INVALID_SELECTION';
  elsif most < 0 then
    raise sqlstate 'PT400' using message = 'limit must be a whole number from 0, or null for all';
  end if;
  perform private.require_import_queue();
  if most is not null then  -- null as an offset would skip none
    update public.podcast_import_items i set status = 'skipped_user_limit'
    where i.id in (
      select h.id from public.podcast_import_items h where h.import_id = import.id and h.status = 'pending'
      order by h.published_at desc nulls last, h.position offset most);
  end if;
  select count(*) filter (where i.status = 'pending'), count(*) filter (where i.status = 'skipped_user_limit') into selected, held
  from public.podcast_import_items i where i.import_id = import.id;
  refusal := private.run_import(import, with_numbers => with_numbers);
  return coalesce(refusal, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id), 'selectedCount', selected, 'heldCount', held));
end $function$;

create or replace function private.save_import_transfer (
  import_item_id uuid,
  path           text,
  content_type   text,
  upload_url     text,
  received       bigint,
  total          bigint,
  source_etag    text,
  msg_id         bigint  default null::bigint,
  attempt        integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from public.podcast_import_items i where i.id = save_import_transfer.import_item_id and i.status = 'processing' for key share;
  if not found or private.is_superseded(save_import_transfer.import_item_id, save_import_transfer.msg_id, save_import_transfer.attempt) then
    return false;
  end if;
  insert into private.import_transfers as t (import_item_id, path, content_type, upload_url, received, furthest, total, source_etag)
  values (save_import_transfer.import_item_id, save_import_transfer.path, save_import_transfer.content_type,
    save_import_transfer.upload_url, save_import_transfer.received, save_import_transfer.received, save_import_transfer.total,
    save_import_transfer.source_etag)
  on conflict on constraint import_transfers_pkey do update set path = excluded.path, content_type = excluded.content_type,
    upload_url = excluded.upload_url, received = excluded.received, furthest = greatest(t.furthest, excluded.received),
    total = excluded.total, source_etag = excluded.source_etag, updated_at = now();
  return true;
end $function$;

create or replace function private.set_episode_person_credit (
  episode_id uuid,
  person_id  uuid,
  changes    jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person      public.episode_people;
  credit      public.episode_credits;
  said_name   text;
  said_avatar text;
  said_url    text;
begin
  perform private.lock_roster_for_edit(set_episode_person_credit.episode_id);
  person := private.require_roster_person(set_episode_person_credit.episode_id, set_episode_person_credit.person_id);
  perform private.validate_changes(changes, '{"name": ["string"], "roleLabel": ["string"], "avatarUrl": ["string", "null"],
    "externalUrl": ["string", "null"]}', min_keys => 0);
  perform private.require_credit_role_label(changes ->> 'roleLabel');
  if not person.is_active then
    raise sqlstate 'PT422' using message = 'Someone who is not active on the roster cannot be credited', hint = 'PERSON_INACTIVE';
  end if;
  said_name := coalesce(changes ->> 'name', person.name);
  said_avatar := case when changes ? 'avatarUrl' then changes ->> 'avatarUrl' else person.avatar_url end;
  said_url := case when changes ? 'externalUrl' then changes ->> 'externalUrl' else person.external_url end;
  if person.credit_id is null then
    credit := private.append_credit(
      person, said_name, coalesce((changes ->> 'roleLabel')::public.credit_role_label, private.default_credit_role_label(person)), said_avatar, said_url);
    perform set_config('response.status', '201', true);
  else
    update public.episode_credits c set name = said_name, avatar_url = said_avatar, external_url = said_url,
      role_label = coalesce((changes ->> 'roleLabel')::public.credit_role_label, c.role_label)  -- a choice stays until the next
    where c.id = person.credit_id returning * into credit;
  end if;
  return jsonb_build_object('personId', person.id, 'credit', private.credit_json(credit));
end $function$;

create or replace function private.set_image_column (
  podcast_id uuid,
  image_type text,
  url        text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  case image_type
    when 'cover' then update public.podcasts p set cover_image_url = url where p.id = podcast_id;
    when 'header' then update public.podcasts p set header_image_url = url where p.id = podcast_id;
    when 'banner' then update public.podcasts p set banner_image_url = url where p.id = podcast_id;
    when 'profile' then update public.podcasts p set profile_image_url = url where p.id = podcast_id;
  end case;
end $function$;

create or replace function private.set_setting (
  key   text,
  value text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update private.settings s set value = set_setting.value where s.key = set_setting.key;
  if not found then
    raise sqlstate 'PT404' using message = format('Unknown setting %L', set_setting.key);
  end if;
end $function$;

create or replace function private.setting (
  key text
)
  returns text
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  found_value text;
  reference   text;
begin
  select coalesce(s.value, s.default_value) into found_value from private.settings s where s.key = setting.key;
  if found_value is null then
    raise sqlstate 'PT500' using message = format('Setting %L is not set', setting.key), hint = 'MISSING_SETTING';
  end if;
  loop
    reference := substring(found_value from '\{([a-z_]+)\}');
    exit when reference is null;
    found_value := replace(found_value, '{' || reference || '}', private.setting(reference));
  end loop;
  return found_value;
end $function$;

create or replace function private.listen_url (
  podcast_slug text,
  episode_slug text default null::text,
  base         text default private.setting('listen_url'::text)
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return base || '/' || private.encode_path_segment(podcast_slug) || coalesce('/' || private.encode_path_segment(episode_slug), '');
end $function$;

create or replace function private.show_notes_source (
  show_notes_html text,
  description     text,
  summary         text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- the feed's description tag carries neither HTML nor more than 4,000 bytes, nor the description beside a summary
  return case
    when private.has_content(show_notes_html) then show_notes_html
    when private.has_content(description)
      and (private.has_markup(description) or octet_length(description) > 4000 or private.has_content(summary)) then description
    when private.has_content(summary) and (private.has_markup(summary) or octet_length(summary) > 4000) then summary
  end;
end $function$;

create or replace function private.show_notes_version()
  returns integer
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return 1;
end $function$;

create or replace function private.skip_import_item (
  import_item_id uuid,
  status         public.import_item_status default 'skipped_oversize'::public.import_item_status,
  reason         text                      default null::text,
  msg_id         bigint                    default null::bigint,
  attempt        integer                   default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item public.podcast_import_items := private.hold_import_item(skip_import_item.import_item_id);
begin
  return not private.is_superseded(item.id, skip_import_item.msg_id, skip_import_item.attempt)
    and private.end_import_item(item, skip_import_item.status, skip_import_item.reason);
end $function$;

create or replace function private.skip_invited_user()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from public.podcast_invitations i where i.email = new.email and i.status = 'pending' and i.expires_at > new.at;
  return case when not found then new end;
end $function$;

create or replace function private.skip_waiting_items (
  import_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- A claim changes read_ct or vt: a message that a worker has by now stays, and the worker acknowledges it. Messages that
  -- another transaction is settling are skipped, because that one waits for the import's row.
  delete from pgmq.q_import_items d where d.msg_id in (
    select q.msg_id
    from public.podcast_import_items i
    join private.import_messages m on m.import_item_id = i.id
    join pgmq.q_import_items q on q.msg_id = m.msg_id
    where i.import_id = skip_waiting_items.import_id and i.status = 'pending' and (q.read_ct = 0 or q.vt = i.next_attempt_at)
    for update of q skip locked);
  update public.podcast_import_items i set
    status = 'skipped_canceled', error_message = 'The import was canceled', error_code = null, next_attempt_at = null
  where i.import_id = skip_waiting_items.import_id and i.status = 'pending';
end $function$;

create or replace function private.slugify (
  title    text,
  fallback text
)
  returns text
  language plpgsql
  stable
  parallel safe
  set search_path to ''
  AS $function$
declare
  slug text;
begin
  -- Keeps letters and digits of any script with their marks; all else separates words. The collation makes the result
  -- independent of the database's locale; the ranges are viramas, which Unicode counts as marks only.
  slug := lower(normalize(extensions.unaccent(normalize(left(title, 300), NFKC)), NFC) collate pg_c_utf8);
  slug := regexp_replace(slug, '[''’ʼ\u200b-\u200d\u2060]', '', 'g');
  slug := regexp_replace(slug collate pg_c_utf8,
    '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0f71-\u0f84\u1037-\u103a\u17c9-\u17d3]+',
    '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return case when slug collate pg_c_utf8 ~ '[[:alnum:]]' then slug else fallback end;
end $function$;

create or replace function private.spare_invited_guest()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform from public.podcast_guests g join public.episode_guests e on e.podcast_guest_id = g.id
  where g.email = new.email and e.status = 'invited'
    and e.invited_at > new.at - make_interval(days => private.setting('guest_token_ttl_days')::int);
  return case when not found then new end;
end $function$;

create or replace function private.stage_import_items (
  import_id uuid,
  items     jsonb,
  msg_id    bigint  default null::bigint,
  attempt   integer default null::integer
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  held   public.podcast_imports := private.hold_staging(stage_import_items.import_id, stage_import_items.msg_id, stage_import_items.attempt);
  staged int;
begin
  with feed as materialized (
    select (item ->> 'position')::int as position, item ->> 'guid' as guid, item ->> 'title' as title,
      (item ->> 'pubDate')::timestamptz as published_at, coalesce(item -> 'warnings', '[]') as warnings,
      item - '{guid,position,warnings,description,content,summary}'::text[]
        || jsonb_build_object('episodeNumber', item -> 'episode', 'seasonNumber', item -> 'season') as payload,
      item ->> 'description' as description, item ->> 'content' as content, item ->> 'summary' as summary,
      case when private.is_guid_too_long(item ->> 'guid') then 'GUID_TOO_LONG' end as error_code
    from jsonb_array_elements(stage_import_items.items) item
  ), written as (
    insert into public.podcast_import_items as i
      (import_id, podcast_id, position, guid, title, published_at, parsed_payload, warnings, status, error_message, error_code)
    select held.id, held.podcast_id, f.position, f.guid, f.title, f.published_at, f.payload, f.warnings,
      case when f.error_code is null then 'pending' else 'failed' end::public.import_item_status,
      case when f.error_code is not null then 'The episode''s GUID is longer than the 1,000 characters that an episode can have' end, f.error_code
    from feed f
    on conflict (import_id, md5(guid)) do update set
      position = excluded.position, title = excluded.title, published_at = excluded.published_at,
      parsed_payload = excluded.parsed_payload, warnings = excluded.warnings
    returning i.id, i.guid
  )
  insert into public.podcast_import_texts (import_item_id, podcast_id, description, content, summary)
  select w.id, held.podcast_id, f.description, f.content, f.summary from written w join feed f on f.guid = w.guid
  on conflict (import_item_id) do update set description = excluded.description, content = excluded.content, summary = excluded.summary;
  get diagnostics staged = row_count;
  update public.podcast_imports i set updated_at = now() where i.id = held.id;  -- somebody is at it
  return staged;
end $function$;

create or replace function private.staged_bytes (
  podcast_id uuid
)
  returns bigint
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(sum((o.metadata ->> 'size')::bigint), 0)::bigint
  from storage.objects o
  where o.bucket_id = 'staging' and o.name collate "C" >= 'uploads/' || $1 || '/' and o.name collate "C" < 'uploads/' || $1 || '0'
    and not exists (
      select from private.direct_uploads d
      where d.staged_path = o.name and d.completed_at >= o.created_at and d.refused_as is null)
$function$;

create or replace function private.start_direct_upload (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text,
  bytes        bigint
)
  returns private.direct_uploads
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  started  private.direct_uploads;
  replaced private.direct_uploads[];
  deleting numeric;
  file     uuid := gen_random_uuid();
  open     record;
begin
  perform private.require_role(start_direct_upload.podcast_id, 'admin');
  -- the count holds: the podcast stays its owner's, and the owner's uploads are opened one after another
  perform from public.podcasts p where p.id = start_direct_upload.podcast_id for no key update;
  perform pg_advisory_xact_lock(hashtextextended('direct_uploads/' || p.owner_id, 0))
  from public.podcasts p where p.id = start_direct_upload.podcast_id;
  -- a client that starts again replaces its open upload, so that the lost one does not count for a day
  replaced := array(
    select d from private.direct_uploads d
    where d.episode_id = start_direct_upload.episode_id and d.podcast_id = start_direct_upload.podcast_id
      and d.completed_at is null and coalesce(d.completing_until <= now(), true)
    order by d.id for update);
  perform private.end_direct_uploads(array(select r.id from unnest(replaced) r), 'CONCURRENT_REPLACEMENT');

  select count(*) as uploads, coalesce(sum(greatest(d.bytes, s.bytes)), 0) as bytes, coalesce(sum(s.bytes), 0) as staged into open
  from public.podcasts p join public.podcasts theirs on theirs.owner_id = p.owner_id
  join private.direct_uploads d on d.podcast_id = theirs.id
  cross join lateral (select private.stored_size(d.staged_path, 'staging') as bytes) s
  where p.id = start_direct_upload.podcast_id and d.completed_at is null;
  if open.uploads >= 100 then
    raise sqlstate 'PT429' using message = 'Too many uploads of this account are open; complete them, or wait a day', hint = 'TOO_MANY_UPLOADS';
  end if;
  -- an open upload counts as announced, or as staged if that is more; a replaced one is being deleted
  select coalesce(sum(private.stored_size(r.staged_path, 'staging')), 0) into deleting from unnest(replaced) r;
  perform private.require_allowance(start_direct_upload.podcast_id, start_direct_upload.episode_id, 'audio',
    (start_direct_upload.bytes + coalesce(open.bytes, 0))::bigint,
    (private.account_staged_bytes(p.owner_id) - coalesce(open.staged, 0) - deleting)::bigint)
  from public.podcasts p where p.id = start_direct_upload.podcast_id;
  insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, bytes, expected_audio_url)
  select e.podcast_id, e.id, format('uploads/%s/%s.%s', e.podcast_id, file, private.audio_extension(start_direct_upload.content_type)),
    private.audio_path(e.podcast_id, e.id, file, start_direct_upload.content_type), start_direct_upload.content_type,
    start_direct_upload.bytes, e.audio_url
  from public.episodes e where e.id = start_direct_upload.episode_id and e.podcast_id = start_direct_upload.podcast_id
  returning * into started;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode is gone';
  end if;
  return started;
end $function$;

create or replace function private.stop_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  import public.podcast_imports := private.held_import(stop_import.import_id);
begin
  if import.status not in ('verification_required', 'preview', 'pending', 'running') then
    perform private.refuse_import_state(import, 'there is nothing to cancel');
  end if;
  update public.podcast_imports i set status = 'canceled' where i.id = import.id;
  if import.status = 'running' then
    perform private.skip_waiting_items(import.id);
  end if;
  return jsonb_build_object('status', 'canceled');
end $function$;

create or replace function private.store_feed_items (
  podcast_id uuid,
  version    bigint,
  context    text,
  items      jsonb
)
  returns table (
    episode_id uuid,
    item       bigint
  )
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not private.lock_feed(store_feed_items.podcast_id, store_feed_items.version) then
    return;
  end if;
  return query
    with given as (
      select r.episode_id, r.rendered_from, r.crc32, r.bytes,
             decode(r.deflated, 'base64') as deflated, decode(r.digest, 'base64') as digest
      from jsonb_to_recordset(items) r (episode_id uuid, rendered_from timestamptz, deflated text, crc32 bigint, bytes int, digest text)
    ), same as (
      update private.feed_items i set rendered_from = g.rendered_from, context = store_feed_items.context
      from given g cross join lateral (
        select n.id, n.digest from private.feed_items n where n.episode_id = g.episode_id order by n.id desc limit 1) newest
      where i.id = newest.id and newest.digest = g.digest
      returning i.episode_id, i.id
    ), other as (
      insert into private.feed_items (podcast_id, episode_id, rendered_from, context, deflated, crc32, bytes, digest)
      select store_feed_items.podcast_id, g.episode_id, g.rendered_from, store_feed_items.context, g.deflated, g.crc32, g.bytes, g.digest
      from given g where g.episode_id not in (select s.episode_id from same s)
      returning feed_items.episode_id, feed_items.id
    )
    select s.episode_id, s.id from same s union all select o.episode_id, o.id from other o;
end $function$;

create or replace function private.store_show_notes (
  version      integer,
  notes        jsonb,
  renders_feed boolean default false
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  stored int;
begin
  perform set_config('castbase.renders_feed', case when renders_feed then 'yes' else '' end, true);
  with given as (
    select r.episode_id, r.html, r.digest from jsonb_to_recordset(notes) r (episode_id uuid, html text, digest text)
  ), locked as (
    select e.id from public.episodes e join given g on g.episode_id = e.id order by e.id for no key update of e
  )
  update public.episodes e set show_notes_safe_html = g.html, show_notes_version = store_show_notes.version
  from given g join locked l on l.id = g.episode_id
  where e.id = g.episode_id and e.show_notes_version < store_show_notes.version
    and md5(private.show_notes_source(e.show_notes_html, e.description, e.summary)) = g.digest;
  get diagnostics stored = row_count;
  perform set_config('castbase.renders_feed', '', true);
  return stored;
end $function$;

create or replace function private.stored_size (
  path   text,
  bucket text default 'media'::text
)
  returns bigint
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (select (o.metadata ->> 'size')::bigint from storage.objects o where o.bucket_id = stored_size.bucket and o.name = stored_size.path);
end $function$;

create or replace function private.stranded_items (
  import_id uuid
)
  returns SETOF uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return query select i.id from public.podcast_import_items i
  where i.import_id = stranded_items.import_id and i.status = 'processing'
    and not exists (select from pgmq.q_import_items q where q.message ->> 'import_item_id' = i.id::text);
end $function$;

create or replace function private.sweep_staging (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  unused  timestamptz := at - make_interval(hours => private.setting('temporary_hours')::int);
  orphans text[];
begin
  -- the row's lock and its end are one lease: a completion that holds the row is skipped, and later ones find it ended
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.created_at <= unused and d.completed_at is null and coalesce(d.completing_until <= at, true)
    order by d.created_at limit 10000 for update skip locked), 'EXPIRED');
  -- what a client puts into staging is checked here as well, because it may never ask to complete it
  perform private.end_direct_uploads(array(
    select d.id from private.direct_uploads d
    where d.completed_at is null and coalesce(d.completing_until <= at, true)
      and private.stored_size(d.staged_path, 'staging') > d.bytes
    order by d.id limit 10000 for update skip locked), 'LARGER_THAN_ANNOUNCED');
  delete from private.direct_uploads d where d.id in (
    select o.id from private.direct_uploads o
    where o.created_at <= unused and o.completed_at <= at - interval '1 hour'  -- later, its completion finds why it ended
    for update skip locked);

  orphans := array(  -- also what a signed URL put after its upload had ended, or its episode was deleted
    select o.name from storage.objects o
    where o.bucket_id = 'staging'
      and not exists (select from private.direct_uploads d where d.staged_path = o.name and d.completed_at is null)
      and o.name not in (  -- queued already
        select jsonb_array_elements_text(q.message -> 'paths') from pgmq.q_storage_gc q where q.message ->> 'bucket' = 'staging')
    order by o.name limit 10000);
  perform private.collect_objects(orphans, 'staging');
  return cardinality(orphans);
end $function$;

create or replace function private.sweep_storage (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  oldest    timestamptz := at - make_interval(hours => private.setting('orphan_guard_hours')::int);
  unused    timestamptz := at - make_interval(hours => private.setting('temporary_hours')::int);
  temporary text[];
  orphans   text[];
begin
  orphans := array(
    select o.name from storage.objects o
    left join private.media_objects m on m.path = o.name
    where o.bucket_id = 'media'
      and case when m.path is null then o.created_at < oldest and not private.is_named(o.name) else m.released_at < oldest end
    order by o.name limit 10000);
  perform private.collect_objects(orphans);
  delete from private.media_objects m
  where m.released_at < oldest and not exists (select from storage.objects o where o.bucket_id = 'media' and o.name = m.path);

  temporary := array(  -- last, for this locks accounts
    select m.path from private.media_objects m
    where m.purpose = 'temporary' and m.released_at is null and m.created_at < unused order by m.path limit 10000);
  perform private.release_media_objects(temporary, false);
  return cardinality(temporary) + cardinality(orphans);
end $function$;

create or replace function private.sync_owner_membership()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    update public.podcast_members m set role = 'admin' where m.podcast_id = new.id and m.user_id = old.owner_id;
  end if;
  insert into public.podcast_members (podcast_id, user_id, role) values (new.id, new.owner_id, 'owner')
  on conflict (podcast_id, user_id) do update set role = excluded.role;
  return null;
end $function$;

create or replace function private.take_collectable (
  bucket text,
  paths  text[]
)
  returns text[]
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if bucket <> 'media' then
    return array(
      select given.path from unnest(paths) given (path)
      where not exists (select from private.direct_uploads d where d.staged_path = given.path and d.completed_at is null));
  end if;
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is not null and not private.is_named(o.path) order by o.path for update);
  return array(
    select given.path from unnest(paths) given (path)
    where not exists (select from private.media_objects m where m.path = given.path) and not private.is_named(given.path));
end $function$;

create or replace function private.take_feed_guid()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('podcast-guid/' || new.feed_guid, 0));
  if not exists (select from public.podcasts p where p.podcast_guid = new.feed_guid)
     and not exists (select from public.episodes e where e.podcast_id = new.podcast_id and e.first_published_at is not null) then
    perform set_config('castbase.imported_guid', new.feed_guid::text, true);
    update public.podcasts p set podcast_guid = new.feed_guid where p.id = new.podcast_id;
    perform set_config('castbase.imported_guid', '', true);
  end if;
  return null;
end $function$;

create or replace function private.tidy_import_item()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  return new;
end $function$;

create or replace function private.tidy_podcast_import()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  if tg_op = 'UPDATE' then
    -- what ended has an end, and what goes on has none any more
    if new.status is distinct from old.status then
      new.finished_at := case when new.status in ('completed', 'partial', 'failed', 'canceled') then now() end;
    end if;
    if new.status = 'running' then
      new.started_at := coalesce(new.started_at, now());
    end if;
  end if;
  return new;
end $function$;

create or replace function private.try_rate_limit (
  key       text,
  max_count integer,
  period    interval,
  at        timestamp with time zone default now()
)
  returns timestamp with time zone
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  started_at timestamptz;
begin
  insert into private.rate_limits as r (key, window_started_at, request_count)
  select try_rate_limit.key, try_rate_limit.at, 1 where max_count > 0
  on conflict on constraint rate_limits_pkey do update set
    window_started_at = case
      when r.window_started_at <= try_rate_limit.at - period then try_rate_limit.at else r.window_started_at end,
    request_count = case when r.window_started_at <= try_rate_limit.at - period then 1 else r.request_count + 1 end
  where r.window_started_at <= try_rate_limit.at - period or r.request_count < max_count;
  if found then
    return null;
  end if;
  select r.window_started_at into started_at from private.rate_limits r where r.key = try_rate_limit.key;
  return coalesce(started_at, try_rate_limit.at) + period;
end $function$;

create or replace function private.update_episode_person (
  episode_id uuid,
  person_id  uuid,
  changes    jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  perform private.lock_roster_for_edit(update_episode_person.episode_id);
  person := private.require_roster_person(update_episode_person.episode_id, update_episode_person.person_id);
  perform private.validate_changes(changes, '{"name": ["string"], "roleLabel": ["string"], "avatarUrl": ["string", "null"],
    "externalUrl": ["string", "null"], "isActive": ["boolean"]}');
  if changes @> '{"isActive": false}' then
    delete from public.episode_credits c where c.id = person.credit_id;
  end if;
  update public.episode_people p set
    name = coalesce(changes ->> 'name', p.name),
    role_label = coalesce(changes ->> 'roleLabel', p.role_label),
    avatar_url = case when changes ? 'avatarUrl' then changes ->> 'avatarUrl' else p.avatar_url end,
    external_url = case when changes ? 'externalUrl' then changes ->> 'externalUrl' else p.external_url end,
    is_active = coalesce((changes ->> 'isActive')::boolean, p.is_active)
  where p.id = person.id returning * into person;
  return private.person_json(person);
end $function$;

create or replace function private.update_podcast_guest (
  id      uuid,
  changes jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest   public.podcast_guests := private.require_guest_role(update_podcast_guest.id, 'admin');
  written public.podcast_guest_notes;
begin
  perform private.validate_changes(changes, '{"displayName": ["string"], "notes": ["string", "null"], "bio": ["string", "null"]}');
  update public.podcast_guests g set display_name = coalesce(changes ->> 'displayName', g.display_name)
  where g.id = guest.id returning * into guest;  -- also when only notes change: updated_at is theirs too
  if changes ?| '{notes,bio}' then
    insert into public.podcast_guest_notes as n (guest_id, notes, bio) values (guest.id, changes ->> 'notes', changes ->> 'bio')
    on conflict (guest_id) do update set
      notes = case when changes ? 'notes' then excluded.notes else n.notes end,
      bio = case when changes ? 'bio' then excluded.bio else n.bio end;
  end if;
  select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  return private.guest_json(guest) - 'avatarUrl' || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'updatedAt', private.format_timestamp(guest.updated_at));
end $function$;

create or replace function private.validate_changes (
  changes       jsonb,
  allowed_types jsonb,
  min_keys      integer default 1
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  keys text[];
  key  text;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'changes must be a JSON object';
  end if;
  keys := array(select jsonb_object_keys(changes));
  if cardinality(keys) < min_keys then
    raise sqlstate 'PT400' using message = format('Provide at least one of: %s',
      array_to_string(array(select jsonb_object_keys(allowed_types)), ', '));
  end if;
  foreach key in array keys loop
    if not allowed_types ? key then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('Unknown field: %s', left(key, 100));
    elsif not allowed_types -> key ? jsonb_typeof(changes -> key) then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: must be %s', key,
        (select string_agg(type, ' or ') from jsonb_array_elements_text(allowed_types -> key) type));
    end if;
  end loop;
end $function$;

create or replace function private.validate_person_fields (
  name         text,
  role_label   text,
  avatar_url   text,
  external_url text
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  wrong text := case
    when coalesce(private.is_blank(name) or char_length(private.normalize_line(name)) > 200, true) then 'name: must be 1 to 200 characters'
    when private.is_blank(role_label) or char_length(private.normalize_line(role_label)) > 100 then 'roleLabel: must be 1 to 100 characters'
    when not private.is_http_url(avatar_url) then 'avatarUrl: must be an http or https URL'
    when not private.is_http_url(external_url) then 'externalUrl: must be an http or https URL'
  end;
begin
  if wrong is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = wrong;
  end if;
end $function$;

create or replace function private.wake_worker (
  queue text default null::text
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  secret text;
begin
  select decrypted_secret into secret from vault.decrypted_secrets where name = 'worker_secret';
  if secret is null then
    raise log 'castbase: worker_secret is missing from Vault; worker not woken';
    return false;
  end if;
  perform net.http_post(
    url := private.setting('worker_url'),
    body := jsonb_build_object('queue', queue),
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret));
  return true;
end $function$;

create or replace function private.wake_worker_if_pending()
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  queue text;
  woken int := 0;
begin
  for queue in
    select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m
    where not q.paused and m.queue_visible_length > 0
  loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $function$;

create or replace function private.wake_worker_once (
  queue text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  flag text := 'castbase.worker_woken_' || queue;
begin
  if coalesce(current_setting(flag, true), '') = ''
     and not exists (select from private.queues q where q.name = wake_worker_once.queue and q.paused) then
    perform set_config(flag, 'yes', true);
    perform private.wake_worker(queue);
  end if;
end $function$;

create or replace function private.withdraw_invitations_of_member()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.podcast_invitations i set status = 'withdrawn'
  where i.podcast_id = old.podcast_id and i.invited_by = old.user_id and i.status = 'pending';
  return null;
end $function$;

create or replace function private.withdraw_podcast_invitation (
  invitation_id uuid
)
  returns public.podcast_invitations
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  invitation public.podcast_invitations := private.lock_team_invitation(withdraw_podcast_invitation.invitation_id);
begin
  update public.podcast_invitations i set status = 'withdrawn' where i.id = invitation.id returning * into invitation;
  return invitation;
end $function$;

create or replace function private.withdraw_podcast_transfer (
  transfer_id uuid
)
  returns public.podcast_transfers
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(
    withdraw_podcast_transfer.transfer_id, (select t.offered_by from public.podcast_transfers t where t.id = withdraw_podcast_transfer.transfer_id));
begin
  update public.podcast_transfers t set status = 'withdrawn' where t.id = transfer.id returning * into transfer;
  return transfer;
end $function$;

create or replace function private.write_detected_numbers (
  import public.podcast_imports
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.podcast_import_items i set parsed_payload = i.parsed_payload || jsonb_strip_nulls(jsonb_build_object(
    'episodeNumber', n.number, 'seasonNumber', coalesce(nullif(i.parsed_payload -> 'seasonNumber', 'null'), s.season)))
  from jsonb_each(import.detection -> 'numbers') n (guid, number)
  left join jsonb_each(coalesce(import.detection -> 'seasons', '{}')) s (guid, season) on s.guid = n.guid
  where i.import_id = import.id and i.status = 'pending' and i.guid = n.guid;
end $function$;

create or replace function private.write_feed (
  podcast_id uuid,
  version    bigint,
  document   jsonb,
  head       bytea,
  items      bigint[],
  tail       bytea
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not private.lock_feed(write_feed.podcast_id, write_feed.version) then
    return false;
  end if;
  insert into private.feed_documents as d (podcast_id, etag, last_modified, digest, bytes, zipped, head, items, tail)
  select write_feed.podcast_id, r.etag, r.last_modified, r.digest, r.bytes, r.zipped, write_feed.head, write_feed.items, write_feed.tail
  from jsonb_to_record(document) r (etag text, last_modified timestamptz, digest text, bytes bigint, zipped bigint)
  on conflict on constraint feed_documents_pkey do update set
    etag = excluded.etag, last_modified = excluded.last_modified, digest = excluded.digest, bytes = excluded.bytes,
    zipped = excluded.zipped, head = excluded.head, items = excluded.items, tail = excluded.tail, version = d.version + 1;
  -- a subquery is hashed; `<> all (array)` would compare every item with every other
  delete from private.feed_items i
  where i.podcast_id = write_feed.podcast_id and i.id not in (select listed.id from unnest(write_feed.items) listed (id));
  return true;
end $function$;

create or replace function public.accept_guest_invitation (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.accept_guest_invitation(accept_guest_invitation.access_token);
end $function$;

create or replace function public.accept_podcast_invitation (
  invitation_id uuid
)
  returns public.podcast_members
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.accept_podcast_invitation(accept_podcast_invitation.invitation_id);
end $function$;

create or replace function public.accept_podcast_transfer (
  transfer_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.accept_podcast_transfer(accept_podcast_transfer.transfer_id);
end $function$;

create or replace function public.add_episode_person (
  episode_id   uuid,
  source_type  public.person_source_type,
  name         text,
  user_id      uuid                      default null::uuid,
  guest_id     uuid                      default null::uuid,
  role_label   text                      default null::text,
  avatar_url   text                      default null::text,
  external_url text                      default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.add_episode_person(add_episode_person.episode_id, add_episode_person.source_type, add_episode_person.name,
    add_episode_person.user_id, add_episode_person.guest_id, add_episode_person.role_label,
    add_episode_person.avatar_url, add_episode_person.external_url);
end $function$;

create or replace function public.archive_episode (
  episode_id uuid
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(archive_episode.episode_id, 'admin');
  update public.episodes e set status = 'archived' where e.id = archive_episode.episode_id returning * into changed;
  return changed;
end $function$;

create or replace function public.begin_artwork_import (
  content_type text,
  bytes        bigint,
  image        jsonb  default null::jsonb,
  image_type   text   default 'cover'::text,
  podcast_id   uuid   default null::uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type private.image_types := private.require_importable(begin_artwork_import.image_type);
begin
  if begin_artwork_import.podcast_id is not null then
    perform private.require_image_target(begin_artwork_import.podcast_id, type.name, null);
  end if;
  perform private.require_image(type, begin_artwork_import.content_type, begin_artwork_import.bytes, image, 0.05);
  perform private.require_allowance(begin_artwork_import.podcast_id, null,
    case when begin_artwork_import.podcast_id is null then 'temporary' else type.name end, begin_artwork_import.bytes);
  return jsonb_build_object('path', case when begin_artwork_import.podcast_id is null
    then format('imports/%s/%s.%s', auth.uid(), gen_random_uuid(), private.image_extension(begin_artwork_import.content_type))
    else private.image_path(begin_artwork_import.podcast_id, type.name, null, gen_random_uuid(), begin_artwork_import.content_type) end);
end $function$;

create or replace function public.begin_artwork_move (
  source_path text,
  podcast_id  uuid,
  image_type  text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type   private.image_types := private.require_importable(begin_artwork_move.image_type);
  source private.media_objects;
  path   text;
  url    text;
begin
  perform private.require_image_target(begin_artwork_move.podcast_id, type.name, null);
  source := private.artwork_source(begin_artwork_move.source_path);
  path := format('podcasts/%s/images/%s/%s', begin_artwork_move.podcast_id, type.name, substring(begin_artwork_move.source_path from '[^/]+$'));
  if source.path is null then
    url := private.moved_artwork(begin_artwork_move.podcast_id, type.name, path);
    if url is not null then
      return jsonb_build_object('path', path, 'publicUrl', url, 'isMoved', true);
    end if;
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform private.require_image(type, source.content_type, source.bytes,
    jsonb_build_object('type', source.content_type, 'width', source.width, 'height', source.height), 0.05);
  return jsonb_build_object('path', path, 'contentType', source.content_type, 'isMoved', false);
end $function$;

create or replace function public.begin_audio_upload (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text,
  bytes        bigint
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  path text;
begin
  perform private.require_audio_target(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, begin_audio_upload.content_type);
  perform private.require_upload_size(begin_audio_upload.bytes);
  if coalesce(begin_audio_upload.bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  perform private.require_allowance(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, 'audio', begin_audio_upload.bytes);
  path := private.audio_path(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, gen_random_uuid(), begin_audio_upload.content_type);
  return jsonb_build_object(
    'path', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'contentType', begin_audio_upload.content_type,
    'expectedAudioUrl', (select e.audio_url from public.episodes e where e.id = begin_audio_upload.episode_id));
end $function$;

create or replace function public.begin_direct_completion (
  upload_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  state  record;
  upload private.direct_uploads;
  bytes  bigint;
begin
  select * into state from private.direct_upload(begin_direct_completion.upload_id);
  upload := state.upload;
  bytes := state.bytes;
  perform private.require_audio_target(upload.podcast_id, upload.episode_id, upload.content_type);
  if state.refused_as = 'LARGER_THAN_ANNOUNCED' then  -- returned, so that the upload stays ended
    return private.error_response(400, 'The object is larger than announced; announce its size and upload it again', 'LARGER_THAN_ANNOUNCED',
      jsonb_build_object('maxBytes', upload.bytes));
  elsif state.refused_as is not null then
    return private.error_response(409, 'The audio or the upload was replaced by another one in the meantime', 'CONCURRENT_REPLACEMENT');
  elsif bytes is null then
    raise sqlstate 'PT409' using message = 'Nothing has been uploaded yet', hint = 'UPLOAD_MISSING';
  elsif bytes = 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if upload.completed_at is null then
    perform private.require_allowance(upload.podcast_id, upload.episode_id, 'audio', bytes, 0);  -- what is staged was counted before
  end if;
  return jsonb_build_object(
    'podcastId', upload.podcast_id, 'episodeId', upload.episode_id,
    'stagedPath', case when upload.completed_at is null then upload.staged_path end,
    'path', upload.path, 'bytes', bytes, 'contentType', upload.content_type, 'expectedAudioUrl', upload.expected_audio_url,
    'lease', state.lease);
end $function$;

create or replace function public.begin_direct_upload (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text,
  filename     text,
  file_size    bigint
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  started private.direct_uploads;
begin
  perform private.require_audio_target(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type);
  perform private.require_announced(filename, file_size);
  perform private.consume_rate_limit('direct_uploads/' || auth.uid(), private.setting('direct_uploads_per_hour')::int, interval '1 hour');
  started := private.start_direct_upload(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type, file_size);
  return jsonb_build_object(
    'uploadId', started.id,
    'uploadPath', started.staged_path,
    'finalPath', started.path,
    'publicUrl', private.setting('media_url') || '/' || started.path,
    'contentType', started.content_type,
    'maxSize', 524288000,
    'storageUrl', private.setting('storage_url'));
end $function$;

create or replace function public.begin_image_upload (
  podcast_id   uuid,
  image_type   text,
  content_type text,
  bytes        bigint,
  image        jsonb  default null::jsonb,
  episode_id   uuid   default null::uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type       private.image_types := private.require_uploadable(begin_image_upload.image_type);
  episode_id uuid := case when type.name = 'episode_cover' then begin_image_upload.episode_id end;
begin
  perform private.require_image_format(type, begin_image_upload.content_type);
  perform private.require_image_target(begin_image_upload.podcast_id, type.name, episode_id);
  perform private.require_image(type, begin_image_upload.content_type, begin_image_upload.bytes, image, 0.02);
  perform private.require_allowance(begin_image_upload.podcast_id, episode_id, type.name, begin_image_upload.bytes);
  return jsonb_build_object('path',
    private.image_path(begin_image_upload.podcast_id, type.name, episode_id, gen_random_uuid(), begin_image_upload.content_type));
end $function$;

create or replace function public.begin_import_recheck (
  import_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.recheckable_import(begin_import_recheck.import_id);
end $function$;

create or replace function public.cancel_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.stop_import(cancel_import.import_id);
end $function$;

create or replace function public.check_health()
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('status', 'ok', 'timestamp', private.format_timestamp(now()));
end $function$;

create or replace function public.confirm_import (
  import_id                      uuid,
  apply_detected_episode_numbers boolean default false,
  "limit"                        integer default null::integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.run_previewed(confirm_import.import_id, coalesce(apply_detected_episode_numbers, false), confirm_import."limit");
end $function$;

create or replace function public.create_episode (
  podcast_id      uuid,
  title           text,
  slug            text                default null::text,
  summary         text                default null::text,
  description     text                default ''::text,
  show_notes_html text                default null::text,
  season_number   integer             default null::integer,
  episode_number  integer             default null::integer,
  episode_type    public.episode_type default 'full'::public.episode_type,
  explicit        boolean             default false
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  made public.episodes;
begin
  perform private.require_role(create_episode.podcast_id, 'admin');
  insert into public.episodes (podcast_id, title, slug, summary, description, show_notes_html, season_number, episode_number, episode_type, explicit)
  values (create_episode.podcast_id, create_episode.title, create_episode.slug, create_episode.summary,
    create_episode.description, create_episode.show_notes_html, create_episode.season_number, create_episode.episode_number,
    create_episode.episode_type, create_episode.explicit)
  returning * into made;
  return made;
end $function$;

create or replace function public.create_podcast (
  title        text,
  hosting_type public.hosting_type default 'native'::public.hosting_type,
  slug         text                default null::text,
  description  text                default ''::text,
  language     text                default 'en'::text,
  author       text                default null::text,
  categories   jsonb               default '[]'::jsonb,
  explicit     boolean             default false,
  type         public.podcast_type default 'episodic'::public.podcast_type,
  link         text                default null::text
)
  returns public.podcasts
  language plpgsql
  set search_path to ''
  AS $function$
declare
  made public.podcasts;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  insert into public.podcasts (title, hosting_type, slug, description, language, author, categories, explicit, type, link)
  values (create_podcast.title, create_podcast.hosting_type, create_podcast.slug, create_podcast.description,
    create_podcast.language, create_podcast.author, create_podcast.categories, create_podcast.explicit,
    create_podcast.type, create_podcast.link)
  returning * into made;
  return made;
end $function$;

create or replace function public.decline_guest_invitation (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.decline_guest_invitation(decline_guest_invitation.access_token);
end $function$;

create or replace function public.decline_podcast_invitation (
  invitation_id uuid,
  block         boolean default false
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.decline_podcast_invitation(decline_podcast_invitation.invitation_id, decline_podcast_invitation.block);
end $function$;

create or replace function public.decline_podcast_transfer (
  transfer_id uuid
)
  returns public.podcast_transfers
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.decline_podcast_transfer(decline_podcast_transfer.transfer_id);
end $function$;

create or replace function public.delete_episode_message (
  message_id uuid
)
  returns public.episode_messages
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.delete_episode_message(delete_episode_message.message_id);
end $function$;

create or replace function public.delete_podcast_image (
  podcast_id uuid,
  image_type text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  paths text[];
begin
  perform private.require_importable(delete_podcast_image.image_type);  -- a podcast's own: not an episode's cover
  perform private.require_image_target(delete_podcast_image.podcast_id, delete_podcast_image.image_type, null);
  paths := private.drop_podcast_image(delete_podcast_image.podcast_id, delete_podcast_image.image_type);
  return jsonb_build_object('deletedCount', cardinality(paths), 'paths', to_jsonb(paths));
end $function$;

create or replace function public.get_episode_cover (
  episode_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  podcast_id uuid := private.require_episode_role(get_episode_cover.episode_id, 'member');
  slug       text;
  path       text;
begin
  select e.slug, private.own_object_path(coalesce(e.cover_image_url, p.cover_image_url)) into slug, path
  from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = get_episode_cover.episode_id;
  -- only what lies under the podcast itself, by names that lead nowhere else
  if path ~ format('^podcasts/%s/([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+\.(jpg|png|webp)$', podcast_id) is not true then
    raise sqlstate 'PT404' using message = 'No cover of this episode is stored here';
  end if;
  return jsonb_build_object('path', path, 'filename', slug || '-cover' || substring(path from '\.[a-z]+$'));
end $function$;

create or replace function public.get_guest_episode (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.get_guest_episode(get_guest_episode.access_token);
end $function$;

create or replace function public.get_import (
  import_id uuid
)
  returns json
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.described_import(get_import.import_id);
end $function$;

create or replace function public.get_podcast_guest (
  id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.get_podcast_guest(get_podcast_guest.id);
end $function$;

create or replace function public.get_public_episode (
  slug       text,
  id_or_slug text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('data', private.public_episode_of(get_public_episode.slug, get_public_episode.id_or_slug));
end $function$;

create or replace function public.get_public_podcast (
  slug text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('data', private.public_podcast(get_public_podcast.slug));
end $function$;

create or replace function public.invite_guest (
  episode_id   uuid,
  email        text,
  display_name text,
  message      text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('response.status', '201', true);
  return private.invite_guest(invite_guest.episode_id, invite_guest.email, invite_guest.display_name, invite_guest.message);
end $function$;

create or replace function public.invite_podcast_member (
  podcast_id uuid,
  email      text,
  role       public.podcast_role default 'member'::public.podcast_role
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('response.status', '201', true);
  return private.invite_podcast_member(invite_podcast_member.podcast_id, invite_podcast_member.email, invite_podcast_member.role);
end $function$;

create or replace function public.list_episode_people (
  episode_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.list_episode_people(list_episode_people.episode_id);
end $function$;

create or replace function public.list_guest_messages (
  access_token text,
  cursor       text    default null::text,
  "limit"      integer default 50
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.list_guest_messages(list_guest_messages.access_token, list_guest_messages.cursor, list_guest_messages."limit");
end $function$;

create or replace function public.list_podcast_guests (
  podcast_id uuid,
  q          text    default null::text,
  "limit"    numeric default 20
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.list_podcast_guests(list_podcast_guests.podcast_id, list_podcast_guests.q,
    least(greatest(trunc(coalesce(list_podcast_guests."limit", 20)), 1), 50)::int);
end $function$;

create or replace function public.list_public_episodes (
  slug    text,
  "limit" integer default 25,
  cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.public_episodes(list_public_episodes.slug, list_public_episodes."limit", list_public_episodes.cursor);
end $function$;

create or replace function public.offer_podcast_transfer (
  podcast_id uuid,
  user_id    uuid
)
  returns public.podcast_transfers
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('response.status', '201', true);
  return private.offer_podcast_transfer(offer_podcast_transfer.podcast_id, offer_podcast_transfer.user_id);
end $function$;

create or replace function public.post_guest_message (
  access_token text,
  body         text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  written jsonb := private.post_guest_message(post_guest_message.access_token, post_guest_message.body);
begin
  perform set_config('response.status', '201', true);
  return written;
end $function$;

create or replace function public.prepare_artwork_import (
  image_type text default 'cover'::text,
  podcast_id uuid default null::uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  type private.image_types := private.require_importable(prepare_artwork_import.image_type);
begin
  if prepare_artwork_import.podcast_id is not null then
    perform private.require_image_target(prepare_artwork_import.podcast_id, type.name, null);
  end if;
  perform private.consume_rate_limit('artwork-import/' || auth.uid(), private.setting('artwork_imports_per_hour')::int, interval '1 hour');
  return jsonb_build_object('maxBytes', type.max_bytes, 'formats', to_jsonb(type.formats));
end $function$;

create or replace function public.prepare_audio_upload (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  perform private.require_audio_target(prepare_audio_upload.podcast_id, prepare_audio_upload.episode_id, prepare_audio_upload.content_type);
  return jsonb_build_object('maxBytes', private.setting('audio_upload_cap_bytes')::bigint);
end $function$;

create or replace function public.prepare_image_upload (
  podcast_id   uuid,
  image_type   text,
  content_type text,
  episode_id   uuid default null::uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type private.image_types := private.require_uploadable(prepare_image_upload.image_type);
begin
  perform private.require_image_format(type, prepare_image_upload.content_type);
  perform private.require_image_target(prepare_image_upload.podcast_id, type.name, prepare_image_upload.episode_id);
  return jsonb_build_object('maxBytes', type.max_bytes);
end $function$;

create or replace function public.presign_audio_upload (
  podcast_id   uuid,
  episode_id   uuid,
  content_type text,
  filename     text,
  file_size    bigint
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_audio_target(presign_audio_upload.podcast_id, presign_audio_upload.episode_id, presign_audio_upload.content_type);
  perform private.require_announced(filename, file_size);
  perform private.require_upload_size(file_size);
  path := private.audio_path(presign_audio_upload.podcast_id, presign_audio_upload.episode_id, upload_id, presign_audio_upload.content_type);
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'maxSize', 524288000,
    'acceptedTypes', to_jsonb(private.audio_types()),
    'uploadEndpoint', '/api/media/audio/upload/' || upload_id);
end $function$;

create or replace function public.presign_image_upload (
  podcast_id   uuid,
  image_type   text,
  content_type text,
  filename     text,
  episode_id   uuid default null::uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  type      private.image_types := private.require_uploadable(presign_image_upload.image_type);
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_image_format(type, presign_image_upload.content_type);
  perform private.require_image_target(presign_image_upload.podcast_id, type.name, presign_image_upload.episode_id);
  if coalesce(filename, '') = '' then
    raise sqlstate 'PT400' using message = 'filename is required';
  end if;
  path := private.image_path(presign_image_upload.podcast_id, type.name, presign_image_upload.episode_id, upload_id, presign_image_upload.content_type);
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.image_url(path),
    'maxSize', type.max_bytes,
    'dimensions', jsonb_build_object('width', type.width, 'height', type.height, 'minWidth', type.min_width, 'minHeight', type.min_height),
    'uploadEndpoint', '/api/media/upload/' || upload_id);
end $function$;

create or replace function public.publish_episode (
  episode_id uuid
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(publish_episode.episode_id, 'admin');
  update public.episodes e set status = 'published' where e.id = publish_episode.episode_id returning * into changed;
  return changed;
end $function$;

create or replace function public.remove_episode_audio (
  episode_id uuid
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.drop_episode_audio(remove_episode_audio.episode_id);
end $function$;

create or replace function public.remove_episode_guest (
  episode_guest_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.remove_episode_guest(remove_episode_guest.episode_guest_id);
end $function$;

create or replace function public.remove_episode_person (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.remove_episode_person(remove_episode_person.episode_id, remove_episode_person.person_id);
end $function$;

create or replace function public.remove_episode_person_credit (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.remove_episode_person_credit(remove_episode_person_credit.episode_id, remove_episode_person_credit.person_id);
end $function$;

create or replace function public.reorder_episode_credits (
  episode_id uuid,
  credit_ids uuid[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.reorder_episode_credits(reorder_episode_credits.episode_id, reorder_episode_credits.credit_ids);
end $function$;

create or replace function public.resend_import_code (
  import_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.request_ownership_code(resend_import_code.import_id);
end $function$;

create or replace function public.resend_podcast_invitation (
  invitation_id uuid
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.resend_podcast_invitation(resend_podcast_invitation.invitation_id);
end $function$;

create or replace function public.resume_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.reopen_import(resume_import.import_id);
end $function$;

create or replace function public.retry_failed_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.run_failed(retry_failed_import.import_id);
end $function$;

create or replace function public.retry_import_item (
  import_id uuid,
  item_id   uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.run_failed_item(retry_import_item.import_id, retry_import_item.item_id);
end $function$;

create or replace function public.schedule_episode (
  episode_id uuid,
  at         timestamp with time zone
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(schedule_episode.episode_id, 'admin');
  update public.episodes e set status = 'scheduled', scheduled_at = schedule_episode.at, published_at = null
  where e.id = schedule_episode.episode_id returning * into changed;
  return changed;
end $function$;

create or replace function public.set_episode_person_credit (
  episode_id uuid,
  person_id  uuid,
  changes    jsonb default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.set_episode_person_credit(set_episode_person_credit.episode_id, set_episode_person_credit.person_id, set_episode_person_credit.changes);
end $function$;

create or replace function public.start_import (
  podcast_id uuid,
  feed_url   text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.open_import(start_import.podcast_id, start_import.feed_url);
end $function$;

create or replace function public.storage_usage()
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.my_storage();
end $function$;

create or replace function public.unpublish_episode (
  episode_id uuid
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(unpublish_episode.episode_id, 'admin');
  update public.episodes e set status = 'draft' where e.id = unpublish_episode.episode_id returning * into changed;
  return changed;
end $function$;

create or replace function public.update_episode_person (
  episode_id uuid,
  person_id  uuid,
  changes    jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.update_episode_person(update_episode_person.episode_id, update_episode_person.person_id, update_episode_person.changes);
end $function$;

create or replace function public.update_podcast_guest (
  id      uuid,
  changes jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.update_podcast_guest(update_podcast_guest.id, update_podcast_guest.changes);
end $function$;

create or replace function public.verify_import_ownership (
  import_id uuid,
  code      text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.check_ownership_code(verify_import_ownership.import_id, verify_import_ownership.code);
end $function$;

create or replace function public.withdraw_podcast_invitation (
  invitation_id uuid
)
  returns public.podcast_invitations
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.withdraw_podcast_invitation(withdraw_podcast_invitation.invitation_id);
end $function$;

create or replace function public.withdraw_podcast_transfer (
  transfer_id uuid
)
  returns public.podcast_transfers
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.withdraw_podcast_transfer(withdraw_podcast_transfer.transfer_id);
end $function$;

alter table "private"."leases"
  add constraint "leases_queue_fkey" foreign key (queue) references private.queues(name) on delete cascade;

alter table "private"."reapable_users"
  add constraint "reapable_users_user_id_fkey" foreign key (user_id) references auth.users(id) on delete cascade;

alter table "private"."media_objects"
  add constraint "media_objects_account_id_fkey" foreign key (account_id) references public.billing_accounts(user_id)
    on delete set null;

alter table "private"."guest_invitations"
  add constraint "guest_invitations_episode_guest_id_fkey" foreign key (episode_guest_id)
    references public.episode_guests(id) on delete cascade;

alter table "private"."roster_removals"
  add constraint "roster_removals_episode_guest_id_fkey" foreign key (episode_guest_id)
    references public.episode_guests(id) on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_sender_guest_id_fkey" foreign key (sender_guest_id)
    references public.episode_guests(id) on delete cascade;

alter table "public"."episode_people"
  add constraint "credit_belongs_to_episode" foreign key (credit_id, episode_id)
    references public.episode_credits(id, episode_id) on delete set null (credit_id);

alter table "public"."episode_people"
  add constraint "episode_people_guest_id_fkey" foreign key (guest_id) references public.episode_guests(id) on delete
    set null;

alter table "public"."episode_people"
  add constraint "source_type_matches_ids" check ((((source_type = 'team'::public.person_source_type) = (user_id IS
    NOT NULL)) AND ((source_type = 'guest'::public.person_source_type) = (guest_id IS NOT NULL))));

alter table "private"."direct_uploads"
  add constraint "direct_uploads_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_credits"
  add constraint "episode_credits_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_guests"
  add constraint "episode_guests_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_people"
  add constraint "episode_people_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episodes"
  add constraint "published_has_publication_dates"
    check (((status <> 'published'::public.episode_status) OR ((published_at IS NOT NULL) AND (first_published_at IS
    NOT NULL))));

alter table "public"."episodes"
  add constraint "scheduled_has_scheduled_at" check (((status <> 'scheduled'::public.episode_status) OR (scheduled_at IS
    NOT NULL)));

alter table "public"."billing_accounts"
  add constraint "billing_accounts_plan_code_fkey" foreign key (plan_code) references public.plans(code);

alter table "public"."episode_guests"
  add constraint "episode_guests_podcast_guest_id_fkey" foreign key (podcast_guest_id)
    references public.podcast_guests(id) on delete cascade;

alter table "public"."podcast_guest_notes"
  add constraint "podcast_guest_notes_guest_id_fkey" foreign key (guest_id) references public.podcast_guests(id)
    on delete cascade;

alter table "public"."podcast_import_items"
  add constraint "failed_has_a_reason" check (((status <> 'failed'::public.import_item_status) OR (error_message IS
    NOT NULL)));

alter table "public"."podcast_import_items"
  add constraint "podcast_import_items_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete set null;

alter table "private"."import_messages"
  add constraint "import_messages_import_item_id_fkey" foreign key (import_item_id)
    references public.podcast_import_items(id) on delete cascade;

alter table "private"."import_transfers"
  add constraint "import_transfers_import_item_id_fkey" foreign key (import_item_id)
    references public.podcast_import_items(id) on delete cascade;

alter table "public"."podcast_import_items"
  add constraint "retries_are_pending_and_have_a_reason"
    check (((next_attempt_at IS NULL) OR ((status = 'pending'::public.import_item_status) AND (error_message IS
    NOT NULL))));

alter table "public"."podcast_import_texts"
  add constraint "podcast_import_texts_import_item_id_fkey" foreign key (import_item_id)
    references public.podcast_import_items(id) on delete cascade;

alter table "public"."podcast_imports"
  add constraint "errors_are_of_feeds_that_were_not_read"
    check
    (((num_nulls(error_message, error_code) = ANY (ARRAY[0, 2])) AND ((error_message IS NULL) OR ((status =
    'failed'::public.import_status) AND (staged_at IS NULL)))));

alter table "public"."podcast_imports"
  add constraint "method_waits_for_proof"
    check
    (((verification_method IS NULL) OR (status = ANY (ARRAY['verification_required'::public.import_status,
    'canceled'::public.import_status]))));

alter table "public"."podcast_imports"
  add constraint "methods_have_what_they_need" check (
CASE verification_method
    WHEN 'email_code'::public.import_verification THEN (locked_owner_email IS NOT NULL)
    WHEN 'feed_recheck'::public.import_verification THEN (verification_token IS NOT NULL)
    ELSE true
END);

alter table "public"."podcast_imports"
  add constraint "only_a_read_feed_goes_on"
    check (((status = ANY (ARRAY['pending'::public.import_status, 'canceled'::public.import_status])) OR (staged_at IS
    NOT NULL) OR (error_message IS NOT NULL)));

alter table "private"."import_owners"
  add constraint "import_owners_import_id_fkey" foreign key (import_id) references public.podcast_imports(id)
    on delete cascade;

alter table "public"."podcast_import_items"
  add constraint "podcast_import_items_import_id_fkey" foreign key (import_id) references public.podcast_imports(id)
    on delete cascade;

alter table "public"."podcast_imports"
  add constraint "running_has_started"
    check
    (((status <> ALL (ARRAY['running'::public.import_status, 'completed'::public.import_status,
    'partial'::public.import_status,
    'failed'::public.import_status])) OR (started_at IS NOT NULL) OR (error_message IS NOT NULL)));

alter table "public"."podcast_imports"
  add constraint "unverified_has_a_method"
    check (((status <> 'verification_required'::public.import_status) OR (verification_method IS NOT NULL)));

alter table "public"."podcast_invitations"
  add constraint "accepted_by_only_if_accepted"
    check (((accepted_by IS NULL) OR (status = 'accepted'::public.podcast_invitation_status)));

alter table "public"."podcast_invitations"
  add constraint "pending_has_inviter" check (((invited_by IS
    NOT NULL) OR (status <> 'pending'::public.podcast_invitation_status)));

alter table "private"."podcast_invitation_emails"
  add constraint "podcast_invitation_emails_invitation_id_fkey" foreign key (invitation_id)
    references public.podcast_invitations(id) on delete cascade;

alter table "public"."podcast_invitations"
  add constraint "role_is_below_owner" check ((role < 'owner'::public.podcast_role));

alter table "private"."direct_uploads"
  add constraint "direct_uploads_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."episode_slugs"
  add constraint "episode_slugs_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."feed_documents"
  add constraint "feed_documents_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."feed_items"
  add constraint "feed_items_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id) on delete cascade;

alter table "private"."podcast_invitation_recipients"
  add constraint "podcast_invitation_recipients_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_credits"
  add constraint "episode_credits_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_guests"
  add constraint "episode_guests_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_people"
  add constraint "episode_people_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episodes"
  add constraint "episodes_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id) on delete cascade;

alter table "public"."podcast_guest_notes"
  add constraint "podcast_guest_notes_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_guests"
  add constraint "podcast_guests_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_import_items"
  add constraint "podcast_import_items_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_imports"
  add constraint "podcast_imports_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_invitations"
  add constraint "podcast_invitations_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_members"
  add constraint "podcast_members_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_transfers"
  add constraint "podcast_transfers_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."profiles"
  add constraint "profiles_id_fkey" foreign key (id) references auth.users(id) on delete cascade;

alter table "private"."guest_invitations"
  add constraint "guest_invitations_invited_by_fkey" foreign key (invited_by) references public.profiles(id) on delete
    set null;

alter table "public"."billing_accounts"
  add constraint "billing_accounts_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete cascade;

alter table "public"."episode_people"
  add constraint "episode_people_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete set null;

alter table "public"."podcast_guests"
  add constraint "podcast_guests_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete set null;

alter table "public"."podcast_invitations"
  add constraint "podcast_invitations_accepted_by_fkey" foreign key (accepted_by) references public.profiles(id)
    on delete set null;

alter table "public"."podcast_invitations"
  add constraint "podcast_invitations_invited_by_fkey" foreign key (invited_by) references public.profiles(id) on delete
    set null;

alter table "public"."podcast_members"
  add constraint "podcast_members_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete cascade;

alter table "public"."podcast_transfers"
  add constraint "podcast_transfers_offered_by_fkey" foreign key (offered_by) references public.profiles(id)
    on delete cascade;

alter table "public"."podcast_transfers"
  add constraint "podcast_transfers_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete cascade;

create view "private"."callable_functions" with (security_invoker=true) AS  SELECT p.proname AS name,
    (p.pronargs - p.pronargdefaults) AS required_count,
    COALESCE(array_agg(a.name ORDER BY a.n) FILTER (WHERE (a.n IS NOT NULL)), '{}'::text[]) AS names,
    COALESCE(array_agg(a.camel_name ORDER BY a.n) FILTER (WHERE (a.n IS NOT NULL)), '{}'::text[]) AS camel_names,
    COALESCE(string_agg(private.argument_sql(a.name, a.camel_name, a.type, pg_get_function_arg_default(p.oid, a.n)), ', '::text ORDER BY a.n) FILTER (WHERE (a.n IS NOT NULL)), ''::text) AS arguments_sql
   FROM (pg_proc p
     LEFT JOIN LATERAL ( SELECT x.name,
            (x.type)::regtype AS type,
            (x.n)::integer AS n,
            ( SELECT string_agg(
                        CASE
                            WHEN (s.w = 1) THEN s.word
                            ELSE initcap(s.word)
                        END, ''::text ORDER BY s.w) AS string_agg
                   FROM string_to_table(x.name, '_'::text) WITH ORDINALITY s(word, w)) AS camel_name
           FROM UNNEST(p.proargnames[1:p.pronargs], (p.proargtypes)::oid[]) WITH ORDINALITY x(name, type, n)) a ON (true))
  WHERE ((p.pronamespace = ('public'::regnamespace)::oid) AND (p.prokind = 'f'::"char") AND (p.prorettype <> ('trigger'::regtype)::oid) AND (NOT (EXISTS ( SELECT
           FROM pg_depend d
          WHERE ((d.objid = p.oid) AND (d.deptype = 'e'::"char"))))))
  GROUP BY p.oid;

create view "private"."feed_entries" with (security_invoker=true) AS  SELECT e.podcast_id,
    e.id AS episode_id,
    e.published_at,
    e.updated_at,
    octet_length(e.show_notes_safe_html) AS notes_bytes,
    i.id AS item_id,
    i.rendered_from,
    i.context,
    i.crc32,
    i.bytes,
    i.zipped
   FROM (public.episodes e
     LEFT JOIN LATERAL ( SELECT i_1.id,
            i_1.rendered_from,
            i_1.context,
            i_1.crc32,
            i_1.bytes,
            octet_length(i_1.deflated) AS zipped
           FROM private.feed_items i_1
          WHERE (i_1.episode_id = e.id)
          ORDER BY i_1.id DESC
         LIMIT 1) i ON (true))
  WHERE (e.status = 'published'::public.episode_status);

create view "private"."published_episodes" with (security_invoker=true) AS  SELECT p.slug AS podcast_slug,
    p.id AS podcast_id,
    e.slug,
    e.id,
    e.published_at,
    COALESCE(octet_length(e.show_notes_safe_html), 0) AS notes_bytes,
    jsonb_build_object('id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title, 'description', private.public_description(e.summary, e.description, e.show_notes_safe_html), 'showNotesHtml', e.show_notes_safe_html, 'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type, 'explicit', e.explicit, 'publishedAt', private.format_timestamp(e.published_at), 'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url, 'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes, 'coverImageUrl', e.cover_image_url, 'listenUrl', private.listen_url(p.slug, e.slug, ( SELECT private.setting('listen_url'::text) AS setting)), 'embedUrl', ((( SELECT private.setting('embed_url'::text) AS setting) || '/ep/'::text) || e.id), 'credits', COALESCE(( SELECT jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label, 'avatarUrl', c.avatar_url, 'externalUrl', c.external_url) ORDER BY c.display_order) AS jsonb_agg
           FROM public.episode_credits c
          WHERE (c.episode_id = e.id)), '[]'::jsonb)) AS shown
   FROM (public.episodes e
     JOIN public.podcasts p ON ((p.id = e.podcast_id)))
  WHERE ((e.status = 'published'::public.episode_status) AND (p.status <> 'deleted'::public.podcast_status));

create view "private"."queue_health" with (security_invoker=true) AS  SELECT q.name AS queue,
    m.queue_length AS depth,
    m.oldest_msg_age_sec AS oldest_message_age_seconds,
    d.queue_length AS dead_letters,
    m.total_messages,
    q.max_attempts,
    q.paused
   FROM ((private.queues q
     CROSS JOIN LATERAL pgmq.metrics(q.name) m(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length))
     CROSS JOIN LATERAL pgmq.metrics((q.name || '_dlq'::text)) d(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length));

create index direct_uploads_created_at_idx on private.direct_uploads using btree (created_at);

create index direct_uploads_episode_id_idx on private.direct_uploads using btree (episode_id);

create index direct_uploads_podcast_id_idx on private.direct_uploads using btree (podcast_id);

create index episode_slugs_prefix_idx on private.episode_slugs using btree (podcast_id, slug collate "C");

create index feed_items_newest_idx on private.feed_items using btree (episode_id, id desc);

create index feed_items_podcast_id_idx on private.feed_items using btree (podcast_id);

create index guest_invitations_invited_by_idx on private.guest_invitations using btree (invited_by);

create unique index import_transfers_path_idx on private.import_transfers using btree (path);

create index leases_expires_at_idx on private.leases using btree (queue, expires_at);

create index media_objects_account_id_idx on private.media_objects using btree (account_id, podcast_id);

create unique index media_objects_one_live_idx on private.media_objects using btree (place, purpose)
  where (released_at is null);

create index media_objects_place_idx on private.media_objects using btree (place, purpose);

create index media_objects_podcast_id_idx on private.media_objects using btree (podcast_id);

create index media_objects_released_at_idx on private.media_objects using btree (released_at)
  where (released_at is not null);

create index media_objects_temporary_idx on private.media_objects using btree (created_at)
  where ((purpose = 'temporary'::text) AND (released_at is null));

create index object_removals_path_idx on private.object_removals using btree (path);

create index object_removals_until_idx on private.object_removals using btree (until);

create index rate_limits_window_started_at_idx on private.rate_limits using btree (window_started_at);

create index billing_accounts_plan_code_idx on public.billing_accounts using btree (plan_code);

create index episode_credits_podcast_id_idx on public.episode_credits using btree (podcast_id);

create index episode_guests_podcast_guest_id_idx on public.episode_guests
  using btree (podcast_guest_id, invited_at desc);

create index episode_guests_podcast_id_idx on public.episode_guests using btree (podcast_id);

create index episode_messages_episode_id_idx on public.episode_messages
  using btree (episode_id, created_at desc, id desc);

create index episode_messages_podcast_id_idx on public.episode_messages using btree (podcast_id);

create index episode_messages_sender_guest_id_idx on public.episode_messages using btree (sender_guest_id);

create index episode_people_guest_id_idx on public.episode_people using btree (guest_id);

create index episode_people_podcast_id_idx on public.episode_people using btree (podcast_id);

create index episode_people_user_id_idx on public.episode_people using btree (user_id);

create index episodes_podcast_id_idx on public.episodes using btree (podcast_id, created_at desc, id desc);

create index episodes_published_idx on public.episodes using btree (podcast_id, published_at desc, id desc)
  where (status = 'published'::public.episode_status);

create index episodes_scheduled_idx on public.episodes using btree (scheduled_at)
  where (status = 'scheduled'::public.episode_status);

create index episodes_show_notes_idx on public.episodes using btree (show_notes_version, podcast_id)
  where (show_notes_version is not null);

create index podcast_guest_notes_podcast_id_idx on public.podcast_guest_notes using btree (podcast_id);

create index podcast_guests_email_idx on public.podcast_guests using btree (email);

create index podcast_guests_name_idx on public.podcast_guests using btree (podcast_id, lower(display_name), id);

create index podcast_guests_search_idx on public.podcast_guests using gin ((((display_name || '
'::text) || email)) extensions.gin_trgm_ops)
  with (fastupdate=off);

create index podcast_guests_user_id_idx on public.podcast_guests using btree (user_id);

create index podcast_import_items_episode_id_idx on public.podcast_import_items using btree (episode_id)
  where (episode_id is not null);

create unique index podcast_import_items_guid_idx on public.podcast_import_items using btree (import_id, md5(guid));

create index podcast_import_items_order_idx on public.podcast_import_items
  using btree (import_id, created_at, "position");

create index podcast_import_items_pending_idx on public.podcast_import_items using btree (import_id)
  where (status = 'pending'::public.import_item_status);

create index podcast_import_items_podcast_id_idx on public.podcast_import_items using btree (podcast_id);

create index podcast_import_texts_podcast_id_idx on public.podcast_import_texts using btree (podcast_id);

create unique index podcast_imports_in_flight_idx on public.podcast_imports using btree (podcast_id)
  where
    (status = ANY (ARRAY['verification_required'::public.import_status, 'preview'::public.import_status,
    'pending'::public.import_status, 'running'::public.import_status]));

create index podcast_imports_podcast_id_idx on public.podcast_imports using btree (podcast_id, created_at desc);

create index podcast_imports_staging_idx on public.podcast_imports using btree (updated_at)
  where (status = 'pending'::public.import_status);

create index podcast_invitations_accepted_by_idx on public.podcast_invitations using btree (accepted_by);

create index podcast_invitations_email_idx on public.podcast_invitations using btree (email);

create index podcast_invitations_invited_by_idx on public.podcast_invitations using btree (invited_by);

create unique index podcast_invitations_one_open_idx on public.podcast_invitations using btree (podcast_id, email)
  where (status = 'pending'::public.podcast_invitation_status);

create index podcast_invitations_podcast_id_idx on public.podcast_invitations using btree (podcast_id, created_at desc);

create unique index podcast_members_one_owner_idx on public.podcast_members using btree (podcast_id)
  where (role = 'owner'::public.podcast_role);

create index podcast_members_user_id_idx on public.podcast_members using btree (user_id, podcast_id, role);

create index podcast_transfers_offered_by_idx on public.podcast_transfers using btree (offered_by);

create unique index podcast_transfers_one_open_idx on public.podcast_transfers using btree (podcast_id)
  where (status = 'pending'::public.podcast_transfer_status);

create index podcast_transfers_podcast_id_idx on public.podcast_transfers using btree (podcast_id);

create index podcast_transfers_user_id_idx on public.podcast_transfers using btree (user_id);

create trigger t900_provision_confirmation
  after update of email_confirmed_at on auth.users
  for each row
  when (((old.email_confirmed_at IS NULL) AND (new.email_confirmed_at IS NOT NULL)))
  execute function private.provision_user();

create trigger t900_provision_confirmed
  after insert on auth.users
  for each row
  when ((new.email_confirmed_at IS NOT NULL))
  execute function private.provision_user();

create trigger t910_relink_guests
  after update of email on auth.users
  for each row
  when ((((old.email)::text IS DISTINCT FROM (new.email)::text) AND (new.email_confirmed_at IS NOT NULL)))
  execute function private.relink_user_to_guests();

create trigger t500_charge_changed
  after update on private.media_objects referencing OLD table as old_rows NEW table as new_rows
  for each STATEMENT
  execute function private.charge_media_objects();

create trigger t500_charge_gone
  after delete on private.media_objects referencing OLD table as old_rows
  for each STATEMENT
  execute function private.charge_media_objects();

create trigger t500_charge_new
  after insert on private.media_objects referencing NEW table as new_rows
  for each STATEMENT
  execute function private.charge_media_objects();

create trigger t300_skip_invited
  before insert on private.reapable_users
  for each row
  execute function private.skip_invited_user();

create trigger t300_spare_invited_guest
  before insert on private.reapable_users
  for each row
  execute function private.spare_invited_guest();

create trigger t100_normalize
  before insert or update on public.episode_credits
  for each row
  execute function private.normalize_episode_credit();

create trigger t500_renumber
  after delete on public.episode_credits referencing OLD table as deleted_rows
  for each STATEMENT
  execute function private.renumber_credits();

create trigger t900_announce_delete
  after delete on public.episode_credits referencing OLD table as changed_rows
  for each STATEMENT
  execute function private.announce_credits();

create trigger t900_announce_insert
  after insert on public.episode_credits referencing NEW table as changed_rows
  for each STATEMENT
  execute function private.announce_credits();

create trigger t900_announce_update after update on public.episode_credits
  referencing NEW table as changed_rows for each STATEMENT when (
  (pg_trigger_depth() = 0)
) execute function private.announce_credits();

create trigger t100_normalize
  before insert or update of episode_id, podcast_id, podcast_guest_id on public.episode_guests
  for each row
  execute function private.normalize_episode_guest();

create trigger t300_guard_writable
  before insert or delete or update of episode_id,
    podcast_id, podcast_guest_id, status, invited_at on public.episode_guests
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t500_add_accepted_guest_to_roster
  after update of status on public.episode_guests
  for each row
  when
    (((new.status = 'active'::public.episode_guest_status) AND (old.status <> 'active'::public.episode_guest_status)))
  execute function private.add_guest_to_roster();

create trigger t500_add_guest_to_roster
  after insert on public.episode_guests
  for each row
  when ((new.status = 'active'::public.episode_guest_status))
  execute function private.add_guest_to_roster();

create trigger t500_delete_roster_removal
  after update of status on public.episode_guests
  for each row
  when ((new.status = ANY (ARRAY['invited'::public.episode_guest_status, 'removed'::public.episode_guest_status])))
  execute function private.delete_roster_removal();

create trigger t500_remove_guest_from_roster
  after update of status on public.episode_guests
  for each row
  when
    (((new.status = 'declined'::public.episode_guest_status) AND (old.status <>
    'declined'::public.episode_guest_status)))
  execute function private.remove_guest_from_roster();

create trigger t500_reopen_invitation
  before update of invited_at on public.episode_guests
  for each row
  when ((new.status = 'active'::public.episode_guest_status))
  execute function private.reopen_invitation_of_removed_guest();

create trigger t500_revoke_token
  after update of status on public.episode_guests
  for each row
  when ((new.status = 'removed'::public.episode_guest_status))
  execute function private.revoke_guest_token();

create trigger t900_announce_insert
  after insert on public.episode_guests
  for each row
  when ((new.status = 'active'::public.episode_guest_status))
  execute function private.announce_accepted_guest();

create trigger t900_announce_update
  after update of status on public.episode_guests
  for each row
  when
    (((new.status = 'active'::public.episode_guest_status) AND (old.status <> 'active'::public.episode_guest_status)))
  execute function private.announce_accepted_guest();

create trigger t100_normalize
  before insert on public.episode_messages
  for each row
  execute function private.normalize_episode_message();

create trigger t300_guard_delete
  before delete on public.episode_messages
  for each STATEMENT
  execute function private.guard_message_delete();

create trigger t300_guard_sender
  before insert on public.episode_messages
  for each row
  execute function private.guard_message_sender();

create trigger t310_guard_writable
  before insert or delete or update on public.episode_messages
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t100_normalize
  before insert or update on public.episode_people
  for each row
  execute function private.normalize_episode_person();

create trigger t050_guard_writer
  before insert on public.episodes
  for each row
  execute function private.guard_episode_writer();

create trigger t100_normalize
  before insert or update on public.episodes
  for each row
  execute function private.normalize_episode();

create trigger t300_guard_writable_update
  before update on public.episodes
  for each row
  when (((pg_trigger_depth() = 0) AND (NOT (new.show_notes_version IS DISTINCT FROM old.show_notes_version))))
  execute function private.guard_writable_podcast();

create trigger t300_guard_writable
  before insert or delete on public.episodes
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t310_guard
  before insert or update on public.episodes
  for each row
  execute function private.guard_episode();

create trigger t320_guard_audio_columns
  before insert or update on public.episodes
  for each row
  execute function private.guard_audio_columns();

create trigger t330_guard_cover
  before insert or update of cover_image_url on public.episodes
  for each row
  when ((new.cover_image_url IS NOT NULL))
  execute function private.guard_episode_cover();

create trigger t500_add_team_to_roster
  after insert on public.episodes
  for each row
  execute function private.add_team_to_roster();

create trigger t500_derive_status
  before insert or update on public.episodes
  for each row
  execute function private.derive_episode_status();

create trigger t500_follow_cover
  after update of cover_image_url on public.episodes
  for each row
  when ((old.cover_image_url IS DISTINCT FROM new.cover_image_url))
  execute function private.follow_episode_cover();

create trigger t500_release_media
  after delete on public.episodes referencing OLD table as gone
  for each STATEMENT
  execute function private.release_media_of_episodes();

create trigger t510_end_replaced_uploads
  after update of audio_url on public.episodes
  for each row
  when ((old.audio_url IS DISTINCT FROM new.audio_url))
  execute function private.end_replaced_uploads();

create trigger t510_reset_show_notes
  before insert or update of show_notes_html, description, summary on public.episodes
  for each row
  execute function private.reset_show_notes();

create trigger t900_announce_feed
  after insert or delete or update on public.episodes
  for each row
  execute function private.announce_episode();

create trigger t900_announce_show_notes_insert
  after insert on public.episodes referencing NEW table as changed_rows
  for each STATEMENT
  execute function private.announce_show_notes();

create trigger t900_announce_show_notes_update
  after update on public.episodes referencing NEW table as changed_rows
  for each STATEMENT
  execute function private.announce_show_notes();

create trigger t100_normalize
  before insert or update of guest_id, podcast_id on public.podcast_guest_notes
  for each row
  execute function private.normalize_podcast_guest_note();

create trigger t300_guard_writable
  before insert or delete or update on public.podcast_guest_notes
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t100_normalize
  before insert or update on public.podcast_guests
  for each row
  execute function private.normalize_podcast_guest();

create trigger t300_guard_writable
  before insert or delete or update on public.podcast_guests
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t500_link_user
  before insert or update of email on public.podcast_guests
  for each row
  execute function private.link_guest_to_user();

create trigger t100_tidy
  before update on public.podcast_import_items
  for each row
  execute function private.tidy_import_item();

create trigger t300_guard_status
  before update of status on public.podcast_import_items
  for each row
  when
    (((old.status IS DISTINCT FROM new.status) AND (old.status = ANY (ARRAY['completed'::public.import_item_status,
    'skipped_duplicate'::public.import_item_status,
    'skipped_oversize'::public.import_item_status, 'skipped_user_limit'::public.import_item_status]))))
  execute function private.guard_import_item_status();

create trigger t500_count_changed
  after update on public.podcast_import_items referencing OLD table as old_rows NEW table as new_rows
  for each STATEMENT
  execute function private.count_import_items();

create trigger t500_count_gone
  after delete on public.podcast_import_items referencing OLD table as old_rows
  for each STATEMENT
  execute function private.count_import_items();

create trigger t500_count_new
  after insert on public.podcast_import_items referencing NEW table as new_rows
  for each STATEMENT
  execute function private.count_import_items();

create trigger t100_tidy
  before insert or update on public.podcast_imports
  for each row
  execute function private.tidy_podcast_import();

create trigger t300_guard_writable
  before insert on public.podcast_imports
  for each row
  execute function private.guard_writable_podcast();

create trigger t310_guard_status
  before update of status on public.podcast_imports
  for each row
  when ((old.status IS DISTINCT FROM new.status))
  execute function private.guard_import_status();

create trigger t500_end
  before update of status, total_items, completed_count, failed_count, skipped_count on public.podcast_imports
  for each row
  when ((new.status = 'running'::public.import_status))
  execute function private.end_import();

create trigger t500_take_feed_guid
  after update of status on public.podcast_imports
  for each row
  when
    (((old.status = 'preview'::public.import_status) AND (new.status = ANY (ARRAY['running'::public.import_status,
    'completed'::public.import_status,
    'partial'::public.import_status, 'failed'::public.import_status])) AND (new.feed_guid IS NOT NULL)))
  execute function private.take_feed_guid();

create trigger t900_announce_end
  after update on public.podcast_imports
  for each row
  when
    (((old.status IS DISTINCT FROM new.status) AND (new.status = ANY (ARRAY['completed'::public.import_status,
    'partial'::public.import_status, 'failed'::public.import_status]))))
  execute function private.announce_import_end();

create trigger t100_normalize
  before insert or update on public.podcast_invitations
  for each row
  execute function private.normalize_podcast_invitation();

create trigger t300_guard_writable
  before insert or delete or update on public.podcast_members
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_writable_podcast();

create trigger t310_guard_owner
  before insert or delete or update on public.podcast_members
  for each row
  execute function private.guard_owner();

create trigger t500_end_transfers
  after delete on public.podcast_members
  for each row
  execute function private.end_transfers_of_member();

create trigger t500_withdraw_invitations_of_demoted
  after update of role on public.podcast_members
  for each row
  when (((old.role >= 'admin'::public.podcast_role) AND (new.role < 'admin'::public.podcast_role)))
  execute function private.withdraw_invitations_of_member();

create trigger t500_withdraw_invitations
  after delete on public.podcast_members
  for each row
  when ((old.role >= 'admin'::public.podcast_role))
  execute function private.withdraw_invitations_of_member();

create trigger t100_normalize
  before insert or update on public.podcast_transfers
  for each row
  execute function private.normalize_podcast_transfer();

create trigger t500_derive_storage
  before insert or update on public.podcast_transfers
  for each row
  when ((new.status = 'pending'::public.podcast_transfer_status))
  execute function private.derive_transfer_storage();

create trigger t050_limit_creation
  before insert on public.podcasts
  for each row
  when ((auth.uid() IS NOT NULL))
  execute function private.limit_podcast_creation();

create trigger t100_normalize
  before insert or update on public.podcasts
  for each row
  execute function private.normalize_podcast();

create trigger t310_guard_lists
  before insert or update of categories, funding, verify_texts on public.podcasts
  for each row
  execute function private.guard_podcast_lists();

create trigger t330_guard_images
  before insert or update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row
  execute function private.guard_podcast_images();

create trigger t500_add_owner_membership
  after insert on public.podcasts
  for each row
  execute function private.sync_owner_membership();

create trigger t500_follow_images
  after update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row
  execute function private.follow_podcast_images();

create trigger t500_release_media
  after delete on public.podcasts referencing OLD table as gone
  for each STATEMENT
  execute function private.release_media_of_podcasts();

create trigger t900_announce_change
  after update on public.podcasts
  for each row
  when ((new.hosting_type = 'native'::public.hosting_type))
  execute function private.announce_podcast();

create trigger t900_announce_new
  after insert on public.podcasts
  for each row
  when ((new.hosting_type = 'native'::public.hosting_type))
  execute function private.announce_podcast();

create trigger t100_normalize
  before insert or update on public.profiles
  for each row
  execute function private.normalize_profile();

create trigger t500_release_temporaries
  before delete on public.profiles
  for each row
  execute function private.release_temporaries_of_profile();

create trigger t900_link_guests
  after insert on public.profiles
  for each row
  execute function private.link_user_to_guests();

create policy "users_read_own" on "public"."billing_accounts"
  for select
  to "authenticated"
  using ((user_id = ( select auth.uid() as uid)));

create policy "members_read" on "public"."episode_credits"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "members_read" on "public"."episode_guests"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "members_read" on "public"."episode_messages"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_and_participants_read" on "public"."episode_people"
  for select
  to "authenticated"
  using
    (((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])) AND
    ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])) or
    (episode_id in ( select private.my_roster_episode_ids() as my_roster_episode_ids)))));

create policy "admins_delete" on "public"."episodes"
  for delete
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_insert" on "public"."episodes"
  for insert
  to "authenticated"
  with check ((podcast_id = ANY (( SELECT private.my_podcasts('admin'::public.podcast_role) AS my_podcasts)::uuid[])));

create policy "admins_update" on "public"."episodes"
  for update
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])))
  with check ((podcast_id = ANY (( SELECT private.my_podcasts('admin'::public.podcast_role) AS my_podcasts)::uuid[])));

create policy "members_read" on "public"."episodes"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "anyone_reads" on "public"."plans"
  for select
  to "anon", "authenticated"
  using (true);

create policy "anyone_reads" on "public"."podcast_categories"
  for select
  to "anon", "authenticated"
  using (true);

create policy "admins_read" on "public"."podcast_guest_notes"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "members_read" on "public"."podcast_guests"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_read" on "public"."podcast_import_items"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_read" on "public"."podcast_import_texts"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_read" on "public"."podcast_imports"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "admins_and_invitees_read" on "public"."podcast_invitations"
  for select
  to "authenticated"
  using
    (((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])) or (id =
    ANY (( select private.my_podcast_invitations() as my_podcast_invitations)::uuid[]))));

create policy "admins_or_self_delete" on "public"."podcast_members"
  for delete
  to "authenticated"
  using
    (((user_id = ( select auth.uid() as uid)) or (podcast_id = ANY (( select
    private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[]))));

create policy "admins_update" on "public"."podcast_members"
  for update
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])))
  with check ((podcast_id = ANY (( SELECT private.my_podcasts('admin'::public.podcast_role) AS my_podcasts)::uuid[])));

create policy "members_read" on "public"."podcast_members"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "parties_read" on "public"."podcast_transfers"
  for select
  to "authenticated"
  using (((user_id = ( select auth.uid() as uid)) or (offered_by = ( select auth.uid() as uid))));

create policy "admins_update" on "public"."podcasts"
  for update
  to "authenticated"
  using ((id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])))
  with check ((id = ANY (( SELECT private.my_podcasts('admin'::public.podcast_role) AS my_podcasts)::uuid[])));

create policy "users_read_own_and_teammates" on "public"."profiles"
  for select
  to "authenticated"
  using
    (((id = ( select auth.uid() as uid)) or (id = ANY (( select private.my_teammate_ids() as
    my_teammate_ids)::uuid[]))));

create policy "users_update_own" on "public"."profiles"
  for update
  to "authenticated"
  using ((id = ( select auth.uid() as uid)))
  with check ((id = ( SELECT auth.uid() AS uid)));

alter publication "supabase_realtime" add table "public"."episode_messages";

alter publication "supabase_realtime" add table "public"."episodes";

alter publication "supabase_realtime" add table "public"."podcast_import_items";

alter publication "supabase_realtime" add table "public"."podcast_imports";

alter publication "supabase_realtime" add table "public"."podcast_invitations";

alter publication "supabase_realtime" add table "public"."podcast_transfers";

alter publication "supabase_realtime" add table "public"."podcasts";

comment on function "private"."accept_guest_invitation"(text, timestamp with time zone) is 'Implementation of accept_guest_invitation (security definer). Checks the access token itself.';

comment on function "private"."accept_podcast_invitation"(uuid, timestamp with time zone) is 'Implementation of accept_podcast_invitation (security definer). Checks the caller itself.';

comment on function "private"."accept_podcast_transfer"(uuid) is 'Implementation of accept_podcast_transfer (security definer). Checks the caller itself.';

comment on function "private"."account_staged_bytes"(uuid) is 'The bytes staged for all podcasts of an account.';

comment on function "private"."acknowledge_jobs"(text, bigint[], integer[]) is 'Deletes messages that the worker completed. With attempts, messages that another attempt has claimed stay.';

comment on function "private"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  is 'add_episode_person''s half behind the grants.';

comment on function "private"."allowed_bytes"(uuid) is 'The storage allowance of an account in bytes; 1 GB = 1,073,741,824.';

comment on function "private"."append_credit"(public.episode_people, text, public.credit_role_label, text, text) is
  'Credits a roster person after all others. Needs lock_roster.';

comment on function "private"."argument_sql"(text, text, regtype, text) is 'The expression of a private.call_ function for one argument: by its name or the name in camelCase; an absent key keeps the default.';

comment on function "private"."artwork_source"(text) is 'A live import of the caller''s, null when there is none (any more); PT404 for what is no import''s path, PT403 for someone else''s.';

comment on function "private"."ask_owner"(uuid, text, timestamp with time zone) is 'Remembers the owner of a locked feed; the mail with a code follows. PT429 when codes of all imports were emailed to the address six times in an hour, or as often in a day as the setting allows.';

comment on function "private"."audio_extension"(text) is 'The extension of an accepted audio MIME type (contract, Audio and image formats); null for others.';

comment on function "private"."audio_path"(uuid, uuid, uuid, text) is 'Where an episode''s audio is stored (contract, Stored object paths).';

comment on function "private"."audio_types"() is 'The accepted audio MIME types (contract, Audio and image formats).';

comment on function "private"."authenticate_guest"(text, timestamp with time zone, boolean) is 'The episode guest whom an access token lets in, whatever its status but removed; notes the visit at most once a minute. For those who are `for_write` neither the episode nor the guest goes until the transaction ends. PT401 INVALID or EXPIRED.';

comment on function "private"."begin_import_feed"(uuid, bigint, integer) is 'The worker reads a feed: its address, after items that an earlier attempt staged were deleted. Null when the import is not pending, or a later attempt reads.';

comment on function "private"."begin_import_item"(uuid, integer, bigint) is 'The item is being worked on: {podcastId, importId, itemId, episodeId, guid, title, payload, transfer, allowanceLeft, maxBytes}. Or {skip: why}: it has ended, or ends now, or another message or a later attempt is at it (`superseded`).';

comment on function "private"."begin_object_removal"(text, integer) is 'Announces that the object of a failed upload is deleted: no upload finishes with it until end_object_removal, or for so many seconds. Null when one has finished.';

comment on function "private"."charge_account"(uuid, bigint) is 'Adds bytes to an account''s sum; PT409 when more bytes pass its allowance.';

comment on function "private"."check_ownership_code"(uuid, text, timestamp with time zone) is 'verify_import_ownership''s half behind the grants.';

comment on function "private"."claim_import_feed"(uuid, integer) is 'The route takes the message of the import that it has just started; no row when the worker has it.';

comment on function "private"."claim_jobs"(text, integer, integer, timestamp
  with time zone) is 'Claims up to max_jobs visible messages for the worker; none of a paused queue, and as many as the concurrency leaves. A message that the worker neither completes nor fails becomes visible after the visibility timeout; after max_attempts it moves to the dead-letter queue.';

comment on function "private"."collect_objects"(text[], text) is 'Queues objects for deletion, a hundred a message.';

comment on function "private"."confirm_feed"(uuid, bigint) is 'The document of this version has what the rows say. False when another rendering was faster: open the feed again.';

comment on function "private"."consume_plan_rate_limit"(text, timestamp with time zone) is 'Counts one more call of the caller against the hourly limit of their plan, the setting max_<name>_per_hour. PT429 RATE_LIMITED with rate_limit_reset_at.';

comment on function "private"."consume_rate_limit"(text, integer, interval, timestamp
  with time zone) is 'Counts a call. PT429 RATE_LIMITED with rate_limit_reset_at over max_count calls in a period. A call that fails later is not counted, because its transaction rolls back.';

comment on function "private"."copy_channel"(uuid, jsonb) is 'A feed''s directory token, AI disclosure and verify texts onto the podcast, within what its columns hold.';

comment on function "private"."credit_imported_people"(uuid, jsonb) is 'Puts the persons of a feed''s item onto the roster and into the credits of a new episode, in the feed''s order.';

comment on function "private"."credit_json"(public.episode_credits) is 'A credit as the API shows it.';

comment on function "private"."decline_guest_invitation"(text, timestamp with time zone) is 'Implementation of decline_guest_invitation (security definer). Checks the access token itself.';

comment on function "private"."decline_podcast_invitation"(uuid, boolean) is 'Implementation of decline_podcast_invitation (security definer). Checks the caller itself.';

comment on function "private"."decline_podcast_transfer"(uuid) is 'Implementation of decline_podcast_transfer (security definer). Checks the caller itself.';

comment on function "private"."decode_cursor"(text) is 'Decodes a cursor: the next page has the rows with (time, id) below it. Null starts at the newest row. PT400 if invalid.';

comment on function "private"."decode_html"(text) is 'Decodes character references once. References without a semicolon, or to no character, stay.';

comment on function "private"."default_credit_role_label"(public.episode_people) is 'The label of a person''s credit when nobody chooses one: that of the roster, or the nearest that feeds know.';

comment on function "private"."delete_episode_message"(uuid, timestamp with time zone) is 'Implementation of delete_episode_message (security definer). Checks membership and sender itself.';

comment on function "private"."delete_unconfirmed_user"(uuid) is 'Deletes one unconfirmed user under a row lock; refuses a confirmed one with PT409.';

comment on function "private"."described_import"(uuid) is 'get_import''s half behind the grants.';

comment on function "private"."described_staging"(public.podcast_imports) is 'Where an import stands that was read and not confirmed: {importId, status, totalItems} and what comes next.';

comment on function "private"."direct_upload"(uuid, timestamp with time zone) is 'A direct upload and the bytes that storage has of it (null for none yet), or why it was refused, which ends it; admin+ only. lease: of its completion, to release when that fails; null while another completion holds one. PT404 unknown, or temporary_hours old.';

comment on function "private"."dispatch_import"(uuid, uuid) is 'One queue message for each pending item of an import that is held, or for one of them: a quarter of a second apart, none later than 900 s. Returns how many. PT500 without a queue.';

comment on function "private"."display_name_or_default"(text) is 'What a member is called who gave no name.';

comment on function "private"."drop_episode_audio"(uuid) is 'remove_episode_audio''s half behind the grants.';

comment on function "private"."drop_import_transfer"(uuid) is 'What has arrived of an item that is not going to be an episode is forgotten. One that begins anew keeps its row: how far it ever came bounds its runs.';

comment on function "private"."drop_podcast_image"(uuid, text) is 'delete_podcast_image''s half behind the grants; the paths that are to be deleted.';

comment on function "private"."drop_staging"(uuid, bigint, integer) is 'The route could not read the feed and tells its caller why: the import is deleted and its message acknowledged. False when it was not pending.';

comment on function "private"."email_rate_limit_key"(text, text) is 'The key of a rate limit per email address. It contains the digest, so that private.rate_limits holds no addresses.';

comment on function "private"."encode_cursor"(timestamp with time zone, uuid) is 'Encodes the time and id of the last row of a page.';

comment on function "private"."encode_path_segment"(text) is 'Percent-encodes a path segment of a URI as UTF-8, except the unreserved characters (RFC 3986).';

comment on function "private"."end_abandoned_stagings"(timestamp with time zone) is 'The clock''s: deletes imports whose feed nobody has gone on reading for ten minutes. How many.';

comment on function "private"."end_direct_uploads"(uuid[], text) is 'Ends those of these uploads that are open, completed or (with a code) refused, and queues their staged objects for deletion.';

comment on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text) is
  'Ends an item that is held, and says why. False, and nothing changes, when it has ended already.';

comment on function "private"."end_object_removal"(uuid) is 'The object is deleted: another upload to its path may finish.';

comment on function "private"."enqueue"(text, jsonb, integer, timestamp with time zone) is 'Writes a message in the caller''s transaction and wakes the worker, at most once per transaction and queue.';

comment on function "private"."enqueue_attendee_change"(text, uuid, uuid, uuid) is 'Queues {type: attendee.added or attendee.removed, podcast_id, episode_id, user_id} for the calendar event of the episode''s session.';

comment on function "private"."enqueue_stale_show_notes"(integer, timestamp with time zone) is 'Enqueues podcasts whose notes an older allow-list sanitized, or that lost their message; those parked within a day wait. Called by cron.';

comment on function "private"."error_response"(integer, text, text, jsonb) is 'Returns an error envelope and sets the response status, so that changes made with the error are committed. Errors that change nothing are raised as PTnnn instead.';

comment on function "private"."estimate_dates"(public.podcast_imports, timestamp
  with time zone) is 'Dates the undated items of a staged import: between their neighbours in the feed''s order and no later than the newest item of the past; of a feed without past dates below its last build date, or a day before the import started, one second apart. Returns how many.';

comment on function "private"."extend_job_visibility"(text, bigint, integer, integer, timestamp
  with time zone) is 'Extends visibility timeout and lease to `seconds` from `at`. False when the message was deleted, has failed, or was claimed by another attempt: the worker then stops.';

comment on function "private"."fail_import_feed"(uuid, text, text, bigint, integer) is 'The worker could not read the feed: the import is failed, says why and has no items. False when it was not pending; PT409 for another reader than the holder of its message.';

comment on function "private"."fail_import_item"(uuid, text, text, bigint, integer) is 'The item failed for good; a podcaster may have it tried again. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

comment on function "private"."fail_job"(text, bigint, text, boolean, integer, integer, timestamp
  with time zone) is 'Schedules the retry of a failed job: after the queue''s backoff or retry_after_seconds, the longer, with the error in the headers. A permanent failure, or the last attempt, goes to the dead-letter queue. Returns retry_scheduled, dead_lettered, or not_found for a message that was deleted or claimed by another attempt.';

comment on function "private"."feed_url"(text) is 'Where a podcast''s feed is served: a URI, whatever script the slug is of.';

comment on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb) is 'Ends an import without a podcast: charged to the user, kept for temporary_hours. Safe to repeat. PT500 size mismatch, PT409 allowance.';

comment on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) is 'Ends a move: the copy becomes the podcast''s image, the source is released. Safe to repeat. PT404 the source is gone, else as finish_image_upload.';

comment on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text) is
  'Ends both ways to upload audio (PUT /api/media/audio/upload, rules 4 to 7): measured size, optimistic guard, allowance under the account''s lock, disposal of the previous object. PT500 size mismatch, PT404 episode gone, PT409 allowance or concurrent replacement, PT403.';

comment on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb) is
  'Ends an image upload: sets the column of the podcast or episode and releases what it named before; `collectable` is what can go at once. Safe to repeat. PT500 size mismatch, PT404 gone, PT409 allowance, PT403.';

comment on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) is
  'The item becomes an episode with these objects: {status, episodeId, kept}; `image` is null, {path, bytes, contentType, width, height}, or {warning} where there was one that could not be had. Safe to repeat; not `kept` are objects of an item that ended otherwise. PT404 gone, PT409 allowance or podcast on its way out, PT500 SIZE_MISMATCH.';

comment on function "private"."finish_recheck"(uuid, jsonb, uuid) is 'What a locked feed says by now, for the admin who had it read: unlocked, or with the token, the import goes to preview; where an owner''s address appeared, the code is mailed there. PT400 STILL_LOCKED or NOT_APPLICABLE, PT404, PT409, PT429.';

comment on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp
  with time zone, bigint, integer) is 'The feed was read to its end: its message is acknowledged, and the import goes to preview or asks for proof of ownership. Returns the response of POST /api/imports/podcast. PT400 EMPTY_FEED; PT409 canceled meanwhile, or the podcast is on its way out; PT429.';

comment on function "private"."follow_image"(uuid, text, text) is 'Releases the image objects of a place that its column names no more, and revives the one that it names again.';

comment on function "private"."format_timestamp"(timestamp with time zone) is 'Formats a timestamp for the API: ISO 8601 in UTC with milliseconds and Z.';

comment on function "private"."generate_call_functions"() is 'Generates private.call_<function> for each public function, and drops those whose public function no longer exists.';

comment on function "private"."get_guest_episode"(text) is 'get_guest_episode''s half behind the grants. PT401 INVALID or EXPIRED.';

comment on function "private"."get_podcast_guest"(uuid) is 'get_podcast_guest''s half behind the grants.';

comment on function "private"."guest_invitation_email"(uuid) is 'What the mail of this invitation says; null when it went out, or nobody is to be invited any more.';

comment on function "private"."guest_invitation_json"(public.episode_guests) is 'A guest of an episode, {episodeGuest, guest}: what inviting, removing and answering return.';

comment on function "private"."guest_json"(public.podcast_guests) is 'Who a guest is: {id, displayName, email, userId, avatarUrl}. The avatar is that of the linked user''s profile, as it is now.';

comment on function "private"."guest_message_json"(public.episode_messages, uuid) is 'A message as a guest reads it; a deleted one has its time and no body.';

comment on function "private"."has_content"(text) is 'True for HTML with visible text or an image.';

comment on function "private"."has_imported_guid"(public.podcast_import_items) is 'Whether the podcast has an episode with the item''s GUID.';

comment on function "private"."has_markup"(text) is 'True for a text in which an HTML parser finds a tag.';

comment on function "private"."held_import"(uuid) is 'The import as it is now, its row locked until the transaction ends, for a caller who may change it. PT401, PT404, PT403; PT409 when the podcast is on its way out.';

comment on function "private"."hold_import_item"(uuid) is 'The item as it is now, with its import, locked until the transaction ends; null when it is gone.';

comment on function "private"."hold_staging"(uuid, bigint, integer) is 'An import whose feed is being read, its row locked, for the holder of its message (when told of one). PT404; PT409 IMPORT_STATE when it was canceled meanwhile, or PODCAST_PENDING_DELETION.';

comment on function "private"."html_character"(integer) is 'The character of a numeric HTML reference; 128 to 159 are windows-1252, white space is a space. Null for control characters, surrogates and numbers beyond Unicode, which XML forbids.';

comment on function "private"."html_entities"() is 'The entities of HTML 4: name to character.';

comment on function "private"."image_column"(public.podcasts, text) is 'What a podcast names as its image of this type.';

comment on function "private"."image_extension"(text) is 'The extension of an accepted image MIME type (contract, Audio and image formats); null for others.';

comment on function "private"."image_path"(uuid, text, uuid, uuid, text) is 'Where an image is stored (contract, Stored object paths).';

comment on function "private"."image_type"(text) is 'The specification of an image type; PT400 when there is none of that name.';

comment on function "private"."image_url"(text) is 'An image''s public URL with its cache-busting parameter, ?v=<epoch milliseconds>.';

comment on function "private"."imported_int"(jsonb) is 'A season or episode number that a column can hold; null for what is none.';

comment on function "private"."imported_role"(text, text) is 'The credit label of a podcast:person''s role and group, in any spelling of case and hyphens; null when credits have none for it.';

comment on function "private"."imported_transcripts"(jsonb) is 'A feed''s transcripts as an episode keeps them: those with an address and a type, as many as there is room for.';

comment on function "private"."install"() is 'Writes what a schema diff does not carry: reference rows, queues, cron jobs, buckets, triggers on auth.users, the publication, the private.call_ functions and the default privileges. Every migration ends with it.';

comment on function "private"."install_platform_objects"() is 'private.install()''s objects of the platform.';

comment on function "private"."install_reference_rows"() is 'private.install()''s rows.';

comment on function "private"."invalid_argument_message"(jsonb, text[], text[], integer) is 'Why the keys of a call''s arguments are invalid: the first unknown, duplicate or missing field. Null if they are valid.';

comment on function "private"."invalidate_feed"(text, uuid, text, uuid) is 'Queues {type, podcast_id, podcast_slug, episode_id, timestamp} for the feed renderer.';

comment on function "private"."invisible_characters"(text) is 'Removes all visible characters; keeps white space, control characters, joiners and direction marks.';

comment on function "private"."invite_guest"(uuid, text, text, text) is 'invite_guest''s half behind the grants.';

comment on function "private"."invite_podcast_member"(uuid, text, public.podcast_role, timestamp
  with time zone) is 'Implementation of invite_podcast_member (security definer). Checks the caller itself.';

comment on function "private"."is_blank"(text) is 'True for a text without a visible character.';

comment on function "private"."is_credit_role_label"(text) is 'Whether it is one of the credit role labels, letter for letter.';

comment on function "private"."is_email_address"(text) is 'True for a single address in lower case that no email header parses as more; its domain may use any script.';

comment on function "private"."is_guid_too_long"(text) is 'Whether a feed''s GUID is none that an episode can have: over 1,000 characters, or over the bytes that an index of episodes holds.';

comment on function "private"."is_http_url"(text) is 'True for an absolute http or https URL of at most 2,048 characters, without white space, control characters, quotes or a user name.';

comment on function "private"."is_known_member"(uuid, text) is 'True when the team knows that the address is a member''s: it accepted an invitation, or is the caller''s own. Other members'' addresses stay unknown.';

comment on function "private"."is_language_tag"(text) is 'True for a well-formed language tag (BCP 47, RFC 5646 2.1) of at most 35 characters: en, de-AT, zh-Hans-TW.';

comment on function "private"."is_list_of_texts"(jsonb, text[]) is 'True when every entry of an array is an object with only these keys, each text or null. Lists that clients write thus have no unknown field and no nesting.';

comment on function "private"."is_named"(text) is 'Whether the column of the podcast or episode that an object is stored for names it.';

comment on function "private"."is_superseded"(uuid, bigint, integer) is 'Whether another message than this one works on an item that is held, or a later attempt at it, so that this one has nothing to say of it. What is not told (null) is not asked for.';

comment on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp
  with time zone) is 'From now on the token with this digest opens the invitation, besides that of the last mail that went out. When it expires; null when the request was overtaken.';

comment on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) is 'From now on the code with this digest, sha256(codeKey || code), opens the import, and none before. When it expires; null when nobody waits for one any more.';

comment on function "private"."joined_verify_texts"(jsonb, jsonb) is 'Two lists of verify texts as one that a podcast can hold.';

comment on function "private"."list_episode_people"(uuid) is 'list_episode_people''s half behind the grants.';

comment on function "private"."list_guest_messages"(text, text, integer) is 'A page of the chat of the token''s episode. PT401 INVALID or EXPIRED, PT403 INVITATION_DECLINED, PT400 limit or cursor.';

comment on function "private"."list_podcast_guests"(uuid, text, integer) is 'list_podcast_guests'' half behind the grants.';

comment on function "private"."list_stale_show_notes"(uuid, integer, boolean, integer, bigint) is
  'Up to max_rows episodes and max_bytes of notes (always one episode) that an allow-list of this version has not sanitized yet. Notes are HTML even without a tag; other sources without one are plain text.';

comment on function "private"."listen_url"(text, text, text) is 'The page where people listen to a podcast or one of its episodes: a URI, whatever script the slugs are of.';

comment on function "private"."lock_feed"(uuid, bigint) is 'Locks a feed until the statement ends. False when its document no longer has this version (0: no document), or the podcast is deleted.';

comment on function "private"."lock_finishing_object"(text) is 'Locks the path of an object that an upload finishes with; PT503 while the object is being removed.';

comment on function "private"."lock_guest_emails"(text[]) is 'Until the transaction ends, nobody else links these addresses.';

comment on function "private"."lock_job"(text, bigint, integer) is 'Locks a message until the transaction ends. No row when it was deleted, or when another attempt has claimed it.';

comment on function "private"."lock_my_invitation"(uuid) is 'The invitation, locked for the user whose confirmed address it names; PT401, or PT404 for everyone else.';

comment on function "private"."lock_object"(text) is 'Locks the path of an object until the statement ends.';

comment on function "private"."lock_pending_transfer"(uuid, uuid) is 'The pending transfer, locked for `party`, who must be the caller. PT401, PT404, PT409 TRANSFER_ENDED.';

comment on function "private"."lock_roster"(uuid) is 'Whoever changes an episode''s roster or credits does so one after another: orders stay whole, duplicates are seen. PT404 when it is gone.';

comment on function "private"."lock_roster_for_edit"(uuid, uuid) is 'The episode''s podcast, for an admin who changes its roster, alone until the transaction ends; PT401, PT404, PT403 or PT409 otherwise. `added_user_id` is the user who is to be on it.';

comment on function "private"."lock_team_for_edit"(uuid) is 'Locks the podcast and the caller''s membership for a change of the team. PT401, PT403, PT404, PT409.';

comment on function "private"."lock_team_invitation"(uuid) is 'The pending invitation, locked for an admin of its podcast. PT401, PT403, PT404, PT409.';

comment on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  is 'The episode of an item that is held, with its credits and its objects in the ledger, charged to the podcast''s account.';

comment on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) is 'The mail with this token went out: the token of the one before opens nothing any more. Nothing when another attempt has followed.';

comment on function "private"."mark_podcast_invitation_sent"(uuid, timestamp
  with time zone) is 'Records that the email of this request was sent; a later request stays open.';

comment on function "private"."masked_address"(text) is 'An address as people other than its owner see it: j***@e***.com.';

comment on function "private"."moved_artwork"(uuid, text, text) is 'The address of this object, when it is the podcast''s image now; null otherwise. Admin+ only.';

comment on function "private"."my_confirmed_email"() is 'The caller''s confirmed email address in lower case; null without one.';

comment on function "private"."my_podcast_invitations"() is 'The invitations to the caller''s confirmed address, except those sent after the caller blocked the podcast.';

comment on function "private"."my_podcasts"(public.podcast_role) is 'The podcasts on which the caller has at least this role.';

comment on function "private"."my_roster_episode_ids"() is 'The episodes on whose roster the caller is active, perhaps of podcasts whose team they have left.';

comment on function "private"."my_storage"() is 'storage_usage''s half behind the grants.';

comment on function "private"."my_teammate_ids"() is 'Everyone who shares a podcast with the caller.';

comment on function "private"."next_available_slug"(text, text[]) is 'Returns base_slug, or the first of base_slug-2, base_slug-3 … that is not among taken_slugs.';

comment on function "private"."normalize_base_url"(text) is 'A URL without query, fragment and default port, with its scheme and host in lower case; null for text that is no absolute URL.';

comment on function "private"."normalize_email"(text) is 'Lowercases an email address and trims invisible characters around it.';

comment on function "private"."normalize_line"(text) is 'Folds line breaks, tabs and runs of spaces into one space and trims the ends. Keeps U+00A0 inside, which joins words.';

comment on function "private"."normalize_lines"(jsonb, text[]) is 'Applies normalize_line to these keys of every object in a list.';

comment on function "private"."note_import_item"(uuid, jsonb) is 'Adds [{code, message}] to what the podcaster is told of an item, each code once.';

comment on function "private"."notify"(text, jsonb) is 'Records an event in the caller''s transaction. Security definer triggers and functions call it.';

comment on function "private"."notify_team_added"(uuid, uuid, uuid, uuid) is 'The event episode.team_added, unless people add themselves.';

comment on function "private"."offer_podcast_transfer"(uuid, uuid, timestamp
  with time zone) is 'Implementation of offer_podcast_transfer (security definer). Checks the caller itself.';

comment on function "private"."open_feed"(uuid, integer, integer, bigint) is 'What a rendering needs: the rows, the stale items, and the document''s version, with which store_feed_items, write_feed and confirm_feed are called.';

comment on function "private"."open_import"(uuid, text, timestamp with time zone) is 'start_import''s half behind the grants.';

comment on function "private"."own_object_path"(text) is 'The path in the bucket media of a URL that begins with the setting media_url or one of former_media_urls; null for every other URL.';

comment on function "private"."ownership_mail"(uuid) is 'Whom to mail a code, for which podcast and feed, and the key that goes into its digest; null when nobody waits for one any more.';

comment on function "private"."person_json"(public.episode_people) is 'A roster entry as the API shows it.';

comment on function "private"."plain_text"(text) is 'Converts a text that may hold HTML to plain text for public readers; the result has no tag.';

comment on function "private"."plan_limit"(text, uuid) is 'The limit of a user''s plan, from the setting <name> or <name>_paid; null when the setting is empty, which means unlimited.';

comment on function "private"."podcast_invitation_email"(uuid, timestamp with time zone) is 'The facts of an invitation''s email; null when it was sent or the invitation is no longer open.';

comment on function "private"."post_guest_message"(text, text) is 'Writes as the token''s guest. PT401 INVALID or EXPIRED, PT403 INVITATION_DECLINED, PT409 the podcast is on its way out, PT429 over 30 a minute.';

comment on function "private"."public_description"(text, text, text) is 'The description of an episode for those outside of the team, by the feed''s rule: summary, description, or the words of the notes, the first that has some.';

comment on function "private"."public_episode_of"(text, text) is 'One published episode, by slug or id; PT404 when there is none.';

comment on function "private"."public_episodes"(text, integer, text) is 'A page of published episodes; PT404 no such podcast, PT400 limit or cursor.';

comment on function "private"."public_podcast"(text) is 'The published fields of a podcast; PT404 when there is none.';

comment on function "private"."publish_due_episodes"(timestamp with time zone) is 'Publishes what is due, dated as scheduled; at most 500 a run. Returns how many.';

comment on function "private"."purge_cron_history"(timestamp with time zone) is 'Deletes records of cron runs that ended more than three days ago. Cron calls it daily. Returns how many.';

comment on function "private"."purge_rate_limits"(timestamp with time zone) is 'Deletes windows older than two days. Cron calls it daily. Returns how many.';

comment on function "private"."queue_guest_invitation_email"(uuid, text, timestamp
  with time zone) is 'Queues the email of an invitation, unless the guest got as many emails for the episode, or the address for all podcasts today, as the settings allow.';

comment on function "private"."queue_podcast_invitation_email"(public.podcast_invitations, timestamp
  with time zone) is 'Queues the email of an invitation, unless its recipient blocked the podcast or got as many emails as the settings allow.';

comment on function "private"."reachable_address"(text) is 'An e-mail address as it is kept, or null when no mail could go there.';

comment on function "private"."read_feed"(uuid) is 'A podcast''s feed as one gzip member.';

comment on function "private"."reap_unconfirmed_users"(timestamp with time zone) is 'Deletes unconfirmed users older than the setting unconfirmed_user_ttl_days, at most 1,000 a run. Users with an open invitation of Auth, a team or an episode stay.';

comment on function "private"."recheckable_import"(uuid) is 'begin_import_recheck''s half behind the grants.';

comment on function "private"."refuse_import_state"(public.podcast_imports, text) is 'PT409 IMPORT_STATE: what was asked is not for an import in this state. `wanted` says what is, as half a sentence.';

comment on function "private"."refuse_migration"(public.podcast_imports) is 'PT409 HOSTING_MIGRATION: migrations have a podcast''s one place for imports, and are driven from elsewhere.';

comment on function "private"."release_direct_completion"(uuid, timestamp with time zone) is 'A completion failed: its lease ends, unless another completion has taken one since.';

comment on function "private"."release_episode_audio"(public.episodes) is 'The episode''s audio object is replaced or removed.';

comment on function "private"."release_media_objects"(text[], boolean) is 'Nothing refers to these objects any more; those that nobody could have heard of are collected at once.';

comment on function "private"."remove_episode_guest"(uuid) is 'remove_episode_guest''s half behind the grants.';

comment on function "private"."remove_episode_person"(uuid, uuid) is 'remove_episode_person''s half behind the grants.';

comment on function "private"."remove_episode_person_credit"(uuid, uuid) is 'remove_episode_person_credit''s half behind the grants.';

comment on function "private"."reopen_import"(uuid) is 'resume_import''s half behind the grants.';

comment on function "private"."reorder_episode_credits"(uuid, uuid[]) is 'reorder_episode_credits'' half behind the grants.';

comment on function "private"."request_ownership_code"(uuid, timestamp with time zone) is 'resend_import_code''s half behind the grants.';

comment on function "private"."requeue_job"(text, bigint, integer, integer, timestamp
  with time zone) is 'Continues a job in another run: sends its message again, with all attempts left, and returns the new id. Null when the message was deleted or claimed by another attempt.';

comment on function "private"."require_allowance"(uuid, uuid, text, bigint, bigint) is 'PT409 when the podcast''s account (admin+ only), or for a temporary object the caller''s own, cannot take these bytes in place of what is there. `staged` is how much of staging counts beside them; by default all of the account''s.';

comment on function "private"."require_announced"(text, bigint) is 'PT400 unless an upload is announced with a name and a size of at most 500 MB.';

comment on function "private"."require_audio_target"(uuid, uuid, text) is 'Returns when the caller may upload this kind of audio for this episode; PT400, PT401, PT403, PT404 or PT409 otherwise.';

comment on function "private"."require_credit_role_label"(text) is 'Returns when it is one of the credit role labels, or null; PT400 INVALID_ROLE_LABEL otherwise.';

comment on function "private"."require_episode_role"(uuid, public.podcast_role) is 'The episode''s podcast, when the caller has at least this role on it; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) is 'Locks what an upload changes; PT403, PT404, PT409, PT503 while its object is being removed, or PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';

comment on function "private"."require_guest_role"(uuid, public.podcast_role) is 'The guest record, when the caller has at least this role on its podcast; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric) is
  'PT400 unless an image fits its type: format, size, the bytes'' own format, minimum dimensions, aspect ratio within the tolerance (0.02 uploads, 0.05 imports).';

comment on function "private"."require_image_format"(private.image_types, text) is 'PT400 unless images of this type may have this format.';

comment on function "private"."require_image_target"(uuid, text, uuid) is 'Returns when the caller may set this image here; PT401, PT403, PT404 or PT409 otherwise.';

comment on function "private"."require_import_queue"() is 'PT500 when nothing would take up what is dispatched.';

comment on function "private"."require_import_role"(uuid) is 'The import, when the caller is an admin or the owner of its podcast; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_importable"(text) is 'The specification of an image type that is imported; PT400 otherwise.';

comment on function "private"."require_measured"(text, bigint) is 'PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';

comment on function "private"."require_no_other_import"(public.podcast_imports) is 'PT409 IMPORT_IN_FLIGHT with importId when another import has the podcast''s one place.';

comment on function "private"."require_not_declined"(public.episode_guests) is 'PT403 INVITATION_DECLINED for a guest who declined.';

comment on function "private"."require_own_image"(text, text, text, text) is 'PT400 IMAGE_NOT_OWN for the URL of an object of ours outside `folder`; the detail names the operation that copies it.';

comment on function "private"."require_pending_invitation"(public.podcast_invitations) is 'PT409 INVITATION_ANSWERED, INVITATION_WITHDRAWN or INVITATION_EXPIRED when the invitation is not pending.';

comment on function "private"."require_reader"(bigint, integer) is 'Locks the message of a feed. PT409 IMPORT_STATE when it was settled, or claimed by a later attempt.';

comment on function "private"."require_role"(uuid, public.podcast_role) is 'Returns when the caller has at least this role; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_roster_person"(uuid, uuid) is 'The roster entry; PT404 when it is not one of this episode''s.';

comment on function "private"."require_upload_size"(bigint) is 'PT413 over the interim cap, the setting audio_upload_cap_bytes.';

comment on function "private"."require_uploadable"(text) is 'The specification of an image type that is uploaded; PT400 otherwise.';

comment on function "private"."require_writable_podcast"(uuid) is 'PT409 when the podcast is pending deletion or deleted.';

comment on function "private"."resend_podcast_invitation"(uuid, timestamp with time zone) is 'Implementation of resend_podcast_invitation (security definer). Checks the caller itself.';

comment on function "private"."respond_to_guest_invitation"(text, public.episode_guest_status, timestamp
  with time zone) is 'Records a guest''s response, active or declined. PT401 INVALID or EXPIRED, PT409 PODCAST_PENDING_DELETION, PT429 RATE_LIMITED over 30 an hour.';

comment on function "private"."revoke_default_privileges"() is 'Revokes the platform''s default privileges, and EXECUTE of PUBLIC on every function of public and private.';

comment on function "private"."role_label_for_member"(public.podcast_role) is 'What a member is called on a roster: by the role on the podcast, not by choice.';

comment on function "private"."run_failed"(uuid) is 'retry_failed_import''s half behind the grants.';

comment on function "private"."run_failed_item"(uuid, uuid) is 'retry_import_item''s half behind the grants.';

comment on function "private"."run_import"(public.podcast_imports, public.import_item_status[], uuid, boolean) is
  'A held import runs (again): items of the statuses `again` go back to pending, or one of them alone, with what was begun and has no message any more, and what is pending is dispatched. Null, or the refusal DISPATCH_FAILED to be returned. PT409 IMPORT_IN_FLIGHT with importId; PT500 without a queue.';

comment on function "private"."run_previewed"(uuid, boolean, integer) is 'confirm_import''s half behind the grants.';

comment on function "private"."save_import_transfer"(uuid, text, text, text, bigint, bigint, text, bigint, integer) is
  'Remembers how far the audio of an item has come. False, and nothing is kept, when the item is not being worked on any more, or by someone else: another message than `msg_id`, or a later attempt at it.';

comment on function "private"."set_episode_person_credit"(uuid, uuid, jsonb) is 'set_episode_person_credit''s half behind the grants.';

comment on function "private"."set_image_column"(uuid, text, text) is 'Sets a podcast''s image of this type.';

comment on function "private"."set_setting"(text, text) is 'For operators: sets a public setting; null restores the default value.';

comment on function "private"."setting"(text) is 'Returns a public setting, or its default value. PT500 MISSING_SETTING names a setting without either.';

comment on function "private"."show_notes_source"(text, text, text) is 'The text that the show notes are made from: the notes, else a description, else a summary, that the feed''s description tag cannot carry whole.';

comment on function "private"."show_notes_version"() is 'The current version of the allow-list of show notes.';

comment on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer) is
  'The item is left out, for a reason that no further attempt would change. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

comment on function "private"."skip_waiting_items"(uuid) is 'Skips the pending items of a canceled import whose row is locked, and deletes their messages.';

comment on function "private"."slugify"(text, text) is 'Makes a slug of at most 80 characters from a title in any script; `fallback` for a title without a letter or digit.';

comment on function "private"."stage_import_items"(uuid, jsonb, bigint, integer) is 'Stages a batch of a feed''s items ([FeedItem], no GUID twice) in one statement and returns how many. PT404; PT409 IMPORT_STATE when the import was canceled meanwhile.';

comment on function "private"."staged_bytes"(uuid) is 'The bytes that clients have put into staging for a podcast. They count on its account until they are deleted.';

comment on function "private"."start_direct_upload"(uuid, uuid, text, bigint) is 'Opens a direct upload in place of the episode''s open one, unless that is being completed; admin+ only. PT409 when it does not fit beside what else is open, PT429 at 100 open ones of an account.';

comment on function "private"."stop_import"(uuid) is 'cancel_import''s half behind the grants.';

comment on function "private"."store_feed_items"(uuid, bigint, text, jsonb) is 'Keeps rendered items for the document to list. No rows when another rendering was faster: open the feed again.';

comment on function "private"."store_show_notes"(integer, jsonb, boolean) is 'Stores sanitized notes, [{episode_id, html, digest}]. Skips an episode whose source changed meanwhile: it has a message of its own. The feed renderer, which reads the notes next, needs no feed invalidation (renders_feed).';

comment on function "private"."stored_size"(text, text) is 'The bytes of a stored object as storage measured them; null when it is not there.';

comment on function "private"."stranded_items"(uuid) is 'The items of an import that were begun and that no message in the queue would go on with.';

comment on function "private"."sweep_staging"(timestamp with time zone) is 'Ends direct uploads that no completion holds and that are older than temporary_hours or larger than announced, and queues up to 10,000 staged objects without an open upload for deletion. Returns how many it queued.';

comment on function "private"."sweep_storage"(timestamp with time zone) is 'Queues for deletion, at most 10,000 of each a run: orphans older than the setting orphan_guard_hours, counted from when they were replaced; artwork imports that were not used within temporary_hours.';

comment on function "private"."take_collectable"(text, text[]) is 'Those of a bucket''s paths that no column and no open upload names: forgotten here, and the caller''s to delete.';

comment on function "private"."try_rate_limit"(text, integer, interval, timestamp
  with time zone) is 'Counts a call and returns null; over max_count calls in a period, counts nothing and returns the end of the window.';

comment on function "private"."update_episode_person"(uuid, uuid, jsonb) is 'update_episode_person''s half behind the grants.';

comment on function "private"."update_podcast_guest"(uuid, jsonb) is 'update_podcast_guest''s half behind the grants.';

comment on function "private"."validate_changes"(jsonb, jsonb, integer) is 'Requires an object with at least min_keys keys, each in allowed_types (key to its JSON types). PT400 names the wrong key.';

comment on function "private"."validate_person_fields"(text, text, text, text) is 'Returns when a roster entry can hold these values; PT400 that names the field otherwise. Holds for a person who is on the roster already, of whom no row is written.';

comment on function "private"."wake_worker"(text) is 'Asks the worker to drain one queue, or all. pg_net sends the request after the transaction commits.';

comment on function "private"."wake_worker_if_pending"() is 'Wakes the worker for each queue with visible messages. Cron calls it, in case the wake-up of a transaction was lost.';

comment on function "private"."wake_worker_once"(text) is 'Wakes the worker for a queue that is not paused, at most once per transaction.';

comment on function "private"."withdraw_podcast_invitation"(uuid) is 'Implementation of withdraw_podcast_invitation (security definer). Checks the caller itself.';

comment on function "private"."withdraw_podcast_transfer"(uuid) is 'Implementation of withdraw_podcast_transfer (security definer). Checks the caller itself.';

comment on function "private"."write_detected_numbers"(public.podcast_imports) is 'The episode numbers that detection found, and seasons where the feed names none, onto the items that are pending.';

comment on function "private"."write_feed"(uuid, bigint, jsonb, bytea, bigint[], bytea) is 'Writes the document that /feeds/{slug}.xml serves: {etag, last_modified, digest, bytes, zipped} and its parts. False when another rendering was faster: open the feed again.';

comment on function "public"."accept_guest_invitation"(text) is 'POST /api/guests/accept: {episodeGuest, guest} with status active. Safe to repeat. Requires the access token, no login. 401 INVALID or EXPIRED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';

comment on function "public"."accept_podcast_invitation"(uuid) is 'The callers podcast_members row. For the user whose confirmed address is invited. 404, 409 INVITATION_ANSWERED, INVITATION_EXPIRED, INVITATION_WITHDRAWN or PODCAST_PENDING_DELETION.';

comment on function "public"."accept_podcast_transfer"(uuid) is 'The podcast_transfers row. Makes the caller the owner; the previous owner becomes an admin. For the member to whom it was offered. 404, 409 TRANSFER_ENDED, ALLOWANCE_EXCEEDED, or TRANSFER_GREW with storage_bytes.';

comment on function "public"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  is 'POST …/people: 201 {data: the roster entry, warning?}, or 200 with alreadyExisted when the user or guest is on it. The label is the caller''s for externals only. Needs admin+. 400 nobody of that id, INVALID_ROLE_LABEL, 403, 404, 409 ROSTER_FULL.';

comment on function "public"."archive_episode"(uuid) is 'Out of the feed, kept for the team. Needs admin+. 403, 404, 409.';

comment on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid) is 'POST /api/media/import-artwork, after the fetch: checks what came (ratio within 5 %) and names its key. 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';

comment on function "public"."begin_artwork_move"(text, uuid, text) is 'POST /api/media/move-artwork, before the copy: the permanent key. 400 image type, or an image that does not fit it, 403, 404 no such import, 409.';

comment on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) is 'PUT /api/media/audio/upload, rules 1 to 3, with the bytes received (or announced). 400 content type or empty, 403, 404, 409 allowance, 413 over the cap.';

comment on function "public"."begin_direct_completion"(uuid) is 'POST /api/media/audio/direct-upload/complete, which then copies the object under its final key and finishes it. 400 empty or larger than announced, 403, 404 no such upload, 409 nothing uploaded yet, replaced in the meantime, or over the allowance.';

comment on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) is 'POST /api/media/audio/direct-upload, which adds the signed URL. 400 content type, size or filename, 403, 404, 409 allowance, 429 too many open or too often.';

comment on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid) is 'PUT /api/media/upload: the contract''s checks, with the bytes received and what they are ({type, width, height}, null for no image). 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';

comment on function "public"."begin_import_recheck"(uuid) is 'POST /api/imports/{id}/recheck-feed, first half: {feedUrl, method, verificationToken, caller} for the service, which fetches the feed next. Needs admin+. 400 NOT_APPLICABLE, 403, 404, 409, 429.';

comment on function "public"."cancel_import"(uuid) is 'POST /api/imports/{id}/cancel: {status: canceled}. Items in transfer still become episodes; waiting items become skipped_canceled. Needs admin+. 403, 404, 409 IMPORT_STATE when it has ended.';

comment on function "public"."check_health"() is 'GET /api/health/ready: {status, timestamp}. Fails if the database does.';

comment on function "public"."confirm_import"(uuid, boolean, integer) is 'POST /api/imports/{id}/confirm: {status, selectedCount, heldCount}; running, or ended where nothing is left to do. The newest items up to the limit are selected, the others held. Needs admin+. 400 NOT_IN_PREVIEW, INVALID_SELECTION, 403, 404, 409 (also HOSTING_MIGRATION), 500 DISPATCH_FAILED: back in preview, what is held stays held.';

comment on function
  "public"."create_episode"(uuid, text, text, text, text, text, integer, integer, public.episode_type, boolean) is
  'A new draft on a podcast. Needs admin+. Without a slug, one is made from the title. 400 bad field, 403, 404, 409 SLUG_TAKEN or podcast pending deletion.';

comment on function
  "public"."create_podcast"(text, public.hosting_type, text, text, text, text, jsonb, boolean, public.podcast_type,
  text) is 'A new podcast with the caller as owner. Without a slug, one is made from the title. 400 bad field, 401 no user, 409 SLUG_TAKEN, 429 RATE_LIMITED or TOO_MANY_PODCASTS.';

comment on function "public"."decline_guest_invitation"(text) is 'POST /api/guests/decline: {episodeGuest, guest} with status declined. Safe to repeat. Requires the access token, no login. 401 INVALID or EXPIRED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';

comment on function "public"."decline_podcast_invitation"(uuid, boolean) is 'The podcast_invitations row. With block, later invitations to this podcast are neither emailed nor shown. For the user whose confirmed address is invited. 404, 409 INVITATION_ANSWERED.';

comment on function "public"."decline_podcast_transfer"(uuid) is 'The podcast_transfers row. For the member to whom it was offered. 404, 409 TRANSFER_ENDED.';

comment on function "public"."delete_episode_message"(uuid) is 'Clears the body of the caller''s own message and sets deleted_at; returns the row. Safe to repeat. Requires its sender, as a member. 401, 403 another sender, 404, 409 PODCAST_PENDING_DELETION.';

comment on function "public"."delete_podcast_image"(uuid, text) is 'DELETE /api/media/image/{podcastId}/{imageType}: clears the column and queues every object of the image, also replaced ones; none is 200 with 0. Needs admin+. 400 image type, 403, 404, 409.';

comment on function "public"."get_episode_cover"(uuid) is 'GET /api/media/episode-cover/{episodeId}/download: {path, filename} of the object. Needs a member. 403, 404 no episode, no cover, or one that lies elsewhere.';

comment on function "public"."get_guest_episode"(text) is 'POST /api/guests/episode: {episodeGuest, guest, episode, podcast}, the public side of the episode. Needs the access token, no login. 401 INVALID or EXPIRED.';

comment on function "public"."get_import"(uuid) is 'GET /api/imports/{id}: the import, the owner''s address masked, with all its items by created_at and position, each with the number, season, type, duration and enclosure of its payload. Needs admin+. 403, 404.';

comment on function "public"."get_podcast_guest"(uuid) is 'GET /api/podcast-guests/{id}: with its episodes, newest invitation first; notes and bio are null to plain members. Needs a member. 403, 404.';

comment on function "public"."get_public_episode"(text, text) is 'A published episode of a podcast, by its slug or its id: {data}. 404 when there is none.';

comment on function "public"."get_public_podcast"(text) is 'GET /v1/podcasts/{slug}: {data}. 404 when there is none.';

comment on function "public"."invite_guest"(uuid, text, text, text) is 'POST /api/guests: 201 {episodeGuest, guest}. Makes or reuses the record by podcast and address; a guest who declined, was removed or was taken off the roster is invited again. An email with a fresh token follows, unless the guest or the address got as many as the limits allow; the response is the same. Needs admin+. 400, 403, 404, 409, 429.';

comment on function "public"."invite_podcast_member"(uuid, text, public.podcast_role) is '201 podcast_invitations. Invites an address as member or admin; an email follows. Requires admin. 400, 403, 404, 409 ALREADY_MEMBER, INVITATION_OPEN or OWNERSHIP_TRANSFER_REQUIRED, 429.';

comment on function "public"."list_episode_people"(uuid) is 'GET …/people: {people, candidates: {teamCandidates, guestCandidates}}; the credited first, in their order, each with `credited`. For admin+, or a member who is active on the roster. 403, 404.';

comment on function "public"."list_guest_messages"(text, text, integer) is 'POST /api/guests/messages/list: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400, 401 INVALID or EXPIRED, 403 INVITATION_DECLINED.';

comment on function "public"."list_podcast_guests"(uuid, text, numeric) is 'GET /api/podcast-guests: by name, those whose display name or e-mail contains q; limit is clamped to 1-50. Needs a member. 400 q is over 455 characters long, 403, 404.';

comment on function "public"."list_public_episodes"(text, integer, text) is 'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400 limit or cursor, 404.';

comment on function "public"."offer_podcast_transfer"(uuid, uuid) is '201 podcast_transfers, whose storage_bytes will count on the allowance of the member. Requires the owner. 403, 404 podcast or NEW_OWNER_NOT_A_MEMBER, 409 TRANSFER_OPEN or OWNERSHIP_TRANSFER_REQUIRED, 429.';

comment on function "public"."post_guest_message"(text, text) is 'POST /api/guests/messages: 201 with the message. 400, 401 INVALID or EXPIRED, 403 INVITATION_DECLINED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';

comment on function "public"."prepare_artwork_import"(text, uuid) is 'POST /api/media/import-artwork, before the fetch: what may be fetched. 400 image type, with a podcast 403, 404, 409, 429 too often.';

comment on function "public"."prepare_audio_upload"(uuid, uuid, text) is 'PUT /api/media/audio/upload, before the body: the most bytes to read. 400 content type, 403, 404, 409.';

comment on function "public"."prepare_image_upload"(uuid, text, text, uuid) is 'PUT /api/media/upload, before the body: the most bytes to read. 400 image type or format, 403, 404, 409.';

comment on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) is 'POST /api/media/audio/presigned-url. The paths are advisory: the upload makes its own key. 400 content type or over 500 MB, 403, 404, 409, 413 over the cap.';

comment on function "public"."presign_image_upload"(uuid, text, text, text, uuid) is 'POST /api/media/presigned-url. The paths are advisory: the upload makes its own key. 400 image type, content type or filename, 403, 404, 409.';

comment on function "public"."publish_episode"(uuid) is 'Publishes now; safe to repeat. Needs admin+. 403, 404, 409 podcast pending deletion, PT428 AUDIO_REQUIRED when a service-hosted episode has no audio.';

comment on function "public"."remove_episode_audio"(uuid) is 'Clears the audio columns; the object goes at once when the episode was never public, else with the sweep. Safe to repeat. Needs admin+. 403, 404, 409 AUDIO_IN_USE while published or scheduled.';

comment on function "public"."remove_episode_guest"(uuid) is 'DELETE /api/guests/{episodeGuestId}: {data: {episodeGuest, guest}, warning?}; the status is removed, the token void, and the warning names a credit that stays. Needs admin+. 403, 404, 409.';

comment on function "public"."remove_episode_person"(uuid, uuid) is 'DELETE …/people/{personId}: {id, name}; the credit goes too. Needs admin+. 403, 404 not on this episode, 409.';

comment on function "public"."remove_episode_person_credit"(uuid, uuid) is 'DELETE …/people/{personId}/credit: {personId, name}. Needs admin+. 403, 404 not on this episode, 409, 422 NOT_CREDITED.';

comment on function "public"."reorder_episode_credits"(uuid, uuid[]) is 'PUT …/credits/reorder: {episodeId, order}. Needs admin+. 400 EMPTY_CREDIT_LIST, DUPLICATE_CREDIT, UNKNOWN_CREDIT, INCOMPLETE_CREDIT_LIST, 403, 404, 409.';

comment on function "public"."resend_import_code"(uuid) is 'POST /api/imports/{id}/resend-code: {status, method, ownerEmail}. The code before opens nothing any more. Needs admin+. 403, 404, 409 IMPORT_STATE, 429 with rate_limit_reset_at: once a minute, five times an hour, and six times an hour and ten times a day to one address over all imports.';

comment on function "public"."resend_podcast_invitation"(uuid) is 'The podcast_invitations row with its new expires_at; also for a pending one that expired. Requires admin. 403, 404, 409 INVITATION_ANSWERED, INVITATION_EXPIRED or INVITATION_WITHDRAWN, 429.';

comment on function "public"."resume_import"(uuid) is 'POST /api/imports/{id}/resume: {status}. One that was never confirmed is in preview again, or waits for the proof that it still owes; one that was goes on with what was not done. Needs admin+. 403, 404, 409 IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: it stays canceled.';

comment on function "public"."retry_failed_import"(uuid) is 'POST /api/imports/{id}/retry-failed: {status, retriedCount}. Every failed item is tried again; of a canceled import also what was not done. Needs admin+. 403, 404, 409 IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';

comment on function "public"."retry_import_item"(uuid, uuid) is 'POST /api/imports/{id}/items/{itemId}/retry: {importId, itemId, status: pending}. Needs admin+. 403, 404, 409 ITEM_NOT_FAILED (also for items held by the limit), IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';

comment on function "public"."schedule_episode"(uuid, timestamp with time zone) is 'Publishes at a time in the future, within a minute. Needs admin+. 400 time not in the future, 403, 404, 409, PT428 AUDIO_REQUIRED.';

comment on function "public"."set_episode_person_credit"(uuid, uuid, jsonb) is 'PUT …/people/{personId}/credit: 201 {personId, credit}, appended, or 200 when there was one. name, avatarUrl and externalUrl default to the roster entry''s, roleLabel to the credit''s own, then the entry''s. Needs admin+. 400 INVALID_ROLE_LABEL, 403, 404 not on this episode, 409, 422 PERSON_INACTIVE.';

comment on function "public"."start_import"(uuid, text) is 'POST /api/imports/podcast, first half: {importId, status: pending}. The route reads the feed at once; after an RPC call the worker does, and the row moves to preview, verification_required, or failed with error_code and error_message. Needs admin+. 400 INVALID_URL, 403, 404, 409 EXTERNAL_PODCAST or IMPORT_IN_FLIGHT with importId, 429, 500 no queue.';

comment on function "public"."storage_usage"() is 'The caller''s own account, in bytes: {used, allowed, staged, temporary, podcasts: [{id, slug, title, used}]}, the largest first. `used` is the podcasts'' sum, with what is staged for them, and the temporary imports.';

comment on function "public"."unpublish_episode"(uuid) is 'Back to draft, out of the feed; its date is kept for a later publication. Needs admin+. 403, 404, 409.';

comment on function "public"."update_episode_person"(uuid, uuid, jsonb) is 'PUT …/people/{personId}: name, roleLabel, avatarUrl, externalUrl, isActive; inactive ends the credit. Needs admin+. 400 nothing or unknown, 403, 404 not on this episode, 409.';

comment on function "public"."update_podcast_guest"(uuid, jsonb) is 'PUT /api/podcast-guests/{id}: displayName, notes, bio. Needs admin+. 400 nothing, unknown or too long, 403, 404, 409.';

comment on function "public"."verify_import_ownership"(uuid, text) is 'POST /api/imports/{id}/verify-ownership: {importId, status: preview, totalItems, detection}. Needs admin+. 400 no six digits, INVALID, EXPIRED (after 15 minutes) or LOCKED_OUT (after five wrong ones, or twenty tries in an hour for one address), 403, 404, 409 IMPORT_STATE.';

comment on function "public"."withdraw_podcast_invitation"(uuid) is 'The podcast_invitations row. Requires admin. 403, 404, 409 INVITATION_ANSWERED, INVITATION_EXPIRED or INVITATION_WITHDRAWN.';

comment on function "public"."withdraw_podcast_transfer"(uuid) is 'The podcast_transfers row. For the owner who offered it. 404, 409 TRANSFER_ENDED.';

comment on schema "private" is 'Helpers, trigger functions, side tables and the worker''s functions. PostgREST does not expose it.';

comment on table "private"."direct_uploads" is 'Announced uploads by signed URL: open ones, and ended ones until they are temporary_hours old.';

comment on table "private"."episode_slugs" is 'Every slug that an episode of this podcast ever had.';

comment on table "private"."events" is 'Events by type, with {user_id, actor_id, podcast_id, …} as payload, in the order of ids. private.notify() writes them.';

comment on table "private"."feed_documents" is 'The feed of each native podcast. Written by write_feed, read by read_feed for /feeds/{slug}.xml.';

comment on table "private"."feed_items" is 'The rendered, compressed items of each feed. Written by store_feed_items, removed by write_feed.';

comment on table "private"."guest_invitations" is 'The last invitation of each episode guest: what its mail says, and the digests of the access tokens that open it.';

comment on table "private"."image_types" is 'The specification of each image type.';

comment on table "private"."import_messages" is 'The message that was last sent for an item, or that went on with it last.';

comment on table "private"."import_owners" is 'The owner whom a locked feed names, and the code that was mailed to them.';

comment on table "private"."import_transfers" is 'How far the audio of an item has come, so that the next run goes on where the last one ended.';

comment on table "private"."leases" is 'The messages in process, of queues with a concurrency. Written by claim_jobs and extend_job_visibility.';

comment on table "private"."media_objects" is 'The stored objects of each account, with their measured size.';

comment on table "private"."object_removals" is 'Objects of failed uploads that are being deleted. Written by begin_object_removal and end_object_removal.';

comment on table "private"."podcast_invitation_emails" is 'The last email of each invitation.';

comment on table "private"."podcast_invitation_recipients" is 'Every address that a podcast invited: how many emails it got, and whether its owner blocked the podcast.';

comment on table "private"."podcast_slugs" is 'Every slug that a podcast ever had.';

comment on table "private"."queues" is 'The retry policy of each queue. private.install() writes the rows and creates the queues.';

comment on table "private"."rate_limits" is 'The current window of each rate limit. purge_rate_limits deletes past windows.';

comment on table "private"."reapable_users" is 'The user whom the reaper is about to delete. Empty between its steps.';

comment on table "private"."roster_removals" is 'Active guests whom remove_episode_person removed from a roster. The row ends with a new invitation or roster entry.';

comment on table "private"."settings" is 'Public settings. Functions read them with private.setting(), operators write them with private.set_setting().';

comment on table "public"."billing_accounts" is 'Plan, subscription and storage of an account. Read by its user, written by the server only.';

comment on table "public"."episode_credits" is 'The credits of an episode, as its feed and /v1 show them. Members read them; set_episode_person_credit writes them.';

comment on table "public"."episode_guests" is 'A guest of an episode. Members read it; what the token is known by is in private.guest_invitations.';

comment on table "public"."episode_messages" is 'The chat of an episode. Members read and write it; guests do by token, through list_guest_messages and post_guest_message. delete_episode_message clears the body and sets deleted_at.';

comment on table "public"."episode_people" is 'The roster of an episode. Admins and active people on it read it; add_episode_person and its siblings write it.';

comment on table "public"."episodes" is 'An episode. Members read it, admins edit it; the audio columns are written by finish_audio_upload only.';

comment on table "public"."plans" is 'The plans that an account can be on.';

comment on table "public"."podcast_categories" is 'The categories and subcategories that directories know.';

comment on table "public"."podcast_guest_notes" is 'Notes and bio of a guest, for admins and the owner only.';

comment on table "public"."podcast_guests" is 'A person whom a podcast invites. Members read it; notes and bio are in podcast_guest_notes.';

comment on table "public"."podcast_import_items" is 'The items of an import. Admins read them, also by realtime; the verbs of this folder and the worker write them.';

comment on table "public"."podcast_import_texts" is 'The long texts of import items, as the feed has them. Admins read them; stage_import_items writes them.';

comment on table "public"."podcast_imports" is 'An import of a feed. Admins read it, also by realtime; the verbs of this folder and the worker write it.';

comment on table "public"."podcast_invitations" is 'Invitations to a podcast''s team. Admins read them, and so does the user whose confirmed address is invited. The *_podcast_invitation functions write them.';

comment on table "public"."podcast_members" is 'A podcast''s team. Exactly one owner, who is podcasts.owner_id.';

comment on table "public"."podcast_transfers" is 'Offers of a podcast''s ownership. Both parties read them; the *_podcast_transfer functions write them.';

comment on table "public"."podcasts" is 'A show. Members read it, admins edit it, create_podcast or a plain insert makes it.';

comment on table "public"."profiles" is 'One row per confirmed user; made by provisioning, never by a client.';

comment on view "private"."callable_functions" is 'The public functions, each with its arguments as a private.call_ function reads them.';

comment on view "private"."feed_entries" is 'What the feed of a podcast will list. Ask for one podcast''s.';

comment on view "private"."published_episodes" is 'What strangers may see of episodes, and the keys to find it by.';

comment on view "private"."queue_health" is 'For operators: depth, age of the oldest message, and dead letters of each queue.';

revoke all on function "private"."accept_guest_invitation"(text, timestamp with time zone) from public;

grant execute
  on function "private"."accept_guest_invitation"(text, timestamp with time zone)
  to "anon", "authenticated", "postgres";

revoke all on function "private"."accept_podcast_invitation"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."accept_podcast_invitation"(uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."accept_podcast_transfer"(uuid) from public;

grant execute on function "private"."accept_podcast_transfer"(uuid) to "authenticated", "postgres";

revoke all on function "private"."account_staged_bytes"(uuid) from public;

grant execute on function "private"."account_staged_bytes"(uuid) to "postgres";

revoke all on function "private"."acknowledge_jobs"(text, bigint[], integer[]) from public;

grant execute on function "private"."acknowledge_jobs"(text, bigint[], integer[]) to "postgres";

revoke all
  on function "private"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  from public;

grant execute
  on function "private"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  to "authenticated", "postgres";

revoke all on function "private"."add_guest_to_roster"() from public;

grant execute on function "private"."add_guest_to_roster"() to "postgres";

revoke all on function "private"."add_team_to_roster"() from public;

grant execute on function "private"."add_team_to_roster"() to "postgres";

revoke all on function "private"."allowed_bytes"(uuid) from public;

grant execute on function "private"."allowed_bytes"(uuid) to "postgres";

revoke all on function "private"."announce_accepted_guest"() from public;

grant execute on function "private"."announce_accepted_guest"() to "postgres";

revoke all on function "private"."announce_credits"() from public;

grant execute on function "private"."announce_credits"() to "postgres";

revoke all on function "private"."announce_episode"() from public;

grant execute on function "private"."announce_episode"() to "postgres";

revoke all on function "private"."announce_import_end"() from public;

grant execute on function "private"."announce_import_end"() to "postgres";

revoke all on function "private"."announce_podcast"() from public;

grant execute on function "private"."announce_podcast"() to "postgres";

revoke all on function "private"."announce_show_notes"() from public;

grant execute on function "private"."announce_show_notes"() to "postgres";

revoke all
  on function "private"."append_credit"(public.episode_people, text, public.credit_role_label, text, text)
  from public;

grant execute
  on function "private"."append_credit"(public.episode_people, text, public.credit_role_label, text, text)
  to "postgres";

revoke all on function "private"."argument_sql"(text, text, regtype, text) from public;

grant execute on function "private"."argument_sql"(text, text, regtype, text) to "postgres";

revoke all on function "private"."artwork_source"(text) from public;

grant execute on function "private"."artwork_source"(text) to "authenticated", "postgres";

revoke all on function "private"."ask_owner"(uuid, text, timestamp with time zone) from public;

grant execute on function "private"."ask_owner"(uuid, text, timestamp with time zone) to "postgres";

revoke all on function "private"."audio_extension"(text) from public;

grant execute on function "private"."audio_extension"(text) to "authenticated", "postgres";

revoke all on function "private"."audio_path"(uuid, uuid, uuid, text) from public;

grant execute on function "private"."audio_path"(uuid, uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "private"."audio_types"() from public;

grant execute on function "private"."audio_types"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."authenticate_guest"(text, timestamp with time zone, boolean) from public;

grant execute on function "private"."authenticate_guest"(text, timestamp with time zone, boolean) to "postgres";

revoke all on function "private"."begin_import_feed"(uuid, bigint, integer) from public;

grant execute on function "private"."begin_import_feed"(uuid, bigint, integer) to "postgres";

revoke all on function "private"."begin_import_item"(uuid, integer, bigint) from public;

grant execute on function "private"."begin_import_item"(uuid, integer, bigint) to "postgres";

revoke all on function "private"."begin_object_removal"(text, integer) from public;

grant execute on function "private"."begin_object_removal"(text, integer) to "postgres";

revoke all on function "private"."charge_account"(uuid, bigint) from public;

grant execute on function "private"."charge_account"(uuid, bigint) to "postgres";

revoke all on function "private"."charge_media_objects"() from public;

grant execute on function "private"."charge_media_objects"() to "postgres";

revoke all on function "private"."check_ownership_code"(uuid, text, timestamp with time zone) from public;

grant execute
  on function "private"."check_ownership_code"(uuid, text, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."claim_import_feed"(uuid, integer) from public;

grant execute on function "private"."claim_import_feed"(uuid, integer) to "postgres";

revoke all on function "private"."claim_jobs"(text, integer, integer, timestamp with time zone) from public;

grant execute on function "private"."claim_jobs"(text, integer, integer, timestamp with time zone) to "postgres";

revoke all on function "private"."collect_objects"(text[], text) from public;

grant execute on function "private"."collect_objects"(text[], text) to "postgres";

revoke all on function "private"."confirm_feed"(uuid, bigint) from public;

grant execute on function "private"."confirm_feed"(uuid, bigint) to "postgres";

revoke all on function "private"."consume_plan_rate_limit"(text, timestamp with time zone) from public;

grant execute on function "private"."consume_plan_rate_limit"(text, timestamp with time zone) to "postgres";

revoke all on function "private"."consume_rate_limit"(text, integer, interval, timestamp with time zone) from public;

grant execute
  on function "private"."consume_rate_limit"(text, integer, interval, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."copy_channel"(uuid, jsonb) from public;

grant execute on function "private"."copy_channel"(uuid, jsonb) to "postgres";

revoke all on function "private"."count_import_items"() from public;

grant execute on function "private"."count_import_items"() to "postgres";

revoke all on function "private"."credit_imported_people"(uuid, jsonb) from public;

grant execute on function "private"."credit_imported_people"(uuid, jsonb) to "postgres";

revoke all on function "private"."credit_json"(public.episode_credits) from public;

grant execute on function "private"."credit_json"(public.episode_credits) to "postgres";

revoke all on function "private"."decline_guest_invitation"(text, timestamp with time zone) from public;

grant execute
  on function "private"."decline_guest_invitation"(text, timestamp with time zone)
  to "anon", "authenticated", "postgres";

revoke all on function "private"."decline_podcast_invitation"(uuid, boolean) from public;

grant execute on function "private"."decline_podcast_invitation"(uuid, boolean) to "authenticated", "postgres";

revoke all on function "private"."decline_podcast_transfer"(uuid) from public;

grant execute on function "private"."decline_podcast_transfer"(uuid) to "authenticated", "postgres";

revoke all on function "private"."decode_cursor"(text) from public;

grant execute on function "private"."decode_cursor"(text) to "postgres";

revoke all on function "private"."decode_html"(text) from public;

grant execute on function "private"."decode_html"(text) to "postgres";

revoke all on function "private"."default_credit_role_label"(public.episode_people) from public;

grant execute on function "private"."default_credit_role_label"(public.episode_people) to "postgres";

revoke all on function "private"."delete_episode_message"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."delete_episode_message"(uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."delete_roster_removal"() from public;

grant execute on function "private"."delete_roster_removal"() to "postgres";

revoke all on function "private"."delete_unconfirmed_user"(uuid) from public;

grant execute on function "private"."delete_unconfirmed_user"(uuid) to "postgres";

revoke all on function "private"."derive_episode_status"() from public;

grant execute on function "private"."derive_episode_status"() to "postgres";

revoke all on function "private"."derive_transfer_storage"() from public;

grant execute on function "private"."derive_transfer_storage"() to "postgres";

revoke all on function "private"."described_import"(uuid) from public;

grant execute on function "private"."described_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."described_staging"(public.podcast_imports) from public;

grant execute on function "private"."described_staging"(public.podcast_imports) to "postgres";

revoke all on function "private"."direct_upload"(uuid, timestamp with time zone) from public;

grant execute on function "private"."direct_upload"(uuid, timestamp with time zone) to "authenticated", "postgres";

revoke all on function "private"."dispatch_import"(uuid, uuid) from public;

grant execute on function "private"."dispatch_import"(uuid, uuid) to "postgres";

revoke all on function "private"."display_name_or_default"(text) from public;

grant execute on function "private"."display_name_or_default"(text) to "postgres";

revoke all on function "private"."drop_episode_audio"(uuid) from public;

grant execute on function "private"."drop_episode_audio"(uuid) to "authenticated", "postgres";

revoke all on function "private"."drop_import_transfer"(uuid) from public;

grant execute on function "private"."drop_import_transfer"(uuid) to "postgres";

revoke all on function "private"."drop_podcast_image"(uuid, text) from public;

grant execute on function "private"."drop_podcast_image"(uuid, text) to "authenticated", "postgres";

revoke all on function "private"."drop_staging"(uuid, bigint, integer) from public;

grant execute on function "private"."drop_staging"(uuid, bigint, integer) to "postgres";

revoke all on function "private"."email_rate_limit_key"(text, text) from public;

grant execute on function "private"."email_rate_limit_key"(text, text) to "postgres";

revoke all on function "private"."encode_cursor"(timestamp with time zone, uuid) from public;

grant execute on function "private"."encode_cursor"(timestamp with time zone, uuid) to "postgres";

revoke all on function "private"."encode_path_segment"(text) from public;

grant execute on function "private"."encode_path_segment"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."end_abandoned_stagings"(timestamp with time zone) from public;

grant execute on function "private"."end_abandoned_stagings"(timestamp with time zone) to "postgres";

revoke all on function "private"."end_direct_uploads"(uuid[], text) from public;

grant execute on function "private"."end_direct_uploads"(uuid[], text) to "postgres";

revoke all on function "private"."end_import"() from public;

grant execute on function "private"."end_import"() to "postgres";

revoke all
  on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text)
  from public;

grant execute
  on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text)
  to "postgres";

revoke all on function "private"."end_object_removal"(uuid) from public;

grant execute on function "private"."end_object_removal"(uuid) to "postgres";

revoke all on function "private"."end_replaced_uploads"() from public;

grant execute on function "private"."end_replaced_uploads"() to "postgres";

revoke all on function "private"."end_transfers_of_member"() from public;

grant execute on function "private"."end_transfers_of_member"() to "postgres";

revoke all on function "private"."end_transfers_of_podcast"() from public;

grant execute on function "private"."end_transfers_of_podcast"() to "postgres";

revoke all on function "private"."enqueue"(text, jsonb, integer, timestamp with time zone) from public;

grant execute on function "private"."enqueue"(text, jsonb, integer, timestamp with time zone) to "postgres";

revoke all on function "private"."enqueue_attendee_change"(text, uuid, uuid, uuid) from public;

grant execute on function "private"."enqueue_attendee_change"(text, uuid, uuid, uuid) to "postgres";

revoke all on function "private"."enqueue_stale_show_notes"(integer, timestamp with time zone) from public;

grant execute on function "private"."enqueue_stale_show_notes"(integer, timestamp with time zone) to "postgres";

revoke all on function "private"."error_response"(integer, text, text, jsonb) from public;

grant execute
  on function "private"."error_response"(integer, text, text, jsonb)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."estimate_dates"(public.podcast_imports, timestamp with time zone) from public;

grant execute on function "private"."estimate_dates"(public.podcast_imports, timestamp with time zone) to "postgres";

revoke all
  on function "private"."extend_job_visibility"(text, bigint, integer, integer, timestamp with time zone)
  from public;

grant execute
  on function "private"."extend_job_visibility"(text, bigint, integer, integer, timestamp with time zone)
  to "postgres";

revoke all on function "private"."fail_dead_import_feed"() from public;

grant execute on function "private"."fail_dead_import_feed"() to "postgres";

revoke all on function "private"."fail_dead_import_item"() from public;

grant execute on function "private"."fail_dead_import_item"() to "postgres";

revoke all on function "private"."fail_import_feed"(uuid, text, text, bigint, integer) from public;

grant execute on function "private"."fail_import_feed"(uuid, text, text, bigint, integer) to "postgres";

revoke all on function "private"."fail_import_item"(uuid, text, text, bigint, integer) from public;

grant execute on function "private"."fail_import_item"(uuid, text, text, bigint, integer) to "postgres";

revoke all
  on function "private"."fail_job"(text, bigint, text, boolean, integer, integer, timestamp with time zone)
  from public;

grant execute
  on function "private"."fail_job"(text, bigint, text, boolean, integer, integer, timestamp with time zone)
  to "postgres";

revoke all on function "private"."feed_url"(text) from public;

grant execute on function "private"."feed_url"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb) from public;

grant execute
  on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) from public;

grant execute on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) to "postgres", "service_role";

revoke all on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text) from public;

grant execute
  on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text)
  to "postgres", "service_role";

revoke all on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb) from public;

grant execute
  on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) from public;

grant execute on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) to "postgres";

revoke all on function "private"."finish_recheck"(uuid, jsonb, uuid) from public;

grant execute on function "private"."finish_recheck"(uuid, jsonb, uuid) to "postgres";

revoke all
  on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp with time zone, bigint, integer)
  from public;

grant execute
  on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp with time zone, bigint, integer)
  to "postgres";

revoke all on function "private"."follow_episode_cover"() from public;

grant execute on function "private"."follow_episode_cover"() to "postgres";

revoke all on function "private"."follow_image"(uuid, text, text) from public;

grant execute on function "private"."follow_image"(uuid, text, text) to "postgres";

revoke all on function "private"."follow_podcast_images"() from public;

grant execute on function "private"."follow_podcast_images"() to "postgres";

revoke all on function "private"."format_timestamp"(timestamp with time zone) from public;

grant execute
  on function "private"."format_timestamp"(timestamp with time zone)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."generate_call_functions"() from public;

grant execute on function "private"."generate_call_functions"() to "postgres";

revoke all on function "private"."get_guest_episode"(text) from public;

grant execute on function "private"."get_guest_episode"(text) to "anon", "authenticated", "postgres";

revoke all on function "private"."get_podcast_guest"(uuid) from public;

grant execute on function "private"."get_podcast_guest"(uuid) to "authenticated", "postgres";

revoke all on function "private"."guard_audio_columns"() from public;

grant execute on function "private"."guard_audio_columns"() to "postgres";

revoke all on function "private"."guard_episode"() from public;

grant execute on function "private"."guard_episode"() to "postgres";

revoke all on function "private"."guard_episode_cover"() from public;

grant execute on function "private"."guard_episode_cover"() to "postgres";

revoke all on function "private"."guard_episode_writer"() from public;

grant execute on function "private"."guard_episode_writer"() to "postgres";

revoke all on function "private"."guard_import_item_status"() from public;

grant execute on function "private"."guard_import_item_status"() to "postgres";

revoke all on function "private"."guard_import_status"() from public;

grant execute on function "private"."guard_import_status"() to "postgres";

revoke all on function "private"."guard_message_delete"() from public;

grant execute on function "private"."guard_message_delete"() to "postgres";

revoke all on function "private"."guard_message_sender"() from public;

grant execute on function "private"."guard_message_sender"() to "postgres";

revoke all on function "private"."guard_owner"() from public;

grant execute on function "private"."guard_owner"() to "postgres";

revoke all on function "private"."guard_podcast"() from public;

grant execute on function "private"."guard_podcast"() to "postgres";

revoke all on function "private"."guard_podcast_images"() from public;

grant execute on function "private"."guard_podcast_images"() to "postgres";

revoke all on function "private"."guard_podcast_lists"() from public;

grant execute on function "private"."guard_podcast_lists"() to "postgres";

revoke all on function "private"."guard_writable_podcast"() from public;

grant execute on function "private"."guard_writable_podcast"() to "postgres";

revoke all on function "private"."guest_invitation_email"(uuid) from public;

grant execute on function "private"."guest_invitation_email"(uuid) to "postgres";

revoke all on function "private"."guest_invitation_json"(public.episode_guests) from public;

grant execute on function "private"."guest_invitation_json"(public.episode_guests) to "postgres";

revoke all on function "private"."guest_json"(public.podcast_guests) from public;

grant execute on function "private"."guest_json"(public.podcast_guests) to "postgres";

revoke all on function "private"."guest_message_json"(public.episode_messages, uuid) from public;

grant execute on function "private"."guest_message_json"(public.episode_messages, uuid) to "postgres";

revoke all on function "private"."has_content"(text) from public;

grant execute on function "private"."has_content"(text) to "postgres";

revoke all on function "private"."has_imported_guid"(public.podcast_import_items) from public;

grant execute on function "private"."has_imported_guid"(public.podcast_import_items) to "postgres";

revoke all on function "private"."has_markup"(text) from public;

grant execute on function "private"."has_markup"(text) to "postgres";

revoke all on function "private"."held_import"(uuid) from public;

grant execute on function "private"."held_import"(uuid) to "postgres";

revoke all on function "private"."hold_import_item"(uuid) from public;

grant execute on function "private"."hold_import_item"(uuid) to "postgres";

revoke all on function "private"."hold_staging"(uuid, bigint, integer) from public;

grant execute on function "private"."hold_staging"(uuid, bigint, integer) to "postgres";

revoke all on function "private"."html_character"(integer) from public;

grant execute on function "private"."html_character"(integer) to "postgres";

revoke all on function "private"."html_entities"() from public;

grant execute on function "private"."html_entities"() to "postgres";

revoke all on function "private"."image_column"(public.podcasts, text) from public;

grant execute on function "private"."image_column"(public.podcasts, text) to "postgres";

revoke all on function "private"."image_extension"(text) from public;

grant execute on function "private"."image_extension"(text) to "authenticated", "postgres";

revoke all on function "private"."image_path"(uuid, text, uuid, uuid, text) from public;

grant execute on function "private"."image_path"(uuid, text, uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "private"."image_type"(text) from public;

grant execute on function "private"."image_type"(text) to "authenticated", "postgres";

revoke all on function "private"."image_url"(text) from public;

grant execute on function "private"."image_url"(text) to "authenticated", "postgres";

revoke all on function "private"."imported_int"(jsonb) from public;

grant execute on function "private"."imported_int"(jsonb) to "postgres";

revoke all on function "private"."imported_role"(text, text) from public;

grant execute on function "private"."imported_role"(text, text) to "postgres";

revoke all on function "private"."imported_transcripts"(jsonb) from public;

grant execute on function "private"."imported_transcripts"(jsonb) to "postgres";

revoke all on function "private"."install"() from public;

grant execute on function "private"."install"() to "postgres";

revoke all on function "private"."install_platform_objects"() from public;

grant execute on function "private"."install_platform_objects"() to "postgres";

revoke all on function "private"."install_reference_rows"() from public;

grant execute on function "private"."install_reference_rows"() to "postgres";

revoke all on function "private"."invalid_argument_message"(jsonb, text[], text[], integer) from public;

grant execute on function "private"."invalid_argument_message"(jsonb, text[], text[], integer) to "postgres";

revoke all on function "private"."invalidate_feed"(text, uuid, text, uuid) from public;

grant execute on function "private"."invalidate_feed"(text, uuid, text, uuid) to "postgres";

revoke all on function "private"."invisible_characters"(text) from public;

grant execute on function "private"."invisible_characters"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."invite_guest"(uuid, text, text, text) from public;

grant execute on function "private"."invite_guest"(uuid, text, text, text) to "authenticated", "postgres";

revoke all
  on function "private"."invite_podcast_member"(uuid, text, public.podcast_role, timestamp with time zone)
  from public;

grant execute
  on function "private"."invite_podcast_member"(uuid, text, public.podcast_role, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."is_blank"(text) from public;

grant execute on function "private"."is_blank"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."is_credit_role_label"(text) from public;

grant execute on function "private"."is_credit_role_label"(text) to "postgres";

revoke all on function "private"."is_email_address"(text) from public;

grant execute on function "private"."is_email_address"(text) to "postgres";

revoke all on function "private"."is_guid_too_long"(text) from public;

grant execute on function "private"."is_guid_too_long"(text) to "postgres";

revoke all on function "private"."is_http_url"(text) from public;

grant execute on function "private"."is_http_url"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."is_known_member"(uuid, text) from public;

grant execute on function "private"."is_known_member"(uuid, text) to "postgres";

revoke all on function "private"."is_language_tag"(text) from public;

grant execute on function "private"."is_language_tag"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."is_list_of_texts"(jsonb, text[]) from public;

grant execute on function "private"."is_list_of_texts"(jsonb, text[]) to "authenticated", "postgres", "service_role";

revoke all on function "private"."is_named"(text) from public;

grant execute on function "private"."is_named"(text) to "postgres";

revoke all on function "private"."is_superseded"(uuid, bigint, integer) from public;

grant execute on function "private"."is_superseded"(uuid, bigint, integer) to "postgres";

revoke all
  on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp with time zone)
  from public;

grant execute
  on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp with time zone)
  to "postgres";

revoke all on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) from public;

grant execute on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) to "postgres";

revoke all on function "private"."joined_verify_texts"(jsonb, jsonb) from public;

grant execute on function "private"."joined_verify_texts"(jsonb, jsonb) to "postgres";

revoke all on function "private"."limit_podcast_creation"() from public;

grant execute on function "private"."limit_podcast_creation"() to "postgres";

revoke all on function "private"."link_guest_to_user"() from public;

grant execute on function "private"."link_guest_to_user"() to "postgres";

revoke all on function "private"."link_user_to_guests"() from public;

grant execute on function "private"."link_user_to_guests"() to "postgres";

revoke all on function "private"."list_episode_people"(uuid) from public;

grant execute on function "private"."list_episode_people"(uuid) to "authenticated", "postgres";

revoke all on function "private"."list_guest_messages"(text, text, integer) from public;

grant execute on function "private"."list_guest_messages"(text, text, integer) to "anon", "authenticated", "postgres";

revoke all on function "private"."list_podcast_guests"(uuid, text, integer) from public;

grant execute on function "private"."list_podcast_guests"(uuid, text, integer) to "authenticated", "postgres";

revoke all on function "private"."list_stale_show_notes"(uuid, integer, boolean, integer, bigint) from public;

grant execute on function "private"."list_stale_show_notes"(uuid, integer, boolean, integer, bigint) to "postgres";

revoke all on function "private"."listen_url"(text, text, text) from public;

grant execute
  on function "private"."listen_url"(text, text, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."lock_feed"(uuid, bigint) from public;

grant execute on function "private"."lock_feed"(uuid, bigint) to "postgres";

revoke all on function "private"."lock_finishing_object"(text) from public;

grant execute on function "private"."lock_finishing_object"(text) to "postgres";

revoke all on function "private"."lock_guest_emails"(text[]) from public;

grant execute on function "private"."lock_guest_emails"(text[]) to "postgres";

revoke all on function "private"."lock_job"(text, bigint, integer) from public;

grant execute on function "private"."lock_job"(text, bigint, integer) to "postgres";

revoke all on function "private"."lock_my_invitation"(uuid) from public;

grant execute on function "private"."lock_my_invitation"(uuid) to "postgres";

revoke all on function "private"."lock_object"(text) from public;

grant execute on function "private"."lock_object"(text) to "postgres";

revoke all on function "private"."lock_pending_transfer"(uuid, uuid) from public;

grant execute on function "private"."lock_pending_transfer"(uuid, uuid) to "postgres";

revoke all on function "private"."lock_roster"(uuid) from public;

grant execute on function "private"."lock_roster"(uuid) to "postgres";

revoke all on function "private"."lock_roster_for_edit"(uuid, uuid) from public;

grant execute on function "private"."lock_roster_for_edit"(uuid, uuid) to "postgres";

revoke all on function "private"."lock_team_for_edit"(uuid) from public;

grant execute on function "private"."lock_team_for_edit"(uuid) to "postgres";

revoke all on function "private"."lock_team_invitation"(uuid) from public;

grant execute on function "private"."lock_team_invitation"(uuid) to "postgres";

revoke all
  on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  from public;

grant execute
  on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  to "postgres";

revoke all on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) from public;

grant execute on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) to "postgres";

revoke all on function "private"."mark_podcast_invitation_sent"(uuid, timestamp with time zone) from public;

grant execute on function "private"."mark_podcast_invitation_sent"(uuid, timestamp with time zone) to "postgres";

revoke all on function "private"."masked_address"(text) from public;

grant execute on function "private"."masked_address"(text) to "postgres";

revoke all on function "private"."move_media_account"() from public;

grant execute on function "private"."move_media_account"() to "postgres";

revoke all on function "private"."moved_artwork"(uuid, text, text) from public;

grant execute on function "private"."moved_artwork"(uuid, text, text) to "authenticated", "postgres";

revoke all on function "private"."my_confirmed_email"() from public;

grant execute on function "private"."my_confirmed_email"() to "postgres";

revoke all on function "private"."my_podcast_invitations"() from public;

grant execute on function "private"."my_podcast_invitations"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."my_podcasts"(public.podcast_role) from public;

grant execute on function "private"."my_podcasts"(public.podcast_role) to "authenticated", "postgres", "service_role";

revoke all on function "private"."my_roster_episode_ids"() from public;

grant execute on function "private"."my_roster_episode_ids"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."my_storage"() from public;

grant execute on function "private"."my_storage"() to "authenticated", "postgres";

revoke all on function "private"."my_teammate_ids"() from public;

grant execute on function "private"."my_teammate_ids"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."next_available_slug"(text, text[]) from public;

grant execute on function "private"."next_available_slug"(text, text[]) to "postgres";

revoke all on function "private"."normalize_base_url"(text) from public;

grant execute on function "private"."normalize_base_url"(text) to "authenticated", "postgres";

revoke all on function "private"."normalize_email"(text) from public;

grant execute on function "private"."normalize_email"(text) to "postgres";

revoke all on function "private"."normalize_episode"() from public;

grant execute on function "private"."normalize_episode"() to "postgres";

revoke all on function "private"."normalize_episode_credit"() from public;

grant execute on function "private"."normalize_episode_credit"() to "postgres";

revoke all on function "private"."normalize_episode_guest"() from public;

grant execute on function "private"."normalize_episode_guest"() to "postgres";

revoke all on function "private"."normalize_episode_message"() from public;

grant execute on function "private"."normalize_episode_message"() to "postgres";

revoke all on function "private"."normalize_episode_person"() from public;

grant execute on function "private"."normalize_episode_person"() to "postgres";

revoke all on function "private"."normalize_line"(text) from public;

grant execute on function "private"."normalize_line"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."normalize_lines"(jsonb, text[]) from public;

grant execute on function "private"."normalize_lines"(jsonb, text[]) to "postgres";

revoke all on function "private"."normalize_podcast"() from public;

grant execute on function "private"."normalize_podcast"() to "postgres";

revoke all on function "private"."normalize_podcast_guest"() from public;

grant execute on function "private"."normalize_podcast_guest"() to "postgres";

revoke all on function "private"."normalize_podcast_guest_note"() from public;

grant execute on function "private"."normalize_podcast_guest_note"() to "postgres";

revoke all on function "private"."normalize_podcast_invitation"() from public;

grant execute on function "private"."normalize_podcast_invitation"() to "postgres";

revoke all on function "private"."normalize_podcast_transfer"() from public;

grant execute on function "private"."normalize_podcast_transfer"() to "postgres";

revoke all on function "private"."normalize_profile"() from public;

grant execute on function "private"."normalize_profile"() to "postgres";

revoke all on function "private"."note_import_item"(uuid, jsonb) from public;

grant execute on function "private"."note_import_item"(uuid, jsonb) to "postgres";

revoke all on function "private"."notify"(text, jsonb) from public;

grant execute on function "private"."notify"(text, jsonb) to "postgres";

revoke all on function "private"."notify_team_added"(uuid, uuid, uuid, uuid) from public;

grant execute on function "private"."notify_team_added"(uuid, uuid, uuid, uuid) to "postgres";

revoke all on function "private"."offer_podcast_transfer"(uuid, uuid, timestamp with time zone) from public;

grant execute
  on function "private"."offer_podcast_transfer"(uuid, uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."open_feed"(uuid, integer, integer, bigint) from public;

grant execute on function "private"."open_feed"(uuid, integer, integer, bigint) to "postgres";

revoke all on function "private"."open_import"(uuid, text, timestamp with time zone) from public;

grant execute on function "private"."open_import"(uuid, text, timestamp with time zone) to "authenticated", "postgres";

revoke all on function "private"."own_object_path"(text) from public;

grant execute on function "private"."own_object_path"(text) to "authenticated", "postgres";

revoke all on function "private"."ownership_mail"(uuid) from public;

grant execute on function "private"."ownership_mail"(uuid) to "postgres";

revoke all on function "private"."person_json"(public.episode_people) from public;

grant execute on function "private"."person_json"(public.episode_people) to "postgres";

revoke all on function "private"."plain_text"(text) from public;

grant execute on function "private"."plain_text"(text) to "postgres";

revoke all on function "private"."plan_limit"(text, uuid) from public;

grant execute on function "private"."plan_limit"(text, uuid) to "postgres";

revoke all on function "private"."podcast_invitation_email"(uuid, timestamp with time zone) from public;

grant execute on function "private"."podcast_invitation_email"(uuid, timestamp with time zone) to "postgres";

revoke all on function "private"."post_guest_message"(text, text) from public;

grant execute on function "private"."post_guest_message"(text, text) to "anon", "authenticated", "postgres";

revoke all on function "private"."postpone_import_item"() from public;

grant execute on function "private"."postpone_import_item"() to "postgres";

revoke all on function "private"."provision_user"() from public;

grant execute on function "private"."provision_user"() to "postgres";

revoke all on function "private"."public_description"(text, text, text) from public;

grant execute on function "private"."public_description"(text, text, text) to "postgres";

revoke all on function "private"."public_episode_of"(text, text) from public;

grant execute
  on function "private"."public_episode_of"(text, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."public_episodes"(text, integer, text) from public;

grant execute
  on function "private"."public_episodes"(text, integer, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."public_podcast"(text) from public;

grant execute on function "private"."public_podcast"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."publish_due_episodes"(timestamp with time zone) from public;

grant execute on function "private"."publish_due_episodes"(timestamp with time zone) to "postgres";

revoke all on function "private"."purge_cron_history"(timestamp with time zone) from public;

grant execute on function "private"."purge_cron_history"(timestamp with time zone) to "postgres";

revoke all on function "private"."purge_rate_limits"(timestamp with time zone) from public;

grant execute on function "private"."purge_rate_limits"(timestamp with time zone) to "postgres";

revoke all on function "private"."queue_guest_invitation_email"(uuid, text, timestamp with time zone) from public;

grant execute on function "private"."queue_guest_invitation_email"(uuid, text, timestamp with time zone) to "postgres";

revoke all
  on function "private"."queue_podcast_invitation_email"(public.podcast_invitations, timestamp with time zone)
  from public;

grant execute
  on function "private"."queue_podcast_invitation_email"(public.podcast_invitations, timestamp with time zone)
  to "postgres";

revoke all on function "private"."reachable_address"(text) from public;

grant execute on function "private"."reachable_address"(text) to "postgres";

revoke all on function "private"."read_feed"(uuid) from public;

grant execute on function "private"."read_feed"(uuid) to "postgres";

revoke all on function "private"."reap_unconfirmed_users"(timestamp with time zone) from public;

grant execute on function "private"."reap_unconfirmed_users"(timestamp with time zone) to "postgres";

revoke all on function "private"."recheckable_import"(uuid) from public;

grant execute on function "private"."recheckable_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."refuse_import_state"(public.podcast_imports, text) from public;

grant execute on function "private"."refuse_import_state"(public.podcast_imports, text) to "postgres";

revoke all on function "private"."refuse_migration"(public.podcast_imports) from public;

grant execute on function "private"."refuse_migration"(public.podcast_imports) to "postgres";

revoke all on function "private"."release_direct_completion"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."release_direct_completion"(uuid, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."release_episode_audio"(public.episodes) from public;

grant execute on function "private"."release_episode_audio"(public.episodes) to "postgres";

revoke all on function "private"."release_media_objects"(text[], boolean) from public;

grant execute on function "private"."release_media_objects"(text[], boolean) to "postgres";

revoke all on function "private"."release_media_of_episodes"() from public;

grant execute on function "private"."release_media_of_episodes"() to "postgres";

revoke all on function "private"."release_media_of_podcasts"() from public;

grant execute on function "private"."release_media_of_podcasts"() to "postgres";

revoke all on function "private"."release_temporaries_of_profile"() from public;

grant execute on function "private"."release_temporaries_of_profile"() to "postgres";

revoke all on function "private"."relink_user_to_guests"() from public;

grant execute on function "private"."relink_user_to_guests"() to "postgres";

revoke all on function "private"."remove_episode_guest"(uuid) from public;

grant execute on function "private"."remove_episode_guest"(uuid) to "authenticated", "postgres";

revoke all on function "private"."remove_episode_person"(uuid, uuid) from public;

grant execute on function "private"."remove_episode_person"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "private"."remove_episode_person_credit"(uuid, uuid) from public;

grant execute on function "private"."remove_episode_person_credit"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "private"."remove_guest_from_roster"() from public;

grant execute on function "private"."remove_guest_from_roster"() to "postgres";

revoke all on function "private"."renumber_credits"() from public;

grant execute on function "private"."renumber_credits"() to "postgres";

revoke all on function "private"."reopen_import"(uuid) from public;

grant execute on function "private"."reopen_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."reopen_invitation_of_removed_guest"() from public;

grant execute on function "private"."reopen_invitation_of_removed_guest"() to "postgres";

revoke all on function "private"."reorder_episode_credits"(uuid, uuid[]) from public;

grant execute on function "private"."reorder_episode_credits"(uuid, uuid[]) to "authenticated", "postgres";

revoke all on function "private"."request_ownership_code"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."request_ownership_code"(uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."requeue_job"(text, bigint, integer, integer, timestamp with time zone) from public;

grant execute
  on function "private"."requeue_job"(text, bigint, integer, integer, timestamp with time zone)
  to "postgres";

revoke all on function "private"."require_allowance"(uuid, uuid, text, bigint, bigint) from public;

grant execute on function "private"."require_allowance"(uuid, uuid, text, bigint, bigint) to "authenticated", "postgres";

revoke all on function "private"."require_announced"(text, bigint) from public;

grant execute on function "private"."require_announced"(text, bigint) to "authenticated", "postgres";

revoke all on function "private"."require_audio_target"(uuid, uuid, text) from public;

grant execute on function "private"."require_audio_target"(uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "private"."require_credit_role_label"(text) from public;

grant execute on function "private"."require_credit_role_label"(text) to "postgres";

revoke all on function "private"."require_episode_role"(uuid, public.podcast_role) from public;

grant execute
  on function "private"."require_episode_role"(uuid, public.podcast_role)
  to "authenticated", "postgres", "service_role";

revoke all on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) from public;

grant execute on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) to "postgres";

revoke all on function "private"."require_guest_role"(uuid, public.podcast_role) from public;

grant execute on function "private"."require_guest_role"(uuid, public.podcast_role) to "postgres";

revoke all on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric) from public;

grant execute
  on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric)
  to "authenticated", "postgres";

revoke all on function "private"."require_image_format"(private.image_types, text) from public;

grant execute on function "private"."require_image_format"(private.image_types, text) to "authenticated", "postgres";

revoke all on function "private"."require_image_target"(uuid, text, uuid) from public;

grant execute on function "private"."require_image_target"(uuid, text, uuid) to "authenticated", "postgres";

revoke all on function "private"."require_import_queue"() from public;

grant execute on function "private"."require_import_queue"() to "postgres";

revoke all on function "private"."require_import_role"(uuid) from public;

grant execute on function "private"."require_import_role"(uuid) to "postgres";

revoke all on function "private"."require_importable"(text) from public;

grant execute on function "private"."require_importable"(text) to "authenticated", "postgres";

revoke all on function "private"."require_measured"(text, bigint) from public;

grant execute on function "private"."require_measured"(text, bigint) to "postgres";

revoke all on function "private"."require_no_other_import"(public.podcast_imports) from public;

grant execute on function "private"."require_no_other_import"(public.podcast_imports) to "postgres";

revoke all on function "private"."require_not_declined"(public.episode_guests) from public;

grant execute on function "private"."require_not_declined"(public.episode_guests) to "postgres";

revoke all on function "private"."require_own_image"(text, text, text, text) from public;

grant execute on function "private"."require_own_image"(text, text, text, text) to "postgres";

revoke all on function "private"."require_pending_invitation"(public.podcast_invitations) from public;

grant execute on function "private"."require_pending_invitation"(public.podcast_invitations) to "postgres";

revoke all on function "private"."require_reader"(bigint, integer) from public;

grant execute on function "private"."require_reader"(bigint, integer) to "postgres";

revoke all on function "private"."require_role"(uuid, public.podcast_role) from public;

grant execute
  on function "private"."require_role"(uuid, public.podcast_role)
  to "authenticated", "postgres", "service_role";

revoke all on function "private"."require_roster_person"(uuid, uuid) from public;

grant execute on function "private"."require_roster_person"(uuid, uuid) to "postgres";

revoke all on function "private"."require_upload_size"(bigint) from public;

grant execute on function "private"."require_upload_size"(bigint) to "authenticated", "postgres";

revoke all on function "private"."require_uploadable"(text) from public;

grant execute on function "private"."require_uploadable"(text) to "authenticated", "postgres";

revoke all on function "private"."require_writable_podcast"(uuid) from public;

grant execute on function "private"."require_writable_podcast"(uuid) to "authenticated", "postgres", "service_role";

revoke all on function "private"."resend_podcast_invitation"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."resend_podcast_invitation"(uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."reset_show_notes"() from public;

grant execute on function "private"."reset_show_notes"() to "postgres";

revoke all
  on function "private"."respond_to_guest_invitation"(text, public.episode_guest_status, timestamp with time zone)
  from public;

grant execute
  on function "private"."respond_to_guest_invitation"(text, public.episode_guest_status, timestamp with time zone)
  to "postgres";

revoke all on function "private"."revoke_default_privileges"() from public;

grant execute on function "private"."revoke_default_privileges"() to "postgres";

revoke all on function "private"."revoke_guest_token"() from public;

grant execute on function "private"."revoke_guest_token"() to "postgres";

revoke all on function "private"."role_label_for_member"(public.podcast_role) from public;

grant execute on function "private"."role_label_for_member"(public.podcast_role) to "postgres";

revoke all on function "private"."run_failed"(uuid) from public;

grant execute on function "private"."run_failed"(uuid) to "authenticated", "postgres";

revoke all on function "private"."run_failed_item"(uuid, uuid) from public;

grant execute on function "private"."run_failed_item"(uuid, uuid) to "authenticated", "postgres";

revoke all
  on function "private"."run_import"(public.podcast_imports, public.import_item_status[], uuid, boolean)
  from public;

grant execute
  on function "private"."run_import"(public.podcast_imports, public.import_item_status[], uuid, boolean)
  to "postgres";

revoke all on function "private"."run_previewed"(uuid, boolean, integer) from public;

grant execute on function "private"."run_previewed"(uuid, boolean, integer) to "authenticated", "postgres";

revoke all
  on function "private"."save_import_transfer"(uuid, text, text, text, bigint, bigint, text, bigint, integer)
  from public;

grant execute
  on function "private"."save_import_transfer"(uuid, text, text, text, bigint, bigint, text, bigint, integer)
  to "postgres";

revoke all on function "private"."set_episode_person_credit"(uuid, uuid, jsonb) from public;

grant execute on function "private"."set_episode_person_credit"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."set_image_column"(uuid, text, text) from public;

grant execute on function "private"."set_image_column"(uuid, text, text) to "postgres";

revoke all on function "private"."set_setting"(text, text) from public;

grant execute on function "private"."set_setting"(text, text) to "postgres";

revoke all on function "private"."setting"(text) from public;

grant execute on function "private"."setting"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."show_notes_source"(text, text, text) from public;

grant execute on function "private"."show_notes_source"(text, text, text) to "postgres";

revoke all on function "private"."show_notes_version"() from public;

grant execute on function "private"."show_notes_version"() to "postgres";

revoke all on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer) from public;

grant execute
  on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer)
  to "postgres";

revoke all on function "private"."skip_invited_user"() from public;

grant execute on function "private"."skip_invited_user"() to "postgres";

revoke all on function "private"."skip_waiting_items"(uuid) from public;

grant execute on function "private"."skip_waiting_items"(uuid) to "postgres";

revoke all on function "private"."slugify"(text, text) from public;

grant execute on function "private"."slugify"(text, text) to "postgres";

revoke all on function "private"."spare_invited_guest"() from public;

grant execute on function "private"."spare_invited_guest"() to "postgres";

revoke all on function "private"."stage_import_items"(uuid, jsonb, bigint, integer) from public;

grant execute on function "private"."stage_import_items"(uuid, jsonb, bigint, integer) to "postgres";

revoke all on function "private"."staged_bytes"(uuid) from public;

grant execute on function "private"."staged_bytes"(uuid) to "postgres";

revoke all on function "private"."start_direct_upload"(uuid, uuid, text, bigint) from public;

grant execute on function "private"."start_direct_upload"(uuid, uuid, text, bigint) to "authenticated", "postgres";

revoke all on function "private"."stop_import"(uuid) from public;

grant execute on function "private"."stop_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."store_feed_items"(uuid, bigint, text, jsonb) from public;

grant execute on function "private"."store_feed_items"(uuid, bigint, text, jsonb) to "postgres";

revoke all on function "private"."store_show_notes"(integer, jsonb, boolean) from public;

grant execute on function "private"."store_show_notes"(integer, jsonb, boolean) to "postgres";

revoke all on function "private"."stored_size"(text, text) from public;

grant execute on function "private"."stored_size"(text, text) to "postgres";

revoke all on function "private"."stranded_items"(uuid) from public;

grant execute on function "private"."stranded_items"(uuid) to "postgres";

revoke all on function "private"."sweep_staging"(timestamp with time zone) from public;

grant execute on function "private"."sweep_staging"(timestamp with time zone) to "postgres";

revoke all on function "private"."sweep_storage"(timestamp with time zone) from public;

grant execute on function "private"."sweep_storage"(timestamp with time zone) to "postgres";

revoke all on function "private"."sync_owner_membership"() from public;

grant execute on function "private"."sync_owner_membership"() to "postgres";

revoke all on function "private"."take_collectable"(text, text[]) from public;

grant execute on function "private"."take_collectable"(text, text[]) to "postgres";

revoke all on function "private"."take_feed_guid"() from public;

grant execute on function "private"."take_feed_guid"() to "postgres";

revoke all on function "private"."tidy_import_item"() from public;

grant execute on function "private"."tidy_import_item"() to "postgres";

revoke all on function "private"."tidy_podcast_import"() from public;

grant execute on function "private"."tidy_podcast_import"() to "postgres";

revoke all on function "private"."try_rate_limit"(text, integer, interval, timestamp with time zone) from public;

grant execute on function "private"."try_rate_limit"(text, integer, interval, timestamp with time zone) to "postgres";

revoke all on function "private"."update_episode_person"(uuid, uuid, jsonb) from public;

grant execute on function "private"."update_episode_person"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."update_podcast_guest"(uuid, jsonb) from public;

grant execute on function "private"."update_podcast_guest"(uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."validate_changes"(jsonb, jsonb, integer) from public;

grant execute on function "private"."validate_changes"(jsonb, jsonb, integer) to "postgres";

revoke all on function "private"."validate_person_fields"(text, text, text, text) from public;

grant execute on function "private"."validate_person_fields"(text, text, text, text) to "postgres";

revoke all on function "private"."wake_worker"(text) from public;

grant execute on function "private"."wake_worker"(text) to "postgres";

revoke all on function "private"."wake_worker_if_pending"() from public;

grant execute on function "private"."wake_worker_if_pending"() to "postgres";

revoke all on function "private"."wake_worker_once"(text) from public;

grant execute on function "private"."wake_worker_once"(text) to "postgres";

revoke all on function "private"."withdraw_invitations_of_member"() from public;

grant execute on function "private"."withdraw_invitations_of_member"() to "postgres";

revoke all on function "private"."withdraw_podcast_invitation"(uuid) from public;

grant execute on function "private"."withdraw_podcast_invitation"(uuid) to "authenticated", "postgres";

revoke all on function "private"."withdraw_podcast_transfer"(uuid) from public;

grant execute on function "private"."withdraw_podcast_transfer"(uuid) to "authenticated", "postgres";

revoke all on function "private"."write_detected_numbers"(public.podcast_imports) from public;

grant execute on function "private"."write_detected_numbers"(public.podcast_imports) to "postgres";

revoke all on function "private"."write_feed"(uuid, bigint, jsonb, bytea, bigint[], bytea) from public;

grant execute on function "private"."write_feed"(uuid, bigint, jsonb, bytea, bigint[], bytea) to "postgres";

revoke all on function "public"."accept_guest_invitation"(text) from public;

grant execute on function "public"."accept_guest_invitation"(text) to "anon", "authenticated", "postgres";

revoke all on function "public"."accept_podcast_invitation"(uuid) from public;

grant execute on function "public"."accept_podcast_invitation"(uuid) to "authenticated", "postgres";

revoke all on function "public"."accept_podcast_transfer"(uuid) from public;

grant execute on function "public"."accept_podcast_transfer"(uuid) to "authenticated", "postgres";

revoke all
  on function "public"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  from public;

grant execute
  on function "public"."add_episode_person"(uuid, public.person_source_type, text, uuid, uuid, text, text, text)
  to "authenticated", "postgres";

revoke all on function "public"."archive_episode"(uuid) from public;

grant execute on function "public"."archive_episode"(uuid) to "authenticated", "postgres";

revoke all on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid) from public;

grant execute
  on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid)
  to "authenticated", "postgres";

revoke all on function "public"."begin_artwork_move"(text, uuid, text) from public;

grant execute on function "public"."begin_artwork_move"(text, uuid, text) to "authenticated", "postgres";

revoke all on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) from public;

grant execute on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) to "authenticated", "postgres";

revoke all on function "public"."begin_direct_completion"(uuid) from public;

grant execute on function "public"."begin_direct_completion"(uuid) to "authenticated", "postgres";

revoke all on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) from public;

grant execute on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) to "authenticated", "postgres";

revoke all on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid) from public;

grant execute
  on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid)
  to "authenticated", "postgres";

revoke all on function "public"."begin_import_recheck"(uuid) from public;

grant execute on function "public"."begin_import_recheck"(uuid) to "authenticated", "postgres";

revoke all on function "public"."cancel_import"(uuid) from public;

grant execute on function "public"."cancel_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."check_health"() from public;

grant execute on function "public"."check_health"() to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."confirm_import"(uuid, boolean, integer) from public;

grant execute on function "public"."confirm_import"(uuid, boolean, integer) to "authenticated", "postgres";

revoke all
  on function
    "public"."create_episode"(uuid, text, text, text, text, text, integer, integer, public.episode_type, boolean)
  from public;

grant execute
  on function
    "public"."create_episode"(uuid, text, text, text, text, text, integer, integer, public.episode_type, boolean)
  to "authenticated", "postgres";

revoke all
  on function
    "public"."create_podcast"(text, public.hosting_type, text, text, text, text, jsonb, boolean, public.podcast_type,
    text)
  from public;

grant execute
  on function
    "public"."create_podcast"(text, public.hosting_type, text, text, text, text, jsonb, boolean, public.podcast_type,
    text)
  to "authenticated", "postgres";

revoke all on function "public"."decline_guest_invitation"(text) from public;

grant execute on function "public"."decline_guest_invitation"(text) to "anon", "authenticated", "postgres";

revoke all on function "public"."decline_podcast_invitation"(uuid, boolean) from public;

grant execute on function "public"."decline_podcast_invitation"(uuid, boolean) to "authenticated", "postgres";

revoke all on function "public"."decline_podcast_transfer"(uuid) from public;

grant execute on function "public"."decline_podcast_transfer"(uuid) to "authenticated", "postgres";

revoke all on function "public"."delete_episode_message"(uuid) from public;

grant execute on function "public"."delete_episode_message"(uuid) to "authenticated", "postgres";

revoke all on function "public"."delete_podcast_image"(uuid, text) from public;

grant execute on function "public"."delete_podcast_image"(uuid, text) to "authenticated", "postgres";

revoke all on function "public"."get_episode_cover"(uuid) from public;

grant execute on function "public"."get_episode_cover"(uuid) to "authenticated", "postgres";

revoke all on function "public"."get_guest_episode"(text) from public;

grant execute on function "public"."get_guest_episode"(text) to "anon", "authenticated", "postgres";

revoke all on function "public"."get_import"(uuid) from public;

grant execute on function "public"."get_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."get_podcast_guest"(uuid) from public;

grant execute on function "public"."get_podcast_guest"(uuid) to "authenticated", "postgres";

revoke all on function "public"."get_public_episode"(text, text) from public;

grant execute
  on function "public"."get_public_episode"(text, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."get_public_podcast"(text) from public;

grant execute on function "public"."get_public_podcast"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."invite_guest"(uuid, text, text, text) from public;

grant execute on function "public"."invite_guest"(uuid, text, text, text) to "authenticated", "postgres";

revoke all on function "public"."invite_podcast_member"(uuid, text, public.podcast_role) from public;

grant execute
  on function "public"."invite_podcast_member"(uuid, text, public.podcast_role)
  to "authenticated", "postgres";

revoke all on function "public"."list_episode_people"(uuid) from public;

grant execute on function "public"."list_episode_people"(uuid) to "authenticated", "postgres";

revoke all on function "public"."list_guest_messages"(text, text, integer) from public;

grant execute on function "public"."list_guest_messages"(text, text, integer) to "anon", "authenticated", "postgres";

revoke all on function "public"."list_podcast_guests"(uuid, text, numeric) from public;

grant execute on function "public"."list_podcast_guests"(uuid, text, numeric) to "authenticated", "postgres";

revoke all on function "public"."list_public_episodes"(text, integer, text) from public;

grant execute
  on function "public"."list_public_episodes"(text, integer, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."offer_podcast_transfer"(uuid, uuid) from public;

grant execute on function "public"."offer_podcast_transfer"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."post_guest_message"(text, text) from public;

grant execute on function "public"."post_guest_message"(text, text) to "anon", "authenticated", "postgres";

revoke all on function "public"."prepare_artwork_import"(text, uuid) from public;

grant execute on function "public"."prepare_artwork_import"(text, uuid) to "authenticated", "postgres";

revoke all on function "public"."prepare_audio_upload"(uuid, uuid, text) from public;

grant execute on function "public"."prepare_audio_upload"(uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "public"."prepare_image_upload"(uuid, text, text, uuid) from public;

grant execute on function "public"."prepare_image_upload"(uuid, text, text, uuid) to "authenticated", "postgres";

revoke all on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) from public;

grant execute on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) to "authenticated", "postgres";

revoke all on function "public"."presign_image_upload"(uuid, text, text, text, uuid) from public;

grant execute on function "public"."presign_image_upload"(uuid, text, text, text, uuid) to "authenticated", "postgres";

revoke all on function "public"."publish_episode"(uuid) from public;

grant execute on function "public"."publish_episode"(uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_audio"(uuid) from public;

grant execute on function "public"."remove_episode_audio"(uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_guest"(uuid) from public;

grant execute on function "public"."remove_episode_guest"(uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_person"(uuid, uuid) from public;

grant execute on function "public"."remove_episode_person"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_person_credit"(uuid, uuid) from public;

grant execute on function "public"."remove_episode_person_credit"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."reorder_episode_credits"(uuid, uuid[]) from public;

grant execute on function "public"."reorder_episode_credits"(uuid, uuid[]) to "authenticated", "postgres";

revoke all on function "public"."resend_import_code"(uuid) from public;

grant execute on function "public"."resend_import_code"(uuid) to "authenticated", "postgres";

revoke all on function "public"."resend_podcast_invitation"(uuid) from public;

grant execute on function "public"."resend_podcast_invitation"(uuid) to "authenticated", "postgres";

revoke all on function "public"."resume_import"(uuid) from public;

grant execute on function "public"."resume_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."retry_failed_import"(uuid) from public;

grant execute on function "public"."retry_failed_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."retry_import_item"(uuid, uuid) from public;

grant execute on function "public"."retry_import_item"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."schedule_episode"(uuid, timestamp with time zone) from public;

grant execute on function "public"."schedule_episode"(uuid, timestamp with time zone) to "authenticated", "postgres";

revoke all on function "public"."set_episode_person_credit"(uuid, uuid, jsonb) from public;

grant execute on function "public"."set_episode_person_credit"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "public"."start_import"(uuid, text) from public;

grant execute on function "public"."start_import"(uuid, text) to "authenticated", "postgres";

revoke all on function "public"."storage_usage"() from public;

grant execute on function "public"."storage_usage"() to "authenticated", "postgres";

revoke all on function "public"."unpublish_episode"(uuid) from public;

grant execute on function "public"."unpublish_episode"(uuid) to "authenticated", "postgres";

revoke all on function "public"."update_episode_person"(uuid, uuid, jsonb) from public;

grant execute on function "public"."update_episode_person"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "public"."update_podcast_guest"(uuid, jsonb) from public;

grant execute on function "public"."update_podcast_guest"(uuid, jsonb) to "authenticated", "postgres";

revoke all on function "public"."verify_import_ownership"(uuid, text) from public;

grant execute on function "public"."verify_import_ownership"(uuid, text) to "authenticated", "postgres";

revoke all on function "public"."withdraw_podcast_invitation"(uuid) from public;

grant execute on function "public"."withdraw_podcast_invitation"(uuid) to "authenticated", "postgres";

revoke all on function "public"."withdraw_podcast_transfer"(uuid) from public;

grant execute on function "public"."withdraw_podcast_transfer"(uuid) to "authenticated", "postgres";

grant usage on schema "private" to "anon", "authenticated";

grant create, usage on schema "private" to "postgres";

grant usage on schema "private" to "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."direct_uploads"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."episode_slugs"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "private"."events" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."feed_documents"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."feed_items"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."guest_invitations"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."image_types"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."import_messages"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."import_owners"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."import_transfers"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "private"."leases" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."media_objects"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."object_removals"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."podcast_invitation_emails"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."podcast_invitation_recipients"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."podcast_slugs"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "private"."queues" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."rate_limits"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."reapable_users"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."roster_removals"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."settings"
  to "postgres";

grant select on table "public"."billing_accounts" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."billing_accounts"
  to "postgres";

grant select, update on table "public"."billing_accounts" to "service_role";

grant select on table "public"."episode_credits" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."episode_credits"
  to "postgres";

grant select on table "public"."episode_credits" to "service_role";

grant select on table "public"."episode_guests" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."episode_guests"
  to "postgres";

grant select on table "public"."episode_guests" to "service_role";

grant insert ("body") on table "public"."episode_messages" to "authenticated";

grant insert ("episode_id") on table "public"."episode_messages" to "authenticated";

grant delete, select on table "public"."episode_messages" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."episode_messages"
  to "postgres";

grant select on table "public"."episode_messages" to "service_role";

grant select on table "public"."episode_people" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."episode_people"
  to "postgres";

grant select on table "public"."episode_people" to "service_role";

grant insert ("chapters_url"), update ("chapters_url") on table "public"."episodes" to "authenticated";

grant insert ("cover_image_url"), update ("cover_image_url") on table "public"."episodes" to "authenticated";

grant insert ("description"), update ("description") on table "public"."episodes" to "authenticated";

grant insert ("episode_number"), update ("episode_number") on table "public"."episodes" to "authenticated";

grant insert ("episode_type"), update ("episode_type") on table "public"."episodes" to "authenticated";

grant insert ("explicit"), update ("explicit") on table "public"."episodes" to "authenticated";

grant insert ("is_blocked"), update ("is_blocked") on table "public"."episodes" to "authenticated";

grant insert ("itunes_title"), update ("itunes_title") on table "public"."episodes" to "authenticated";

grant insert ("podcast_id") on table "public"."episodes" to "authenticated";

grant insert ("published_at"), update ("published_at") on table "public"."episodes" to "authenticated";

grant insert ("scheduled_at"), update ("scheduled_at") on table "public"."episodes" to "authenticated";

grant insert ("season_number"), update ("season_number") on table "public"."episodes" to "authenticated";

grant insert ("show_notes_html"), update ("show_notes_html") on table "public"."episodes" to "authenticated";

grant insert ("slug"), update ("slug") on table "public"."episodes" to "authenticated";

grant insert ("status"), update ("status") on table "public"."episodes" to "authenticated";

grant insert ("summary"), update ("summary") on table "public"."episodes" to "authenticated";

grant insert ("title"), update ("title") on table "public"."episodes" to "authenticated";

grant insert ("transcripts"), update ("transcripts") on table "public"."episodes" to "authenticated";

grant delete, select on table "public"."episodes" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "public"."episodes" to "postgres";

grant delete, insert, select, update on table "public"."episodes" to "service_role";

grant select on table "public"."plans" to "anon", "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "public"."plans" to "postgres";

grant select on table "public"."plans" to "service_role";

grant select on table "public"."podcast_categories" to "anon", "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_categories"
  to "postgres";

grant select on table "public"."podcast_categories" to "service_role";

grant select on table "public"."podcast_guest_notes" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_guest_notes"
  to "postgres";

grant select on table "public"."podcast_guest_notes" to "service_role";

grant select on table "public"."podcast_guests" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_guests"
  to "postgres";

grant select on table "public"."podcast_guests" to "service_role";

grant select on table "public"."podcast_import_items" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_import_items"
  to "postgres";

grant select on table "public"."podcast_import_items" to "service_role";

grant select on table "public"."podcast_import_texts" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_import_texts"
  to "postgres";

grant select on table "public"."podcast_import_texts" to "service_role";

grant select on table "public"."podcast_imports" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_imports"
  to "postgres";

grant select on table "public"."podcast_imports" to "service_role";

grant select on table "public"."podcast_invitations" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_invitations"
  to "postgres";

grant select on table "public"."podcast_invitations" to "service_role";

grant update ("auto_add_to_new_episodes") on table "public"."podcast_members" to "authenticated";

grant update ("role") on table "public"."podcast_members" to "authenticated";

grant delete, select on table "public"."podcast_members" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_members"
  to "postgres";

grant delete, insert, select, update on table "public"."podcast_members" to "service_role";

grant select on table "public"."podcast_transfers" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_transfers"
  to "postgres";

grant select on table "public"."podcast_transfers" to "service_role";

grant insert ("ai_disclosure"), update ("ai_disclosure") on table "public"."podcasts" to "authenticated";

grant insert ("apple_verify_token"), update ("apple_verify_token") on table "public"."podcasts" to "authenticated";

grant insert ("author"), update ("author") on table "public"."podcasts" to "authenticated";

grant insert ("banner_image_url"), update ("banner_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("categories"), update ("categories") on table "public"."podcasts" to "authenticated";

grant insert ("copyright"), update ("copyright") on table "public"."podcasts" to "authenticated";

grant insert ("cover_image_url"), update ("cover_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("description"), update ("description") on table "public"."podcasts" to "authenticated";

grant insert ("explicit"), update ("explicit") on table "public"."podcasts" to "authenticated";

grant insert ("funding"), update ("funding") on table "public"."podcasts" to "authenticated";

grant insert ("header_image_url"), update ("header_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("hosting_type") on table "public"."podcasts" to "authenticated";

grant insert ("is_blocked"), update ("is_blocked") on table "public"."podcasts" to "authenticated";

grant insert ("is_complete"), update ("is_complete") on table "public"."podcasts" to "authenticated";

grant insert ("language"), update ("language") on table "public"."podcasts" to "authenticated";

grant insert ("link"), update ("link") on table "public"."podcasts" to "authenticated";

grant insert ("locked"), update ("locked") on table "public"."podcasts" to "authenticated";

grant insert ("medium"), update ("medium") on table "public"."podcasts" to "authenticated";

grant insert ("owner_email"), update ("owner_email") on table "public"."podcasts" to "authenticated";

grant insert ("owner_name"), update ("owner_name") on table "public"."podcasts" to "authenticated";

grant insert ("profile_image_url"), update ("profile_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("show_owner_email"), update ("show_owner_email") on table "public"."podcasts" to "authenticated";

grant insert ("slug") on table "public"."podcasts" to "authenticated";

grant insert ("title"), update ("title") on table "public"."podcasts" to "authenticated";

grant insert ("type"), update ("type") on table "public"."podcasts" to "authenticated";

grant insert ("verify_texts"), update ("verify_texts") on table "public"."podcasts" to "authenticated";

grant select on table "public"."podcasts" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "public"."podcasts" to "postgres";

grant insert, select, update on table "public"."podcasts" to "service_role";

grant update ("avatar_url") on table "public"."profiles" to "authenticated";

grant update ("display_name") on table "public"."profiles" to "authenticated";

grant update ("locale") on table "public"."profiles" to "authenticated";

grant update ("timezone") on table "public"."profiles" to "authenticated";

grant select on table "public"."profiles" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "public"."profiles" to "postgres";

grant select, update on table "public"."profiles" to "service_role";

grant usage on type "public"."credit_role_label" to "postgres";

grant usage on type "public"."episode_guest_status" to "postgres";

grant usage on type "public"."episode_origin" to "postgres";

grant usage on type "public"."episode_status" to "postgres";

grant usage on type "public"."episode_type" to "postgres";

grant usage on type "public"."hosting_type" to "postgres";

grant usage on type "public"."import_item_status" to "postgres";

grant usage on type "public"."import_status" to "postgres";

grant usage on type "public"."import_verification" to "postgres";

grant usage on type "public"."person_source_type" to "postgres";

grant usage on type "public"."podcast_invitation_status" to "postgres";

grant usage on type "public"."podcast_role" to "postgres";

grant usage on type "public"."podcast_status" to "postgres";

grant usage on type "public"."podcast_transfer_status" to "postgres";

grant usage on type "public"."podcast_type" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."callable_functions"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."feed_entries"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."published_episodes"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."queue_health"
  to "postgres";

alter default privileges for role "postgres" revoke all on FUNCTIONS from public;

alter table "public"."episode_messages"
  add constraint "episode_messages_sender_user_id_fkey" foreign key (sender_user_id) references public.profiles(id)
    on delete cascade;

create index episode_messages_sender_user_id_idx on public.episode_messages using btree (sender_user_id);

create policy "members_create_own" on "public"."episode_messages"
  for insert
  to "authenticated"
  with
    check
    (((sender_user_id = ( SELECT auth.uid() AS uid)) AND (podcast_id = ANY (( SELECT
    private.my_podcasts('member'::public.podcast_role) AS my_podcasts)::uuid[]))));

alter table "public"."episodes"
  add constraint "episodes_created_by_fkey" foreign key (created_by) references public.profiles(id) on delete set null;

create index episodes_created_by_idx on public.episodes using btree (created_by);

alter table "public"."podcast_imports"
  add constraint "podcast_imports_created_by_fkey" foreign key (created_by) references public.profiles(id) on delete
    set null;

create index podcast_imports_created_by_idx on public.podcast_imports using btree (created_by);

alter table "public"."podcasts"
  add constraint "podcasts_owner_id_fkey" foreign key (owner_id) references public.profiles(id) on delete restrict;

create index podcasts_owner_id_idx on public.podcasts using btree (owner_id);

create trigger t300_guard
  before update of owner_id,
    slug,
    title,
    description,
    language,
    author,
    owner_name,
    owner_email,
    show_owner_email,
    categories,
    explicit,
    type,
    copyright,
    link,
    medium,
    funding,
    is_complete,
    is_blocked,
    podcast_guid,
    locked,
    verify_texts,
    apple_verify_token,
    ai_disclosure,
    hosting_type, cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row
  execute function private.guard_podcast();

create trigger t500_end_transfers
  after update of status, owner_id on public.podcasts
  for each row
  when
    (((new.status <> ALL (ARRAY['active'::public.podcast_status, 'paused'::public.podcast_status])) OR (old.owner_id <>
    new.owner_id)))
  execute function private.end_transfers_of_podcast();

create trigger t500_move_media_account
  after update of owner_id on public.podcasts
  for each row
  when ((old.owner_id IS DISTINCT FROM new.owner_id))
  execute function private.move_media_account();

create trigger t500_move_owner_membership
  after update of owner_id on public.podcasts
  for each row
  when ((old.owner_id IS DISTINCT FROM new.owner_id))
  execute function private.sync_owner_membership();

create policy "members_read" on "public"."podcasts"
  for select
  to "authenticated"
  using
    (((owner_id = ( select auth.uid() as uid)) or (id = ANY (( select private.my_podcasts('member'::public.podcast_role)
    as my_podcasts)::uuid[]))));

create policy "users_create" on "public"."podcasts"
  for insert
  to "authenticated"
  with check ((owner_id = ( SELECT auth.uid() AS uid)));

alter table "private"."direct_uploads"
  add constraint "content_type_is_known" check ((content_type = ANY (private.audio_types())));

alter table "private"."guest_invitations"
  add constraint "message_is_1_to_2000_chars"
    check (((char_length(message) <= 2000) AND (NOT private.is_blank(message))));

alter table "public"."episode_credits"
  add constraint "avatar_url_is_http_url" check (private.is_http_url(avatar_url));

alter table "public"."episode_credits"
  add constraint "external_url_is_http_url" check (private.is_http_url(external_url));

alter table "public"."episode_credits"
  add constraint "name_is_1_to_200_chars" check (((char_length(name) <= 200) AND (NOT private.is_blank(name))));

alter table "public"."episode_messages"
  add constraint "body_is_1_to_4000_chars" check (((char_length(body) <= 4000) AND (NOT private.is_blank(body))));

alter table "public"."episode_people"
  add constraint "avatar_url_is_http_url" check (private.is_http_url(avatar_url));

alter table "public"."episode_people"
  add constraint "external_url_is_http_url" check (private.is_http_url(external_url));

alter table "public"."episode_people"
  add constraint "name_is_1_to_200_chars" check (((char_length(name) <= 200) AND (NOT private.is_blank(name))));

alter table "public"."episode_people"
  add constraint "role_label_is_1_to_100_chars"
    check (((char_length(role_label) <= 100) AND (NOT private.is_blank(role_label))));

alter table "public"."episodes"
  add constraint "audio_type_is_known" check ((audio_content_type = ANY (private.audio_types())));

alter table "public"."episodes"
  add constraint "episode_urls_are_http_urls"
    check
    ((((cover_image_url IS NULL) OR private.is_http_url(cover_image_url)) AND ((chapters_url IS NULL) OR
    private.is_http_url(chapters_url))));

alter table "public"."episodes"
  add constraint "itunes_title_is_1_to_255_chars"
    check (((char_length(itunes_title) <= 255) AND (NOT private.is_blank(itunes_title))));

alter table "public"."episodes"
  add constraint "title_is_1_to_255_chars" check (((char_length(title) <= 255) AND (NOT private.is_blank(title))));

alter table "public"."episodes"
  add constraint "transcripts_have_known_fields"
    check (private.is_list_of_texts(transcripts, '{url,type,language,rel}'::text[]));

alter table "public"."podcast_guests"
  add constraint "display_name_is_1_to_200_chars"
    check (((char_length(display_name) <= 200) AND (NOT private.is_blank(display_name))));

alter table "public"."podcast_guests"
  add constraint "email_is_valid" check (private.is_email_address(email));

alter table "public"."podcast_imports"
  add constraint "feed_url_is_a_url" check (private.is_http_url(feed_url));

alter table "public"."podcast_invitations"
  add constraint "email_is_valid" check (private.is_email_address(email));

alter table "public"."podcasts"
  add constraint "image_urls_are_http_urls"
    check
    ((((cover_image_url IS NULL) OR private.is_http_url(cover_image_url)) AND ((header_image_url IS NULL) OR
    private.is_http_url(header_image_url)) AND ((banner_image_url IS NULL) OR private.is_http_url(banner_image_url)) AND
    ((profile_image_url IS NULL) OR private.is_http_url(profile_image_url))));

alter table "public"."podcasts"
  add constraint "language_is_bcp47" check (private.is_language_tag(language));

alter table "public"."podcasts"
  add constraint "link_is_http_url" check (private.is_http_url(link));

alter table "public"."podcasts"
  add constraint "list_entries_have_known_fields"
    check
    ((private.is_list_of_texts(categories, '{category,subcategory}'::text[]) AND private.is_list_of_texts(funding,
    '{url,text}'::text[]) AND private.is_list_of_texts(verify_texts, '{text,purpose}'::text[])));

alter table "public"."podcasts"
  add constraint "title_is_1_to_255_chars" check (((char_length(title) <= 255) AND (NOT private.is_blank(title))));

alter table "public"."profiles"
  add constraint "avatar_url_is_http_url" check (private.is_http_url(avatar_url));

alter table "public"."profiles"
  add constraint "display_name_is_1_to_200_chars"
    check (((char_length(display_name) <= 200) AND (NOT private.is_blank(display_name))));


alter table private.feed_documents alter column items set storage external, alter column items set compression default;

alter table private.feed_items alter column deflated set storage external, alter column deflated set compression default;

alter table public.podcast_import_texts alter column content set storage external, alter column content set compression default;

alter table public.podcast_import_texts alter column description set storage external, alter column description set compression default;

alter table public.podcast_import_texts alter column summary set storage external, alter column summary set compression default;

reset check_function_bodies;

select private.install();
