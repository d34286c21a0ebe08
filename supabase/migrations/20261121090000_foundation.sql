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

create extension if not exists "pgmq";

create extension if not exists "unaccent" schema "extensions";

create table "private"."episode_slugs" (
  "podcast_id" uuid not null,
  "slug"       text not null,
  "episode_id" uuid not null,
  constraint "episode_slugs_pkey" primary key (podcast_id, slug)
);

alter table "private"."episode_slugs"
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

create table "private"."media_objects" (
  "path"         text                     not null,
  "account_id"   uuid,
  "podcast_id"   uuid                     not null,
  "episode_id"   uuid,
  "purpose"      text                     not null,
  "bytes"        bigint                   not null,
  "content_type" text                     not null,
  "created_at"   timestamp with time zone not null default now(),
  "released_at"  timestamp with time zone,
  constraint "bytes_are_positive" check ((bytes > 0)),
  constraint "live_has_an_account" check (((account_id IS NOT NULL) OR (released_at IS NOT NULL))),
  constraint "media_objects_pkey" primary key (path),
  constraint "purpose_is_known" check ((purpose = ANY (ARRAY['audio'::text, 'image'::text])))
);

alter table "private"."media_objects"
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
  "backoff_cap"  interval not null,
  "purpose"      text     not null,
  constraint "attempts_are_bounded" check (((max_attempts >= 1) AND (max_attempts <= 100))),
  constraint "backoff_is_ordered" check (((backoff_base > '00:00:00'::interval) AND (backoff_base <= backoff_cap))),
  constraint "queues_pkey" primary key (name)
);

alter table "private"."queues"
  enable row level security;

