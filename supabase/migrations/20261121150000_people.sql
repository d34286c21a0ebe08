-- Written by npm run db:migration from sql/: change it there.
set check_function_bodies = off;

drop view "private"."published_episodes";

drop view "private"."queue_health";

drop function "private"."episode_cursor"(timestamp with time zone, uuid);

create extension if not exists "pg_trgm" schema "extensions";

create table "private"."events" (
  "id"         bigint                   generated always as identity not null,
  "type"       text                     not null,
  "payload"    jsonb                    not null,
  "created_at" timestamp with time zone not null default now(),
  constraint "events_pkey" primary key (id),
  constraint "payload_is_an_object" check ((jsonb_typeof(payload) = 'object'::text)),
  constraint "type_names_noun_and_verb" check ((type ~ '^[a-z_]+\.[a-z_]+$'::text))
);

alter table "private"."events"
  enable row level security;

create table "private"."guest_invitations" (
  "episode_guest_id" uuid                     not null,
  "message"          text,
  "invited_by"       uuid,
  "requested_at"     timestamp with time zone not null default clock_timestamp(),
  "sent_at"          timestamp with time zone,
  "token_hash"       bytea,
  "expires_at"       timestamp with time zone,
  "next_hash"        bytea,
  "next_expires_at"  timestamp with time zone,
  "taken_off"        boolean                  not null default false,
  constraint "guest_invitations_next_hash_key" unique (next_hash),
  constraint "guest_invitations_pkey" primary key (episode_guest_id),
  constraint "guest_invitations_token_hash_key" unique (token_hash),
  constraint "hashes_are_sha256" check (((octet_length(token_hash) = 32) AND (octet_length(next_hash) = 32))),
  constraint "tokens_expire"
    check
    (((num_nulls(token_hash, expires_at) = ANY (ARRAY[0, 2])) AND (num_nulls(next_hash, next_expires_at) = ANY (ARRAY[0,
    2]))))
);

alter table "private"."guest_invitations"
  enable row level security;

create table "public"."episode_credits" (
  "id"            uuid                     not null default gen_random_uuid(),
  "episode_id"    uuid                     not null,
  "podcast_id"    uuid                     not null,
  "name"          text                     not null,
  "avatar_url"    text,
  "external_url"  text,
  "display_order" integer                  not null,
  "created_at"    timestamp with time zone not null default now(),
  "updated_at"    timestamp with time zone not null default now(),
  constraint "credit_has_an_episode" unique (id, episode_id),
  constraint "episode_credits_pkey" primary key (id),
  constraint "order_begins_at_0" check ((display_order >= 0)),
  constraint "order_is_unique" unique (episode_id, display_order) deferrable,
  constraint "avatar_is_a_url" check (private.is_http_url(avatar_url)),
  constraint "external_url_is_a_url" check (private.is_http_url(external_url))
);

alter table "public"."episode_credits"
  enable row level security;

create table "public"."episode_guests" (
  "id"               uuid                     not null default gen_random_uuid(),
  "episode_id"       uuid                     not null,
  "podcast_id"       uuid                     not null,
  "podcast_guest_id" uuid                     not null,
  "invited_at"       timestamp with time zone not null default now(),
  "last_accessed_at" timestamp with time zone,
  "created_at"       timestamp with time zone not null default now(),
  constraint "episode_guests_pkey" primary key (id),
  constraint "guest_once_per_episode" unique (episode_id, podcast_guest_id)
);

alter table "public"."episode_guests"
  enable row level security;

create table "public"."episode_messages" (
  "id"              uuid                     not null default gen_random_uuid(),
  "episode_id"      uuid                     not null,
  "podcast_id"      uuid                     not null,
  "sender_guest_id" uuid,
  "body"            text                     not null,
  "created_at"      timestamp with time zone not null default clock_timestamp(),
  constraint "episode_messages_pkey" primary key (id),
  "sender_user_id"  uuid                     default auth.uid(),
  constraint "one_sender" check ((num_nonnulls(sender_user_id, sender_guest_id) = 1))
);

alter table "public"."episode_messages"
  enable row level security;

create table "public"."episode_people" (
  "id"           uuid                     not null default gen_random_uuid(),
  "episode_id"   uuid                     not null,
  "podcast_id"   uuid                     not null,
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
  constraint "credit_names_one_person" unique (credit_id, episode_id),
  constraint "episode_people_pkey" primary key (id),
  constraint "guest_is_on_it_once" unique (episode_id, guest_id),
  constraint "inactive_has_no_credit" check ((is_active OR (credit_id IS NULL))),
  constraint "user_is_on_it_once" unique (episode_id, user_id),
  constraint "avatar_is_a_url" check (private.is_http_url(avatar_url)),
  constraint "external_url_is_a_url" check (private.is_http_url(external_url))
);

alter table "public"."episode_people"
  enable row level security;

create table "public"."podcast_guest_notes" (
  "guest_id"   uuid not null,
  "podcast_id" uuid not null,
  "notes"      text,
  "bio"        text,
  constraint "podcast_guest_notes_pkey" primary key (guest_id),
  constraint "texts_are_at_most_2000_long" check (((char_length(notes) <= 2000) AND (char_length(bio) <= 2000)))
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
  constraint "one_record_per_address" unique (podcast_id, email),
  constraint "podcast_guests_pkey" primary key (id)
);

alter table "public"."podcast_guests"
  enable row level security;

alter table "private"."queues"
  add column "paused" boolean not null default false;

create type "public"."credit_role" as enum (
  'Host',
  'Co-host',
  'Producer',
  'Guest',
  'Editor',
  'Composer'
);

alter table "public"."episode_credits"
  add column "role_label" public.credit_role not null;

create type "public"."guest_status" as enum (
  'invited',
  'active',
  'declined',
  'removed'
);

alter table "public"."episode_guests"
  add column "status" public.guest_status not null default 'invited'::public.guest_status;

create type "public"."person_source" as enum (
  'team',
  'guest',
  'external'
);

alter table "public"."episode_people"
  add column "source_type" public.person_source not null;

