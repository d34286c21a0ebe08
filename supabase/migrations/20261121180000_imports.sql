-- Written by npm run db:migration from sql/: change it there.
set check_function_bodies = off;

drop function "private"."fail_job"(text, bigint, text, boolean);

drop function "private"."finish_jobs"(text, bigint[]);

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
  "queue"  text                     not null,
  "msg_id" bigint                   not null,
  "until"  timestamp with time zone not null,
  constraint "leases_pkey" primary key (queue, msg_id)
);

alter table "private"."leases"
  enable row level security;

create table "public"."podcast_import_items" (
  "id"             uuid                     not null default gen_random_uuid(),
  "import_id"      uuid                     not null,
  "podcast_id"     uuid                     not null,
  "position"       integer                  not null,
  "guid"           text                     not null,
  "title"          text,
  "published_at"   timestamp with time zone,
  "parsed_payload" jsonb                    not null,
  "warnings"       jsonb                    not null default '[]'::jsonb,
  "error"          text,
  "error_code"     text,
  "attempts"       integer                  not null default 0,
  "episode_id"     uuid,
  "created_at"     timestamp with time zone not null default now(),
  "updated_at"     timestamp with time zone not null default now(),
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
  "created_by"             uuid                     default auth.uid(),
  constraint "feed_url_is_a_url" check (private.is_http_url(feed_url))
);

alter table "public"."podcast_imports"
  enable row level security;

alter table "private"."queues"
  add column "concurrency" integer;

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