create table "private"."settings" (
  "key"         text not null,
  "value"       text,
  "otherwise"   text,
  "description" text not null,
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

create table "public"."episodes" (
  "id"                     uuid                     not null default gen_random_uuid(),
  "podcast_id"             uuid                     not null,
  "slug"                   text                     not null,
  "guid"                   text                     not null,
  "title"                  text                     not null,
  "summary"                text,
  "description"            text                     not null default ''::text,
  "notes_html"             text,
  "season_number"          integer,
  "episode_number"         integer,
  "explicit"               boolean                  not null default false,
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
  constraint "audio_is_measured" check (((audio_file_size_bytes >= 0) AND (audio_duration_seconds >= 0))),
  constraint "audio_is_whole"
    check ((num_nulls(audio_url, audio_file_size_bytes, audio_content_type) = ANY (ARRAY[0, 3]))),
  constraint "episodes_pkey" primary key (id),
  constraint "guid_is_1_to_1000_long" check (((char_length(guid) >= 1) AND (char_length(guid) <= 1000))),
  constraint "guid_is_unique" unique (podcast_id, guid),
  constraint "numbers_are_not_negative" check (((season_number >= 0) AND (episode_number >= 0))),
  constraint "slug_fits_a_path" check ((slug !~ '[/?#%\s]'::text)),
  constraint "slug_is_1_to_100_long" check (((char_length(slug) >= 1) AND (char_length(slug) <= 100))),
  constraint "slug_is_unique" unique (podcast_id, slug),
  constraint "texts_are_bounded"
    check
    (((char_length(summary) <= 4000) AND (char_length(description) <= 10000) AND (octet_length(notes_html) <=
    1048576))),
  constraint "times_are_of_our_age" check (((published_at >= '1970-01-01 00:00:00+00'::timestamp
    with time zone) AND (published_at <= '9999-12-31 00:00:00+00'::timestamp
    with time zone) AND ((scheduled_at >= '1970-01-01 00:00:00+00'::timestamp
    with time zone) AND (scheduled_at <= '9999-12-31 00:00:00+00'::timestamp with time zone)))),
  constraint "transcripts_are_an_array" check ((jsonb_typeof(transcripts) = 'array'::text)),
  constraint "transcripts_are_bounded" check ((octet_length((transcripts)::text) <= 65536)),
  "created_by"             uuid                     default auth.uid()
);

alter table "public"."episodes"
  enable row level security;

create table "public"."plans" (
  "code"                   text    not null,
  "name"                   text    not null,
  "is_paid"                boolean not null,
  "storage_gb_per_account" integer not null,
  constraint "code_is_a_word" check ((code ~ '^[a-z][a-z0-9_]*$'::text)),
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

create table "public"."podcast_members" (
  "podcast_id"               uuid                     not null,
  "user_id"                  uuid                     not null,
  "auto_add_to_new_episodes" boolean                  not null default false,
  "created_at"               timestamp with time zone not null default now(),
  constraint "podcast_members_pkey" primary key (podcast_id, user_id)
);

alter table "public"."podcast_members"
  enable row level security;

create table "public"."podcasts" (
  "id"                 uuid                     not null default gen_random_uuid(),
  "slug"               text                     not null,
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
  "complete"           boolean                  not null default false,
  "block"              boolean                  not null default false,
  "podcast_guid"       uuid                     not null,
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
  constraint "description_is_at_most_10000_long" check ((char_length(description) <= 10000)),
  constraint "language_is_a_tag"
    check (((language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$'::text) AND (char_length(language) <= 35))),
  constraint "lists_are_arrays"
    check
    (((jsonb_typeof(categories) = 'array'::text) AND (jsonb_typeof(funding) = 'array'::text) AND
    (jsonb_typeof(verify_texts) = 'array'::text))),
  constraint "lists_are_bounded"
    check
    (((octet_length((categories)::text) <= 1000) AND (octet_length((funding)::text) <= 32768) AND
    (octet_length((verify_texts)::text) <= 131072))),
  constraint "medium_is_known"
    check ((medium ~ '^(podcast|music|video|film|audiobook|newsletter|blog|publisher|course|mixed)L?$'::text)),
  constraint "names_are_at_most_255_long"
    check (((char_length(author) <= 255) AND (char_length(owner_name) <= 255) AND (char_length(copyright) <= 255))),
  constraint "owner_email_is_an_address"
    check (((owner_email ~ '^[^@\s]+@[^@\s]+$'::text) AND (char_length(owner_email) <= 254))),
  constraint "podcasts_pkey" primary key (id),
  constraint "podcasts_slug_key" unique (slug),
  constraint "slug_fits_a_path" check ((slug !~ '[/?#%\s]'::text)),
  constraint "slug_is_1_to_100_long" check (((char_length(slug) >= 1) AND (char_length(slug) <= 100))),
  constraint "tokens_are_at_most_1000_long"
    check (((char_length(apple_verify_token) <= 1000) AND (char_length(ai_disclosure) <= 4000))),
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
  constraint "locale_is_a_tag"
    check (((locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$'::text) AND (char_length(locale) <= 35))),
  constraint "profiles_pkey" primary key (id)
);

alter table "public"."profiles"
  enable row level security;

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

create type "public"."podcast_role" as enum (
  'member',
  'admin',
  'owner'
);

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

create type "public"."podcast_type" as enum (
  'episodic',
  'serial'
);

alter table "public"."podcasts"
  add column "type" public.podcast_type not null default 'episodic'::public.podcast_type;

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
  if not was_listed and not is_listed then
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

create or replace function private.argument (
  name          text,
  camel         text,
  type          regtype,
  default_value text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  raw   text := case when camel = name then format('args -> %L', name) else format('coalesce(args -> %L, args -> %L)', name, camel) end;
  value text := case
    when type = 'jsonb'::regtype then format('nullif(%s, ''null'')', raw)
    when type::text like '%[]' then
      format('case when %1$s <> ''null'' then array(select jsonb_array_elements_text(%1$s)) end::%2$s', raw, type)
    else format('((%s) #>> ''{}'')::%s', raw, type)
  end;
begin
  return format('%I => ', name) || case
    when default_value is null then value
    else format('case when args ?| %L then %s else %s end', array[name, camel], value, default_value)
  end;
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
  when 'begin_audio_upload' then
    if args - '{podcast_id,episode_id,content_type,bytes,podcastId,episodeId,contentType,bytes}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{bytes,bytes}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type,bytes}', '{podcastId,episodeId,contentType,bytes}', 4);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.begin_audio_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, bytes => ((args -> 'bytes') #>> '{}')::bigint)) into data;
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
  when 'list_public_episodes' then
    if args - '{slug,limit,cursor,slug,limit,cursor}'::text[] <> '{}' or not args ?| '{slug,slug}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{slug,limit,cursor}', '{slug,limit,cursor}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.list_public_episodes(slug => ((args -> 'slug') #>> '{}')::text, "limit" => case when args ?| '{limit,limit}' then ((args -> 'limit') #>> '{}')::integer else 25 end, cursor => case when args ?| '{cursor,cursor}' then ((args -> 'cursor') #>> '{}')::text else NULL::text end)) into data;
  when 'presign_audio_upload' then
    if args - '{podcast_id,episode_id,content_type,filename,file_size,podcastId,episodeId,contentType,filename,fileSize}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{content_type,contentType}' or args ?& '{content_type,contentType}' or not args ?| '{filename,filename}' or not args ?| '{file_size,fileSize}' or args ?& '{file_size,fileSize}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,episode_id,content_type,filename,file_size}', '{podcastId,episodeId,contentType,filename,fileSize}', 5);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.presign_audio_upload(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, content_type => ((coalesce(args -> 'content_type', args -> 'contentType')) #>> '{}')::text, filename => ((args -> 'filename') #>> '{}')::text, file_size => ((coalesce(args -> 'file_size', args -> 'fileSize')) #>> '{}')::bigint)) into data;
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
  when 'schedule_episode' then
    if args - '{episode_id,at,episodeId,at}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{at,at}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,at}', '{episodeId,at}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.schedule_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, at => ((args -> 'at') #>> '{}')::timestamp with time zone)) into data;
  when 'transfer_podcast' then
    if args - '{podcast_id,user_id,podcastId,userId}'::text[] <> '{}' or not args ?| '{podcast_id,podcastId}' or args ?& '{podcast_id,podcastId}' or not args ?| '{user_id,userId}' or args ?& '{user_id,userId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{podcast_id,user_id}', '{podcastId,userId}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.transfer_podcast(podcast_id => ((coalesce(args -> 'podcast_id', args -> 'podcastId')) #>> '{}')::uuid, user_id => ((coalesce(args -> 'user_id', args -> 'userId')) #>> '{}')::uuid)) into data;
  when 'unpublish_episode' then
    if args - '{episode_id,episodeId}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id}', '{episodeId}', 1);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.unpublish_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid)) into data;
  else
    raise sqlstate 'PT400' using message = format('There is no operation %L', verb);
  end case;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
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
  update public.billing_accounts a set storage_bytes_used = a.storage_bytes_used + charge_account.bytes, updated_at = now()
  where a.user_id = charge_account.account_id
  returning a.storage_bytes_used into used;
  if charge_account.bytes > 0 and used > private.allowed_bytes(charge_account.account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED';
      -- without numbers: at a transfer the account is someone else's
  end if;
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
  attempts int := (select q.max_attempts from private.queues q where q.name = claim_jobs.queue);
  job      record;
begin
  for job in select m.msg_id, m.read_ct, m.message from pgmq.read(queue, visible_after_seconds, most) m order by m.msg_id loop
    if job.read_ct > attempts then  -- nobody lived to say that it failed
      perform private.fail_job(queue, job.msg_id, 'The worker ended while it worked on this, every time', final => true);
    else
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $function$;

create or replace function private.collect_objects (
  paths text[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.enqueue('storage_gc', jsonb_build_object('bucket', 'media', 'paths', chunk))
  from (select jsonb_agg(path) as chunk from unnest(paths) with ordinality p (path, n) group by (n - 1) / 100) chunks;
end $function$;

create or replace function private.collectable (
  paths text[]
)
  returns text[]
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(array_agg(given.path), '{}') from unnest(paths) given(path)
  where not exists (select from private.media_objects m where m.path = given.path and m.released_at is null)
$function$;

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
    return segment;  -- most are
  end if;
  return (
    select string_agg(
      case when c.letter ~ '[A-Za-z0-9._~-]' then c.letter
        else regexp_replace(upper(encode(convert_to(c.letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by c.place)
    from regexp_split_to_table(segment, '') with ordinality c (letter, place));
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
  id   bigint;
  mark text := 'castbase.woke_' || queue;
begin
  select send into id from pgmq.send(queue, message, delay_seconds);
  if delay_seconds = 0 and coalesce(current_setting(mark, true), '') = '' then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
  return id;
end $function$;

create or replace function private.episode_cursor (
  published_at timestamp with time zone,
  id           uuid
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select rtrim(translate(encode(convert_to(
    extract(epoch from published_at)::text || ' ' || id, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$function$;

create or replace function private.fail_job (
  queue  text,
  msg_id bigint,
  error  text,
  final  boolean default false
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
  select m.read_ct, m.message, m.enqueued_at into job from pgmq.set_vt(fail_job.queue, fail_job.msg_id, 0) m;
  if not found then
    return 'gone';
  end if;
  if final or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dead', jsonb_build_object(
      'message', job.message, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', now()));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead';
  end if;
  -- exponential, capped, with half of it as jitter, so that a burst of failures does not come back as a burst
  perform pgmq.set_vt(fail_job.queue, fail_job.msg_id, greatest(1, ceil(
    extract(epoch from least(policy.backoff_cap, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ))::int);
  return 'retry';
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
  episode    public.episodes;
  account_id uuid;
  stored     bigint;
  url        text := private.setting('media_url') || '/' || finish_audio_upload.path;
begin
  -- podcast, episode, ledger, account: everyone locks in this order. The shared lock keeps a transfer of the podcast
  -- from moving the account away underneath.
  select p.owner_id into account_id from public.podcasts p where p.id = finish_audio_upload.podcast_id for share;
  select * into episode from public.episodes e
  where e.id = finish_audio_upload.episode_id and e.podcast_id = finish_audio_upload.podcast_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode is gone';
  end if;
  perform private.require_open_podcast(finish_audio_upload.podcast_id);
  perform from public.podcast_members m
  where m.podcast_id = finish_audio_upload.podcast_id and m.user_id = finish_audio_upload.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  if not starts_with(finish_audio_upload.path,
       format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id)) then
    raise sqlstate 'PT500' using message = 'The object lies outside the episode';
  end if;
  select (o.metadata ->> 'size')::bigint into stored from storage.objects o
  where o.bucket_id = 'media' and o.name = finish_audio_upload.path;
  if stored is null or stored is distinct from finish_audio_upload.bytes then
    raise sqlstate 'PT500' using message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
  if episode.audio_url is distinct from url then  -- equal: this very upload, finished before; safe to repeat
    if episode.audio_url is distinct from finish_audio_upload.expected_audio_url then
      raise sqlstate 'PT409' using message = 'The audio was replaced by another upload in the meantime', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_episode_audio(episode);
    insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type)
    values (finish_audio_upload.path, account_id, episode.podcast_id, episode.id, 'audio', stored, finish_audio_upload.content_type);
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = stored, audio_content_type = finish_audio_upload.content_type,
      audio_duration_seconds = finish_audio_upload.duration_seconds
    where e.id = episode.id;  -- the feed hears of it by the episodes' own trigger
  end if;
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', url, 'fileSize', stored,
    'contentType', finish_audio_upload.content_type, 'durationSeconds', finish_audio_upload.duration_seconds);
end $function$;

create or replace function private.finish_jobs (
  queue   text,
  msg_ids bigint[]
)
  returns void
  language sql
  set search_path to ''
  AS $function$ select pgmq.delete(queue, msg_ids) $function$;

create or replace function private.forget_objects (
  paths text[]
)
  returns void
  language sql
  set search_path to ''
  AS $function$ delete from private.media_objects m where m.path = any (paths) and m.released_at is not null $function$;

create or replace function private.free_slug (
  wanted text,
  taken  text[]
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select case when wanted = any (taken) then wanted || '-' || min(n) else wanted end
  from generate_series(2, cardinality(taken) + 2) n
  left join unnest(taken) t (slug) on t.slug = wanted || '-' || n
  where t.slug is null
$function$;

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
      raise sqlstate 'PT409' using message = 'The GUID of an episode never changes', hint = 'GUID_IS_FIXED';
    end if;
    if new.podcast_id is distinct from old.podcast_id then
      raise sqlstate 'PT409' using message = 'An episode stays on its podcast';
    end if;
    if new.slug is distinct from old.slug and old.first_published_at is not null then
      raise sqlstate 'PT409' using message = 'The slug is fixed once the episode has been published', hint = 'SLUG_IS_FIXED';
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
  end loop;
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

create or replace function private.guard_open_podcast()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.require_open_podcast(case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end);
  return case when tg_op = 'DELETE' then old else new end;
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
      raise sqlstate 'PT409' using message = 'The owner cannot be removed; transfer the podcast first', hint = 'OWNER_STAYS';
    end if;
    return old;
  end if;
  if (new.role = 'owner') <> (new.user_id = owner_id) then
    raise sqlstate 'PT409' using message = case when new.role = 'owner'
      then 'Ownership moves only by a transfer of the podcast'
      else 'The owner cannot be demoted; transfer the podcast first' end, hint = 'OWNER_STAYS';
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
  if (new.slug, new.podcast_guid, new.hosting_type) is distinct from (old.slug, old.podcast_guid, old.hosting_type) then
    raise sqlstate 'PT409' using message = 'A podcast keeps its slug, its GUID and its hosting type';
  end if;
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
      raise sqlstate 'PT400' using message = format('Unknown category: %s', entry), detail = 'See the table podcast_categories';
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
  end loop;
  return new;
end $function$;

create or replace function private.install()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.install_reference_rows();
  perform private.install_platform_objects();
  perform private.write_call();
end $function$;

create or replace function private.install_platform_objects()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  queue text;
  jobs  constant text[][] := array[
    ['publish_due_episodes', '15 seconds', 'select private.publish_due_episodes()'],
    ['wake_worker_if_due', '5 seconds', 'select private.wake_worker_if_due()'],
    ['sweep_storage', '17 3 * * *', 'select private.sweep_storage()'],
    ['reap_unconfirmed_users', '43 3 * * *', 'select private.reap_unconfirmed_users()'],
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

  insert into storage.buckets as b (id, name, public, file_size_limit) values ('media', 'media', true, 524288000)
  on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit
    where (b.public, b.file_size_limit) is distinct from (excluded.public, excluded.file_size_limit);

  create or replace trigger t900_provision_confirmed after insert on auth.users
    for each row when (new.email_confirmed_at is not null) execute function private.provision_user();
  create or replace trigger t900_provision_confirmation after update of email_confirmed_at on auth.users
    for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null) execute function private.provision_user();

  if not exists (select from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = 'podcasts') then
    alter publication supabase_realtime add table public.podcasts;
  end if;
  if not exists (select from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = 'episodes') then
    alter publication supabase_realtime add table public.episodes;
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
    ('media_url', '{public_url}/storage/v1/object/public/media', 'Base of public objects; a CDN may stand here'),
    ('worker_url', '{public_url}/functions/v1/worker', 'Where the database wakes the worker'),
    ('audio_upload_cap_bytes', '5242880', 'The interim cap of an audio upload through a function'),
    ('orphan_guard_hours', '168', 'How long an unreferenced object is kept, so that cached addresses still answer'),
    ('unconfirmed_user_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set otherwise = excluded.otherwise, description = excluded.description
    where (s.otherwise, s.description) is distinct from (excluded.otherwise, excluded.description);

  insert into private.queues as q (name, max_attempts, backoff_base, backoff_cap, purpose) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', 'Renders a podcast''s feed document again'),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', 'Deletes stored objects that nothing refers to')
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_cap = excluded.backoff_cap, purpose = excluded.purpose
    where (q.max_attempts, q.backoff_base, q.backoff_cap, q.purpose)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_cap, excluded.purpose);

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

create or replace function private.is_blank (
  words text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return words !~ '[^[:space:]\u0001-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff\ufffe\uffff]';
end $function$;

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

create or replace function private.iso (
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

create or replace function private.move_media_account()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update private.media_objects m set account_id = new.owner_id
  where m.path in (  -- rows are locked in one order everywhere
    select o.path from private.media_objects o where o.podcast_id = new.id and o.released_at is null order by o.path for update);
  return null;
end $function$;

create or replace function private.move_ownership (
  podcast_id uuid,
  user_id    uuid
)
  returns public.podcasts
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  moved     public.podcasts;
  old_owner uuid;
begin
  perform private.require_role(move_ownership.podcast_id, 'owner');
  select p.owner_id into old_owner from public.podcasts p where p.id = move_ownership.podcast_id for update;
  if old_owner is distinct from auth.uid() then
    raise sqlstate 'PT409' using message = 'The podcast has just been transferred';
  end if;
  perform from public.podcast_members m
  where m.podcast_id = move_ownership.podcast_id and m.user_id = move_ownership.user_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The new owner must be a member of the podcast', hint = 'NOT_A_MEMBER';
  end if;
  update public.podcasts p set owner_id = move_ownership.user_id where p.id = move_ownership.podcast_id returning * into moved;
  -- the roles and the stored bytes follow owner_id by its triggers
  return moved;
end $function$;

create or replace function private.my_colleagues()
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
    written text,
    dated   timestamp with time zone,
    early   integer
  )
  language plpgsql
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
  perform pg_advisory_xact_lock(hashtextextended('feed/' || open_feed.podcast_id, 0));
  select * into found_podcast from public.podcasts p
  where p.id = open_feed.podcast_id and p.hosting_type = 'native' and p.status <> 'deleted'
  for key share;
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
  select coalesce(jsonb_agg(to_jsonb(e) || jsonb_build_object('place', b.place,
           'listen_url', private.listen_url(found_podcast.slug, e.slug, listen_base)) order by b.place), '[]'),
         (select count(*) from unfit) - count(*)
  into stale, waiting
  from batch b join public.episodes e on e.id = b.episode_id;

  select d.digest, d.last_modified into written, last_modified
  from private.feed_documents d where d.podcast_id = open_feed.podcast_id;
  dated := date_trunc('second', clock_timestamp());
  early := case when dated = last_modified
    then ceil(1000 * extract(epoch from dated + interval '1 second' - clock_timestamp())) else 0 end;
  return next;
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
  values (new.id, case when not private.is_blank(given) then btrim(left(given, 200)) end, case when private.is_http_url(avatar) then avatar end)
  on conflict (id) do nothing;
  insert into public.billing_accounts (user_id) values (new.id) on conflict (user_id) do nothing;
  return null;
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
  decoded text;
  before  timestamptz := 'infinity';
  below   uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  page    record;
begin
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select p.id, p.slug into podcast from public.podcasts p where p.slug = public_episodes.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  if cursor is not null then
    begin
      decoded := convert_from(decode(translate(cursor, '-_', '+/') || repeat('=', -length(cursor) & 3), 'base64'), 'UTF8');
      before := to_timestamp(0) + split_part(decoded, ' ', 1)::numeric * interval '1 second';
      below := split_part(decoded, ' ', 2)::uuid;
    exception when others then
      raise sqlstate 'PT400' using message = 'cursor is not one that this API gave out';
    end;
  end if;
  select coalesce(jsonb_agg(e.shown order by e.n) filter (where e.n <= most), '[]') as data,
    max(private.episode_cursor(e.published_at, e.id)) filter (where e.n = most) as cursor,
    count(*) > most as has_more
  into page
  from (
    select e.shown, e.published_at, e.id, row_number() over (order by e.published_at desc, e.id desc) as n
    from private.published_episodes e
    where e.podcast_id = podcast.id and (e.published_at, e.id) < (before, below)
    order by e.published_at desc, e.id desc
    limit most + 1
  ) e;
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
      'description', found_podcast.description, 'author', found_podcast.author, 'language', found_podcast.language,
      'explicit', found_podcast.explicit, 'link', found_podcast.link, 'coverImageUrl', found_podcast.cover_image_url,
      'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
      'podcastGuid', found_podcast.podcast_guid,
      'episodeCount', count(*), 'latestEpisodeAt', private.iso(max(e.published_at)))
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
  stale  uuid;
  reaped int := 0;
begin
  for stale in
    select u.id from auth.users u
    where u.email_confirmed_at is null and u.phone_confirmed_at is null and u.invited_at is null
      and not u.is_anonymous
      and u.created_at < at - make_interval(days => private.setting('unconfirmed_user_days')::int)
    order by u.created_at limit 1000
  loop
    begin
      reaped := reaped + private.delete_unconfirmed_user(stale)::int;
    exception
      when sqlstate 'PT409' then
        null;  -- confirmed in the meantime: theirs to keep
      when foreign_key_violation then
        raise log 'castbase: the unconfirmed user % owns something and is kept', stale;
    end;
  end loop;
  return reaped;
end $function$;

create or replace function private.refuse (
  status   integer,
  sentence text,
  code     text    default null::text,
  extra    jsonb   default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('response.status', refuse.status::text, true);
  return jsonb_strip_nulls(jsonb_build_object('error', sentence, 'code', code)) || coalesce(extra, '{}');
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
  where m.episode_id = episode.id and m.purpose = 'audio' and m.released_at is null;
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
  perform private.release_media_objects(array_agg(m.path order by m.path), was_public)
  from (select e.id, e.first_published_at is not null as was_public from gone e) e
  join private.media_objects m on m.episode_id = e.id and m.released_at is null
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

create or replace function private.require_allowance (
  podcast_id uuid,
  freed      bigint,
  wanted     bigint
)
  returns void
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  account record;
begin
  perform private.require_role(require_allowance.podcast_id, 'admin');
  select a.user_id, a.storage_bytes_used as used, private.allowed_bytes(a.user_id) as allowed into account
  from public.podcasts p join public.billing_accounts a on a.user_id = p.owner_id
  where p.id = require_allowance.podcast_id;
  if account.used - freed + wanted > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used, 'bytes_allowed', account.allowed, 'bytes_wanted', wanted)::text;
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
  perform private.require_open_podcast(require_audio_target.podcast_id);
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

create or replace function private.require_open_podcast (
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
  select p.status into status from public.podcasts p where p.id = require_open_podcast.podcast_id;
  if status in ('pending_deletion', 'deleted') then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
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

create or replace function private.seat_member (
  podcast_id uuid,
  email      text,
  role       public.podcast_role
)
  returns public.podcast_members
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  found_user uuid;
  seated     public.podcast_members;
begin
  perform private.require_role(seat_member.podcast_id, 'admin');
  select u.id into found_user from auth.users u
  join public.profiles p on p.id = u.id
  where u.email = lower(btrim(seat_member.email)) and u.is_sso_user = false  -- the service keeps addresses in lower case
    and u.email_confirmed_at is not null;
  if not found then
    raise sqlstate 'PT404' using message = 'Nobody with this address has a confirmed account', hint = 'USER_NOT_FOUND';
  end if;
  insert into public.podcast_members as m (podcast_id, user_id, role)
  values (seat_member.podcast_id, found_user, seat_member.role)
  on conflict on constraint podcast_members_pkey do nothing
  returning m.* into seated;
  if seated.user_id is null then
    raise sqlstate 'PT409' using message = 'This person is already on the team', hint = 'ALREADY_MEMBER';
  end if;
  return seated;
end $function$;

create or replace function private.seat_owner()
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
    raise sqlstate 'PT404' using message = format('There is no setting %L', set_setting.key);
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
  select coalesce(s.value, s.otherwise) into found_value from private.settings s where s.key = setting.key;
  if found_value is null then
    raise sqlstate 'PT500' using
      message = format('The setting %L is missing', setting.key),
      hint = 'SETTING_MISSING';
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

create or replace function private.slugify (
  title     text,
  otherwise text
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
  -- Letters and digits of any script and their marks stay; everything else parts words. The collation is named, so that
  -- a letter is one whatever the database's locale; the ranges are the viramas that Unicode counts among the marks only.
  slug := lower(normalize(extensions.unaccent(normalize(left(title, 300), NFKC)), NFC) collate pg_c_utf8);
  slug := regexp_replace(slug, '[''’ʼ\u200b-\u200d\u2060]', '', 'g');
  slug := regexp_replace(slug collate pg_c_utf8,
    '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0f71-\u0f84\u1037-\u103a\u17c9-\u17d3]+', '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return case when slug collate pg_c_utf8 ~ '[[:alnum:]]' then slug else otherwise end;
end $function$;

create or replace function private.store_feed_items (
  podcast_id uuid,
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

create or replace function private.sweep_storage (
  at timestamp with time zone default now()
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  oldest timestamptz := at - make_interval(hours => private.setting('orphan_guard_hours')::int);
  paths  text[];
begin
  paths := array(
    select o.name from storage.objects o
    left join private.media_objects m on m.path = o.name
    where o.bucket_id = 'media'
      and case when m.path is null then o.created_at < oldest else m.released_at < oldest end
    order by o.name
    limit 10000);
  perform private.collect_objects(paths);
  return cardinality(paths);
end $function$;

create or replace function private.tidy_episode()
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
  new.title := btrim(new.title);
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
      wanted := private.free_slug(wanted, 'latest'::text || array(  -- /episodes/latest is a route
        select s.slug from private.episode_slugs s
        where s.podcast_id = new.podcast_id and s.episode_id <> new.id and starts_with(s.slug, wanted)));
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

create or replace function private.tidy_podcast()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  wanted text;
begin
  new.updated_at := clock_timestamp();
  new.title := btrim(new.title);
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
      new.slug := private.free_slug(wanted, array(
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

create or replace function private.tidy_profile()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
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
    raise log 'castbase: no worker_secret in Vault, the worker is not woken';
    return false;
  end if;
  perform net.http_post(
    url := private.setting('worker_url'),
    body := jsonb_build_object('queue', queue),
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret));
  return true;
end $function$;

create or replace function private.wake_worker_if_due()
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  queue text;
  woken int := 0;
begin
  for queue in select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m where m.queue_visible_length > 0 loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $function$;

create or replace function private.write_call()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  branches text;
begin
  select string_agg(format($branch$
  when %1$L then
    if args - %2$L::text[] <> '{}'%4$s then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, %5$L, %6$L, %7$s);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.%1$I(%3$s)) into data;$branch$,
      v.name, v.keys || v.camels, v.arguments, v.checks, v.keys, v.camels, v.required), '' order by v.name)
    into branches
  from (
    select p.proname as name, p.pronargs - p.pronargdefaults as required,
      coalesce(array_agg(a.name order by a.n) filter (where a.name is not null), '{}') as keys,
      coalesce(array_agg(a.camel order by a.n) filter (where a.name is not null), '{}') as camels,
      coalesce(string_agg(private.argument(a.name, a.camel, a.type, pg_get_function_arg_default(p.oid, a.n)), ', ' order by a.n)
        filter (where a.name is not null), '') as arguments,
      string_agg(
        case when a.n <= p.pronargs - p.pronargdefaults then format(' or not args ?| %L', array[a.name, a.camel]) else '' end
        || case when a.name <> a.camel then format(' or args ?& %L', array[a.name, a.camel]) else '' end, '' order by a.n)
        filter (where a.name is not null) as checks
    from pg_catalog.pg_proc p
    left join lateral (
      select x.name, x.type::regtype as type, x.n::int as n, (
        select string_agg(case when w = 1 then word else initcap(word) end, '' order by w)
        from string_to_table(x.name, '_') with ordinality s (word, w)) as camel
      from unnest(p.proargnames[1 : p.pronargs], p.proargtypes::oid[]) with ordinality x (name, type, n)
    ) a on true
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
    group by p.oid
  ) v;

  execute format($create$
create or replace function private.call(claims json, verb text, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as %L$create$, format($body$
declare
  caller text := claims ->> 'role';
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  status := length(set_config('request.jwt.claims', claims::text, true));
  case verb%s
  else
    raise sqlstate 'PT400' using message = format('There is no operation %%L', verb);
  end case;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $body$, branches));
  comment on function private.call is
    'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb, or a key unknown, repeated or missing. Written by private.write_call().';
  revoke all on function private.call from public, anon, authenticated, service_role;
  -- No grant: the functions' own connection owns it.
end $function$;

create or replace function private.write_feed (
  podcast_id uuid,
  document   jsonb,
  head       bytea,
  items      bigint[],
  tail       bytea
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into private.feed_documents as d (podcast_id, etag, last_modified, digest, bytes, zipped, head, items, tail)
  select write_feed.podcast_id, r.etag, r.last_modified, r.digest, r.bytes, r.zipped, write_feed.head, write_feed.items, write_feed.tail
  from jsonb_to_record(document) r (etag text, last_modified timestamptz, digest text, bytes bigint, zipped bigint)
  on conflict on constraint feed_documents_pkey do update set
    etag = excluded.etag, last_modified = excluded.last_modified, digest = excluded.digest, bytes = excluded.bytes,
    zipped = excluded.zipped, head = excluded.head, items = excluded.items, tail = excluded.tail;
  -- a subquery is hashed; `<> all (array)` would compare every item with every other
  delete from private.feed_items i
  where i.podcast_id = write_feed.podcast_id and i.id not in (select listed.id from unnest(write_feed.items) listed (id));
end $function$;

create or replace function private.wrong_argument (
  args     jsonb,
  keys     text[],
  camels   text[],
  required integer
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
    if key <> all (keys) and key <> all (camels) then
      return format('%L is not a field of this request', key);
    end if;
  end loop;
  for n in 1 .. cardinality(keys) loop
    if keys[n] <> camels[n] and args ?& array[keys[n], camels[n]] then
      return format('%L is given twice', camels[n]);
    elsif n <= required and not args ?| array[keys[n], camels[n]] then
      return format('%L is missing', keys[n]);
    end if;
  end loop;
end $function$;

create or replace function public.add_podcast_member (
  podcast_id uuid,
  email      text,
  role       public.podcast_role default 'member'::public.podcast_role
)
  returns public.podcast_members
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.seat_member(add_podcast_member.podcast_id, add_podcast_member.email, add_podcast_member.role);
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
  episode record;
  path    text;
begin
  perform private.require_audio_target(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, begin_audio_upload.content_type);
  perform private.require_upload_size(begin_audio_upload.bytes);
  if coalesce(begin_audio_upload.bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  select e.audio_url, coalesce(e.audio_file_size_bytes, 0) as audio_bytes into episode
  from public.episodes e where e.id = begin_audio_upload.episode_id;
  perform private.require_allowance(begin_audio_upload.podcast_id, episode.audio_bytes, begin_audio_upload.bytes);
  path := format('podcasts/%s/e/%s/audio/%s.%s', begin_audio_upload.podcast_id, begin_audio_upload.episode_id,
    gen_random_uuid(), private.audio_extension(begin_audio_upload.content_type));
  return jsonb_build_object(
    'path', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'contentType', begin_audio_upload.content_type,
    'expectedAudioUrl', episode.audio_url);
end $function$;

create or replace function public.create_episode (
  podcast_id     uuid,
  title          text,
  slug           text                default null::text,
  summary        text                default null::text,
  description    text                default ''::text,
  notes_html     text                default null::text,
  season_number  integer             default null::integer,
  episode_number integer             default null::integer,
  episode_type   public.episode_type default 'full'::public.episode_type,
  explicit       boolean             default false
)
  returns public.episodes
  language plpgsql
  set search_path to ''
  AS $function$
declare
  made public.episodes;
begin
  perform private.require_role(create_episode.podcast_id, 'admin');
  insert into public.episodes (podcast_id, title, slug, summary, description, notes_html, season_number, episode_number, episode_type, explicit)
  values (create_episode.podcast_id, create_episode.title, create_episode.slug, create_episode.summary,
    create_episode.description, create_episode.notes_html, create_episode.season_number, create_episode.episode_number,
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

create or replace function public.health_check()
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('status', 'ok', 'timestamp', private.iso(now()));
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
  if coalesce(filename, '') = '' or coalesce(file_size, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'filename and file_size (bytes, above 0) are required';
  end if;
  if file_size > 524288000 then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = '{"maxBytes": 524288000}';
  end if;
  perform private.require_upload_size(file_size);
  path := format('podcasts/%s/e/%s/audio/%s.%s', presign_audio_upload.podcast_id, presign_audio_upload.episode_id,
    upload_id, private.audio_extension(presign_audio_upload.content_type));
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'maxSize', 524288000,
    'acceptedTypes', to_jsonb(private.audio_types()),
    'uploadEndpoint', '/api/media/audio/upload/' || upload_id);
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

create or replace function public.transfer_podcast (
  podcast_id uuid,
  user_id    uuid
)
  returns public.podcasts
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.move_ownership(transfer_podcast.podcast_id, transfer_podcast.user_id);
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

alter table "private"."media_objects"
  add constraint "media_objects_account_id_fkey" foreign key (account_id) references public.billing_accounts(user_id)
    on delete set null;

alter table "public"."episodes"
  add constraint "published_has_a_time" check (((status <> 'published'::public.episode_status) OR ((published_at IS
    NOT NULL) AND (first_published_at IS NOT NULL))));

alter table "public"."episodes"
  add constraint "scheduled_has_a_time" check (((status <> 'scheduled'::public.episode_status) OR (scheduled_at IS
    NOT NULL)));

alter table "public"."billing_accounts"
  add constraint "billing_accounts_plan_code_fkey" foreign key (plan_code) references public.plans(code);

alter table "private"."episode_slugs"
  add constraint "episode_slugs_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."feed_documents"
  add constraint "feed_documents_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."feed_items"
  add constraint "feed_items_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id) on delete cascade;

alter table "public"."episodes"
  add constraint "episodes_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id) on delete cascade;

alter table "public"."podcast_members"
  add constraint "podcast_members_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."profiles"
  add constraint "profiles_id_fkey" foreign key (id) references auth.users(id) on delete cascade;

alter table "public"."billing_accounts"
  add constraint "billing_accounts_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete cascade;

alter table "public"."podcast_members"
  add constraint "podcast_members_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete cascade;

create view "private"."feed_entries" with (security_invoker=true) AS  SELECT e.podcast_id,
    e.id AS episode_id,
    e.published_at,
    e.updated_at,
    octet_length(e.notes_html) AS notes_bytes,
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
    jsonb_build_object('id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title, 'description', COALESCE(NULLIF(e.description, ''::text), e.summary, ''::text), 'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type, 'explicit', e.explicit, 'publishedAt', private.iso(e.published_at), 'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url, 'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes, 'coverImageUrl', e.cover_image_url, 'listenUrl', private.listen_url(p.slug, e.slug, ( SELECT private.setting('listen_url'::text) AS setting)), 'embedUrl', ((( SELECT private.setting('embed_url'::text) AS setting) || '/ep/'::text) || e.id), 'credits', '[]'::jsonb) AS shown
   FROM (public.episodes e
     JOIN public.podcasts p ON ((p.id = e.podcast_id)))
  WHERE ((e.status = 'published'::public.episode_status) AND (p.status <> 'deleted'::public.podcast_status));

create view "private"."queue_health" with (security_invoker=true) AS  SELECT q.name AS queue,
    m.queue_length AS depth,
    m.oldest_msg_age_sec AS oldest_age_seconds,
    d.queue_length AS dead,
    m.total_messages AS total,
    q.max_attempts
   FROM ((private.queues q
     CROSS JOIN LATERAL pgmq.metrics(q.name) m(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length))
     CROSS JOIN LATERAL pgmq.metrics((q.name || '_dead'::text)) d(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length));

create index feed_items_newest_idx on private.feed_items using btree (episode_id, id desc);

create index feed_items_podcast_id_idx on private.feed_items using btree (podcast_id);

create index media_objects_account_id_idx on private.media_objects using btree (account_id);

create index media_objects_episode_id_idx on private.media_objects using btree (episode_id);

create unique index media_objects_one_audio_idx on private.media_objects using btree (episode_id)
  where ((purpose = 'audio'::text) AND (released_at is null));

create index media_objects_podcast_id_idx on private.media_objects using btree (podcast_id);

create index media_objects_released_at_idx on private.media_objects using btree (released_at)
  where (released_at is not null);

create index billing_accounts_plan_code_idx on public.billing_accounts using btree (plan_code);

create index episodes_podcast_id_idx on public.episodes using btree (podcast_id, created_at desc, id desc);

create index episodes_published_idx on public.episodes using btree (podcast_id, published_at desc, id desc)
  where (status = 'published'::public.episode_status);

create index episodes_scheduled_idx on public.episodes using btree (scheduled_at)
  where (status = 'scheduled'::public.episode_status);

create unique index podcast_members_one_owner_idx on public.podcast_members using btree (podcast_id)
  where (role = 'owner'::public.podcast_role);

create index podcast_members_user_id_idx on public.podcast_members using btree (user_id, podcast_id, role);

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

create trigger t050_guard_writer
  before insert on public.episodes
  for each row
  execute function private.guard_episode_writer();

create trigger t100_tidy
  before insert or update on public.episodes
  for each row
  execute function private.tidy_episode();

create trigger t300_guard_open
  before insert or delete or update on public.episodes
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t310_guard
  before insert or update on public.episodes
  for each row
  execute function private.guard_episode();

create trigger t320_guard_audio_columns
  before insert or update on public.episodes
  for each row
  execute function private.guard_audio_columns();

create trigger t500_derive_status
  before insert or update on public.episodes
  for each row
  execute function private.derive_episode_status();

create trigger t500_release_media
  after delete on public.episodes referencing OLD table as gone
  for each STATEMENT
  execute function private.release_media_of_episodes();

create trigger t900_announce_feed
  after insert or delete or update on public.episodes
  for each row
  execute function private.announce_episode();

create trigger t300_guard_open
  before insert or delete or update on public.podcast_members
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t310_guard_owner
  before insert or delete or update on public.podcast_members
  for each row
  execute function private.guard_owner();

create trigger t100_tidy
  before insert or update on public.podcasts
  for each row
  execute function private.tidy_podcast();

create trigger t310_guard_lists
  before insert or update of categories, funding, verify_texts on public.podcasts
  for each row
  execute function private.guard_podcast_lists();

create trigger t500_release_media
  after delete on public.podcasts referencing OLD table as gone
  for each STATEMENT
  execute function private.release_media_of_podcasts();

create trigger t500_seat_owner
  after insert on public.podcasts
  for each row
  execute function private.seat_owner();

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

create trigger t100_tidy
  before insert or update on public.profiles
  for each row
  execute function private.tidy_profile();

create policy "self_reads" on "public"."billing_accounts"
  for select
  to "authenticated"
  using ((user_id = ( select auth.uid() as uid)));

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

create policy "everyone_reads" on "public"."plans"
  for select
  to "anon", "authenticated"
  using (true);

create policy "everyone_reads" on "public"."podcast_categories"
  for select
  to "anon", "authenticated"
  using (true);

create policy "admins_delete_and_members_leave" on "public"."podcast_members"
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

create policy "admins_update" on "public"."podcasts"
  for update
  to "authenticated"
  using ((id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])))
  with check ((id = ANY (( SELECT private.my_podcasts('admin'::public.podcast_role) AS my_podcasts)::uuid[])));

create policy "self_and_colleagues_read" on "public"."profiles"
  for select
  to "authenticated"
  using
    (((id = ( select auth.uid() as uid)) or (id = ANY (( select private.my_colleagues() as my_colleagues)::uuid[]))));

create policy "self_updates" on "public"."profiles"
  for update
  to "authenticated"
  using ((id = ( select auth.uid() as uid)))
  with check ((id = ( SELECT auth.uid() AS uid)));

alter publication "supabase_realtime" add table "public"."episodes";

alter publication "supabase_realtime" add table "public"."podcasts";

comment on function "private"."allowed_bytes"(uuid) is 'The storage allowance of an account in bytes; 1 GB = 1,073,741,824.';

comment on function "private"."argument"(text, text, regtype, text) is 'The expression of private.call for one argument of a verb.';

comment on function "private"."audio_extension"(text) is 'The extension of an accepted audio MIME type (contract, Audio and image formats); null for others.';

comment on function "private"."audio_types"() is 'The accepted audio MIME types (contract, Audio and image formats).';

comment on function "private"."call"(json, text, jsonb) is 'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb, or a key unknown, repeated or missing. Written by private.write_call().';

comment on function "private"."charge_account"(uuid, bigint) is 'Adds bytes to an account''s sum; PT409 when more bytes pass its allowance.';

comment on function "private"."claim_jobs"(text, integer, integer) is 'The worker takes up to `most` messages; who dies with them leaves them visible again after the visibility timeout. A message that outlived its attempts that way is parked.';

comment on function "private"."collect_objects"(text[]) is 'Queues objects for deletion, a hundred a message.';

comment on function "private"."collectable"(text[]) is 'Those of these paths that no row refers to.';

comment on function "private"."delete_unconfirmed_user"(uuid) is 'Deletes one unconfirmed user under a row lock; refuses a confirmed one with PT409.';

comment on function "private"."drop_episode_audio"(uuid) is 'remove_episode_audio''s half behind the grants.';

comment on function "private"."encode_path_segment"(text) is 'A segment of a URI''s path: UTF-8, percent-encoded but for the unreserved characters (RFC 3986).';

comment on function "private"."enqueue"(text, jsonb, integer) is 'Writes a message in the caller''s transaction and wakes the worker at most once per transaction and queue.';

comment on function "private"."episode_cursor"(timestamp with time zone, uuid) is 'The cursor of the page after this episode.';

comment on function "private"."fail_job"(text, bigint, text, boolean) is 'A job failed: it comes back later by its queue''s policy, or goes to the dead-letter queue with its reason when its attempts are used up or the failure is final.';

comment on function "private"."feed_url"(text) is 'Where a podcast''s feed is served: a URI, whatever script the slug is of.';

comment on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text) is
  'PUT /api/media/audio/upload, rules 4 to 7: measured size, optimistic guard, allowance under the account''s lock, disposal of the previous object. PT500 size mismatch, PT404 episode gone, PT409 allowance or concurrent replacement, PT403.';

comment on function "private"."finish_jobs"(text, bigint[]) is 'The worker is done with these messages.';

comment on function "private"."forget_objects"(text[]) is 'The bytes behind these paths are gone: so are their rows.';

comment on function "private"."free_slug"(text, text[]) is 'The wanted slug, or the first of wanted-2, wanted-3 … that is not taken.';

comment on function "private"."install"() is 'Writes what belongs to the schema and is no schema: reference rows, queues, cron jobs, the bucket, triggers on auth.users, the publication, and private.call. Every migration ends with it.';

comment on function "private"."install_platform_objects"() is 'private.install()''s objects of the platform.';

comment on function "private"."install_reference_rows"() is 'private.install()''s rows.';

comment on function "private"."invalidate_feed"(text, uuid, text, uuid) is 'Queues {type, podcast_id, podcast_slug, episode_id, timestamp} for the feed renderer.';

comment on function "private"."is_blank"(text) is 'True when nothing of it can be seen: spaces of any kind, control characters, joiners, direction marks.';

comment on function "private"."is_http_url"(text) is 'True for an absolute http or https URL of at most 2,048 characters, without white space, control characters, quotes or a user name.';

comment on function "private"."iso"(timestamp with time zone) is 'ISO 8601 in UTC with Z and milliseconds, as timestamps leave the API.';

comment on function "private"."listen_url"(text, text, text) is 'The page where people listen to a podcast or one of its episodes: a URI, whatever script the slugs are of.';

comment on function "private"."move_ownership"(uuid, uuid) is 'transfer_podcast''s half behind the grants.';

comment on function "private"."my_colleagues"() is 'Everyone who shares a podcast with the caller.';

comment on function "private"."my_podcasts"(public.podcast_role) is 'The podcasts on which the caller has at least this role.';

comment on function "private"."open_feed"(uuid, integer, integer, bigint) is 'Locks a feed and says what must be rendered. Call it in the transaction that stores and writes.';

comment on function "private"."public_episode_of"(text, text) is 'One published episode, by slug or id; PT404 when there is none.';

comment on function "private"."public_episodes"(text, integer, text) is 'A page of published episodes; PT404 no such podcast, PT400 limit or cursor.';

comment on function "private"."public_podcast"(text) is 'The published fields of a podcast; PT404 when there is none.';

comment on function "private"."publish_due_episodes"(timestamp with time zone) is 'Publishes what is due, dated as scheduled; at most 500 a run. Returns how many.';

comment on function "private"."read_feed"(uuid) is 'A podcast''s feed as one gzip member.';

comment on function "private"."reap_unconfirmed_users"(timestamp with time zone) is 'Deletes unconfirmed, non-invited users older than the setting unconfirmed_user_days; at most 1,000 a run.';

comment on function "private"."refuse"(integer, text, text, jsonb) is 'The envelope of a refusal whose mark must stay; PostgREST and private.call answer with its status. A refusal that changes nothing is raised as PTnnn instead.';

comment on function "private"."release_episode_audio"(public.episodes) is 'The episode''s audio object is replaced or removed.';

comment on function "private"."release_media_objects"(text[], boolean) is 'Nothing refers to these objects any more; those that nobody could have heard of are collected at once.';

comment on function "private"."require_allowance"(uuid, bigint, bigint) is 'PT409 when the podcast''s account cannot take these bytes; admin+ only.';

comment on function "private"."require_audio_target"(uuid, uuid, text) is 'Returns when the caller may upload this kind of audio for this episode; PT400, PT401, PT403, PT404 or PT409 otherwise.';

comment on function "private"."require_episode_role"(uuid, public.podcast_role) is 'The episode''s podcast, when the caller has at least this role on it; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_open_podcast"(uuid) is 'PT409 when the podcast is pending deletion or deleted.';

comment on function "private"."require_role"(uuid, public.podcast_role) is 'Returns when the caller has at least this role; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_upload_size"(bigint) is 'PT413 over the interim cap, the setting audio_upload_cap_bytes.';

comment on function "private"."seat_member"(uuid, text, public.podcast_role) is 'add_podcast_member''s half behind the grants.';

comment on function "private"."set_setting"(text, text) is 'For operators: sets a public setting; null goes back to the default.';

comment on function "private"."setting"(text) is 'The value of a public setting, its default filled in. PT500 SETTING_MISSING names the one that is not set.';

comment on function "private"."slugify"(text, text) is 'A slug from a title in any script, at most 80 characters, or `otherwise` when nothing of it can stand in a URL.';

comment on function "private"."store_feed_items"(uuid, text, jsonb) is 'Keeps rendered items for the document to list.';

comment on function "private"."sweep_storage"(timestamp with time zone) is 'Queues orphans older than the setting orphan_guard_hours for deletion, at most 10,000 a run; the age counts from when an object was replaced.';

comment on function "private"."wake_worker"(text) is 'Asks the worker to drain one queue, or all. The request leaves when the transaction commits.';

comment on function "private"."wake_worker_if_due"() is 'The net below the wake-up of each transaction: cron calls it every few seconds.';

comment on function "private"."write_call"() is 'Writes private.call anew: a branch for each function in schema public.';

comment on function "private"."write_feed"(uuid, jsonb, bytea, bigint[], bytea) is 'Writes the document that /feeds/{slug}.xml serves: {etag, last_modified, digest, bytes, zipped} and its parts.';

comment on function "private"."wrong_argument"(jsonb, text[], text[], integer) is 'What is wrong with the keys of a verb''s arguments, as a sentence; null when nothing is.';

comment on function "public"."add_podcast_member"(uuid, text, public.podcast_role) is 'Adds a confirmed user to a podcast''s team as member or admin. Needs admin+. 403, 404 podcast or USER_NOT_FOUND, 409 ALREADY_MEMBER, OWNER_STAYS.';

comment on function "public"."archive_episode"(uuid) is 'Out of the feed, kept for the team. Needs admin+. 403, 404, 409.';

comment on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) is 'PUT /api/media/audio/upload, rules 1 to 3, with the bytes received (or announced). 400 content type or empty, 403, 404, 409 allowance, 413 over the cap.';

comment on function
  "public"."create_episode"(uuid, text, text, text, text, text, integer, integer, public.episode_type, boolean) is
  'A new draft on a podcast. Needs admin+. Without a slug, one is made from the title. 400 bad field, 403, 404, 409 SLUG_TAKEN or podcast pending deletion.';

comment on function
  "public"."create_podcast"(text, public.hosting_type, text, text, text, text, jsonb, boolean, public.podcast_type,
  text) is 'A new podcast with the caller as owner. Without a slug, one is made from the title. 400 bad field, 401 no user, 409 SLUG_TAKEN.';

comment on function "public"."get_public_episode"(text, text) is 'A published episode of a podcast, by its slug or its id: {data}. 404 when there is none.';

comment on function "public"."get_public_podcast"(text) is 'GET /v1/podcasts/{slug}: {data}. 404 when there is none.';

comment on function "public"."health_check"() is 'GET /api/health/ready: {status, timestamp}.';

comment on function "public"."list_public_episodes"(text, integer, text) is 'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400 limit or cursor, 404.';

comment on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) is 'POST /api/media/audio/presigned-url. The paths are advisory: the upload makes its own key. 400 content type or over 500 MB, 403, 404, 409, 413 over the cap.';

comment on function "public"."publish_episode"(uuid) is 'Publishes now; safe to repeat. Needs admin+. 403, 404, 409 podcast pending deletion, PT428 AUDIO_REQUIRED when a service-hosted episode has no audio.';

comment on function "public"."remove_episode_audio"(uuid) is 'Clears the audio columns; the object goes at once when the episode was never public, else with the sweep. Safe to repeat. Needs admin+. 403, 404, 409 AUDIO_IN_USE while published or scheduled.';

comment on function "public"."schedule_episode"(uuid, timestamp with time zone) is 'Publishes at a time in the future, within a minute. Needs admin+. 400 time not in the future, 403, 404, 409, PT428 AUDIO_REQUIRED.';

comment on function "public"."transfer_podcast"(uuid, uuid) is 'Makes another member the owner; the old owner becomes an admin, the stored bytes count on the new owner''s account. Owner only. 403, 404 podcast or NOT_A_MEMBER, 409 allowance.';

comment on function "public"."unpublish_episode"(uuid) is 'Back to draft, out of the feed; its date is kept for a later publication. Needs admin+. 403, 404, 409.';

comment on schema "private" is 'Everything that HTTP does not see: helpers, triggers, side tables, the worker''s functions.';

comment on table "private"."episode_slugs" is 'Every slug that an episode of this podcast ever had.';

comment on table "private"."feed_documents" is 'The feed of each native podcast. Written by write_feed, read by read_feed for /feeds/{slug}.xml.';

comment on table "private"."feed_items" is 'The rendered, compressed items of each feed. Written by store_feed_items, removed by write_feed.';

comment on table "private"."media_objects" is 'The stored objects of each account, with their measured size.';

comment on table "private"."podcast_slugs" is 'Every slug that a podcast ever had.';

comment on table "private"."queues" is 'The retry policy of each queue. private.install() writes the rows and creates the queues.';

comment on table "private"."settings" is 'Public settings. Read by private.setting(), written by operators through private.set_setting().';

comment on table "public"."billing_accounts" is 'Plan, subscription and storage of an account. Read by its user, written by the server only.';

comment on table "public"."episodes" is 'An episode. Members read it, admins edit it; the audio columns are written by finish_audio_upload only.';

comment on table "public"."plans" is 'The plans that an account can be on.';

comment on table "public"."podcast_categories" is 'The categories and subcategories that directories know.';

comment on table "public"."podcast_members" is 'A podcast''s team. Exactly one owner, who is podcasts.owner_id.';

comment on table "public"."podcasts" is 'A show. Members read it, admins edit it, create_podcast or a plain insert makes it.';

comment on table "public"."profiles" is 'One row per confirmed user; made by provisioning, never by a client.';

comment on view "private"."feed_entries" is 'What the feed of a podcast will list. Ask for one podcast''s.';

comment on view "private"."published_episodes" is 'What strangers may see of episodes, and the keys to find it by.';

comment on view "private"."queue_health" is 'For operators: depth, age of the oldest message, dead letters of each queue.';

revoke all on function "private"."allowed_bytes"(uuid) from public;

grant execute on function "private"."allowed_bytes"(uuid) to "postgres";

revoke all on function "private"."announce_episode"() from public;

grant execute on function "private"."announce_episode"() to "postgres";

revoke all on function "private"."announce_podcast"() from public;

grant execute on function "private"."announce_podcast"() to "postgres";

revoke all on function "private"."argument"(text, text, regtype, text) from public;

grant execute on function "private"."argument"(text, text, regtype, text) to "postgres";

revoke all on function "private"."audio_extension"(text) from public;

grant execute on function "private"."audio_extension"(text) to "authenticated", "postgres";

revoke all on function "private"."audio_types"() from public;

grant execute on function "private"."audio_types"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."call"(json, text, jsonb) from public;

grant execute on function "private"."call"(json, text, jsonb) to "postgres";

revoke all on function "private"."charge_account"(uuid, bigint) from public;

grant execute on function "private"."charge_account"(uuid, bigint) to "postgres";

revoke all on function "private"."charge_media_objects"() from public;

grant execute on function "private"."charge_media_objects"() to "postgres";

revoke all on function "private"."claim_jobs"(text, integer, integer) from public;

grant execute on function "private"."claim_jobs"(text, integer, integer) to "postgres";

revoke all on function "private"."collect_objects"(text[]) from public;

grant execute on function "private"."collect_objects"(text[]) to "postgres";

revoke all on function "private"."collectable"(text[]) from public;

grant execute on function "private"."collectable"(text[]) to "postgres";

revoke all on function "private"."delete_unconfirmed_user"(uuid) from public;

grant execute on function "private"."delete_unconfirmed_user"(uuid) to "postgres";

revoke all on function "private"."derive_episode_status"() from public;

grant execute on function "private"."derive_episode_status"() to "postgres";

revoke all on function "private"."drop_episode_audio"(uuid) from public;

grant execute on function "private"."drop_episode_audio"(uuid) to "authenticated", "postgres";

revoke all on function "private"."encode_path_segment"(text) from public;

grant execute on function "private"."encode_path_segment"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."enqueue"(text, jsonb, integer) from public;

grant execute on function "private"."enqueue"(text, jsonb, integer) to "postgres";

revoke all on function "private"."episode_cursor"(timestamp with time zone, uuid) from public;

grant execute on function "private"."episode_cursor"(timestamp with time zone, uuid) to "postgres";

revoke all on function "private"."fail_job"(text, bigint, text, boolean) from public;

grant execute on function "private"."fail_job"(text, bigint, text, boolean) to "postgres";

revoke all on function "private"."feed_url"(text) from public;

grant execute on function "private"."feed_url"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text) from public;

grant execute
  on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text)
  to "postgres", "service_role";

revoke all on function "private"."finish_jobs"(text, bigint[]) from public;

grant execute on function "private"."finish_jobs"(text, bigint[]) to "postgres";

revoke all on function "private"."forget_objects"(text[]) from public;

grant execute on function "private"."forget_objects"(text[]) to "postgres";

revoke all on function "private"."free_slug"(text, text[]) from public;

grant execute on function "private"."free_slug"(text, text[]) to "postgres";

revoke all on function "private"."guard_audio_columns"() from public;

grant execute on function "private"."guard_audio_columns"() to "postgres";

revoke all on function "private"."guard_episode"() from public;

grant execute on function "private"."guard_episode"() to "postgres";

revoke all on function "private"."guard_episode_writer"() from public;

grant execute on function "private"."guard_episode_writer"() to "postgres";

revoke all on function "private"."guard_open_podcast"() from public;

grant execute on function "private"."guard_open_podcast"() to "postgres";

revoke all on function "private"."guard_owner"() from public;

grant execute on function "private"."guard_owner"() to "postgres";

revoke all on function "private"."guard_podcast"() from public;

grant execute on function "private"."guard_podcast"() to "postgres";

revoke all on function "private"."guard_podcast_lists"() from public;

grant execute on function "private"."guard_podcast_lists"() to "postgres";

revoke all on function "private"."install"() from public;

grant execute on function "private"."install"() to "postgres";

revoke all on function "private"."install_platform_objects"() from public;

grant execute on function "private"."install_platform_objects"() to "postgres";

revoke all on function "private"."install_reference_rows"() from public;

grant execute on function "private"."install_reference_rows"() to "postgres";

revoke all on function "private"."invalidate_feed"(text, uuid, text, uuid) from public;

grant execute on function "private"."invalidate_feed"(text, uuid, text, uuid) to "postgres";

revoke all on function "private"."is_blank"(text) from public;

grant execute on function "private"."is_blank"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."is_http_url"(text) from public;

grant execute on function "private"."is_http_url"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."iso"(timestamp with time zone) from public;

grant execute
  on function "private"."iso"(timestamp with time zone)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."listen_url"(text, text, text) from public;

grant execute
  on function "private"."listen_url"(text, text, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."move_media_account"() from public;

grant execute on function "private"."move_media_account"() to "postgres";

revoke all on function "private"."move_ownership"(uuid, uuid) from public;

grant execute on function "private"."move_ownership"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "private"."my_colleagues"() from public;

grant execute on function "private"."my_colleagues"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."my_podcasts"(public.podcast_role) from public;

grant execute on function "private"."my_podcasts"(public.podcast_role) to "authenticated", "postgres", "service_role";

revoke all on function "private"."open_feed"(uuid, integer, integer, bigint) from public;

grant execute on function "private"."open_feed"(uuid, integer, integer, bigint) to "postgres";

revoke all on function "private"."provision_user"() from public;

grant execute on function "private"."provision_user"() to "postgres";

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

revoke all on function "private"."read_feed"(uuid) from public;

grant execute on function "private"."read_feed"(uuid) to "postgres";

revoke all on function "private"."reap_unconfirmed_users"(timestamp with time zone) from public;

grant execute on function "private"."reap_unconfirmed_users"(timestamp with time zone) to "postgres";

revoke all on function "private"."refuse"(integer, text, text, jsonb) from public;

grant execute
  on function "private"."refuse"(integer, text, text, jsonb)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."release_episode_audio"(public.episodes) from public;

grant execute on function "private"."release_episode_audio"(public.episodes) to "postgres";

revoke all on function "private"."release_media_objects"(text[], boolean) from public;

grant execute on function "private"."release_media_objects"(text[], boolean) to "postgres";

revoke all on function "private"."release_media_of_episodes"() from public;

grant execute on function "private"."release_media_of_episodes"() to "postgres";

revoke all on function "private"."release_media_of_podcasts"() from public;

grant execute on function "private"."release_media_of_podcasts"() to "postgres";

revoke all on function "private"."require_allowance"(uuid, bigint, bigint) from public;

grant execute on function "private"."require_allowance"(uuid, bigint, bigint) to "authenticated", "postgres";

revoke all on function "private"."require_audio_target"(uuid, uuid, text) from public;

grant execute on function "private"."require_audio_target"(uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "private"."require_episode_role"(uuid, public.podcast_role) from public;

grant execute
  on function "private"."require_episode_role"(uuid, public.podcast_role)
  to "authenticated", "postgres", "service_role";

revoke all on function "private"."require_open_podcast"(uuid) from public;

grant execute on function "private"."require_open_podcast"(uuid) to "authenticated", "postgres", "service_role";

revoke all on function "private"."require_role"(uuid, public.podcast_role) from public;

grant execute
  on function "private"."require_role"(uuid, public.podcast_role)
  to "authenticated", "postgres", "service_role";

revoke all on function "private"."require_upload_size"(bigint) from public;

grant execute on function "private"."require_upload_size"(bigint) to "authenticated", "postgres";

revoke all on function "private"."seat_member"(uuid, text, public.podcast_role) from public;

grant execute on function "private"."seat_member"(uuid, text, public.podcast_role) to "authenticated", "postgres";

revoke all on function "private"."seat_owner"() from public;

grant execute on function "private"."seat_owner"() to "postgres";

revoke all on function "private"."set_setting"(text, text) from public;

grant execute on function "private"."set_setting"(text, text) to "postgres";

revoke all on function "private"."setting"(text) from public;

grant execute on function "private"."setting"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "private"."slugify"(text, text) from public;

grant execute on function "private"."slugify"(text, text) to "postgres";

revoke all on function "private"."store_feed_items"(uuid, text, jsonb) from public;

grant execute on function "private"."store_feed_items"(uuid, text, jsonb) to "postgres";

revoke all on function "private"."sweep_storage"(timestamp with time zone) from public;

grant execute on function "private"."sweep_storage"(timestamp with time zone) to "postgres";

revoke all on function "private"."tidy_episode"() from public;

grant execute on function "private"."tidy_episode"() to "postgres";

revoke all on function "private"."tidy_podcast"() from public;

grant execute on function "private"."tidy_podcast"() to "postgres";

revoke all on function "private"."tidy_profile"() from public;

grant execute on function "private"."tidy_profile"() to "postgres";

revoke all on function "private"."wake_worker"(text) from public;

grant execute on function "private"."wake_worker"(text) to "postgres";

revoke all on function "private"."wake_worker_if_due"() from public;

grant execute on function "private"."wake_worker_if_due"() to "postgres";

revoke all on function "private"."write_call"() from public;

grant execute on function "private"."write_call"() to "postgres";

revoke all on function "private"."write_feed"(uuid, jsonb, bytea, bigint[], bytea) from public;

grant execute on function "private"."write_feed"(uuid, jsonb, bytea, bigint[], bytea) to "postgres";

revoke all on function "private"."wrong_argument"(jsonb, text[], text[], integer) from public;

grant execute on function "private"."wrong_argument"(jsonb, text[], text[], integer) to "postgres";

revoke all on function "public"."add_podcast_member"(uuid, text, public.podcast_role) from public;

grant execute on function "public"."add_podcast_member"(uuid, text, public.podcast_role) to "authenticated", "postgres";

revoke all on function "public"."archive_episode"(uuid) from public;

grant execute on function "public"."archive_episode"(uuid) to "authenticated", "postgres";

revoke all on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) from public;

grant execute on function "public"."begin_audio_upload"(uuid, uuid, text, bigint) to "authenticated", "postgres";

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

revoke all on function "public"."get_public_episode"(text, text) from public;

grant execute
  on function "public"."get_public_episode"(text, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."get_public_podcast"(text) from public;

grant execute on function "public"."get_public_podcast"(text) to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."health_check"() from public;

grant execute on function "public"."health_check"() to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."list_public_episodes"(text, integer, text) from public;

grant execute
  on function "public"."list_public_episodes"(text, integer, text)
  to "anon", "authenticated", "postgres", "service_role";

revoke all on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) from public;

grant execute on function "public"."presign_audio_upload"(uuid, uuid, text, text, bigint) to "authenticated", "postgres";

revoke all on function "public"."publish_episode"(uuid) from public;

grant execute on function "public"."publish_episode"(uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_audio"(uuid) from public;

grant execute on function "public"."remove_episode_audio"(uuid) to "authenticated", "postgres";

revoke all on function "public"."schedule_episode"(uuid, timestamp with time zone) from public;

grant execute on function "public"."schedule_episode"(uuid, timestamp with time zone) to "authenticated", "postgres";

revoke all on function "public"."transfer_podcast"(uuid, uuid) from public;

grant execute on function "public"."transfer_podcast"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."unpublish_episode"(uuid) from public;

grant execute on function "public"."unpublish_episode"(uuid) to "authenticated", "postgres";

grant usage on schema "private" to "anon", "authenticated";

grant create, usage on schema "private" to "postgres";

grant usage on schema "private" to "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."episode_slugs"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."feed_documents"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."feed_items"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."media_objects"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."podcast_slugs"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "private"."queues" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."settings"
  to "postgres";

grant select on table "public"."billing_accounts" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."billing_accounts"
  to "postgres";

grant select, update on table "public"."billing_accounts" to "service_role";

grant insert ("chapters_url"), update ("chapters_url") on table "public"."episodes" to "authenticated";

grant insert ("cover_image_url"), update ("cover_image_url") on table "public"."episodes" to "authenticated";

grant insert ("description"), update ("description") on table "public"."episodes" to "authenticated";

grant insert ("episode_number"), update ("episode_number") on table "public"."episodes" to "authenticated";

grant insert ("episode_type"), update ("episode_type") on table "public"."episodes" to "authenticated";

grant insert ("explicit"), update ("explicit") on table "public"."episodes" to "authenticated";

grant insert ("notes_html"), update ("notes_html") on table "public"."episodes" to "authenticated";

grant insert ("podcast_id") on table "public"."episodes" to "authenticated";

grant insert ("published_at"), update ("published_at") on table "public"."episodes" to "authenticated";

grant insert ("scheduled_at"), update ("scheduled_at") on table "public"."episodes" to "authenticated";

grant insert ("season_number"), update ("season_number") on table "public"."episodes" to "authenticated";

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

grant update ("auto_add_to_new_episodes") on table "public"."podcast_members" to "authenticated";

grant update ("role") on table "public"."podcast_members" to "authenticated";

grant delete, select on table "public"."podcast_members" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."podcast_members"
  to "postgres";

grant delete, insert, select, update on table "public"."podcast_members" to "service_role";

grant insert ("ai_disclosure"), update ("ai_disclosure") on table "public"."podcasts" to "authenticated";

grant insert ("apple_verify_token"), update ("apple_verify_token") on table "public"."podcasts" to "authenticated";

grant insert ("author"), update ("author") on table "public"."podcasts" to "authenticated";

grant insert ("banner_image_url"), update ("banner_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("block"), update ("block") on table "public"."podcasts" to "authenticated";

grant insert ("categories"), update ("categories") on table "public"."podcasts" to "authenticated";

grant insert ("complete"), update ("complete") on table "public"."podcasts" to "authenticated";

grant insert ("copyright"), update ("copyright") on table "public"."podcasts" to "authenticated";

grant insert ("cover_image_url"), update ("cover_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("description"), update ("description") on table "public"."podcasts" to "authenticated";

grant insert ("explicit"), update ("explicit") on table "public"."podcasts" to "authenticated";

grant insert ("funding"), update ("funding") on table "public"."podcasts" to "authenticated";

grant insert ("header_image_url"), update ("header_image_url") on table "public"."podcasts" to "authenticated";

grant insert ("hosting_type") on table "public"."podcasts" to "authenticated";

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

grant usage on type "public"."episode_origin" to "postgres";

grant usage on type "public"."episode_status" to "postgres";

grant usage on type "public"."episode_type" to "postgres";

grant usage on type "public"."hosting_type" to "postgres";

grant usage on type "public"."podcast_role" to "postgres";

grant usage on type "public"."podcast_status" to "postgres";

grant usage on type "public"."podcast_type" to "postgres";

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

alter table "public"."episodes"
  add constraint "episodes_created_by_fkey" foreign key (created_by) references public.profiles(id) on delete set null;

create index episodes_created_by_idx on public.episodes using btree (created_by);

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
    complete,
    block,
    podcast_guid,
    locked,
    verify_texts,
    apple_verify_token,
    ai_disclosure,
    hosting_type, cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row
  execute function private.guard_podcast();

create trigger t500_move_media_account
  after update of owner_id on public.podcasts
  for each row
  when ((old.owner_id IS DISTINCT FROM new.owner_id))
  execute function private.move_media_account();

create trigger t500_seat_new_owner
  after update of owner_id on public.podcasts
  for each row
  when ((old.owner_id IS DISTINCT FROM new.owner_id))
  execute function private.seat_owner();

create policy "anyone_creates" on "public"."podcasts"
  for insert
  to "authenticated"
  with check ((owner_id = ( SELECT auth.uid() AS uid)));

create policy "members_read" on "public"."podcasts"
  for select
  to "authenticated"
  using
    (((owner_id = ( select auth.uid() as uid)) or (id = ANY (( select private.my_podcasts('member'::public.podcast_role)
    as my_podcasts)::uuid[]))));

alter table "public"."episodes"
  add constraint "audio_type_is_known" check ((audio_content_type = ANY (private.audio_types())));

alter table "public"."episodes"
  add constraint "title_is_1_to_255_long" check (((char_length(title) <= 255) AND (NOT private.is_blank(title))));

alter table "public"."episodes"
  add constraint "urls_are_urls"
    check
    ((((cover_image_url IS NULL) OR private.is_http_url(cover_image_url)) AND ((chapters_url IS NULL) OR
    private.is_http_url(chapters_url))));

alter table "public"."podcasts"
  add constraint "images_are_urls"
    check
    ((((cover_image_url IS NULL) OR private.is_http_url(cover_image_url)) AND ((header_image_url IS NULL) OR
    private.is_http_url(header_image_url)) AND ((banner_image_url IS NULL) OR private.is_http_url(banner_image_url)) AND
    ((profile_image_url IS NULL) OR private.is_http_url(profile_image_url))));

alter table "public"."podcasts"
  add constraint "link_is_a_url" check (private.is_http_url(link));

alter table "public"."podcasts"
  add constraint "title_is_1_to_255_long" check (((char_length(title) <= 255) AND (NOT private.is_blank(title))));

alter table "public"."profiles"
  add constraint "avatar_is_a_url" check (private.is_http_url(avatar_url));

alter table "public"."profiles"
  add constraint "display_name_is_1_to_200_long"
    check (((char_length(display_name) <= 200) AND (NOT private.is_blank(display_name))));


alter table private.feed_documents alter column items set storage external, alter column items set compression default;

alter table private.feed_items alter column deflated set storage external, alter column deflated set compression default;

reset check_function_bodies;

select private.install();