create or replace function private.add_guest_message (
  access_token text,
  body         text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest   public.episode_guests := private.guest_by_token(add_guest_message.access_token, writing => true);
  written public.episode_messages;
begin
  perform private.require_taking_part(guest);
  perform private.take_turn('guest_messages/' || guest.id, 30, interval '1 minute');
  insert into public.episode_messages (episode_id, sender_user_id, sender_guest_id, body)
  values (guest.episode_id, null, guest.id, add_guest_message.body)  -- also when a signed-in user holds the token
  returning * into written;
  return private.guest_message(written, guest.id);
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
  for episode in  -- not of an episode that goes with its credits
    select e.id, e.podcast_id, p.slug from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.id in (select c.episode_id from changed c)
  loop
    -- an item is rendered again when the episode's time is another (sql/90_public)
    update public.episodes e set updated_at = clock_timestamp() where e.id = episode.id and e.status = 'published';
    begin
      perform private.invalidate_feed('episode.credits.updated', episode.podcast_id, episode.slug, episode.id);
    exception when others then  -- best effort: a credit is not refused because a message cannot be sent
      raise log 'castbase: episode.credits.updated of % was not queued: % (%)', episode.id, sqlerrm, sqlstate;
    end;
  end loop;
  return null;
end $function$;

create or replace function private.announce_guest()
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

create or replace function private.answer_invitation (
  access_token text,
  answer       public.guest_status
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest public.episode_guests := private.guest_by_token(answer_invitation.access_token, writing => true);
begin
  if answer not in ('active', 'declined') then
    raise sqlstate 'PT400' using message = 'A guest accepts or declines';
  end if;
  perform private.take_turn('guest_answers/' || guest.id, 30, interval '1 hour');
  update public.episode_guests g set status = answer_invitation.answer where g.id = guest.id returning * into guest;
  return private.described_invitation(guest);
end $function$;

create or replace function private.append_credit (
  person       public.episode_people,
  name         text,
  role_label   public.credit_role,
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
  when 'schedule_episode' then
    if args - '{episode_id,at,episodeId,at}'::text[] <> '{}' or not args ?| '{episode_id,episodeId}' or args ?& '{episode_id,episodeId}' or not args ?| '{at,at}' then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, '{episode_id,at}', '{episodeId,at}', 2);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.schedule_episode(episode_id => ((coalesce(args -> 'episode_id', args -> 'episodeId')) #>> '{}')::uuid, at => ((args -> 'at') #>> '{}')::timestamp with time zone)) into data;
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
  else
    raise sqlstate 'PT400' using message = format('There is no operation %L', verb);
  end case;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $function$;

create or replace function private.change_person (
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
  perform private.open_roster(change_person.episode_id);
  person := private.roster_person(change_person.episode_id, change_person.person_id);
  perform private.require_changes(changes, '{"name": ["string"], "roleLabel": ["string"], "avatarUrl": ["string", "null"],
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
  return private.person_out(person);
end $function$;

create or replace function private.change_podcast_guest (
  id      uuid,
  changes jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest   public.podcast_guests := private.require_guest_role(change_podcast_guest.id, 'admin');
  written public.podcast_guest_notes;
begin
  perform private.require_changes(changes, '{"displayName": ["string"], "notes": ["string", "null"], "bio": ["string", "null"]}');
  update public.podcast_guests g set display_name = coalesce(changes ->> 'displayName', g.display_name)
  where g.id = guest.id returning * into guest;  -- also when only notes change: updated_at is theirs too
  if changes ?| '{notes,bio}' then
    insert into public.podcast_guest_notes as n (guest_id, notes, bio) values (guest.id, changes ->> 'notes', changes ->> 'bio')
    on conflict (guest_id) do update set
      notes = case when changes ? 'notes' then excluded.notes else n.notes end,
      bio = case when changes ? 'bio' then excluded.bio else n.bio end;
  end if;
  select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  return private.described_guest(guest) - 'avatarUrl' || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'updatedAt', private.iso(guest.updated_at));
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
begin
  select * into strict policy from private.queues q where q.name = claim_jobs.queue;
  if policy.paused then
    return;
  end if;
  for job in select m.msg_id, m.read_ct, m.message from pgmq.read(queue, visible_after_seconds, most) m order by m.msg_id loop
    if job.read_ct > policy.max_attempts then  -- nobody lived to say that it failed
      perform private.fail_job(queue, job.msg_id, 'The worker ended while it worked on this, every time', final => true);
    else
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $function$;

create or replace function private.close_credit_gaps()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.episode_credits c set display_order = ordered.place
  from (
    select k.id, row_number() over (partition by k.episode_id order by k.display_order) - 1 as place
    from public.episode_credits k where k.episode_id in (select g.episode_id from gone g)
  ) ordered
  where c.id = ordered.id and c.display_order <> ordered.place;
  return null;
end $function$;

create or replace function private.credit_out (
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

create or replace function private.credited_as (
  person public.episode_people
)
  returns public.credit_role
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case when private.is_credit_role(person.role_label) then person.role_label
    when person.source_type = 'team' then 'Co-host' else 'Guest' end;
end $function$;

create or replace function private.described_guest (
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

create or replace function private.described_invitation (
  invited public.episode_guests
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'episodeGuest', jsonb_build_object('id', invited.id, 'episodeId', invited.episode_id, 'podcastGuestId', invited.podcast_guest_id,
      'status', invited.status, 'invitedAt', private.iso(invited.invited_at), 'lastAccessedAt', private.iso(invited.last_accessed_at)),
    'guest', (select private.described_guest(g) from public.podcast_guests g where g.id = invited.podcast_guest_id))
$function$;

create or replace function private.drop_episode_guest (
  id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest public.episode_guests;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select * into guest from public.episode_guests g where g.id = drop_episode_guest.id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'Guest not found on any episode';
  end if;
  perform private.require_role(guest.podcast_id, 'admin');
  update public.episode_guests g set status = 'removed' where g.id = guest.id returning * into guest;
  return private.described_invitation(guest);
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
  if delay_seconds = 0 and coalesce(current_setting(mark, true), '') = ''
     and not exists (select from private.queues q where q.name = enqueue.queue and q.paused) then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
  return id;
end $function$;

create or replace function private.episode_for_guest (
  access_token text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest public.episode_guests := private.guest_by_token(episode_for_guest.access_token);
begin
  return private.described_invitation(guest) || (
    select jsonb_build_object(
      'episode', jsonb_build_object(
        'id', e.id, 'slug', e.slug, 'title', e.title, 'description', coalesce(nullif(e.description, ''), e.summary, ''),
        'status', e.status, 'scheduledAt', private.iso(e.scheduled_at), 'coverImageUrl', e.cover_image_url,
        'publishedAt', case when e.status = 'published' then private.iso(e.published_at) end,
        'audioUrl', case when e.status = 'published' then e.audio_url end),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', p.cover_image_url))
    from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = guest.episode_id);
end $function$;

create or replace function private.find_guest_user()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.hold_guest_addresses(new.email);
  new.user_id := (
    select p.id from auth.users u join public.profiles p on p.id = u.id
    where u.email = new.email and u.is_sso_user = false and u.email_confirmed_at is not null);
  return new;
end $function$;

create or replace function private.find_podcast_guests (
  podcast_id uuid,
  q          text,
  most       integer
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
  perform private.require_role(find_podcast_guests.podcast_id, 'member');
  if char_length(btrim(q)) > 455 then  -- no name and address together are longer
    raise sqlstate 'PT400' using message = 'q is longer than any name and address';
  end if;
  return (
    select coalesce(jsonb_agg(found.described order by found.name, found.id), '[]')
    from (
      select lower(g.display_name) as name, g.id, private.described_guest(g) || jsonb_build_object(
        'episodeCount', (select count(*) from public.episode_guests e where e.podcast_guest_id = g.id),
        'createdAt', private.iso(g.created_at)) as described
      from public.podcast_guests g
      where g.podcast_id = find_podcast_guests.podcast_id
        and (wanted is null or (g.display_name || E'\n' || g.email) ilike wanted)
      order by lower(g.display_name), g.id
      limit most
    ) found);
end $function$;

create or replace function private.guard_message_writer()
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

create or replace function private.guest_by_token (
  access_token text,
  at           timestamp with time zone default now(),
  writing      boolean                  default false
)
  returns public.episode_guests
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  digest     bytea := sha256(convert_to(guest_by_token.access_token, 'UTF8'));
  invitation record;
  guest      public.episode_guests;
  is_visit   boolean;
begin
  select i.episode_guest_id, case digest when i.token_hash then i.expires_at else i.next_expires_at end as expires_at
  into invitation from private.guest_invitations i where i.token_hash = digest or i.next_hash = digest;
  if invitation.expires_at <= guest_by_token.at then
    raise sqlstate 'PT401' using message = 'The invitation has expired; ask the host for a new one', hint = 'EXPIRED';
  end if;
  select g.* into guest from public.episode_guests g where g.id = invitation.episode_guest_id and g.status <> 'removed';
  is_visit := guest.last_accessed_at is null or guest.last_accessed_at <= guest_by_token.at - interval '1 minute';
  if is_visit or writing then
    perform from public.episodes e where e.id = guest.episode_id for no key update;  -- before the guest, as deletions
    update public.episode_guests g set last_accessed_at = case when is_visit then guest_by_token.at else g.last_accessed_at end
    where g.id = guest.id and g.status <> 'removed' returning g.* into guest;
  end if;
  if guest.id is null then
    raise sqlstate 'PT401' using message = 'The access token opens nothing', hint = 'INVALID';
  end if;
  return guest;
end $function$;

create or replace function private.guest_invitation (
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

create or replace function private.guest_message (
  message public.episode_messages,
  reader  uuid
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'id', $1.id, 'body', $1.body, 'createdAt', private.iso($1.created_at),
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

create or replace function private.guest_messages (
  access_token text,
  cursor       text,
  most         integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  guest  public.episode_guests := private.guest_by_token(guest_messages.access_token);
  before record;
  page   record;
begin
  perform private.require_taking_part(guest);
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select c.at, c.id into before from private.read_cursor(guest_messages.cursor) c;
  select coalesce(jsonb_agg(private.guest_message(m.message, guest.id) order by m.n) filter (where m.n <= most), '[]') as data,
    max(private.write_cursor((m.message).created_at, (m.message).id)) filter (where m.n = most) as next,
    count(*) > most as has_more
  into page
  from (
    select m as message, row_number() over (order by m.created_at desc, m.id desc) as n
    from public.episode_messages m
    where m.episode_id = guest.episode_id and (m.created_at, m.id) < (before.at, before.id)
    order by m.created_at desc, m.id desc
    limit most + 1
  ) m;
  return jsonb_build_object(
    'data', page.data,
    'pagination', jsonb_build_object('nextCursor', case when page.has_more then page.next end, 'hasMore', page.has_more));
end $function$;

create or replace function private.hold_guest_addresses (
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

  foreach heard in array array['podcasts', 'episodes', 'episode_messages'] loop
    if not exists (select from pg_catalog.pg_publication_tables t where (t.pubname, t.schemaname, t.tablename) = ('supabase_realtime', 'public', heard)) then
      execute format('alter publication supabase_realtime add table public.%I', heard);
    end if;
  end loop;

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
    ('unconfirmed_user_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set otherwise = excluded.otherwise, description = excluded.description
    where (s.otherwise, s.description) is distinct from (excluded.otherwise, excluded.description);

  -- an operator's pause stays: it is only written with a new queue
  insert into private.queues as q (name, max_attempts, backoff_base, backoff_cap, purpose, paused) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', 'Renders a podcast''s feed document again', false),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', 'Deletes stored objects that nothing refers to', false),
    ('guest_invitations', 10, interval '5 seconds', interval '1 hour', 'Mails guests their invitation and access token', false),
    ('calendar_sync', 10, interval '5 seconds', interval '1 hour', 'Updates the attendees of a session''s calendar event', true)  -- nobody does yet
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_cap = excluded.backoff_cap, purpose = excluded.purpose
    where (q.max_attempts, q.backoff_base, q.backoff_cap, q.purpose)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_cap, excluded.purpose);

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
  return private.unseen(words) = words;
end $function$;

create or replace function private.is_credit_role (
  label text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return label = any (enum_range(null::public.credit_role)::text[]);
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
  ends_at timestamptz := at + private.setting('guest_token_days')::int * interval '1 day';
begin
  update private.guest_invitations i set next_hash = issue_guest_token.token_hash, next_expires_at = ends_at
  where i.episode_guest_id = issue_guest_token.episode_guest_id and i.requested_at = issue_guest_token.requested_at and i.sent_at is null;
  return case when found then ends_at end;
end $function$;

create or replace function private.join_roster (
  episode_id   uuid,
  source_type  public.person_source,
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
  show_id    uuid := private.open_roster(join_roster.episode_id, joining => join_roster.user_id);
  label      text := 'Guest';
  held       public.podcast_role;
  person     public.episode_people;
  warning    text;
begin
  select * into person from public.episode_people p
  where p.episode_id = join_roster.episode_id and p.source_type = join_roster.source_type
    and (p.user_id = join_roster.user_id or p.guest_id = join_roster.guest_id);
  if found then  -- whether they could be added now or not
    return jsonb_build_object('data', private.person_out(person), 'alreadyExisted', true);
  end if;

  if source_type = 'team' then
    select m.role into held from public.podcast_members m
    where m.podcast_id = show_id and m.user_id = join_roster.user_id;
    if not found then
      raise sqlstate 'PT400' using message = case when user_id is null
        then 'A team entry needs a userId' else 'The user is not a member of this podcast' end;
    end if;
    label := private.team_label(held);
  elsif source_type = 'guest' then
    perform from public.episode_guests g
    where g.id = join_roster.guest_id and g.episode_id = join_roster.episode_id and g.status <> 'removed';
    if not found then
      raise sqlstate 'PT400' using message = case when guest_id is null
        then 'A guest entry needs a guestId' else 'The guest is not one of this episode''s' end;
    end if;
    update private.guest_invitations i set taken_off = false where i.episode_guest_id = join_roster.guest_id and i.taken_off;
  else
    perform private.require_credit_role(join_roster.role_label);
    label := coalesce(join_roster.role_label, 'Participant');
  end if;

  if (select count(*) from public.episode_people p where p.episode_id = join_roster.episode_id) >= 200 then
    raise sqlstate 'PT409' using message = 'An episode''s roster has at most 200 people', hint = 'ROSTER_FULL';
  end if;
  insert into public.episode_people as p (episode_id, source_type, user_id, guest_id, name, role_label, avatar_url, external_url)
  values (join_roster.episode_id, join_roster.source_type,
    case source_type when 'team' then join_roster.user_id end, case source_type when 'guest' then join_roster.guest_id end,
    join_roster.name, label, join_roster.avatar_url, join_roster.external_url)
  returning p.* into person;
  if source_type <> 'guest' then  -- a guest is credited on becoming active
    begin
      person.credit_id := (private.append_credit(
        person, person.name, private.credited_as(person), person.avatar_url, person.external_url)).id;
    exception when others then  -- the roster entry stays
      if sqlstate like '40%' then
        raise;  -- lost a race: tried again, not half done
      end if;
      warning := 'Added to the roster, but the credit could not be created';
      raise log 'castbase: no credit for % on the roster of %: % (%)', person.id, person.episode_id, sqlerrm, sqlstate;
    end;
  end if;
  if source_type = 'team' then
    perform private.tell_team_added(person.user_id, auth.uid(), show_id, person.episode_id);
    perform private.sync_attendee('added', show_id, person.episode_id, person.user_id);
  end if;
  perform set_config('response.status', '201', true);
  return jsonb_strip_nulls(jsonb_build_object('warning', warning))
    || jsonb_build_object('data', private.person_out(private.roster_person(person.episode_id, person.id)));
end $function$;

create or replace function private.leave_roster (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  show_id uuid := private.open_roster(leave_roster.episode_id);
  person  public.episode_people := private.roster_person(leave_roster.episode_id, leave_roster.person_id);
begin
  delete from public.episode_credits c where c.id = person.credit_id;
  delete from public.episode_people p where p.id = person.id;
  if person.source_type = 'guest' then  -- else they would be back by declining and accepting
    update private.guest_invitations i set taken_off = true from public.episode_guests g
    where i.episode_guest_id = person.guest_id and g.id = person.guest_id and g.status = 'active';
  elsif person.source_type = 'team' then
    begin
      perform private.sync_attendee('removed', show_id, person.episode_id, person.user_id);
    exception when others then  -- best effort
      raise log 'castbase: the calendar of % was not told of a removal: % (%)', person.episode_id, sqlerrm, sqlstate;
    end;
  end if;
  return jsonb_build_object('id', person.id, 'name', person.name);
end $function$;

create or replace function private.link_guests()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  address text := (
    select u.email from auth.users u where u.id = new.id and u.is_sso_user = false and u.email_confirmed_at is not null);
begin
  perform private.hold_guest_addresses(address);
  update public.podcast_guests g set user_id = new.id where g.email = address;
  return null;
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

create or replace function private.mark_guest_invitation_sent (
  token_hash   bytea,
  requested_at timestamp with time zone
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  update private.guest_invitations i set
    token_hash = i.next_hash, expires_at = i.next_expires_at, next_hash = null, next_expires_at = null,
    sent_at = case when i.requested_at = $2 then now() end
  where i.next_hash = $1
$function$;

create or replace function private.my_rosters()
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

create or replace function private.notify (
  type    text,
  payload jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$ insert into private.events (type, payload) values ($1, $2) $function$;

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
           'listen_url', private.listen_url(found_podcast.slug, e.slug, listen_base), 'credits', c.credits) order by b.place), '[]'),
         (select count(*) from unfit) - count(*)
  into stale, waiting
  from batch b join public.episodes e on e.id = b.episode_id
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role_label', c.role_label, 'avatar_url', c.avatar_url,
      'external_url', c.external_url) order by c.display_order), '[]') as credits
    from public.episode_credits c where c.episode_id = e.id
  ) c;

  select d.digest, d.last_modified into written, last_modified
  from private.feed_documents d where d.podcast_id = open_feed.podcast_id;
  dated := date_trunc('second', clock_timestamp());
  early := case when dated = last_modified
    then ceil(1000 * extract(epoch from dated + interval '1 second' - clock_timestamp())) else 0 end;
  return next;
end $function$;

create or replace function private.open_roster (
  episode_id uuid,
  joining    uuid default null::uuid
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  show_id uuid := private.require_episode_role(episode_id, 'admin');
begin
  perform private.require_open_podcast(show_id);
  perform from public.profiles p where p.id = joining for key share;  -- before the episode, as accounts are deleted
  perform private.lock_roster(episode_id);
  return show_id;
end $function$;

create or replace function private.order_credits (
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
  perform private.open_roster(order_credits.episode_id);
  if coalesce(cardinality(credit_ids), 0) = 0 then
    raise sqlstate 'PT400' using message = 'creditIds is empty', hint = 'NO_CREDITS';
  elsif cardinality(credit_ids) <> (select count(distinct id) from unnest(credit_ids) id) then
    raise sqlstate 'PT400' using message = 'creditIds names a credit twice', hint = 'DUPLICATE_CREDIT';
  end if;
  present := array(select c.id from public.episode_credits c where c.episode_id = order_credits.episode_id);
  if not credit_ids <@ present then
    raise sqlstate 'PT400' using message = 'creditIds names a credit that is not of this episode', hint = 'FOREIGN_CREDIT';
  elsif cardinality(credit_ids) <> cardinality(present) then
    raise sqlstate 'PT400' using message = 'creditIds must name every credit of the episode', hint = 'MISSING_CREDIT';
  end if;
  update public.episode_credits c set display_order = wanted.place - 1
  from unnest(credit_ids) with ordinality wanted (id, place)
  where c.id = wanted.id;
  return jsonb_build_object('episodeId', order_credits.episode_id, 'order', to_jsonb(credit_ids));
end $function$;

create or replace function private.person_out (
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
    'createdAt', private.iso(person.created_at), 'updatedAt', private.iso(person.updated_at));
end $function$;

create or replace function private.plain_address (
  typed text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return lower(btrim(typed, private.unseen(typed)));
end $function$;

create or replace function private.podcast_guest_of (
  id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  guest    public.podcast_guests := private.require_guest_role(podcast_guest_of.id, 'member');
  is_admin boolean := guest.podcast_id = any (private.my_podcasts('admin'));
  written  public.podcast_guest_notes;
begin
  if is_admin then
    select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  end if;
  return private.described_guest(guest) || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'privateNotesVisible', is_admin,
    'createdAt', private.iso(guest.created_at), 'updatedAt', private.iso(guest.updated_at),
    'episodes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', e.title, 'episodeSlug', e.slug,
        'status', g.status, 'invitedAt', private.iso(g.invited_at), 'lastAccessedAt', private.iso(g.last_accessed_at))
        order by g.invited_at desc, g.id desc), '[]')
      from public.episode_guests g join public.episodes e on e.id = g.episode_id
      where g.podcast_guest_id = guest.id));
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
  select c.at, c.id into before from private.read_cursor(public_episodes.cursor) c;
  select coalesce(jsonb_agg(e.shown order by e.n) filter (where e.n <= most), '[]') as data,
    max(private.write_cursor(e.published_at, e.id)) filter (where e.n = most) as cursor,
    count(*) > most as has_more
  into page
  from (
    select e.shown, e.published_at, e.id, row_number() over (order by e.published_at desc, e.id desc) as n
    from private.published_episodes e
    where e.podcast_id = podcast.id and (e.published_at, e.id) < (before.at, before.id)
    order by e.published_at desc, e.id desc
    limit most + 1
  ) e;
  return jsonb_build_object(
    'data', page.data,
    'pagination', jsonb_build_object('nextCursor', case when page.has_more then page.cursor end, 'hasMore', page.has_more));
end $function$;

create or replace function private.public_name (
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

create or replace function private.put_in_credits (
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
  perform private.open_roster(put_in_credits.episode_id);
  person := private.roster_person(put_in_credits.episode_id, put_in_credits.person_id);
  perform private.require_changes(changes, '{"name": ["string"], "roleLabel": ["string"], "avatarUrl": ["string", "null"],
    "externalUrl": ["string", "null"]}', at_least => 0);
  perform private.require_credit_role(changes ->> 'roleLabel');
  if not person.is_active then
    raise sqlstate 'PT422' using message = 'Someone who is not active on the roster cannot be credited', hint = 'PERSON_INACTIVE';
  end if;
  said_name := coalesce(changes ->> 'name', person.name);
  said_avatar := case when changes ? 'avatarUrl' then changes ->> 'avatarUrl' else person.avatar_url end;
  said_url := case when changes ? 'externalUrl' then changes ->> 'externalUrl' else person.external_url end;
  if person.credit_id is null then
    credit := private.append_credit(
      person, said_name, coalesce((changes ->> 'roleLabel')::public.credit_role, private.credited_as(person)), said_avatar, said_url);
    perform set_config('response.status', '201', true);
  else
    update public.episode_credits c set name = said_name, avatar_url = said_avatar, external_url = said_url,
      role_label = coalesce((changes ->> 'roleLabel')::public.credit_role, c.role_label)  -- a choice stays until the next
    where c.id = person.credit_id returning * into credit;
  end if;
  return jsonb_build_object('personId', person.id, 'credit', private.credit_out(credit));
end $function$;

create or replace function private.read_cursor (
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
  raise sqlstate 'PT400' using message = 'cursor is not one that this API gave out';
end $function$;

create or replace function private.record_invitation (
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
  show_id   uuid := private.require_episode_role(record_invitation.episode_id, 'admin');
  words     text := btrim(record_invitation.message);
  guest_id  uuid;
  is_off    boolean;
  invited   public.episode_guests;
begin
  perform private.take_turn('guest-invitation/' || auth.uid(), private.setting('guest_invitations_per_hour')::int, interval '1 hour');

  insert into public.podcast_guests as g (podcast_id, display_name, email)
  values (show_id, record_invitation.display_name, record_invitation.email)
  on conflict on constraint one_record_per_address do nothing;  -- who is known keeps the name
  select g.id into strict guest_id from public.podcast_guests g
  where g.podcast_id = show_id and g.email = private.plain_address(record_invitation.email);

  is_off := exists (
    select from private.guest_invitations i join public.episode_guests g on g.id = i.episode_guest_id
    where g.episode_id = record_invitation.episode_id and g.podcast_guest_id = guest_id and i.taken_off);
  insert into public.episode_guests as g (episode_id, podcast_guest_id) values (record_invitation.episode_id, guest_id)
  on conflict on constraint guest_once_per_episode do update set
    status = case when g.status in ('declined', 'removed') or is_off then 'invited' else g.status end,
    invited_at = case when g.status in ('declined', 'removed') or is_off then excluded.invited_at else g.invited_at end
  returning * into invited;

  insert into private.guest_invitations as i (episode_guest_id, message, invited_by)
  values (invited.id, case when not private.is_blank(words) then words end, auth.uid())
  on conflict (episode_guest_id) do update set
    message = excluded.message, invited_by = excluded.invited_by, requested_at = excluded.requested_at, sent_at = null,
    taken_off = false;
  perform private.enqueue('guest_invitations', jsonb_build_object('episode_guest_id', invited.id));
  return private.described_invitation(invited);
end $function$;

create or replace function private.relink_guests()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.hold_guest_addresses(old.email, new.email);
  update public.podcast_guests g set user_id = null where g.user_id = new.id and g.email is distinct from new.email;
  update public.podcast_guests g set user_id = p.id from public.profiles p
  where p.id = new.id and g.email = new.email and not new.is_sso_user;
  return null;
end $function$;

create or replace function private.require_changes (
  changes  jsonb,
  kinds    jsonb,
  at_least integer default 1
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  given text[];
  wrong text;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'The changes must be an object';
  end if;
  given := array(select jsonb_object_keys(changes));
  if cardinality(given) < at_least then
    raise sqlstate 'PT400' using message = format('Give at least one of %s', array_to_string(array(select jsonb_object_keys(kinds)), ', '));
  end if;
  foreach wrong in array given loop
    if not kinds ? wrong then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: is not a field of this request', wrong);
    elsif not kinds -> wrong ? jsonb_typeof(changes -> wrong) then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: must be %s', wrong,
        (select string_agg(kind, ' or ') from jsonb_array_elements_text(kinds -> wrong) kind));
    end if;
  end loop;
end $function$;

create or replace function private.require_credit_role (
  label text
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if not private.is_credit_role(label) then
    raise sqlstate 'PT400' using message = 'Unknown credit role label', hint = 'UNKNOWN_ROLE_LABEL',
      detail = 'roleLabel: one of ' || array_to_string(enum_range(null::public.credit_role), ', ');
  end if;
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

create or replace function private.require_taking_part (
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

create or replace function private.roster (
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
  where e.id = roster.episode_id;
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
      where p.episode_id = roster.episode_id
    )
    select jsonb_build_object(
      'people', (
        select coalesce(jsonb_agg(private.person_out(e.person)
            || case when (e.credit).id is null then '{}' else jsonb_build_object('credited', private.credit_out(e.credit)) end
          order by (e.credit).display_order nulls last, (e.person).created_at, (e.person).id), '[]')
        from entries e),
      'candidates', jsonb_build_object(
        'teamCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object('userId', m.user_id, 'name', private.public_name(f.display_name),
              'role', m.role, 'avatarUrl', f.avatar_url) order by private.public_name(f.display_name), m.user_id), '[]')
          from public.podcast_members m join public.profiles f on f.id = m.user_id
          where m.podcast_id = found_podcast and not exists (select from entries e where e.user_id = m.user_id)),
        'guestCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object('guestId', i.id, 'name', g.display_name,
              'email', g.email, 'status', i.status) order by g.display_name, i.id), '[]')
          from public.episode_guests i join public.podcast_guests g on g.id = i.podcast_guest_id
          where i.episode_id = roster.episode_id and i.status <> 'removed'
            and not exists (select from entries e where e.guest_id = i.id)))));
end $function$;

create or replace function private.roster_person (
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
  where p.id = roster_person.person_id and p.episode_id = roster_person.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person is not on the episode''s roster';
  end if;
  return person;
end $function$;

create or replace function private.seat_guest()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  person public.episode_people;
begin
  perform private.lock_roster(new.episode_id);
  perform from private.guest_invitations i where i.episode_guest_id = new.id and i.taken_off;
  if found then
    return null;
  end if;
  insert into public.episode_people (episode_id, source_type, guest_id, name, role_label, avatar_url)
  select new.episode_id, 'guest', new.id, g.display_name, 'Guest', f.avatar_url
  from public.podcast_guests g left join public.profiles f on f.id = g.user_id
  where g.id = new.podcast_guest_id
  on conflict on constraint guest_is_on_it_once do nothing;
  select * into strict person from public.episode_people p where p.episode_id = new.episode_id and p.guest_id = new.id;
  if person.is_active and person.credit_id is null then  -- an inactive one was taken off by an admin
    perform private.append_credit(person, person.name, private.credited_as(person), person.avatar_url, person.external_url);
  end if;
  return null;
end $function$;

create or replace function private.seat_team()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  with seats as (
    select s.user_id, private.public_name(f.display_name) as name, s.label, f.avatar_url, gen_random_uuid() as credit_id,
      row_number() over (order by s.joined nulls first, s.user_id) - 1 as place
    from (
      select new.created_by as user_id, 'Host' as label, null::timestamptz as joined  -- first of all, whatever their role
      union all
      select m.user_id, private.team_label(m.role), m.created_at from public.podcast_members m
      where m.podcast_id = new.podcast_id and m.auto_add_to_new_episodes and m.user_id is distinct from new.created_by
    ) s
    join public.profiles f on f.id = s.user_id
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, display_order)
    select s.credit_id, new.id, s.name, s.label::public.credit_role, s.avatar_url, s.place from seats s
    where new.origin <> 'import'  -- a back catalogue has credits of its own, or none
  )
  insert into public.episode_people (episode_id, source_type, user_id, name, role_label, avatar_url, credit_id)
  select new.id, 'team', s.user_id, s.name, s.label, s.avatar_url, case when new.origin <> 'import' then s.credit_id end from seats s;

  if new.origin <> 'import' then
    perform private.tell_team_added(p.user_id, new.created_by, new.podcast_id, new.id)
    from public.episode_people p where p.episode_id = new.id;
  end if;
  return null;
end $function$;

create or replace function private.sync_attendee (
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

create or replace function private.take_from_credits (
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
  perform private.open_roster(take_from_credits.episode_id);
  person := private.roster_person(take_from_credits.episode_id, take_from_credits.person_id);
  delete from public.episode_credits c where c.id = person.credit_id;  -- which unlinks it
  if not found then
    raise sqlstate 'PT422' using message = 'This person is not credited', hint = 'NOT_CREDITED';
  end if;
  return jsonb_build_object('personId', person.id, 'name', person.name);
end $function$;

create or replace function private.team_label (
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

create or replace function private.tell_team_added (
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

create or replace function private.tidy_episode_credit()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.name := btrim(new.name);
  if tg_op = 'INSERT' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  end if;
  return new;
end $function$;

create or replace function private.tidy_episode_guest()
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

create or replace function private.tidy_episode_message()
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

create or replace function private.tidy_episode_person()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.name := btrim(new.name);
  new.role_label := btrim(new.role_label);
  if tg_op = 'INSERT' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  -- Who deletes their account, and a guest who goes, took part nevertheless: name and credit stay
  elsif (old.user_id is not null and new.user_id is null) or (old.guest_id is not null and new.guest_id is null) then
    new.source_type := 'external';
  end if;
  return new;
end $function$;

create or replace function private.tidy_podcast_guest()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := clock_timestamp();
  new.display_name := btrim(new.display_name);
  new.email := private.plain_address(new.email);
  return new;
end $function$;

create or replace function private.tidy_podcast_guest_note()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  select g.podcast_id into new.podcast_id from public.podcast_guests g where g.id = new.guest_id;
  return new;
end $function$;

create or replace function private.unseat_guest()
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

create or replace function private.unseen (
  words text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return regexp_replace(words,
    '[^[:space:]\u0001-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffe\uffff]+', '', 'g');
end $function$;

create or replace function private.void_guest_token()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  delete from private.guest_invitations i where i.episode_guest_id = new.id;
  return null;
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
  for queue in
    select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m
    where not q.paused and m.queue_visible_length > 0
  loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $function$;

create or replace function private.write_cursor (
  at timestamp with time zone,
  id uuid
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  select rtrim(translate(encode(convert_to(extract(epoch from $1)::text || ' ' || $2, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$function$;

create or replace function public.accept_guest_invitation (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.answer_invitation(accept_guest_invitation.access_token, 'active');
end $function$;

create or replace function public.add_episode_person (
  episode_id   uuid,
  source_type  public.person_source,
  name         text,
  user_id      uuid                 default null::uuid,
  guest_id     uuid                 default null::uuid,
  role_label   text                 default null::text,
  avatar_url   text                 default null::text,
  external_url text                 default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.join_roster(add_episode_person.episode_id, add_episode_person.source_type, add_episode_person.name,
    add_episode_person.user_id, add_episode_person.guest_id, add_episode_person.role_label,
    add_episode_person.avatar_url, add_episode_person.external_url);
end $function$;

create or replace function public.credit_episode_person (
  episode_id uuid,
  person_id  uuid,
  changes    jsonb default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.put_in_credits(credit_episode_person.episode_id, credit_episode_person.person_id, credit_episode_person.changes);
end $function$;

create or replace function public.decline_guest_invitation (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.answer_invitation(decline_guest_invitation.access_token, 'declined');
end $function$;

create or replace function public.get_guest_episode (
  access_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.episode_for_guest(get_guest_episode.access_token);
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
  return private.podcast_guest_of(get_podcast_guest.id);
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
  return private.record_invitation(invite_guest.episode_id, invite_guest.email, invite_guest.display_name, invite_guest.message);
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
  return private.roster(list_episode_people.episode_id);
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
  return private.guest_messages(list_guest_messages.access_token, list_guest_messages.cursor, list_guest_messages."limit");
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
  return private.find_podcast_guests(list_podcast_guests.podcast_id, list_podcast_guests.q,
    least(greatest(trunc(coalesce(list_podcast_guests."limit", 20)), 1), 50)::int);
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
  written jsonb := private.add_guest_message(post_guest_message.access_token, post_guest_message.body);
begin
  perform set_config('response.status', '201', true);
  return written;
end $function$;

create or replace function public.remove_episode_guest (
  episode_guest_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.drop_episode_guest(remove_episode_guest.episode_guest_id);
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
  return private.leave_roster(remove_episode_person.episode_id, remove_episode_person.person_id);
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
  return private.order_credits(reorder_episode_credits.episode_id, reorder_episode_credits.credit_ids);
end $function$;

create or replace function public.uncredit_episode_person (
  episode_id uuid,
  person_id  uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.take_from_credits(uncredit_episode_person.episode_id, uncredit_episode_person.person_id);
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
  return private.change_person(update_episode_person.episode_id, update_episode_person.person_id, update_episode_person.changes);
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
  return private.change_podcast_guest(update_podcast_guest.id, update_podcast_guest.changes);
end $function$;

alter table "private"."guest_invitations"
  add constraint "guest_invitations_invited_by_fkey" foreign key (invited_by) references public.profiles(id) on delete
    set null;

alter table "public"."episode_credits"
  add constraint "episode_credits_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_credits"
  add constraint "episode_credits_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_guests"
  add constraint "episode_guests_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "private"."guest_invitations"
  add constraint "guest_invitations_episode_guest_id_fkey" foreign key (episode_guest_id)
    references public.episode_guests(id) on delete cascade;

alter table "public"."episode_guests"
  add constraint "episode_guests_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_messages"
  add constraint "episode_messages_sender_guest_id_fkey" foreign key (sender_guest_id)
    references public.episode_guests(id) on delete cascade;

alter table "public"."episode_people"
  add constraint "credit_is_of_the_episode" foreign key (credit_id, episode_id)
    references public.episode_credits(id, episode_id) on delete set null (credit_id);

alter table "public"."episode_people"
  add constraint "episode_people_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "public"."episode_people"
  add constraint "episode_people_guest_id_fkey" foreign key (guest_id) references public.episode_guests(id) on delete
    set null;

alter table "public"."episode_people"
  add constraint "episode_people_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_people"
  add constraint "episode_people_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete set null;

alter table "public"."episode_people"
  add constraint "source_is_whole" check ((((source_type = 'team'::public.person_source) = (user_id IS
    NOT NULL)) AND ((source_type = 'guest'::public.person_source) = (guest_id IS NOT NULL))));

alter table "public"."podcast_guest_notes"
  add constraint "podcast_guest_notes_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."episode_guests"
  add constraint "episode_guests_podcast_guest_id_fkey" foreign key (podcast_guest_id)
    references public.podcast_guests(id) on delete cascade;

alter table "public"."podcast_guest_notes"
  add constraint "podcast_guest_notes_guest_id_fkey" foreign key (guest_id) references public.podcast_guests(id)
    on delete cascade;

alter table "public"."podcast_guests"
  add constraint "podcast_guests_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "public"."podcast_guests"
  add constraint "podcast_guests_user_id_fkey" foreign key (user_id) references public.profiles(id) on delete set null;

create view "private"."published_episodes" with (security_invoker=true) AS  SELECT p.slug AS podcast_slug,
    p.id AS podcast_id,
    e.slug,
    e.id,
    e.published_at,
    jsonb_build_object('id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title, 'description', COALESCE(NULLIF(e.description, ''::text), e.summary, ''::text), 'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type, 'explicit', e.explicit, 'publishedAt', private.iso(e.published_at), 'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url, 'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes, 'coverImageUrl', e.cover_image_url, 'listenUrl', private.listen_url(p.slug, e.slug, ( SELECT private.setting('listen_url'::text) AS setting)), 'embedUrl', ((( SELECT private.setting('embed_url'::text) AS setting) || '/ep/'::text) || e.id), 'credits', COALESCE(( SELECT jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label, 'avatarUrl', c.avatar_url, 'externalUrl', c.external_url) ORDER BY c.display_order) AS jsonb_agg
           FROM public.episode_credits c
          WHERE (c.episode_id = e.id)), '[]'::jsonb)) AS shown
   FROM (public.episodes e
     JOIN public.podcasts p ON ((p.id = e.podcast_id)))
  WHERE ((e.status = 'published'::public.episode_status) AND (p.status <> 'deleted'::public.podcast_status));

create view "private"."queue_health" with (security_invoker=true) AS  SELECT q.name AS queue,
    m.queue_length AS depth,
    m.oldest_msg_age_sec AS oldest_age_seconds,
    d.queue_length AS dead,
    m.total_messages AS total,
    q.max_attempts,
    q.paused
   FROM ((private.queues q
     CROSS JOIN LATERAL pgmq.metrics(q.name) m(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length))
     CROSS JOIN LATERAL pgmq.metrics((q.name || '_dead'::text)) d(queue_name, queue_length, newest_msg_age_sec, oldest_msg_age_sec, total_messages, scrape_time, queue_visible_length));

create index episode_slugs_prefix_idx on private.episode_slugs using btree (podcast_id, slug collate "C");

create index guest_invitations_invited_by_idx on private.guest_invitations using btree (invited_by);

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

create index podcast_guest_notes_podcast_id_idx on public.podcast_guest_notes using btree (podcast_id);

create index podcast_guests_email_idx on public.podcast_guests using btree (email);

create index podcast_guests_name_idx on public.podcast_guests using btree (podcast_id, lower(display_name), id);

create index podcast_guests_search_idx on public.podcast_guests using gin ((((display_name || '
'::text) || email)) extensions.gin_trgm_ops)
  with (fastupdate=off);

create index podcast_guests_user_id_idx on public.podcast_guests using btree (user_id);

create trigger t910_relink_guests
  after update of email on auth.users
  for each row
  when ((((old.email)::text IS DISTINCT FROM (new.email)::text) AND (new.email_confirmed_at IS NOT NULL)))
  execute function private.relink_guests();

create trigger t100_tidy
  before insert or update on public.episode_credits
  for each row
  execute function private.tidy_episode_credit();

create trigger t500_close_gaps
  after delete on public.episode_credits referencing OLD table as gone
  for each STATEMENT
  execute function private.close_credit_gaps();

create trigger t900_announce_change after update on public.episode_credits
  referencing NEW table as changed for each STATEMENT when (
  (pg_trigger_depth() = 0)
) execute function private.announce_credits();

create trigger t900_announce_end
  after delete on public.episode_credits referencing OLD table as changed
  for each STATEMENT
  execute function private.announce_credits();

create trigger t900_announce_new
  after insert on public.episode_credits referencing NEW table as changed
  for each STATEMENT
  execute function private.announce_credits();

create trigger t100_tidy
  before insert or update of episode_id, podcast_id, podcast_guest_id on public.episode_guests
  for each row
  execute function private.tidy_episode_guest();

create trigger t300_guard_open
  before insert or delete or update of episode_id,
    podcast_id, podcast_guest_id, status, invited_at on public.episode_guests
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t500_seat_accepted_guest
  after update of status on public.episode_guests
  for each row
  when (((new.status = 'active'::public.guest_status) AND (old.status <> 'active'::public.guest_status)))
  execute function private.seat_guest();

create trigger t500_seat_guest
  after insert on public.episode_guests
  for each row
  when ((new.status = 'active'::public.guest_status))
  execute function private.seat_guest();

create trigger t500_unseat_guest
  after update of status on public.episode_guests
  for each row
  when (((new.status = 'declined'::public.guest_status) AND (old.status <> 'declined'::public.guest_status)))
  execute function private.unseat_guest();

create trigger t500_void_token
  after update of status on public.episode_guests
  for each row
  when ((new.status = 'removed'::public.guest_status))
  execute function private.void_guest_token();

create trigger t900_announce_change
  after update of status on public.episode_guests
  for each row
  when (((new.status = 'active'::public.guest_status) AND (old.status <> 'active'::public.guest_status)))
  execute function private.announce_guest();

create trigger t900_announce
  after insert on public.episode_guests
  for each row
  when ((new.status = 'active'::public.guest_status))
  execute function private.announce_guest();

create trigger t100_tidy
  before insert on public.episode_messages
  for each row
  execute function private.tidy_episode_message();

create trigger t300_guard_writer
  before insert on public.episode_messages
  for each row
  execute function private.guard_message_writer();

create trigger t310_guard_open
  before insert or delete on public.episode_messages
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t100_tidy
  before insert or update on public.episode_people
  for each row
  execute function private.tidy_episode_person();

create trigger t500_seat_team
  after insert on public.episodes
  for each row
  execute function private.seat_team();

create trigger t100_tidy
  before insert or update of guest_id, podcast_id on public.podcast_guest_notes
  for each row
  execute function private.tidy_podcast_guest_note();

create trigger t300_guard_open
  before insert or delete or update on public.podcast_guest_notes
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t100_tidy
  before insert or update on public.podcast_guests
  for each row
  execute function private.tidy_podcast_guest();

create trigger t300_guard_open
  before insert or delete or update on public.podcast_guests
  for each row
  when ((pg_trigger_depth() = 0))
  execute function private.guard_open_podcast();

create trigger t500_find_user
  before insert or update of email on public.podcast_guests
  for each row
  execute function private.find_guest_user();

create trigger t900_link_guests
  after insert on public.profiles
  for each row
  execute function private.link_guests();

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
    (episode_id in ( select private.my_rosters() as my_rosters)))));

create policy "admins_read" on "public"."podcast_guest_notes"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('admin'::public.podcast_role) as my_podcasts)::uuid[])));

create policy "members_read" on "public"."podcast_guests"
  for select
  to "authenticated"
  using ((podcast_id = ANY (( select private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[])));

alter publication "supabase_realtime" add table "public"."episode_messages";

comment on function "private"."add_guest_message"(text, text) is 'Writes as the token''s guest. PT401 INVALID or EXPIRED, PT403 INVITATION_DECLINED, PT409 the podcast is on its way out, PT429 over 30 a minute.';

comment on function "private"."answer_invitation"(text, public.guest_status) is 'The half of accept_ and decline_guest_invitation behind the grants. PT401 INVALID or EXPIRED, PT409 the podcast is on its way out, PT429 over 30 an hour.';

comment on function "private"."append_credit"(public.episode_people, text, public.credit_role, text, text) is
  'Credits a roster person after all others. Needs lock_roster.';

comment on function "private"."change_person"(uuid, uuid, jsonb) is 'update_episode_person''s half behind the grants.';

comment on function "private"."change_podcast_guest"(uuid, jsonb) is 'update_podcast_guest''s half behind the grants.';

comment on function "private"."claim_jobs"(text, integer, integer) is 'The worker takes up to `most` messages, of a paused queue none; who dies with them leaves them visible again after the visibility timeout. A message that outlived its attempts that way is parked.';

comment on function "private"."credit_out"(public.episode_credits) is 'A credit as the API shows it.';

comment on function "private"."credited_as"(public.episode_people) is 'The label of a person''s credit when nobody chooses one: that of the roster, or the nearest that feeds know.';

comment on function "private"."described_guest"(public.podcast_guests) is 'Who a guest is: {id, displayName, email, userId, avatarUrl}. The avatar is that of the linked user''s profile, as it is now.';

comment on function "private"."described_invitation"(public.episode_guests) is 'A guest of an episode, {episodeGuest, guest}: what inviting, removing and answering return.';

comment on function "private"."drop_episode_guest"(uuid) is 'remove_episode_guest''s half behind the grants.';

comment on function "private"."episode_for_guest"(text) is 'get_guest_episode''s half behind the grants. PT401 INVALID or EXPIRED.';

comment on function "private"."find_podcast_guests"(uuid, text, integer) is 'list_podcast_guests'' half behind the grants.';

comment on function "private"."guest_by_token"(text, timestamp with time zone, boolean) is 'The episode guest whom an access token lets in, whatever its status but removed; notes the visit at most once a minute. For those who are `writing` neither the episode nor the guest goes until the transaction ends. PT401 INVALID or EXPIRED.';

comment on function "private"."guest_invitation"(uuid) is 'What the mail of this invitation says; null when it went out, or nobody is to be invited any more.';

comment on function "private"."guest_message"(public.episode_messages, uuid) is 'A message as a guest reads it.';

comment on function "private"."guest_messages"(text, text, integer) is 'A page of the chat of the token''s episode. PT401 INVALID or EXPIRED, PT403 INVITATION_DECLINED, PT400 limit or cursor.';

comment on function "private"."hold_guest_addresses"(text[]) is 'Until the transaction ends, nobody else links these addresses.';

comment on function "private"."is_blank"(text) is 'True when nothing of it can be seen.';

comment on function "private"."is_credit_role"(text) is 'Whether it is one of the credit role labels, letter for letter.';

comment on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp
  with time zone) is 'From now on the token with this digest opens the invitation, besides that of the last mail that went out. When it expires; null when the request was overtaken.';

comment on function "private"."join_roster"(uuid, public.person_source, text, uuid, uuid, text, text, text) is
  'add_episode_person''s half behind the grants.';

comment on function "private"."leave_roster"(uuid, uuid) is 'remove_episode_person''s half behind the grants.';

comment on function "private"."lock_roster"(uuid) is 'Whoever changes an episode''s roster or credits does so one after another: orders stay whole, duplicates are seen. PT404 when it is gone.';

comment on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) is 'The mail with this token went out: the token of the one before opens nothing any more. Nothing when another attempt has followed.';

comment on function "private"."my_rosters"() is 'The episodes on whose roster the caller is active, perhaps of podcasts whose team they have left.';

comment on function "private"."notify"(text, jsonb) is 'Writes down what happened, in the transaction in which it did. Called by definer triggers and verbs.';

comment on function "private"."open_roster"(uuid, uuid) is 'The episode''s podcast, for an admin who changes its roster, alone until the transaction ends; PT401, PT404, PT403 or PT409 otherwise. `joining` is the user who is to be on it.';

comment on function "private"."order_credits"(uuid, uuid[]) is 'reorder_episode_credits'' half behind the grants.';

comment on function "private"."person_out"(public.episode_people) is 'A roster entry as the API shows it.';

comment on function "private"."plain_address"(text) is 'An e-mail address as it is kept: in lower case, and with nothing around it that cannot be seen.';

comment on function "private"."podcast_guest_of"(uuid) is 'get_podcast_guest''s half behind the grants.';

comment on function "private"."public_name"(text) is 'What a member is called who gave no name.';

comment on function "private"."put_in_credits"(uuid, uuid, jsonb) is 'credit_episode_person''s half behind the grants.';

comment on function "private"."read_cursor"(text) is 'The place that a cursor stands for: rows with (time, id) below it come next; without a cursor, all. PT400 when it is none.';

comment on function "private"."record_invitation"(uuid, text, text, text) is 'invite_guest''s half behind the grants.';

comment on function "private"."require_changes"(jsonb, jsonb, integer) is 'Returns when `changes` is an object of known keys (`kinds`: key to its JSON types) with at least so many of them; PT400 naming the key otherwise.';

comment on function "private"."require_credit_role"(text) is 'Returns when it is one of the credit role labels, or null; PT400 UNKNOWN_ROLE_LABEL otherwise.';

comment on function "private"."require_guest_role"(uuid, public.podcast_role) is 'The guest record, when the caller has at least this role on its podcast; PT401, PT404 or PT403 otherwise.';

comment on function "private"."require_taking_part"(public.episode_guests) is 'PT403 INVITATION_DECLINED for a guest who declined.';

comment on function "private"."roster"(uuid) is 'list_episode_people''s half behind the grants.';

comment on function "private"."roster_person"(uuid, uuid) is 'The roster entry; PT404 when it is not one of this episode''s.';

comment on function "private"."sync_attendee"(text, uuid, uuid, uuid) is 'Queues {type: attendee.added or attendee.removed, podcast_id, episode_id, user_id} for the calendar event of the episode''s session.';

comment on function "private"."take_from_credits"(uuid, uuid) is 'uncredit_episode_person''s half behind the grants.';

comment on function "private"."team_label"(public.podcast_role) is 'What a member is called on a roster: by the role on the podcast, not by choice.';

comment on function "private"."tell_team_added"(uuid, uuid, uuid, uuid) is 'The event episode.team_added, unless people add themselves.';

comment on function "private"."unseen"(text) is 'Of the characters those that cannot be seen: spaces of any kind, control characters, joiners, direction marks.';

comment on function "private"."write_cursor"(timestamp with time zone, uuid) is 'The cursor of what comes after the row with this time and id.';

comment on function "public"."accept_guest_invitation"(text) is 'POST /api/guests/accept: {episodeGuest, guest}, the status active. Needs the access token, no login. 401 INVALID or EXPIRED, 409, 429 RATE_LIMITED.';

comment on function "public"."add_episode_person"(uuid, public.person_source, text, uuid, uuid, text, text, text) is
  'POST …/people: 201 {data: the roster entry, warning?}, or 200 with alreadyExisted when the user or guest is on it. The label is the caller''s for externals only. Needs admin+. 400 nobody of that id, UNKNOWN_ROLE_LABEL, 403, 404, 409 ROSTER_FULL.';

comment on function "public"."credit_episode_person"(uuid, uuid, jsonb) is 'PUT …/people/{personId}/credit: 201 {personId, credit}, appended, or 200 when there was one. name, avatarUrl and externalUrl default to the roster entry''s, roleLabel to the credit''s own, then the entry''s. Needs admin+. 400 UNKNOWN_ROLE_LABEL, 403, 404 not on this episode, 409, 422 PERSON_INACTIVE.';

comment on function "public"."decline_guest_invitation"(text) is 'POST /api/guests/decline: {episodeGuest, guest}, the status declined; also for someone who had accepted. Needs the access token, no login. 401 INVALID or EXPIRED, 409, 429 RATE_LIMITED.';

comment on function "public"."get_guest_episode"(text) is 'POST /api/guests/episode: {episodeGuest, guest, episode, podcast}, the public side of the episode. Needs the access token, no login. 401 INVALID or EXPIRED.';

comment on function "public"."get_podcast_guest"(uuid) is 'GET /api/podcast-guests/{id}: with its episodes, newest invitation first; notes and bio are null to plain members. Needs a member. 403, 404.';

comment on function "public"."invite_guest"(uuid, text, text, text) is 'POST /api/guests: 201 {episodeGuest, guest}. Makes or reuses the record by podcast and address; who declined, was removed or was taken off the roster is invited anew, everyone gets a mail with a fresh token. Needs admin+. 400, 403, 404, 409, 429.';

comment on function "public"."list_episode_people"(uuid) is 'GET …/people: {people, candidates: {teamCandidates, guestCandidates}}; the credited first, in their order, each with `credited`. For admin+, or a member who is active on the roster. 403, 404.';

comment on function "public"."list_guest_messages"(text, text, integer) is 'POST /api/guests/messages/list: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400, 401 INVALID or EXPIRED, 403 INVITATION_DECLINED.';

comment on function "public"."list_podcast_guests"(uuid, text, numeric) is 'GET /api/podcast-guests: by name, those whose display name or e-mail contains q; limit is clamped to 1-50. Needs a member. 400 q is over 455 characters long, 403, 404.';

comment on function "public"."post_guest_message"(text, text) is 'POST /api/guests/messages: 201 with the message. 400, 401 INVALID or EXPIRED, 403 INVITATION_DECLINED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';

comment on function "public"."remove_episode_guest"(uuid) is 'DELETE /api/guests/{episodeGuestId}: {episodeGuest, guest}, the status removed and the token void. Needs admin+. 403, 404, 409.';

comment on function "public"."remove_episode_person"(uuid, uuid) is 'DELETE …/people/{personId}: {id, name}; the credit goes too. Needs admin+. 403, 404 not on this episode, 409.';

comment on function "public"."reorder_episode_credits"(uuid, uuid[]) is 'PUT …/credits/reorder: {episodeId, order}. Needs admin+. 400 NO_CREDITS, DUPLICATE_CREDIT, FOREIGN_CREDIT, MISSING_CREDIT, 403, 404, 409.';

comment on function "public"."uncredit_episode_person"(uuid, uuid) is 'DELETE …/people/{personId}/credit: {personId, name}. Needs admin+. 403, 404 not on this episode, 409, 422 NOT_CREDITED.';

comment on function "public"."update_episode_person"(uuid, uuid, jsonb) is 'PUT …/people/{personId}: name, roleLabel, avatarUrl, externalUrl, isActive; inactive ends the credit. Needs admin+. 400 nothing or unknown, 403, 404 not on this episode, 409.';

comment on function "public"."update_podcast_guest"(uuid, jsonb) is 'PUT /api/podcast-guests/{id}: displayName, notes, bio. Needs admin+. 400 nothing, unknown or too long, 403, 404, 409.';

comment on table "private"."events" is 'What happened, in the order of ids: {user_id, actor_id, podcast_id, …} by type. Written by private.notify().';

comment on table "private"."guest_invitations" is 'The last invitation of each episode guest: what its mail says, and the digests of the access tokens that open it.';

comment on table "public"."episode_credits" is 'The credits of an episode, as its feed and /v1 show them. Members read them; credit_episode_person writes them.';

comment on table "public"."episode_guests" is 'A guest of an episode. Members read it; what the token is known by is in private.guest_invitations.';

comment on table "public"."episode_messages" is 'The chat of an episode. Members read and write it; guests do by token, through list_guest_messages and post_guest_message.';

comment on table "public"."episode_people" is 'The roster of an episode. Admins and active people on it read it; add_episode_person and its siblings write it.';

comment on table "public"."podcast_guest_notes" is 'Notes and bio of a guest, for admins and the owner only.';

comment on table "public"."podcast_guests" is 'A person whom a podcast invites. Members read it; notes and bio are in podcast_guest_notes.';

comment on view "private"."published_episodes" is 'What strangers may see of episodes, and the keys to find it by.';

comment on view "private"."queue_health" is 'For operators: depth, age of the oldest message, dead letters of each queue.';

revoke all on function "private"."add_guest_message"(text, text) from public;

grant execute on function "private"."add_guest_message"(text, text) to "anon", "authenticated", "postgres";

revoke all on function "private"."announce_credits"() from public;

grant execute on function "private"."announce_credits"() to "postgres";

revoke all on function "private"."announce_guest"() from public;

grant execute on function "private"."announce_guest"() to "postgres";

revoke all on function "private"."answer_invitation"(text, public.guest_status) from public;

grant execute
  on function "private"."answer_invitation"(text, public.guest_status)
  to "anon", "authenticated", "postgres";

revoke all
  on function "private"."append_credit"(public.episode_people, text, public.credit_role, text, text)
  from public;

grant execute
  on function "private"."append_credit"(public.episode_people, text, public.credit_role, text, text)
  to "postgres";

revoke all on function "private"."change_person"(uuid, uuid, jsonb) from public;

grant execute on function "private"."change_person"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."change_podcast_guest"(uuid, jsonb) from public;

grant execute on function "private"."change_podcast_guest"(uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."close_credit_gaps"() from public;

grant execute on function "private"."close_credit_gaps"() to "postgres";

revoke all on function "private"."credit_out"(public.episode_credits) from public;

grant execute on function "private"."credit_out"(public.episode_credits) to "postgres";

revoke all on function "private"."credited_as"(public.episode_people) from public;

grant execute on function "private"."credited_as"(public.episode_people) to "postgres";

revoke all on function "private"."described_guest"(public.podcast_guests) from public;

grant execute on function "private"."described_guest"(public.podcast_guests) to "postgres";

revoke all on function "private"."described_invitation"(public.episode_guests) from public;

grant execute on function "private"."described_invitation"(public.episode_guests) to "postgres";

revoke all on function "private"."drop_episode_guest"(uuid) from public;

grant execute on function "private"."drop_episode_guest"(uuid) to "authenticated", "postgres";

revoke all on function "private"."episode_for_guest"(text) from public;

grant execute on function "private"."episode_for_guest"(text) to "anon", "authenticated", "postgres";

revoke all on function "private"."find_guest_user"() from public;

grant execute on function "private"."find_guest_user"() to "postgres";

revoke all on function "private"."find_podcast_guests"(uuid, text, integer) from public;

grant execute on function "private"."find_podcast_guests"(uuid, text, integer) to "authenticated", "postgres";

revoke all on function "private"."guard_message_writer"() from public;

grant execute on function "private"."guard_message_writer"() to "postgres";

revoke all on function "private"."guest_by_token"(text, timestamp with time zone, boolean) from public;

grant execute on function "private"."guest_by_token"(text, timestamp with time zone, boolean) to "postgres";

revoke all on function "private"."guest_invitation"(uuid) from public;

grant execute on function "private"."guest_invitation"(uuid) to "postgres";

revoke all on function "private"."guest_message"(public.episode_messages, uuid) from public;

grant execute on function "private"."guest_message"(public.episode_messages, uuid) to "postgres";

revoke all on function "private"."guest_messages"(text, text, integer) from public;

grant execute on function "private"."guest_messages"(text, text, integer) to "anon", "authenticated", "postgres";

revoke all on function "private"."hold_guest_addresses"(text[]) from public;

grant execute on function "private"."hold_guest_addresses"(text[]) to "postgres";

revoke all on function "private"."is_credit_role"(text) from public;

grant execute on function "private"."is_credit_role"(text) to "postgres";

revoke all
  on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp with time zone)
  from public;

grant execute
  on function "private"."issue_guest_token"(uuid, timestamp with time zone, bytea, timestamp with time zone)
  to "postgres";

revoke all
  on function "private"."join_roster"(uuid, public.person_source, text, uuid, uuid, text, text, text)
  from public;

grant execute
  on function "private"."join_roster"(uuid, public.person_source, text, uuid, uuid, text, text, text)
  to "authenticated", "postgres";

revoke all on function "private"."leave_roster"(uuid, uuid) from public;

grant execute on function "private"."leave_roster"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "private"."link_guests"() from public;

grant execute on function "private"."link_guests"() to "postgres";

revoke all on function "private"."lock_roster"(uuid) from public;

grant execute on function "private"."lock_roster"(uuid) to "postgres";

revoke all on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) from public;

grant execute on function "private"."mark_guest_invitation_sent"(bytea, timestamp with time zone) to "postgres";

revoke all on function "private"."my_rosters"() from public;

grant execute on function "private"."my_rosters"() to "authenticated", "postgres", "service_role";

revoke all on function "private"."notify"(text, jsonb) from public;

grant execute on function "private"."notify"(text, jsonb) to "postgres";

revoke all on function "private"."open_roster"(uuid, uuid) from public;

grant execute on function "private"."open_roster"(uuid, uuid) to "postgres";

revoke all on function "private"."order_credits"(uuid, uuid[]) from public;

grant execute on function "private"."order_credits"(uuid, uuid[]) to "authenticated", "postgres";

revoke all on function "private"."person_out"(public.episode_people) from public;

grant execute on function "private"."person_out"(public.episode_people) to "postgres";

revoke all on function "private"."plain_address"(text) from public;

grant execute on function "private"."plain_address"(text) to "postgres";

revoke all on function "private"."podcast_guest_of"(uuid) from public;

grant execute on function "private"."podcast_guest_of"(uuid) to "authenticated", "postgres";

revoke all on function "private"."public_name"(text) from public;

grant execute on function "private"."public_name"(text) to "postgres";

revoke all on function "private"."put_in_credits"(uuid, uuid, jsonb) from public;

grant execute on function "private"."put_in_credits"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "private"."read_cursor"(text) from public;

grant execute on function "private"."read_cursor"(text) to "postgres";

revoke all on function "private"."record_invitation"(uuid, text, text, text) from public;

grant execute on function "private"."record_invitation"(uuid, text, text, text) to "authenticated", "postgres";

revoke all on function "private"."relink_guests"() from public;

grant execute on function "private"."relink_guests"() to "postgres";

revoke all on function "private"."require_changes"(jsonb, jsonb, integer) from public;

grant execute on function "private"."require_changes"(jsonb, jsonb, integer) to "postgres";

revoke all on function "private"."require_credit_role"(text) from public;

grant execute on function "private"."require_credit_role"(text) to "postgres";

revoke all on function "private"."require_guest_role"(uuid, public.podcast_role) from public;

grant execute on function "private"."require_guest_role"(uuid, public.podcast_role) to "postgres";

revoke all on function "private"."require_taking_part"(public.episode_guests) from public;

grant execute on function "private"."require_taking_part"(public.episode_guests) to "postgres";

revoke all on function "private"."roster"(uuid) from public;

grant execute on function "private"."roster"(uuid) to "authenticated", "postgres";

revoke all on function "private"."roster_person"(uuid, uuid) from public;

grant execute on function "private"."roster_person"(uuid, uuid) to "postgres";

revoke all on function "private"."seat_guest"() from public;

grant execute on function "private"."seat_guest"() to "postgres";

revoke all on function "private"."seat_team"() from public;

grant execute on function "private"."seat_team"() to "postgres";

revoke all on function "private"."sync_attendee"(text, uuid, uuid, uuid) from public;

grant execute on function "private"."sync_attendee"(text, uuid, uuid, uuid) to "postgres";

revoke all on function "private"."take_from_credits"(uuid, uuid) from public;

grant execute on function "private"."take_from_credits"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "private"."team_label"(public.podcast_role) from public;

grant execute on function "private"."team_label"(public.podcast_role) to "postgres";

revoke all on function "private"."tell_team_added"(uuid, uuid, uuid, uuid) from public;

grant execute on function "private"."tell_team_added"(uuid, uuid, uuid, uuid) to "postgres";

revoke all on function "private"."tidy_episode_credit"() from public;

grant execute on function "private"."tidy_episode_credit"() to "postgres";

revoke all on function "private"."tidy_episode_guest"() from public;

grant execute on function "private"."tidy_episode_guest"() to "postgres";

revoke all on function "private"."tidy_episode_message"() from public;

grant execute on function "private"."tidy_episode_message"() to "postgres";

revoke all on function "private"."tidy_episode_person"() from public;

grant execute on function "private"."tidy_episode_person"() to "postgres";

revoke all on function "private"."tidy_podcast_guest"() from public;

grant execute on function "private"."tidy_podcast_guest"() to "postgres";

revoke all on function "private"."tidy_podcast_guest_note"() from public;

grant execute on function "private"."tidy_podcast_guest_note"() to "postgres";

revoke all on function "private"."unseat_guest"() from public;

grant execute on function "private"."unseat_guest"() to "postgres";

revoke all on function "private"."unseen"(text) from public;

grant execute on function "private"."unseen"(text) to "authenticated", "postgres", "service_role";

revoke all on function "private"."void_guest_token"() from public;

grant execute on function "private"."void_guest_token"() to "postgres";

revoke all on function "private"."write_cursor"(timestamp with time zone, uuid) from public;

grant execute on function "private"."write_cursor"(timestamp with time zone, uuid) to "postgres";

revoke all on function "public"."accept_guest_invitation"(text) from public;

grant execute on function "public"."accept_guest_invitation"(text) to "anon", "authenticated", "postgres";

revoke all
  on function "public"."add_episode_person"(uuid, public.person_source, text, uuid, uuid, text, text, text)
  from public;

grant execute
  on function "public"."add_episode_person"(uuid, public.person_source, text, uuid, uuid, text, text, text)
  to "authenticated", "postgres";

revoke all on function "public"."credit_episode_person"(uuid, uuid, jsonb) from public;

grant execute on function "public"."credit_episode_person"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "public"."decline_guest_invitation"(text) from public;

grant execute on function "public"."decline_guest_invitation"(text) to "anon", "authenticated", "postgres";

revoke all on function "public"."get_guest_episode"(text) from public;

grant execute on function "public"."get_guest_episode"(text) to "anon", "authenticated", "postgres";

revoke all on function "public"."get_podcast_guest"(uuid) from public;

grant execute on function "public"."get_podcast_guest"(uuid) to "authenticated", "postgres";

revoke all on function "public"."invite_guest"(uuid, text, text, text) from public;

grant execute on function "public"."invite_guest"(uuid, text, text, text) to "authenticated", "postgres";

revoke all on function "public"."list_episode_people"(uuid) from public;

grant execute on function "public"."list_episode_people"(uuid) to "authenticated", "postgres";

revoke all on function "public"."list_guest_messages"(text, text, integer) from public;

grant execute on function "public"."list_guest_messages"(text, text, integer) to "anon", "authenticated", "postgres";

revoke all on function "public"."list_podcast_guests"(uuid, text, numeric) from public;

grant execute on function "public"."list_podcast_guests"(uuid, text, numeric) to "authenticated", "postgres";

revoke all on function "public"."post_guest_message"(text, text) from public;

grant execute on function "public"."post_guest_message"(text, text) to "anon", "authenticated", "postgres";

revoke all on function "public"."remove_episode_guest"(uuid) from public;

grant execute on function "public"."remove_episode_guest"(uuid) to "authenticated", "postgres";

revoke all on function "public"."remove_episode_person"(uuid, uuid) from public;

grant execute on function "public"."remove_episode_person"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."reorder_episode_credits"(uuid, uuid[]) from public;

grant execute on function "public"."reorder_episode_credits"(uuid, uuid[]) to "authenticated", "postgres";

revoke all on function "public"."uncredit_episode_person"(uuid, uuid) from public;

grant execute on function "public"."uncredit_episode_person"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."update_episode_person"(uuid, uuid, jsonb) from public;

grant execute on function "public"."update_episode_person"(uuid, uuid, jsonb) to "authenticated", "postgres";

revoke all on function "public"."update_podcast_guest"(uuid, jsonb) from public;

grant execute on function "public"."update_podcast_guest"(uuid, jsonb) to "authenticated", "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update on table "private"."events" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."guest_invitations"
  to "postgres";

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

grant usage on type "public"."credit_role" to "postgres";

grant usage on type "public"."guest_status" to "postgres";

grant usage on type "public"."person_source" to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."published_episodes"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."queue_health"
  to "postgres";

alter table "public"."episode_messages"
  add constraint "episode_messages_sender_user_id_fkey" foreign key (sender_user_id) references public.profiles(id)
    on delete cascade;

create index episode_messages_sender_user_id_idx on public.episode_messages using btree (sender_user_id);

create policy "members_write" on "public"."episode_messages"
  for insert
  to "authenticated"
  with
    check
    (((sender_user_id = ( SELECT auth.uid() AS uid)) AND (podcast_id = ANY (( SELECT
    private.my_podcasts('member'::public.podcast_role) AS my_podcasts)::uuid[]))));

create policy "senders_delete" on "public"."episode_messages"
  for delete
  to "authenticated"
  using
    (((sender_user_id = ( select auth.uid() as uid)) AND (podcast_id = ANY (( select
    private.my_podcasts('member'::public.podcast_role) as my_podcasts)::uuid[]))));

alter table "private"."guest_invitations"
  add constraint "message_is_1_to_2000_long"
    check (((char_length(message) <= 2000) AND (NOT private.is_blank(message))));

alter table "public"."episode_credits"
  add constraint "name_is_1_to_200_long" check (((char_length(name) <= 200) AND (NOT private.is_blank(name))));

alter table "public"."episode_messages"
  add constraint "body_is_1_to_4000_long" check (((char_length(body) <= 4000) AND (NOT private.is_blank(body))));

alter table "public"."episode_people"
  add constraint "name_is_1_to_200_long" check (((char_length(name) <= 200) AND (NOT private.is_blank(name))));

alter table "public"."episode_people"
  add constraint "role_label_is_1_to_100_long"
    check (((char_length(role_label) <= 100) AND (NOT private.is_blank(role_label))));

alter table "public"."podcast_guests"
  add constraint "display_name_is_1_to_200_long"
    check (((char_length(display_name) <= 200) AND (NOT private.is_blank(display_name))));

alter table "public"."podcast_guests"
  add constraint "email_is_an_address"
    check
    ((((email COLLATE pg_c_utf8) ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'::text) AND
    (email !~ '@(.*\.)?(\.|$)'::text) AND (private.unseen(email) = ''::text) AND (char_length(email) <= 254)));

reset check_function_bodies;

select private.install();