create or replace function private.address_turn (
  address text
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$ select 'import-address/' || encode(sha256(convert_to($1, 'UTF8')), 'hex') $function$;

create or replace function private.announce_import_end()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.notify(case new.status when 'failed' then 'import.failed' else 'import.completed' end, jsonb_build_object(
    'user_id', new.created_by, 'podcast_id', new.podcast_id, 'import_id', new.id, 'status', new.status,
    'completed_count', new.completed_count, 'failed_count', new.failed_count, 'skipped_count', new.skipped_count));
  return null;
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
  perform private.take_turn(private.address_turn(ask_owner.owner_email), 6, interval '1 hour', ask_owner.at);
  insert into private.import_owners as o (import_id, owner_email, code_key)
  values (ask_owner.import_id, ask_owner.owner_email, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  on conflict on constraint import_owners_pkey do update set
    owner_email = excluded.owner_email, code_key = excluded.code_key, code_hash = null, code_expires_at = null,
    wrong_tries = 0, issued_at = null;
  perform private.enqueue('ownership_codes', jsonb_build_object('type', 'ownership_code', 'import_id', ask_owner.import_id));
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
  elsif import.status = 'canceled' and item.status = 'pending' then  -- what was begun is finished
    perform private.end_import_item(item, 'skipped_canceled', 'The import was canceled');
    return jsonb_build_object('skip', 'skipped_canceled');
  elsif private.has_imported_guid(item) then
    perform private.end_import_item(item, 'skipped_duplicate', 'The podcast has an episode with this GUID');
    return jsonb_build_object('skip', 'skipped_duplicate');
  elsif private.is_guid_too_long(item.guid) then
    perform private.end_import_item(item, 'failed', 'The episode''s GUID is longer than an episode can have', 'GUID_TOO_LONG');
    return jsonb_build_object('skip', 'failed');
  end if;
  if item.status = 'pending' then  -- someone had it tried again: what it reached before says nothing of these runs
    update private.import_transfers t set furthest = t.received where t.import_item_id = item.id and t.furthest <> t.received;
  end if;
  update public.podcast_import_items i set status = 'processing', attempts = begin_import_item.attempt where i.id = item.id;
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
    'allowanceLeft', (select greatest(0, private.allowed_bytes(a.user_id) - a.storage_bytes_used)
      from public.billing_accounts a where a.user_id = podcast.owner_id),
    'maxBytes', 524288000);
end $function$;

create or replace function private.call (
  claims json,
  verb   text,
  args   jsonb          default '{}'::jsonb,
  OUT    status integer,
  OUT    data jsonb
)
  returns record
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller text := claims ->> 'role';
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  status := length(set_config('request.jwt.claims', claims::text, true));
  case verb
  when 'accept_guest_invitation' then
    if args - '{access_token,accessToken}'::text[] <> '{}' or not args ?| '{access_token,accessToken}' or args ?& '{access_token,accessToken}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{access_token}', '{accessToken}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.accept_guest_invitation(access_token => ((coalesce(args -> 'access_token', args -> 'accessToken')) #>> '{}')::text)) into data;
  when 'add_episode_person' then
    if args - '{episode_id,source_type,name,user_id,guest_id,role_label,avatar_url,external_url,episodeId,sourceType,name,userId,guestId,roleLabel,avatarUrl,externalUrl}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{source_type,sourceType}' or args ?& '{source_type,sourceType}' or not args ?| '{name,name}' or args ?& '{user_id,userId}' or args ?& '{guest_id,guestId}' or args ?& '{role_label,roleLabel}' or args ?& '{avatar_url,avatarUrl}' or args ?& '{external_url,externalUrl}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,source_type,name,user_id,guest_id,role_label,avatar_url,external_url}', '{episodeId,sourceType,name,userId,guestId,roleLabel,avatarUrl,externalUrl}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.add_episode_person(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, source_type => ((coalesce(args -> 'source_type', args -> 'sourceType')) #>> '{}')::public.person_source, name => ((args -> 'name') #>> '{}')::text, user_id => case when args ?| '{user_id,userId}' then ((coalesce(args -> 'user_id', args -> 'userId')) #>> '{}')::uuid else NULL::uuid end, guest_id => case when args ?| '{guest_id,guestId}' then ((coalesce(args -> 'guest_id', args -> 'guestId')) #>> '{}')::uuid else NULL::uuid end, role_label => case when args ?| '{role_label,roleLabel}' then ((coalesce(args -> 'role_label', args -> 'roleLabel')) #>> '{}')::text else NULL::text end, avatar_url => case when args ?| '{avatar_url,avatarUrl}' then ((coalesce(args -> 'avatar_url', args -> 'avatarUrl')) #>> '{}')::text else NULL::text end, external_url => case when args ?| '{external_url,externalUrl}' then ((coalesce(args -> 'external_url', args -> 'externalUrl')) #>> '{}')::text else NULL::text end)) into data;
  when 'add_podcast_member' then
    if args - '{podcast_id,email,role,podcastId,email,role}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{email,email}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,email,role}', '{podcastId,email,role}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.add_podcast_member(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, email => ((args -> 'email') #>> '{}')::text, role => case when args ?| '{role,role}' then ((args -> 'role') #>> '{}')::public.podcast_role else 'member'::public.podcast_role end)) into data;
  when 'archive_episode' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.archive_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'begin_artwork_import' then
    if args - '{content_type,bytes,image,image_type,podcast_id,contentType,bytes,image,imageType,podcastId}'::text[] <> '{}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{bytes,bytes}' or args ?& '{image_type,imageType}' or args ?& '{podcast_id,podcastId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{content_type,bytes,image,image_type,podcast_id}', '{contentType,bytes,image,imageType,podcastId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_artwork_import(content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, bytes => ((args -> 'bytes') #>> '{}')::bigint, image => case when args ?| '{image,image}' then nullif(args -> 'image', 'null') else NULL::jsonb end, image_type => case when args ?| '{image_type,imageType}' then ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text else 'cover'::text end, podcast_id => case when args ?| '{podcast_id,podcastId}' then ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid else NULL::uuid end)) into data;
  when 'begin_artwork_move' then
    if args - '{source_path,podcast_id,image_type,sourcePath,podcastId,imageType}'::text[] <> '{}' or not args ?| '{source_path,sourcePath}' or args ?& '{source_path,sourcePath}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{image_type,imageType}' or args ?& '{image_type,imageType}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{source_path,podcast_id,image_type}', '{sourcePath,podcastId,imageType}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_artwork_move(source_path => ((coalesce(args -> 'source_path', args -> 'sourcePath')) #>> '{}')::text, podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, image_type => ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text)) into data;
  when 'begin_audio_upload' then
    if args - '{podcast_id,episode_id,content_type,bytes,podcastId,episodeId,contentType,bytes}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{bytes,bytes}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type,bytes}', '{podcastId,episodeId,contentType,bytes}', 4);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_audio_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, bytes => ((args -> 'bytes') #>> '{}')::bigint)) into data;
  when 'begin_direct_completion' then
    if args - '{upload_id,uploadId}'::text[] <> '{}' or not args ?| '{upload_id,uploadId}' or args ?& '{upload_id,uploadId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{upload_id}', '{uploadId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_direct_completion(upload_id => ((coalesce(args -> 'upload_id', args -> 'uploadId')) #>> '{}')::uuid)) into data;
  when 'begin_direct_upload' then
    if args - '{podcast_id,episode_id,content_type,filename,file_size,podcastId,episodeId,contentType,filename,fileSize}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{filename,filename}' or not args ?| '{file_size,fileSize}' or args ?& '{file_size,fileSize}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type,filename,file_size}', '{podcastId,episodeId,contentType,filename,fileSize}', 5);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_direct_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, filename => ((args -> 'filename') #>> '{}')::text, file_size => ((coalesce(args -> 'file_size', args -> 'fileSize')) #>> '{}')::bigint)) into data;
  when 'begin_image_upload' then
    if args - '{podcast_id,image_type,content_type,bytes,image,episode_id,podcastId,imageType,contentType,bytes,image,episodeId}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{image_type,imageType}' or args ?& '{image_type,imageType}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{bytes,bytes}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,image_type,content_type,bytes,image,episode_id}', '{podcastId,imageType,contentType,bytes,image,episodeId}', 4);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_image_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, image_type => ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, bytes => ((args -> 'bytes') #>> '{}')::bigint, image => case when args ?| '{image,image}' then nullif(args -> 'image', 'null') else NULL::jsonb end, episode_id => case when args ?| '{episode_id,episodeId}' then ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid else NULL::uuid end)) into data;
  when 'begin_import_recheck' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_import_recheck(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'cancel_import' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.cancel_import(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'confirm_import' then
    if args - '{import_id,apply_detected_episode_numbers,limit,importId,applyDetectedEpisodeNumbers,limit}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' or args ?& '{apply_detected_episode_numbers,applyDetectedEpisodeNumbers}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id,apply_detected_episode_numbers,limit}', '{importId,applyDetectedEpisodeNumbers,limit}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.confirm_import(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid, apply_detected_episode_numbers => case when args ?| '{apply_detected_episode_numbers,applyDetectedEpisodeNumbers}' then ((coalesce(args -> 'apply_detected_episode_numbers', args -> 'applyDetectedEpisodeNumbers')) #>> '{}')::boolean else false end, "limit" => case when args ?| '{limit,limit}' then ((args -> 'limit') #>> '{}')::integer else NULL::integer end)) into data;
  when 'create_episode' then
    if args - '{podcast_id,title,slug,summary,description,notes_html,season_number,episode_number,episode_type,explicit,podcastId,title,slug,summary,description,notesHtml,seasonNumber,episodeNumber,episodeType,explicit}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{title,title}' or args ?& '{notes_html,notesHtml}' or args ?& '{season_number,seasonNumber}' or args ?& '{episode_number,episodeNumber}' or args ?& '{episode_type,episodeType}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,title,slug,summary,description,notes_html,season_number,episode_number,episode_type,explicit}', '{podcastId,title,slug,summary,description,notesHtml,seasonNumber,episodeNumber,episodeType,explicit}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.create_episode(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, title => ((args -> 'title') #>> '{}')::text, slug => case when args ?| '{slug,slug}' then ((args -> 'slug') #>> '{}')::text else NULL::text end, summary => case when args ?| '{summary,summary}' then ((args -> 'summary') #>> '{}')::text else NULL::text end, description => case when args ?| '{description,description}' then ((args -> 'description') #>> '{}')::text else ''::text end, notes_html => case when args ?| '{notes_html,notesHtml}' then ((coalesce(args -> 'notes_html', args -> 'notesHtml')) #>> '{}')::text else NULL::text end, season_number => case when args ?| '{season_number,seasonNumber}' then ((coalesce(args -> 'season_number', args -> 'seasonNumber')) #>> '{}')::integer else NULL::integer end, episode_number => case when args ?| '{episode_number,episodeNumber}' then ((coalesce(args -> 'episode_number', args -> 'episodeNumber')) #>> '{}')::integer else NULL::integer end, episode_type => case when args ?| '{episode_type,episodeType}' then ((coalesce(args -> 'episode_type', args -> 'episodeType')) #>> '{}')::public.episode_type else 'full'::public.episode_type end, explicit => case when args ?| '{explicit,explicit}' then ((args -> 'explicit') #>> '{}')::boolean else false end)) into data;
  when 'create_podcast' then
    if args - '{title,hosting_type,slug,description,language,author,categories,explicit,type,link,title,hostingType,slug,description,language,author,categories,explicit,type,link}'::text[] <> '{}' or not args ?| '{title,title}' or args ?& '{hosting_type,hostingType}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{title,hosting_type,slug,description,language,author,categories,explicit,type,link}', '{title,hostingType,slug,description,language,author,categories,explicit,type,link}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.create_podcast(title => ((args -> 'title') #>> '{}')::text, hosting_type => case when args ?| '{hosting_type,hostingType}' then ((coalesce(args -> 'hosting_type', args -> 'hostingType')) #>> '{}')::public.hosting_type else 'native'::public.hosting_type end, slug => case when args ?| '{slug,slug}' then ((args -> 'slug') #>> '{}')::text else NULL::text end, description => case when args ?| '{description,description}' then ((args -> 'description') #>> '{}')::text else ''::text end, language => case when args ?| '{language,language}' then ((args -> 'language') #>> '{}')::text else 'en'::text end, author => case when args ?| '{author,author}' then ((args -> 'author') #>> '{}')::text else NULL::text end, categories => case when args ?| '{categories,categories}' then nullif(args -> 'categories', 'null') else '[]'::jsonb end, explicit => case when args ?| '{explicit,explicit}' then ((args -> 'explicit') #>> '{}')::boolean else false end, type => case when args ?| '{type,type}' then ((args -> 'type') #>> '{}')::public.podcast_type else 'episodic'::public.podcast_type end, link => case when args ?| '{link,link}' then ((args -> 'link') #>> '{}')::text else NULL::text end)) into data;
  when 'credit_episode_person' then
    if args - '{episode_id,person_id,changes,episodeId,personId,changes}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{person_id,personId}' or args ?& '{person_id,personId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,person_id,changes}', '{episodeId,personId,changes}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.credit_episode_person(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, person_id => ((coalesce(args -> 'person_id', args -> 'personId')) #>> '{}')::uuid, changes => case when args ?| '{changes,changes}' then nullif(args -> 'changes', 'null') else '{}'::jsonb end)) into data;
  when 'decline_guest_invitation' then
    if args - '{access_token,accessToken}'::text[] <> '{}' or not args ?| '{access_token,accessToken}' or args ?& '{access_token,accessToken}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{access_token}', '{accessToken}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.decline_guest_invitation(access_token => ((coalesce(args -> 'access_token', args -> 'accessToken')) #>> '{}')::text)) into data;
  when 'delete_podcast_image' then
    if args - '{podcast_id,image_type,podcastId,imageType}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{image_type,imageType}' or args ?& '{image_type,imageType}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,image_type}', '{podcastId,imageType}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.delete_podcast_image(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, image_type => ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text)) into data;
  when 'get_episode_cover' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_episode_cover(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'get_guest_episode' then
    if args - '{access_token,accessToken}'::text[] <> '{}' or not args ?| '{access_token,accessToken}' or args ?& '{access_token,accessToken}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{access_token}', '{accessToken}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_guest_episode(access_token => ((coalesce(args -> 'access_token', args -> 'accessToken')) #>> '{}')::text)) into data;
  when 'get_import' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_import(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'get_podcast_guest' then
    if args - '{id,id}'::text[] <> '{}' or not args ?| '{id,id}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{id}', '{id}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_podcast_guest(id => ((args -> 'id') #>> '{}')::uuid)) into data;
  when 'get_public_episode' then
    if args - '{slug,id_or_slug,slug,idOrSlug}'::text[] <> '{}' or not args ?| '{slug,slug}' or not args ?| '{id_or_slug,idOrSlug}' or args ?& '{id_or_slug,idOrSlug}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{slug,id_or_slug}', '{slug,idOrSlug}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_public_episode(slug => ((args -> 'slug') #>> '{}')::text, id_or_slug => ((coalesce(args -> 'id_or_slug', args -> 'idOrSlug')) #>> '{}')::text)) into data;
  when 'get_public_podcast' then
    if args - '{slug,slug}'::text[] <> '{}' or not args ?| '{slug,slug}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{slug}', '{slug}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.get_public_podcast(slug => ((args -> 'slug') #>> '{}')::text)) into data;
  when 'health_check' then
    if args - '{}'::text[] <> '{}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{}', '{}', 0);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.health_check()) into data;
  when 'invite_guest' then
    if args - '{episode_id,email,display_name,message,episodeId,email,displayName,message}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{email,email}' or not args ?| '{display_name,displayName}' or args ?& '{display_name,displayName}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,email,display_name,message}', '{episodeId,email,displayName,message}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.invite_guest(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, email => ((args -> 'email') #>> '{}')::text, display_name => ((coalesce(args -> 'display_name', args -> 'displayName')) #>> '{}')::text, message => case when args ?| '{message,message}' then ((args -> 'message') #>> '{}')::text else NULL::text end)) into data;
  when 'list_episode_people' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.list_episode_people(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'list_guest_messages' then
    if args - '{access_token,cursor,limit,accessToken,cursor,limit}'::text[] <> '{}' or not args ?| '{access_token,accessToken}' or args ?& '{access_token,accessToken}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{access_token,cursor,limit}', '{accessToken,cursor,limit}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.list_guest_messages(access_token => ((coalesce(args -> 'access_token', args -> 'accessToken')) #>> '{}')::text, cursor => case when args ?| '{cursor,cursor}' then ((args -> 'cursor') #>> '{}')::text else NULL::text end, "limit" => case when args ?| '{limit,limit}' then ((args -> 'limit') #>> '{}')::integer else 50 end)) into data;
  when 'list_podcast_guests' then
    if args - '{podcast_id,q,limit,podcastId,q,limit}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,q,limit}', '{podcastId,q,limit}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.list_podcast_guests(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, q => case when args ?| '{q,q}' then ((args -> 'q') #>> '{}')::text else NULL::text end, "limit" => case when args ?| '{limit,limit}' then ((args -> 'limit') #>> '{}')::numeric else 20 end)) into data;
  when 'list_public_episodes' then
    if args - '{slug,limit,cursor,slug,limit,cursor}'::text[] <> '{}' or not args ?| '{slug,slug}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{slug,limit,cursor}', '{slug,limit,cursor}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.list_public_episodes(slug => ((args -> 'slug') #>> '{}')::text, "limit" => case when args ?| '{limit,limit}' then ((args -> 'limit') #>> '{}')::integer else 25 end, cursor => case when args ?| '{cursor,cursor}' then ((args -> 'cursor') #>> '{}')::text else NULL::text end)) into data;
  when 'post_guest_message' then
    if args - '{access_token,body,accessToken,body}'::text[] <> '{}' or not args ?| '{access_token,accessToken}' or args ?& '{access_token,accessToken}' or not args ?| '{body,body}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{access_token,body}', '{accessToken,body}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.post_guest_message(access_token => ((coalesce(args -> 'access_token', args -> 'accessToken')) #>> '{}')::text, body => ((args -> 'body') #>> '{}')::text)) into data;
  when 'prepare_artwork_import' then
    if args - '{image_type,podcast_id,imageType,podcastId}'::text[] <> '{}' or args ?& '{image_type,imageType}' or args ?& '{podcast_id,podcastId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{image_type,podcast_id}', '{imageType,podcastId}', 0);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.prepare_artwork_import(image_type => case when args ?| '{image_type,imageType}' then ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text else 'cover'::text end, podcast_id => case when args ?| '{podcast_id,podcastId}' then ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid else NULL::uuid end)) into data;
  when 'prepare_audio_upload' then
    if args - '{podcast_id,episode_id,content_type,podcastId,episodeId,contentType}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type}', '{podcastId,episodeId,contentType}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.prepare_audio_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text)) into data;
  when 'prepare_image_upload' then
    if args - '{podcast_id,image_type,content_type,episode_id,podcastId,imageType,contentType,episodeId}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{image_type,imageType}' or args ?& '{image_type,imageType}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,image_type,content_type,episode_id}', '{podcastId,imageType,contentType,episodeId}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.prepare_image_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, image_type => ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, episode_id => case when args ?| '{episode_id,episodeId}' then ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid else NULL::uuid end)) into data;
  when 'presign_audio_upload' then
    if args - '{podcast_id,episode_id,content_type,filename,file_size,podcastId,episodeId,contentType,filename,fileSize}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{filename,filename}' or not args ?| '{file_size,fileSize}' or args ?& '{file_size,fileSize}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type,filename,file_size}', '{podcastId,episodeId,contentType,filename,fileSize}', 5);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.presign_audio_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, filename => ((args -> 'filename') #>> '{}')::text, file_size => ((coalesce(args -> 'file_size', args -> 'fileSize')) #>> '{}')::bigint)) into data;
  when 'presign_image_upload' then
    if args - '{podcast_id,image_type,content_type,filename,episode_id,podcastId,imageType,contentType,filename,episodeId}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{image_type,imageType}' or args ?& '{image_type,imageType}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{filename,filename}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,image_type,content_type,filename,episode_id}', '{podcastId,imageType,contentType,filename,episodeId}', 4);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.presign_image_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, image_type => ((coalesce(args -> 'image_type', args -> 'imageType')) #>> '{}')::text, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, filename => ((args -> 'filename') #>> '{}')::text, episode_id => case when args ?| '{episode_id,episodeId}' then ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid else NULL::uuid end)) into data;
  when 'publish_episode' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.publish_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'remove_episode_audio' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.remove_episode_audio(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'remove_episode_guest' then
    if args - '{episode_guest_id,episodeGuestId}'::text[] <> '{}' or not args ?| '{episode_guest_id,episodeGuestId}' or args ?& '{episode_guest_id,episodeGuestId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_guest_id}', '{episodeGuestId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.remove_episode_guest(episode_guest_id => ((coalesce(args -> 'episode_guest_id', args -> 'episodeGuestId')) #>> '{}')::uuid)) into data;
  when 'remove_episode_person' then
    if args - '{episode_id,person_id,episodeId,personId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{person_id,personId}' or args ?& '{person_id,personId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,person_id}', '{episodeId,personId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.remove_episode_person(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, person_id => ((coalesce(args -> 'person_id', args -> 'personId')) #>> '{}')::uuid)) into data;
  when 'reorder_episode_credits' then
    if args - '{episode_id,credit_ids,episodeId,creditIds}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{credit_ids,creditIds}' or args ?& '{credit_ids,creditIds}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,credit_ids}', '{episodeId,creditIds}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.reorder_episode_credits(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, credit_ids => case when coalesce(args -> 'credit_ids', args -> 'creditIds') <> 'null' then array(select jsonb_array_elements_text(coalesce(args -> 'credit_ids', args -> 'creditIds'))) end::uuid[])) into data;
  when 'resend_import_code' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.resend_import_code(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'resume_import' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.resume_import(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'retry_failed_import' then
    if args - '{import_id,importId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id}', '{importId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.retry_failed_import(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid)) into data;
  when 'retry_import_item' then
    if args - '{import_id,item_id,importId,itemId}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' or not args ?| '{item_id,itemId}' or args ?& '{item_id,itemId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id,item_id}', '{importId,itemId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.retry_import_item(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid, item_id => ((coalesce(args -> 'item_id', args -> 'itemId')) #>> '{}')::uuid)) into data;
  when 'schedule_episode' then
    if args - '{episode_id,at,episodeId,at}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{at,at}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,at}', '{episodeId,at}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.schedule_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, at => ((args -> 'at') #>> '{}')::timestamp with time zone)) into data;
  when 'start_import' then
    if args - '{podcast_id,feed_url,podcastId,feedUrl}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{feed_url,feedUrl}' or args ?& '{feed_url,feedUrl}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,feed_url}', '{podcastId,feedUrl}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.start_import(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, feed_url => ((coalesce(args -> 'feed_url', args -> 'feedUrl')) #>> '{}')::text)) into data;
  when 'storage_usage' then
    if args - '{}'::text[] <> '{}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{}', '{}', 0);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.storage_usage()) into data;
  when 'transfer_podcast' then
    if args - '{podcast_id,user_id,podcastId,userId}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{user_id,userId}' or args ?& '{user_id,userId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,user_id}', '{podcastId,userId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.transfer_podcast(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, user_id => ((coalesce(args -> 'user_id', args -> 'userId')) #>> '{}')::uuid)) into data;
  when 'uncredit_episode_person' then
    if args - '{episode_id,person_id,episodeId,personId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{person_id,personId}' or args ?& '{person_id,personId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,person_id}', '{episodeId,personId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.uncredit_episode_person(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, person_id => ((coalesce(args -> 'person_id', args -> 'personId')) #>> '{}')::uuid)) into data;
  when 'unpublish_episode' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.unpublish_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  when 'update_episode_person' then
    if args - '{episode_id,person_id,changes,episodeId,personId,changes}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{person_id,personId}' or args ?& '{person_id,personId}' or not args ?| '{changes,changes}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,person_id,changes}', '{episodeId,personId,changes}', 3);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.update_episode_person(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, person_id => ((coalesce(args -> 'person_id', args -> 'personId')) #>> '{}')::uuid, changes => nullif(args -> 'changes', 'null'))) into data;
  when 'update_podcast_guest' then
    if args - '{id,changes,id,changes}'::text[] <> '{}' or not args ?| '{id,id}' or not args ?| '{changes,changes}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{id,changes}', '{id,changes}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.update_podcast_guest(id => ((args -> 'id') #>> '{}')::uuid, changes => nullif(args -> 'changes', 'null'))) into data;
  when 'verify_import_ownership' then
    if args - '{import_id,code,importId,code}'::text[] <> '{}' or not args ?| '{import_id,importId}' or args ?& '{import_id,importId}' or not args ?| '{code,code}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{import_id,code}', '{importId,code}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.verify_import_ownership(import_id => ((coalesce(args -> 'import_id', args -> 'importId')) #>> '{}')::uuid, code => ((args -> 'code') #>> '{}')::text)) into data;
  else
    raise sqlstate 'PT400' using message = format('There is no operation %L', verb);
  end case;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
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
    return private.refuse(400, 'Too many wrong codes; ask for a new one', code => 'LOCKED_OUT');
  elsif owner.code_expires_at <= check_ownership_code.at then
    return private.refuse(400, 'The code has expired; ask for a new one', code => 'EXPIRED');
  end if;
  begin
    perform private.take_turn(private.address_turn(owner.owner_email) || '/tries', 20, interval '1 hour', check_ownership_code.at)
    where owner.import_id is not null;
  exception when sqlstate 'PT429' then
    return private.refuse(400, 'Too many codes were tried for this address; try again in an hour', code => 'LOCKED_OUT');
  end;
  if owner.code_hash is distinct from sha256(owner.code_key || convert_to(check_ownership_code.code, 'UTF8')) then
    update private.import_owners o set wrong_tries = o.wrong_tries + 1 where o.import_id = held.id;
    return private.refuse(400, 'The code is not the one that was mailed last', code => 'INVALID');
  end if;
  delete from private.import_owners o where o.import_id = held.id;
  update public.podcast_imports i set status = 'preview', verification_method = null where i.id = held.id returning * into held;
  return private.described_staging(held);
end $function$;

create or replace function private.claim_jobs (
  queue                 text,
  most                  integer,
  visible_after_seconds integer
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
  free   int := most;
begin
  select * into strict policy from private.queues q where q.name = claim_jobs.queue;
  if policy.paused then
    return;
  end if;
  if policy.concurrency is not null then
    perform pg_advisory_xact_lock(hashtextextended('queue/' || claim_jobs.queue, 0));  -- two claims see each other's leases
    delete from private.leases l where l.queue = claim_jobs.queue and l.msg_id in (  -- who holds one is at it
      select e.msg_id from private.leases e where e.queue = claim_jobs.queue and e.until <= clock_timestamp() for update skip locked);
    free := least(most, policy.concurrency - (select count(*) from private.leases l where l.queue = claim_jobs.queue));
    if free <= 0 then
      return;
    end if;
  end if;
  for job in select m.msg_id, m.read_ct, m.vt, m.message from pgmq.read(queue, visible_after_seconds, free) m order by m.msg_id loop
    if job.read_ct > policy.max_attempts then  -- nobody lived to say that it failed
      perform private.fail_job(queue, job.msg_id, 'The worker ended while it worked on this, every time', final => true);
    else
      if policy.concurrency is not null then
        insert into private.leases as l (queue, msg_id, until) values (claim_jobs.queue, job.msg_id, job.vt)
        on conflict on constraint leases_pkey do update set until = excluded.until;
      end if;
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $function$;

create or replace function private.continue_job (
  queue         text,
  msg_id        bigint,
  delay_seconds integer default 0,
  attempt       integer default null::integer
)
  returns bigint
  language plpgsql
  set search_path to ''
  AS $function$
declare
  job record;
begin
  select * into job from private.hold_job(continue_job.queue, continue_job.msg_id, continue_job.attempt);
  if not found then
    return null;
  end if;
  perform private.finish_jobs(queue, array[continue_job.msg_id]);
  return private.enqueue(queue, job.message, delay_seconds);
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
    select left(btrim(p ->> 'name'), 200) as name, private.imported_role(p ->> 'role', p ->> 'group') as label,
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
        import.verification_method, import.verification_token, import.locked_owner_email, import.feed_guid,
        private.iso(import.staged_at) as staged_at, private.iso(import.started_at) as started_at, private.iso(import.finished_at) as finished_at,
        import.total_items, import.completed_count, import.failed_count, import.skipped_count, import.is_hosting_migration,
        import.detection, import.warnings, import.apply_detected_numbers,
        private.iso(import.created_at) as created_at, private.iso(import.updated_at) as updated_at,
        coalesce((select json_agg(item) from (
          select i.id, i.import_id, i.podcast_id, i.position, i.guid, i.status, i.title, private.iso(i.published_at) as published_at,
            (select payload from (
              select i.parsed_payload -> 'episodeNumber' as "episodeNumber", i.parsed_payload -> 'seasonNumber' as "seasonNumber",
                i.parsed_payload -> 'episodeType' as "episodeType", i.parsed_payload -> 'durationSeconds' as "durationSeconds",
                i.parsed_payload -> 'enclosure' as enclosure) payload) as parsed_payload,
            i.warnings, i.error, i.error_code, i.attempts, i.episode_id,
            private.iso(i.created_at) as created_at, private.iso(i.updated_at) as updated_at
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

create or replace function private.drop_import_transfer (
  import_item_id uuid
)
  returns void
  language sql
  set search_path to ''
  AS $function$ delete from private.import_transfers t where t.import_item_id = $1 $function$;

create or replace function private.drop_staging (
  import_id uuid
)
  returns boolean
  language sql
  set search_path to ''
  AS $function$
  with gone as (delete from public.podcast_imports i where i.id = $1 and i.status = 'pending' returning i.id)
  select exists (select from gone)
$function$;

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
    status = end_import_item.status, error = left(end_import_item.reason, 2000), error_code = end_import_item.code
  where i.id = item.id;
  return true;
end $function$;

create or replace function private.enqueue (
  queue         text,
  message       jsonb,
  delay_seconds integer default 0
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  id bigint;
begin
  select send into id from pgmq.send(queue, message, delay_seconds);
  if delay_seconds = 0 then
    perform private.wake_worker_once(queue);
  end if;
  return id;
end $function$;

create or replace function private.extend_job (
  queue   text,
  msg_id  bigint,
  seconds integer,
  attempt integer default null::integer
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  ends timestamptz;
begin
  perform private.hold_job(extend_job.queue, extend_job.msg_id, extend_job.attempt);
  if not found then
    return false;
  end if;
  -- a message that has failed keeps its attempt until it is claimed again, but has no lease any more
  perform from private.queues q where q.name = extend_job.queue and q.concurrency is not null
    and not exists (select from private.leases l where l.queue = extend_job.queue and l.msg_id = extend_job.msg_id for update);
  if found then
    return false;
  end if;
  select m.vt into ends from pgmq.set_vt(extend_job.queue, extend_job.msg_id, extend_job.seconds) m;
  update private.leases l set until = ends
  where l.queue = extend_job.queue and l.msg_id = extend_job.msg_id;
  return true;
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
  final               boolean default false,
  retry_after_seconds integer default null::integer,
  attempt             integer default null::integer
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  policy private.queues;
  job    record;
begin
  select * into strict policy from private.queues q where q.name = fail_job.queue;
  select * into job from private.hold_job(fail_job.queue, fail_job.msg_id, fail_job.attempt);
  if not found then
    return 'gone';
  end if;
  delete from private.leases l where l.queue = fail_job.queue and l.msg_id = fail_job.msg_id;
  if final or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dead', jsonb_build_object(
      'message', job.message, 'msg_id', fail_job.msg_id, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', now()));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead';
  end if;
  -- exponential, capped, with half of it as jitter, so that a burst of failures does not come back as a burst; a source
  -- that says when to come back is believed up to the cap
  perform pgmq.set_vt(fail_job.queue, fail_job.msg_id, greatest(1, ceil(
    extract(epoch from least(policy.backoff_cap, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ), case when fail_job.retry_after_seconds > 0 then least(fail_job.retry_after_seconds, extract(epoch from policy.backoff_cap)) end)::int);
  return 'retry';
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
  perform private.lock_object(finish_import_item.path);
  perform private.lock_object(cover ->> 'path') where cover is not null;
  item := private.hold_import_item(finish_import_item.import_item_id);
  if item.id is null then
    raise sqlstate 'PT404' using message = 'The import is gone';
  end if;
  if item.status in ('pending', 'processing') then  -- pending: tried again while this went on, which has come to its end
    perform private.require_open_podcast(item.podcast_id);
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
      update public.podcast_import_items i set status = 'completed', episode_id = item.id, error = null, error_code = null where i.id = item.id;
      delete from private.import_transfers t where t.import_item_id = item.id;
    end if;
    select * into item from public.podcast_import_items i where i.id = item.id;
  end if;
  return jsonb_build_object('status', item.status, 'episodeId', item.episode_id,
    'kept', exists (select from private.media_objects m where m.path = finish_import_item.path));
end $function$;

create or replace function private.finish_jobs (
  queue    text,
  msg_ids  bigint[],
  attempts integer[] default null::integer[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  ours bigint[] := array(
    select own.msg_id from (
      select * from unnest(finish_jobs.msg_ids, finish_jobs.attempts) u (msg_id, attempt) order by u.msg_id  -- as everyone locks them
    ) own cross join lateral private.hold_job(finish_jobs.queue, own.msg_id, own.attempt));
begin
  delete from private.leases l where l.queue = finish_jobs.queue and l.msg_id = any (ours);
  perform pgmq.delete(queue, ours);
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
  perform private.require_open_podcast(held.podcast_id);
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
    perform private.take_turn('import-owner/' || finish_recheck.caller, private.setting('ownership_codes_per_hour')::int, interval '1 hour');
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
  at        timestamp with time zone default now()
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  held    public.podcast_imports := private.hold_staging(finish_staging.import_id);
  is_locked boolean := coalesce((finish_staging.channel ->> 'locked')::boolean, false);
  -- podcast:locked's owner, else itunes:email
  address text := case when is_locked then coalesce(
    private.reachable_address(finish_staging.channel ->> 'lockedOwner'), private.reachable_address(finish_staging.channel ->> 'ownerEmail')) end;
begin
  if held.total_items = 0 then
    raise sqlstate 'PT400' using message = 'The feed has no episode', hint = 'EMPTY_FEED';
  end if;
  update public.podcast_import_items i set status = 'skipped_duplicate'
  where i.import_id = held.id and i.status = 'pending' and exists (
    select from public.episodes e where e.podcast_id = held.podcast_id and e.guid = i.guid);
  if address is not null then
    perform private.take_turn('import-owner/' || coalesce(held.created_by, held.podcast_id), private.setting('ownership_codes_per_hour')::int, interval '1 hour', finish_staging.at);
  end if;
  update public.podcast_imports i set
    status = case when is_locked then 'verification_required' else 'preview' end::public.import_status,
    is_locked_source = is_locked,
    verification_method = case when address is not null then 'email_code' when is_locked then 'feed_recheck' end::public.import_verification,
    verification_token = case when is_locked and address is null then 'castbase-verify-' || gen_random_uuid() end,
    locked_owner_email = private.masked_address(address),
    feed_guid = case when pg_input_is_valid(finish_staging.channel ->> 'podcastGuid', 'uuid') then (finish_staging.channel ->> 'podcastGuid')::uuid end,
    detection = finish_staging.detection, warnings = coalesce(finish_staging.warnings, '[]'), staged_at = finish_staging.at
  where i.id = held.id returning * into held;
  if address is not null then
    perform private.ask_owner(held.id, address, finish_staging.at);
  end if;
  perform private.copy_channel(held.podcast_id, finish_staging.channel);
  return private.described_staging(held);
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
    when 'pending' then new.status in ('verification_required', 'preview', 'canceled')
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
  perform private.require_open_podcast(show);
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

create or replace function private.hold_job (
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
  return query execute format(
    'select q.read_ct, q.message, q.enqueued_at from pgmq.%I q where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct) for update',
    'q_' || hold_job.queue) using hold_job.msg_id, hold_job.attempt;
end $function$;

create or replace function private.hold_staging (
  import_id uuid
)
  returns public.podcast_imports
  language plpgsql
  set search_path to ''
  AS $function$
declare
  held public.podcast_imports;
begin
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = hold_staging.import_id) for key share;
  select * into held from public.podcast_imports i where i.id = hold_staging.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_open_podcast(held.podcast_id);
  if held.status <> 'pending' then
    perform private.refuse_import_state(held, 'its feed is not being read any more');
  end if;
  return held;
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
  returns public.credit_role
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
  end::public.credit_role;
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
        select a.n, jsonb_strip_nulls(jsonb_build_object('url', a.said ->> 'url', 'language', a.said ->> 'language', 'rel', a.said ->> 'rel',
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
    ['wake_worker_if_due', '5 seconds', 'select private.wake_worker_if_due()'],
    ['sweep_storage', '17 3 * * *', 'select private.sweep_storage()'],
    ['reap_unconfirmed_users', '43 3 * * *', 'select private.reap_unconfirmed_users()'],
    ['forget_rate_limits', '57 3 * * *', 'delete from private.rate_limits where began < now() - interval ''2 days'''],
    ['forget_cron_runs', '7 4 * * *', 'delete from cron.job_run_details where end_time < now() - interval ''3 days''']
  ];
  job   text[];
begin
  for queue in select n from private.queues q, unnest(array[q.name, q.name || '_dead']) n loop
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
    for each row when (old.email is distinct from new.email and new.email_confirmed_at is not null) execute function private.relink_guests();

  create or replace trigger t900_fail_import_item after insert on pgmq.q_import_items_dead
    for each row execute function private.fail_dead_import_item();

  foreach heard in array array['podcasts', 'episodes', 'episode_messages', 'podcast_imports', 'podcast_import_items'] loop
    if not exists (select from pg_catalog.pg_publication_tables t where (t.pubname, t.schemaname, t.tablename) = ('supabase_realtime', 'public', heard)) then
      execute format('alter publication supabase_realtime add table public.%I', heard);
    end if;
  end loop;

  -- a feed's texts are stored as they are: compressing them costs more than all the rest of staging
  if exists (select from pg_catalog.pg_attribute a where a.attrelid = 'public.podcast_import_texts'::regclass and a.atttypid = 'text'::regtype and a.attstorage <> 'e') then
    alter table public.podcast_import_texts alter column description set storage external, alter column content set storage external,
      alter column summary set storage external;
  end if;

  alter default privileges for role postgres revoke execute on functions from public;
  alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
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

  insert into private.settings as s (key, otherwise, description) values
    ('public_url', null, 'Where the platform''s API is reached from outside, without a slash at the end'),
    ('base_url', '{public_url}/functions/v1', 'Base of the /api routes'),
    ('public_api_url', '{public_url}/functions/v1/public', 'Base of /v1 and of the feeds'),
    ('embed_url', '{public_url}/functions/v1/public', 'Base of the player and its iframe pages'),
    ('listen_url', '{public_api_url}/listen', 'Base of the listen pages'),
    ('guest_url', '{public_api_url}/guest', 'The page of a guest''s invitation; the access token follows it as #token='),
    ('guest_token_days', '90', 'How long a guest''s access token opens, from the mail that carries it'),
    ('guest_invitations_per_hour', '100', 'How many invitations a user may have mailed in an hour'),
    ('storage_url', '{public_url}/storage/v1', 'Base of Supabase Storage, where clients upload by signed URL'),
    ('media_url', '{storage_url}/object/public/media', 'Base of public objects; a CDN may stand here'),
    ('worker_url', '{public_url}/functions/v1/worker', 'Where the database wakes the worker'),
    ('audio_upload_cap_bytes', '5242880', 'The interim cap of an audio upload through a function'),
    ('orphan_guard_hours', '168', 'How long an unreferenced object is kept, so that cached addresses still answer'),
    ('temporary_hours', '24', 'How long artwork imports and direct uploads are kept that nobody uses'),
    ('artwork_imports_per_hour', '120', 'How many images a user may import from the web in an hour'),
    ('fetch_allowed_hosts', '', 'Hosts (host or host:port, by commas) that may be fetched although their addresses are private'),
    ('ownership_codes_per_hour', '30', 'How many imports of a locked feed, each with a code mailed to its owner, a user may start in an hour'),
    ('unconfirmed_user_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set otherwise = excluded.otherwise, description = excluded.description
    where (s.otherwise, s.description) is distinct from (excluded.otherwise, excluded.description);

  -- an operator's pause stays: it is only written with a new queue
  insert into private.queues as q (name, max_attempts, backoff_base, backoff_cap, concurrency, purpose, paused) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', null, 'Renders a podcast''s feed document again', false),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', null, 'Deletes stored objects that nothing refers to', false),
    ('guest_invitations', 10, interval '5 seconds', interval '1 hour', null, 'Mails guests their invitation and access token', false),
    ('import_items', 6, interval '5 seconds', interval '15 minutes', 4, 'Fetches an episode''s audio and artwork and writes the episode', false),
    ('ownership_codes', 5, interval '5 seconds', interval '5 minutes', null, 'Mails the owner of a locked feed the code that opens its import', false),
    ('calendar_sync', 10, interval '5 seconds', interval '1 hour', null, 'Updates the attendees of a session''s calendar event', true)  -- nobody does yet
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_cap = excluded.backoff_cap, concurrency = excluded.concurrency, purpose = excluded.purpose
    where (q.max_attempts, q.backoff_base, q.backoff_cap, q.concurrency, q.purpose)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_cap, excluded.concurrency, excluded.purpose);

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

create or replace function private.is_guid_too_long (
  guid text
)
  returns boolean
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$ select char_length($1) > 1000 or octet_length($1) > 2600 $function$;

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
  titled      text := btrim(coalesce(item.title, payload ->> 'title'));
  description text;
  notes       text;
  short       text;
  dated       timestamptz;
  is_cut      boolean := false;
begin
  select * into import from public.podcast_imports i where i.id = item.import_id;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  select t.description, t.content, t.summary into description, notes, short
  from public.podcast_import_texts t where t.import_item_id = item.id;

  -- What is too long for its column is cut or moves to the notes, which hold a megabyte
  if char_length(short) > 4000 then
    description := coalesce(description, short);
    short := null;
  end if;
  if char_length(description) > 10000 then
    is_cut := true;
    notes := coalesce(notes, description);
    description := left(description, 10000);
  end if;
  if octet_length(notes) > 1048576 then
    is_cut := true;
    notes := null;
  end if;
  if char_length(titled) > 255 then
    is_cut := true;
    titled := left(titled, 255);
  end if;
  if coalesce(private.is_blank(titled), true) then
    titled := 'Untitled episode';
  end if;
  if is_cut then
    perform private.note_import_item(item.id, '[{"code": "TEXT_CUT", "message": "A text was too long; it was cut"}]');
  end if;
  -- undated ones keep the feed's order
  dated := greatest('1970-01-01Z', least('9999-12-31Z', coalesce(item.published_at, import.created_at - item.position * interval '1 second')));

  insert into public.episodes (id, podcast_id, guid, title, summary, description, notes_html, status, origin, season_number,
    episode_number, episode_type, explicit, scheduled_at, published_at, first_published_at, created_by, transcripts, chapters_url,
    audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds, cover_image_url)
  select item.id, item.podcast_id, item.guid, titled, short, coalesce(description, ''), notes,
    case when dated > now() then 'scheduled' else 'published' end::public.episode_status, 'import',
    private.imported_int(payload -> 'seasonNumber'), private.imported_int(payload -> 'episodeNumber'),
    case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType' else 'full' end::public.episode_type,
    case payload -> 'explicit' when 'true' then true when 'false' then false else podcast.explicit end,
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
  perform private.require_open_podcast(open_import.podcast_id);
  if exists (select from public.podcasts p where p.id = open_import.podcast_id and p.hosting_type = 'external') then
    raise sqlstate 'PT409' using message = 'Episodes are imported into podcasts that are hosted here; this one is hosted elsewhere', hint = 'EXTERNAL_PODCAST';
  end if;
  if not coalesce(private.is_http_url(open_import.feed_url), false) then
    raise sqlstate 'PT400' using message = 'The feed''s address must be an absolute http or https URL', hint = 'INVALID_URL';
  end if;
  perform private.require_import_queue();
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
  return jsonb_build_object('importId', opened);
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
  address text := private.plain_address(typed);
begin
  -- as podcast_guests asks: one address, and nothing that a mail's header would read as more than that
  return case when address collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and address !~ '@(.*\.)?(\.|$)' and private.unseen(address) = '' and char_length(address) <= 254 then address end;
end $function$;

create or replace function private.recheckable_import (
  import_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  import public.podcast_imports := private.require_import_role(recheckable_import.import_id);
begin
  perform private.require_open_podcast(import.podcast_id);
  if import.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'The import does not wait for its feed', hint = 'NOT_APPLICABLE';
  end if;
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
  perform private.take_turn('import-code/' || held.id || '/hour', 5, interval '1 hour', request_ownership_code.at);
  perform private.take_turn('import-code/' || held.id, 1, interval '1 minute', request_ownership_code.at);
  perform private.ask_owner(held.id, o.owner_email, request_ownership_code.at) from private.import_owners o where o.import_id = held.id;
  return jsonb_build_object('status', held.status, 'method', held.verification_method, 'ownerEmail', held.locked_owner_email);
end $function$;

create or replace function private.require_import_queue()
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  perform from private.queues q join pgmq.meta m on m.queue_name = q.name where q.name = 'import_items';
  if not found then
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
  elsif import.status not in ('partial', 'failed') then
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
    update public.podcast_import_items i set status = 'pending', error = null, error_code = null
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
      return private.refuse(500, 'The episodes could not be queued; nothing was started', 'DISPATCH_FAILED');
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

create or replace function private.stage_import_items (
  import_id uuid,
  items     jsonb
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  held   public.podcast_imports := private.hold_staging(stage_import_items.import_id);
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
      (import_id, podcast_id, position, guid, title, published_at, parsed_payload, warnings, status, error, error_code)
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
  return jsonb_build_object('status', 'canceled');
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

create or replace function private.wake_worker_once (
  queue text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  mark text := 'castbase.woke_' || queue;
begin
  if coalesce(current_setting(mark, true), '') = ''
     and not exists (select from private.queues q where q.name = wake_worker_once.queue and q.paused) then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
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

create or replace function public.begin_import_recheck (
  import_id uuid
)
  returns jsonb
  language plpgsql
  stable
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

alter table "private"."leases"
  add constraint "leases_queue_fkey" foreign key (queue) references private.queues(name) on delete cascade;

alter table "private"."queues"
  add constraint "concurrency_is_positive" check ((concurrency > 0));

alter table "public"."podcast_import_items"
  add constraint "failed_has_a_reason" check (((status <> 'failed'::public.import_item_status) OR (error IS NOT NULL)));

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
  add constraint "podcast_import_items_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_import_texts"
  add constraint "podcast_import_texts_import_item_id_fkey" foreign key (import_item_id)
    references public.podcast_import_items(id) on delete cascade;

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
    NOT NULL)));

alter table "private"."import_owners"
  add constraint "import_owners_import_id_fkey" foreign key (import_id) references public.podcast_imports(id)
    on delete cascade;

alter table "public"."podcast_import_items"
  add constraint "podcast_import_items_import_id_fkey" foreign key (import_id) references public.podcast_imports(id)
    on delete cascade;

alter table "public"."podcast_imports"
  add constraint "podcast_imports_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_imports"
  add constraint "running_has_started"
    check
    (((status <> ALL (ARRAY['running'::public.import_status, 'completed'::public.import_status,
    'partial'::public.import_status, 'failed'::public.import_status])) OR (started_at IS NOT NULL)));

alter table "public"."podcast_imports"
  add constraint "unverified_has_a_method"
    check (((status <> 'verification_required'::public.import_status) OR (verification_method IS NOT NULL)));

create unique index import_transfers_path_idx on private.import_transfers using btree (path);

create index leases_until_idx on private.leases using btree (queue, until);

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

create trigger t300_guard_open
  before insert on public.podcast_imports
  for each row
  execute function private.guard_open_podcast();

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

alter publication "supabase_realtime" add table "public"."podcast_import_items";

alter publication "supabase_realtime" add table "public"."podcast_imports";

comment on function "private"."address_turn"(text) is 'Under which key turns of an address are counted, which does not name it.';

comment on function "private"."ask_owner"(uuid, text, timestamp with time zone) is 'Remembers the owner of a locked feed; the mail with a code follows. PT429 when that address was mailed six times in an hour, for whichever import.';

comment on function "private"."begin_import_item"(uuid, integer, bigint) is 'The item is being worked on: {podcastId, importId, itemId, episodeId, guid, title, payload, transfer, allowanceLeft, maxBytes}. Or {skip: why}: it has ended, or ends now, or another message or a later attempt is at it (`superseded`).';

comment on function "private"."check_ownership_code"(uuid, text, timestamp with time zone) is 'verify_import_ownership''s half behind the grants.';

comment on function "private"."claim_jobs"(text, integer, integer) is 'The worker takes up to `most` messages, of a paused queue none, of one with a concurrency as many as are free; who dies with them leaves them visible again after the visibility timeout. A message that outlived its attempts that way is parked.';

comment on function "private"."continue_job"(text, bigint, integer, integer) is 'A job goes on in another run: its message is replaced by the same one sent anew, which is neither a failure nor an attempt. Null when it is gone or, told by its attempt, was claimed again.';

comment on function "private"."copy_channel"(uuid, jsonb) is 'A feed''s directory token, AI disclosure and verify texts onto the podcast, within what its columns hold.';

comment on function "private"."credit_imported_people"(uuid, jsonb) is 'Puts the persons of a feed''s item onto the roster and into the credits of a new episode, in the feed''s order.';

comment on function "private"."described_import"(uuid) is 'get_import''s half behind the grants.';

comment on function "private"."described_staging"(public.podcast_imports) is 'Where an import stands that was read and not confirmed: {importId, status, totalItems} and what comes next.';

comment on function "private"."dispatch_import"(uuid, uuid) is 'One queue message for each pending item of an import that is held, or for one of them: a quarter of a second apart, none later than 900 s. Returns how many. PT500 without a queue.';

comment on function "private"."drop_import_transfer"(uuid) is 'What has arrived of an item that is not going to be an episode is forgotten. One that begins anew keeps its row: how far it ever came bounds its runs.';

comment on function "private"."drop_staging"(uuid) is 'The feed could not be read: nothing of the import stays. False when it is not being read any more.';

comment on function "private"."end_abandoned_stagings"(timestamp with time zone) is 'The clock''s: deletes imports whose feed nobody has gone on reading for ten minutes. How many.';

comment on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text) is
  'Ends an item that is held, and says why. False, and nothing changes, when it has ended already.';

comment on function "private"."extend_job"(text, bigint, integer, integer) is 'A worker needs longer: visibility and lease end so many seconds from now. False when the message is gone, has failed or, told by its attempt, was claimed again: then the worker stops.';

comment on function "private"."fail_import_item"(uuid, text, text, bigint, integer) is 'The item failed for good; a podcaster may have it tried again. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

comment on function "private"."fail_job"(text, bigint, text, boolean, integer, integer) is 'A job failed: it comes back later by its queue''s policy, not before the wait that it was told, or goes to the dead-letter queue with its reason when its attempts are used up or the failure is final. `gone` when there is no such message or, told by its attempt, it was claimed again.';

comment on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) is
  'The item becomes an episode with these objects: {status, episodeId, kept}; `image` is null, {path, bytes, contentType, width, height}, or {warning} where there was one that could not be had. Safe to repeat; not `kept` are objects of an item that ended otherwise. PT404 gone, PT409 allowance or podcast on its way out, PT500 SIZE_MISMATCH.';

comment on function "private"."finish_jobs"(text, bigint[], integer[]) is 'The worker is done with these messages. Told by their attempts, those that were claimed again stay.';

comment on function "private"."finish_recheck"(uuid, jsonb, uuid) is 'What a locked feed says by now, for the admin who had it read: unlocked, or with the token, the import goes to preview; where an owner''s address appeared, the code is mailed there. PT400 STILL_LOCKED or NOT_APPLICABLE, PT404, PT409, PT429.';

comment on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp
  with time zone) is 'The feed was read to its end: the import goes to preview or asks for proof of ownership. Returns the response of POST /api/imports/podcast. PT400 EMPTY_FEED; PT409 canceled meanwhile, or the podcast is on its way out; PT429.';

comment on function "private"."has_imported_guid"(public.podcast_import_items) is 'Whether the podcast has an episode with the item''s GUID.';

comment on function "private"."held_import"(uuid) is 'The import as it is now, its row locked until the transaction ends, for a caller who may change it. PT401, PT404, PT403; PT409 when the podcast is on its way out.';

comment on function "private"."hold_import_item"(uuid) is 'The item as it is now, with its import, locked until the transaction ends; null when it is gone.';

comment on function "private"."hold_job"(text, bigint, integer) is 'A message of a queue, locked until the transaction ends; no row when it is gone, or another attempt than this one has it.';

comment on function "private"."hold_staging"(uuid) is 'An import whose feed is being read, its row locked. PT404; PT409 IMPORT_STATE when it was canceled meanwhile, or PODCAST_PENDING_DELETION.';

comment on function "private"."imported_int"(jsonb) is 'A season or episode number that a column can hold; null for what is none.';

comment on function "private"."imported_role"(text, text) is 'The credit label of a podcast:person''s role and group, in any spelling of case and hyphens; null when credits have none for it.';

comment on function "private"."imported_transcripts"(jsonb) is 'A feed''s transcripts as an episode keeps them: those with an address and a type, as many as there is room for.';

comment on function "private"."is_guid_too_long"(text) is 'Whether a feed''s GUID is none that an episode can have: over 1,000 characters, or over the bytes that an index of episodes holds.';

comment on function "private"."is_superseded"(uuid, bigint, integer) is 'Whether another message than this one works on an item that is held, or a later attempt at it, so that this one has nothing to say of it. What is not told (null) is not asked for.';

comment on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) is 'From now on the code with this digest, sha256(codeKey || code), opens the import, and none before. When it expires; null when nobody waits for one any more.';

comment on function "private"."joined_verify_texts"(jsonb, jsonb) is 'Two lists of verify texts as one that a podcast can hold.';

comment on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  is 'The episode of an item that is held, with its credits and its objects in the ledger, charged to the podcast''s account.';

comment on function "private"."masked_address"(text) is 'An address as people other than its owner see it: j***@e***.com.';

comment on function "private"."note_import_item"(uuid, jsonb) is 'Adds [{code, message}] to what the podcaster is told of an item, each code once.';

comment on function "private"."open_import"(uuid, text, timestamp with time zone) is 'start_import''s half behind the grants.';

comment on function "private"."ownership_mail"(uuid) is 'Whom to mail a code, for which podcast and feed, and the key that goes into its digest; null when nobody waits for one any more.';

comment on function "private"."reachable_address"(text) is 'An e-mail address as it is kept, or null when no mail could go there.';

comment on function "private"."recheckable_import"(uuid) is 'begin_import_recheck''s half behind the grants.';

comment on function "private"."refuse_import_state"(public.podcast_imports, text) is 'PT409 IMPORT_STATE: what was asked is not for an import in this state. `wanted` says what is, as half a sentence.';

comment on function "private"."refuse_migration"(public.podcast_imports) is 'PT409 HOSTING_MIGRATION: migrations have a podcast''s one place for imports, and are driven from elsewhere.';

comment on function "private"."reopen_import"(uuid) is 'resume_import''s half behind the grants.';

comment on function "private"."request_ownership_code"(uuid, timestamp with time zone) is 'resend_import_code''s half behind the grants.';

comment on function "private"."require_import_queue"() is 'PT500 when nothing would take up what is dispatched.';

comment on function "private"."require_import_role"(uuid) is 'The import, when the caller is an admin or the owner of its podcast; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_no_other_import"(public.podcast_imports) is 'PT409 IMPORT_IN_FLIGHT with importId when another import has the podcast''s one place.';

comment on function "private"."run_failed"(uuid) is 'retry_failed_import''s half behind the grants.';

comment on function "private"."run_failed_item"(uuid, uuid) is 'retry_import_item''s half behind the grants.';

comment on function "private"."run_import"(public.podcast_imports, public.import_item_status[], uuid, boolean) is
  'A held import runs (again): items of the statuses `again` go back to pending, or one of them alone, with what was begun and has no message any more, and what is pending is dispatched. Null, or the refusal DISPATCH_FAILED to be returned. PT409 IMPORT_IN_FLIGHT with importId; PT500 without a queue.';

comment on function "private"."run_previewed"(uuid, boolean, integer) is 'confirm_import''s half behind the grants.';

comment on function "private"."save_import_transfer"(uuid, text, text, text, bigint, bigint, text, bigint, integer) is
  'Remembers how far the audio of an item has come. False, and nothing is kept, when the item is not being worked on any more, or by someone else: another message than `msg_id`, or a later attempt at it.';

comment on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer) is
  'The item is left out, for a reason that no further attempt would change. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

comment on function "private"."stage_import_items"(uuid, jsonb) is 'Stages a batch of a feed''s items ([FeedItem], no GUID twice) in one statement and returns how many. PT404; PT409 IMPORT_STATE when the import was canceled meanwhile.';

comment on function "private"."stop_import"(uuid) is 'cancel_import''s half behind the grants.';

comment on function "private"."stranded_items"(uuid) is 'The items of an import that were begun and that no message in the queue would go on with.';

comment on function "private"."wake_worker_once"(text) is 'Wakes the worker for a queue that is not paused, at most once per transaction.';

comment on function "private"."write_detected_numbers"(public.podcast_imports) is 'The episode numbers that detection found, and seasons where the feed names none, onto the items that are pending.';

comment on function "public"."begin_import_recheck"(uuid) is 'POST /api/imports/{id}/recheck-feed, first half: {feedUrl, method, verificationToken, caller} for the service, which fetches the feed next. Needs admin+. 400 NOT_APPLICABLE, 403, 404, 409.';

comment on function "public"."cancel_import"(uuid) is 'POST /api/imports/{id}/cancel: {status: canceled}. Items that are being worked on still become episodes. Needs admin+. 403, 404, 409 IMPORT_STATE when it has ended.';

comment on function "public"."confirm_import"(uuid, boolean, integer) is 'POST /api/imports/{id}/confirm: {status, selectedCount, heldCount}; running, or ended where nothing is left to do. The newest items up to the limit are selected, the others held. Needs admin+. 400 NOT_IN_PREVIEW, INVALID_SELECTION, 403, 404, 409 (also HOSTING_MIGRATION), 500 DISPATCH_FAILED: back in preview, what is held stays held.';

comment on function "public"."get_import"(uuid) is 'GET /api/imports/{id}: the import, the owner''s address masked, with all its items by created_at and position, each with the number, season, type, duration and enclosure of its payload. Needs admin+. 403, 404.';

comment on function "public"."resend_import_code"(uuid) is 'POST /api/imports/{id}/resend-code: {status, method, ownerEmail}. The code before opens nothing any more. Needs admin+. 403, 404, 409 IMPORT_STATE, 429 with rate_limit_reset_at: once a minute, five times an hour, and six times an hour to one address with all its imports.';

comment on function "public"."resume_import"(uuid) is 'POST /api/imports/{id}/resume: {status}. One that was never confirmed is in preview again, or waits for the proof that it still owes; one that was goes on with what was not done. Needs admin+. 403, 404, 409 IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: it stays canceled.';

comment on function "public"."retry_failed_import"(uuid) is 'POST /api/imports/{id}/retry-failed: {status, retriedCount}. Every failed item is tried again; of a canceled import also what was not done. Needs admin+. 403, 404, 409 IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';

comment on function "public"."retry_import_item"(uuid, uuid) is 'POST /api/imports/{id}/items/{itemId}/retry: {importId, itemId, status: pending}. Needs admin+. 403, 404, 409 ITEM_NOT_FAILED (also for items held by the limit), IMPORT_STATE, HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';

comment on function "public"."start_import"(uuid, text) is 'POST /api/imports/podcast, first half: {importId} of an import whose feed is to be read, which the service does next. Needs admin+. 400 INVALID_URL, 403, 404, 409 EXTERNAL_PODCAST or IMPORT_IN_FLIGHT with importId, 500 no queue.';

comment on function "public"."verify_import_ownership"(uuid, text) is 'POST /api/imports/{id}/verify-ownership: {importId, status: preview, totalItems, detection}. Needs admin+. 400 no six digits, INVALID, EXPIRED (after 15 minutes) or LOCKED_OUT (after five wrong ones, or twenty tries in an hour for one address), 403, 404, 409 IMPORT_STATE.';

comment on table "private"."import_messages" is 'The message that was last sent for an item, or that went on with it last.';

comment on table "private"."import_owners" is 'The owner whom a locked feed names, and the code that was mailed to them.';

comment on table "private"."import_transfers" is 'How far the audio of an item has come, so that the next run goes on where the last one ended.';

comment on table "private"."leases" is 'The messages that are worked on, of queues with a concurrency. Written by claim_jobs and extend_job; other queues have none.';

comment on table "public"."podcast_import_items" is 'The items of an import. Admins read them, also by realtime; the verbs of this folder and the worker write them.';

comment on table "public"."podcast_import_texts" is 'The long texts of import items, as the feed has them. Admins read them; stage_import_items writes them.';

comment on table "public"."podcast_imports" is 'An import of a feed. Admins read it, also by realtime; the verbs of this folder and the worker write it.';

revoke all on function "private"."address_turn"(text) from public;

grant execute on function "private"."address_turn"(text) to "postgres";

revoke all on function "private"."announce_import_end"() from public;

grant execute on function "private"."announce_import_end"() to "postgres";

revoke all on function "private"."ask_owner"(uuid, text, timestamp with time zone) from public;

grant execute on function "private"."ask_owner"(uuid, text, timestamp with time zone) to "postgres";

revoke all on function "private"."begin_import_item"(uuid, integer, bigint) from public;

grant execute on function "private"."begin_import_item"(uuid, integer, bigint) to "postgres";

revoke all on function "private"."check_ownership_code"(uuid, text, timestamp with time zone) from public;

grant execute
  on function "private"."check_ownership_code"(uuid, text, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."continue_job"(text, bigint, integer, integer) from public;

grant execute on function "private"."continue_job"(text, bigint, integer, integer) to "postgres";

revoke all on function "private"."copy_channel"(uuid, jsonb) from public;

grant execute on function "private"."copy_channel"(uuid, jsonb) to "postgres";

revoke all on function "private"."count_import_items"() from public;

grant execute on function "private"."count_import_items"() to "postgres";

revoke all on function "private"."credit_imported_people"(uuid, jsonb) from public;

grant execute on function "private"."credit_imported_people"(uuid, jsonb) to "postgres";

revoke all on function "private"."described_import"(uuid) from public;

grant execute on function "private"."described_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."described_staging"(public.podcast_imports) from public;

grant execute on function "private"."described_staging"(public.podcast_imports) to "postgres";

revoke all on function "private"."dispatch_import"(uuid, uuid) from public;

grant execute on function "private"."dispatch_import"(uuid, uuid) to "postgres";

revoke all on function "private"."drop_import_transfer"(uuid) from public;

grant execute on function "private"."drop_import_transfer"(uuid) to "postgres";

revoke all on function "private"."drop_staging"(uuid) from public;

grant execute on function "private"."drop_staging"(uuid) to "postgres";

revoke all on function "private"."end_abandoned_stagings"(timestamp with time zone) from public;

grant execute on function "private"."end_abandoned_stagings"(timestamp with time zone) to "postgres";

revoke all on function "private"."end_import"() from public;

grant execute on function "private"."end_import"() to "postgres";

revoke all
  on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text)
  from public;

grant execute
  on function "private"."end_import_item"(public.podcast_import_items, public.import_item_status, text, text)
  to "postgres";

revoke all on function "private"."extend_job"(text, bigint, integer, integer) from public;

grant execute on function "private"."extend_job"(text, bigint, integer, integer) to "postgres";

revoke all on function "private"."fail_dead_import_item"() from public;

grant execute on function "private"."fail_dead_import_item"() to "postgres";

revoke all on function "private"."fail_import_item"(uuid, text, text, bigint, integer) from public;

grant execute on function "private"."fail_import_item"(uuid, text, text, bigint, integer) to "postgres";

revoke all on function "private"."fail_job"(text, bigint, text, boolean, integer, integer) from public;

grant execute on function "private"."fail_job"(text, bigint, text, boolean, integer, integer) to "postgres";

revoke all on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) from public;

grant execute on function "private"."finish_import_item"(uuid, text, bigint, text, integer, jsonb) to "postgres";

revoke all on function "private"."finish_jobs"(text, bigint[], integer[]) from public;

grant execute on function "private"."finish_jobs"(text, bigint[], integer[]) to "postgres";

revoke all on function "private"."finish_recheck"(uuid, jsonb, uuid) from public;

grant execute on function "private"."finish_recheck"(uuid, jsonb, uuid) to "postgres";

revoke all on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp with time zone) from public;

grant execute on function "private"."finish_staging"(uuid, jsonb, jsonb, jsonb, timestamp with time zone) to "postgres";

revoke all on function "private"."guard_import_item_status"() from public;

grant execute on function "private"."guard_import_item_status"() to "postgres";

revoke all on function "private"."guard_import_status"() from public;

grant execute on function "private"."guard_import_status"() to "postgres";

revoke all on function "private"."has_imported_guid"(public.podcast_import_items) from public;

grant execute on function "private"."has_imported_guid"(public.podcast_import_items) to "postgres";

revoke all on function "private"."held_import"(uuid) from public;

grant execute on function "private"."held_import"(uuid) to "postgres";

revoke all on function "private"."hold_import_item"(uuid) from public;

grant execute on function "private"."hold_import_item"(uuid) to "postgres";

revoke all on function "private"."hold_job"(text, bigint, integer) from public;

grant execute on function "private"."hold_job"(text, bigint, integer) to "postgres";

revoke all on function "private"."hold_staging"(uuid) from public;

grant execute on function "private"."hold_staging"(uuid) to "postgres";

revoke all on function "private"."imported_int"(jsonb) from public;

grant execute on function "private"."imported_int"(jsonb) to "postgres";

revoke all on function "private"."imported_role"(text, text) from public;

grant execute on function "private"."imported_role"(text, text) to "postgres";

revoke all on function "private"."imported_transcripts"(jsonb) from public;

grant execute on function "private"."imported_transcripts"(jsonb) to "postgres";

revoke all on function "private"."is_guid_too_long"(text) from public;

grant execute on function "private"."is_guid_too_long"(text) to "postgres";

revoke all on function "private"."is_superseded"(uuid, bigint, integer) from public;

grant execute on function "private"."is_superseded"(uuid, bigint, integer) to "postgres";

revoke all on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) from public;

grant execute on function "private"."issue_ownership_code"(uuid, bytea, timestamp with time zone) to "postgres";

revoke all on function "private"."joined_verify_texts"(jsonb, jsonb) from public;

grant execute on function "private"."joined_verify_texts"(jsonb, jsonb) to "postgres";

revoke all
  on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  from public;

grant execute
  on function "private"."make_imported_episode"(public.podcast_import_items, text, bigint, text, integer, jsonb)
  to "postgres";

revoke all on function "private"."masked_address"(text) from public;

grant execute on function "private"."masked_address"(text) to "postgres";

revoke all on function "private"."note_import_item"(uuid, jsonb) from public;

grant execute on function "private"."note_import_item"(uuid, jsonb) to "postgres";

revoke all on function "private"."open_import"(uuid, text, timestamp with time zone) from public;

grant execute on function "private"."open_import"(uuid, text, timestamp with time zone) to "authenticated", "postgres";

revoke all on function "private"."ownership_mail"(uuid) from public;

grant execute on function "private"."ownership_mail"(uuid) to "postgres";

revoke all on function "private"."reachable_address"(text) from public;

grant execute on function "private"."reachable_address"(text) to "postgres";

revoke all on function "private"."recheckable_import"(uuid) from public;

grant execute on function "private"."recheckable_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."refuse_import_state"(public.podcast_imports, text) from public;

grant execute on function "private"."refuse_import_state"(public.podcast_imports, text) to "postgres";

revoke all on function "private"."refuse_migration"(public.podcast_imports) from public;

grant execute on function "private"."refuse_migration"(public.podcast_imports) to "postgres";

revoke all on function "private"."reopen_import"(uuid) from public;

grant execute on function "private"."reopen_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."request_ownership_code"(uuid, timestamp with time zone) from public;

grant execute
  on function "private"."request_ownership_code"(uuid, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "private"."require_import_queue"() from public;

grant execute on function "private"."require_import_queue"() to "postgres";

revoke all on function "private"."require_import_role"(uuid) from public;

grant execute on function "private"."require_import_role"(uuid) to "postgres";

revoke all on function "private"."require_no_other_import"(public.podcast_imports) from public;

grant execute on function "private"."require_no_other_import"(public.podcast_imports) to "postgres";

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

revoke all on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer) from public;

grant execute
  on function "private"."skip_import_item"(uuid, public.import_item_status, text, bigint, integer)
  to "postgres";

revoke all on function "private"."stage_import_items"(uuid, jsonb) from public;

grant execute on function "private"."stage_import_items"(uuid, jsonb) to "postgres";

revoke all on function "private"."stop_import"(uuid) from public;

grant execute on function "private"."stop_import"(uuid) to "authenticated", "postgres";

revoke all on function "private"."stranded_items"(uuid) from public;

grant execute on function "private"."stranded_items"(uuid) to "postgres";

revoke all on function "private"."take_feed_guid"() from public;

grant execute on function "private"."take_feed_guid"() to "postgres";

revoke all on function "private"."tidy_import_item"() from public;

grant execute on function "private"."tidy_import_item"() to "postgres";

revoke all on function "private"."tidy_podcast_import"() from public;

grant execute on function "private"."tidy_podcast_import"() to "postgres";

revoke all on function "private"."wake_worker_once"(text) from public;

grant execute on function "private"."wake_worker_once"(text) to "postgres";

revoke all on function "private"."write_detected_numbers"(public.podcast_imports) from public;

grant execute on function "private"."write_detected_numbers"(public.podcast_imports) to "postgres";

revoke all on function "public"."begin_import_recheck"(uuid) from public;

grant execute on function "public"."begin_import_recheck"(uuid) to "authenticated", "postgres";

revoke all on function "public"."cancel_import"(uuid) from public;

grant execute on function "public"."cancel_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."confirm_import"(uuid, boolean, integer) from public;

grant execute on function "public"."confirm_import"(uuid, boolean, integer) to "authenticated", "postgres";

revoke all on function "public"."get_import"(uuid) from public;

grant execute on function "public"."get_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."resend_import_code"(uuid) from public;

grant execute on function "public"."resend_import_code"(uuid) to "authenticated", "postgres";

revoke all on function "public"."resume_import"(uuid) from public;

grant execute on function "public"."resume_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."retry_failed_import"(uuid) from public;

grant execute on function "public"."retry_failed_import"(uuid) to "authenticated", "postgres";

revoke all on function "public"."retry_import_item"(uuid, uuid) from public;

grant execute on function "public"."retry_import_item"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."start_import"(uuid, text) from public;

grant execute on function "public"."start_import"(uuid, text) to "authenticated", "postgres";

revoke all on function "public"."verify_import_ownership"(uuid, text) from public;

grant execute on function "public"."verify_import_ownership"(uuid, text) to "authenticated", "postgres";

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

grant usage on type "public"."import_item_status" to "postgres";

grant usage on type "public"."import_status" to "postgres";

grant usage on type "public"."import_verification" to "postgres";

alter table "public"."podcast_imports"
  add constraint "podcast_imports_created_by_fkey" foreign key (created_by) references public.profiles(id) on delete
    set null;

create index podcast_imports_created_by_idx on public.podcast_imports using btree (created_by);


alter table public.podcast_import_texts alter column content set storage external, alter column content set compression default;

alter table public.podcast_import_texts alter column description set storage external, alter column description set compression default;

alter table public.podcast_import_texts alter column summary set storage external, alter column summary set compression default;

reset check_function_bodies;

select private.install();
