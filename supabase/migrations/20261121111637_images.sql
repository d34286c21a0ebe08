-- Written by npm run db:migration from sql/: change it there.
set check_function_bodies = off;

drop index "private"."media_objects_account_id_idx";

drop index "private"."media_objects_episode_id_idx";

drop index "private"."media_objects_one_audio_idx";

alter table "private"."media_objects"
  drop constraint "purpose_is_known";

-- data: the only images so far were covers
update private.media_objects set purpose = 'cover' where purpose = 'image';

drop function "private"."collect_objects"(text[]);

drop function "private"."collectable"(text[]);

drop function "private"."forget_objects"(text[]);

drop function "private"."require_allowance"(uuid, bigint, bigint);

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
  "completed_at"       timestamp with time zone,
  constraint "direct_uploads_path_key" unique (path),
  constraint "direct_uploads_pkey" primary key (id),
  constraint "direct_uploads_staged_path_key" unique (staged_path),
  constraint "content_type_is_known" check ((content_type = ANY (private.audio_types())))
);

alter table "private"."direct_uploads"
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

create table "private"."rate_limits" (
  "key"   text                     not null,
  "began" timestamp with time zone not null,
  "taken" integer                  not null,
  constraint "rate_limits_pkey" primary key (key)
);

alter table "private"."rate_limits"
  enable row level security;

alter table "private"."media_objects"
  add column "width" integer;

alter table "private"."media_objects"
  add column "height" integer;

alter table "private"."media_objects"
  alter column "podcast_id" drop not null;

alter table "private"."media_objects"
  add column "place" uuid generated always as (COALESCE(episode_id, podcast_id)) stored;

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

create or replace function private.direct_upload (
  upload_id uuid,
  OUT       upload private.direct_uploads,
  OUT       bytes bigint,
  OUT       is_replaced boolean
)
  returns record
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  audio_url text;
begin
  select * into upload from private.direct_uploads d where d.id = direct_upload.upload_id
  for update;  -- a completion under way ends first, and takes the staged object with it
  if not found then
    raise sqlstate 'PT404' using message = 'Upload not found';
  end if;
  perform private.require_role(upload.podcast_id, 'admin');
  bytes := case when upload.completed_at is null then private.stored_size(upload.staged_path, 'staging') else private.stored_size(upload.path) end;
  select e.audio_url into audio_url from public.episodes e where e.id = upload.episode_id;
  is_replaced := private.named_path(audio_url) is distinct from upload.path
    and (upload.completed_at is not null or audio_url is distinct from upload.expected_audio_url);
  if is_replaced then
    perform private.settle_direct_upload(upload.path);
  end if;
end $function$;

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
  perform private.lock_object(finish_artwork_import.path);
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
  perform private.lock_object(finish_artwork_move.path);
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
  url     text := private.setting('media_url') || '/' || finish_audio_upload.path;
begin
  perform private.require_finishable(actor, finish_audio_upload.podcast_id, finish_audio_upload.episode_id,
    finish_audio_upload.path, finish_audio_upload.bytes);
  if not starts_with(finish_audio_upload.path,
       format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id)) then
    raise sqlstate 'PT500' using message = 'The object lies outside the episode';
  end if;
  select * into episode from public.episodes e where e.id = finish_audio_upload.episode_id;
  if episode.audio_url is distinct from url then  -- equal: this very upload, finished before; safe to repeat
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
  perform private.settle_direct_upload(finish_audio_upload.path);
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', url, 'fileSize', episode.audio_file_size_bytes,
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
  named text := private.named_path(url);
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

  insert into private.queues as q (name, max_attempts, backoff_base, backoff_cap, purpose) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', 'Renders a podcast''s feed document again'),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', 'Deletes stored objects that nothing refers to')
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

create or replace function private.is_abandoned (
  path text
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_object(is_abandoned.path);
  return not exists (select from private.media_objects m where m.path = is_abandoned.path);
end $function$;

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
  return coalesce(private.named_path(url) = path, false);
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

create or replace function private.move_media_account()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update private.media_objects m set account_id = new.owner_id
  where m.path in (  -- rows are locked in one order everywhere
    select o.path from private.media_objects o where o.podcast_id = new.id order by o.path for update);
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

create or replace function private.my_storage()
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object('used', a.storage_bytes_used, 'allowed', private.allowed_bytes(a.user_id),
      'temporary', coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.purpose = 'temporary' and m.released_at is null), 0),
      'podcasts', coalesce((
        select jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'used', coalesce(m.bytes, 0)) order by m.bytes desc nulls last, p.id)
        from public.podcasts p
        left join (
          select o.podcast_id, sum(o.bytes) as bytes from private.media_objects o
          where o.account_id = a.user_id and o.released_at is null group by o.podcast_id) m on m.podcast_id = p.id
        where p.owner_id = a.user_id), '[]'))
    from public.billing_accounts a where a.user_id = auth.uid());
end $function$;

create or replace function private.named_path (
  url text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return substring(regexp_replace(url, '[?#].*$', '') from '/(podcasts/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.+)$');
end $function$;

create or replace function private.object_path (
  url text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  bare text := regexp_replace(url, '[?#].*$', '');
  base text;
begin
  -- the platform's own address stays an object's address when a CDN stands in front of it
  foreach base in array array[private.setting('media_url'), private.setting('storage_url') || '/object/public/media'] loop
    if starts_with(bare, base || '/') then
      return substr(bare, length(base) + 2);
    end if;
  end loop;
  return null;
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

create or replace function private.require_allowance (
  podcast_id uuid,
  episode_id uuid,
  purpose    text,
  bytes      bigint
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
  select a.storage_bytes_used as used, private.allowed_bytes(a.user_id) as allowed into account
  from public.billing_accounts a
  where a.user_id = case when purpose = 'temporary' then auth.uid()
    else (select p.owner_id from public.podcasts p where p.id = require_allowance.podcast_id) end;
  select coalesce(sum(m.bytes), 0) into freed from private.media_objects m
  where m.place = coalesce(require_allowance.episode_id, require_allowance.podcast_id)
    and m.purpose = require_allowance.purpose and m.released_at is null;
  if account.used - freed + require_allowance.bytes > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used, 'bytes_allowed', account.allowed, 'bytes_wanted', require_allowance.bytes)::text;
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
  perform private.lock_object(require_finishable.path);
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
  perform private.require_open_podcast(require_finishable.podcast_id);
  perform from public.podcast_members m
  where m.podcast_id = require_finishable.podcast_id and m.user_id = require_finishable.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  perform private.require_measured(require_finishable.path, require_finishable.bytes);
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
  perform private.require_open_podcast(require_image_target.podcast_id);
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

create or replace function private.settle_direct_upload (
  path text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  staged text;
begin
  update private.direct_uploads d set completed_at = now()
  where d.path = settle_direct_upload.path and d.completed_at is null returning d.staged_path into staged;
  if found then
    perform private.collect_objects(array[staged], 'staging');
  end if;
end $function$;

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
  started private.direct_uploads;
  file    uuid := gen_random_uuid();
  open    record;
begin
  perform private.require_role(start_direct_upload.podcast_id, 'admin');
  -- what is counted holds: the podcast stays its owner's, and the owner's uploads are opened one after another
  perform from public.podcasts p where p.id = start_direct_upload.podcast_id for no key update;
  perform pg_advisory_xact_lock(hashtextextended('direct_uploads/' || p.owner_id, 0))
  from public.podcasts p where p.id = start_direct_upload.podcast_id;
  select count(*) as uploads, coalesce(sum(d.bytes) filter (where d.created_at > now() - interval '2 hours'), 0) as bytes into open
  from private.direct_uploads d join public.podcasts theirs on theirs.id = d.podcast_id
  join public.podcasts p on p.owner_id = theirs.owner_id
  where p.id = start_direct_upload.podcast_id and d.completed_at is null;
  if open.uploads >= 100 then
    raise sqlstate 'PT429' using message = 'Too many uploads of this account are open; complete them, or wait a day', hint = 'TOO_MANY_UPLOADS';
  end if;
  -- what may still come by the URLs given out counts, for two hours: so long they are good
  perform private.require_allowance(start_direct_upload.podcast_id, start_direct_upload.episode_id, 'audio', (start_direct_upload.bytes + open.bytes)::bigint);
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
  staged    text[];
  orphans   text[];
begin
  delete from private.direct_uploads d where d.created_at < unused;
  staged := array(  -- also what came by a URL that outlived its upload
    select o.name from storage.objects o
    where o.bucket_id = 'staging' and o.created_at < unused
      and not exists (select from private.direct_uploads d where d.staged_path = o.name and d.completed_at is null)
    order by o.name limit 10000);
  perform private.collect_objects(staged, 'staging');

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
  return cardinality(temporary) + cardinality(staged) + cardinality(orphans);
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
  if bucket <> 'media' then  -- staged objects are nobody's once they are let go
    return paths;
  end if;
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is not null and not private.is_named(o.path) order by o.path for update);
  return array(
    select given.path from unnest(paths) given (path)
    where not exists (select from private.media_objects m where m.path = given.path) and not private.is_named(given.path));
end $function$;

create or replace function private.take_turn (
  key  text,
  most integer,
  per  interval,
  at   timestamp with time zone default now()
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  turn private.rate_limits;
begin
  insert into private.rate_limits as r (key, began, taken) values (take_turn.key, take_turn.at, 1)
  on conflict on constraint rate_limits_pkey do update set
    began = case when r.began <= take_turn.at - take_turn.per then take_turn.at else r.began end,
    taken = case when r.began <= take_turn.at - take_turn.per then 1 else r.taken + 1 end
  returning * into turn;
  if turn.taken > most then
    raise sqlstate 'PT429' using message = 'Too many requests; try again later', hint = 'RATE_LIMITED',
      detail = jsonb_build_object('rate_limit_reset_at', private.iso(turn.began + take_turn.per))::text;
  end if;
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
  if state.is_replaced then  -- returned, so that the upload stays ended
    return private.refuse(409, 'The audio was replaced by another upload in the meantime', 'CONCURRENT_REPLACEMENT');
  elsif bytes is null then
    raise sqlstate 'PT409' using message = 'Nothing has been uploaded yet', hint = 'UPLOAD_MISSING';
  elsif bytes = 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if upload.completed_at is null then
    perform private.require_allowance(upload.podcast_id, upload.episode_id, 'audio', bytes);
  end if;
  return jsonb_build_object(
    'podcastId', upload.podcast_id, 'episodeId', upload.episode_id,
    'stagedPath', case when upload.completed_at is null then upload.staged_path end,
    'path', upload.path, 'bytes', bytes, 'contentType', upload.content_type, 'expectedAudioUrl', upload.expected_audio_url);
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
  select e.slug, private.object_path(coalesce(e.cover_image_url, p.cover_image_url)) into slug, path
  from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = get_episode_cover.episode_id;
  -- only what lies under the podcast itself, by names that lead nowhere else
  if path ~ format('^podcasts/%s/([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+\.(jpg|png|webp)$', podcast_id) is not true then
    raise sqlstate 'PT404' using message = 'No cover of this episode is stored here';
  end if;
  return jsonb_build_object('path', path, 'filename', slug || '-cover' || substring(path from '\.[a-z]+$'));
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
  perform private.take_turn('artwork-import/' || auth.uid(), private.setting('artwork_imports_per_hour')::int, interval '1 hour');
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

create or replace function public.storage_usage()
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return private.my_storage();
end $function$;

alter table "private"."direct_uploads"
  add constraint "direct_uploads_episode_id_fkey" foreign key (episode_id) references public.episodes(id)
    on delete cascade;

alter table "private"."direct_uploads"
  add constraint "direct_uploads_podcast_id_fkey" foreign key (podcast_id) references public.podcasts(id)
    on delete cascade;

alter table "private"."media_objects"
  add constraint "purpose_has_its_place" check (
CASE
    WHEN (purpose = ANY (ARRAY['audio'::text, 'episode_cover'::text])) THEN (num_nulls(podcast_id, episode_id) = 0)
    WHEN (purpose = ANY (ARRAY['cover'::text, 'header'::text, 'banner'::text, 'profile'::text])) THEN ((podcast_id IS
      NOT NULL) AND (episode_id IS NULL))
    ELSE ((purpose = 'temporary'::text) AND (num_nonnulls(podcast_id, episode_id) = 0))
END);

alter table "private"."media_objects"
  add constraint "size_is_an_image_s"
    check
    ((((num_nulls(width, height) = 0) AND (width > 0) AND (height > 0) AND (purpose <> 'audio'::text)) OR
    (num_nonnulls(width, height) = 0)));

create index direct_uploads_created_at_idx on private.direct_uploads using btree (created_at);

create index direct_uploads_episode_id_idx on private.direct_uploads using btree (episode_id);

create index direct_uploads_podcast_id_idx on private.direct_uploads using btree (podcast_id);

create index media_objects_account_id_idx on private.media_objects using btree (account_id, podcast_id);

create unique index media_objects_one_live_idx on private.media_objects using btree (place, purpose)
  where (released_at is null);

create index media_objects_place_idx on private.media_objects using btree (place, purpose);

create index media_objects_temporary_idx on private.media_objects using btree (created_at)
  where ((purpose = 'temporary'::text) AND (released_at is null));

create index rate_limits_began_idx on private.rate_limits using btree (began);

create trigger t500_follow_cover
  after update of cover_image_url on public.episodes
  for each row
  when ((old.cover_image_url IS DISTINCT FROM new.cover_image_url))
  execute function private.follow_episode_cover();

create trigger t500_follow_images
  after update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row
  execute function private.follow_podcast_images();

create trigger t500_release_temporaries
  before delete on public.profiles
  for each row
  execute function private.release_temporaries_of_profile();

comment on function "private"."artwork_source"(text) is 'A live import of the caller''s, null when there is none (any more); PT404 for what is no import''s path, PT403 for someone else''s.';

comment on function "private"."audio_path"(uuid, uuid, uuid, text) is 'Where an episode''s audio is stored (contract, Stored object paths).';

comment on function "private"."collect_objects"(text[], text) is 'Queues objects for deletion, a hundred a message.';

comment on function "private"."direct_upload"(uuid) is 'A direct upload, the bytes that storage has of it (null for none yet), and whether other audio came before it, which ends it; admin+ only. PT404 unknown, or a day old.';

comment on function "private"."drop_podcast_image"(uuid, text) is 'delete_podcast_image''s half behind the grants; the paths that are to be deleted.';

comment on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb) is 'Ends an import without a podcast: charged to the user, kept for temporary_hours. Safe to repeat. PT500 size mismatch, PT409 allowance.';

comment on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) is 'Ends a move: the copy becomes the podcast''s image, the source is released. Safe to repeat. PT404 the source is gone, else as finish_image_upload.';

comment on function "private"."finish_audio_upload"(uuid, uuid, uuid, text, bigint, text, integer, text) is
  'Ends both ways to upload audio (PUT /api/media/audio/upload, rules 4 to 7): measured size, optimistic guard, allowance under the account''s lock, disposal of the previous object. PT500 size mismatch, PT404 episode gone, PT409 allowance or concurrent replacement, PT403.';

comment on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb) is
  'Ends an image upload: sets the column of the podcast or episode and releases what it named before; `collectable` is what can go at once. Safe to repeat. PT500 size mismatch, PT404 gone, PT409 allowance, PT403.';

comment on function "private"."follow_image"(uuid, text, text) is 'Releases the image objects of a place that its column names no more, and revives the one that it names again.';

comment on function "private"."image_column"(public.podcasts, text) is 'What a podcast names as its image of this type.';

comment on function "private"."image_extension"(text) is 'The extension of an accepted image MIME type (contract, Audio and image formats); null for others.';

comment on function "private"."image_path"(uuid, text, uuid, uuid, text) is 'Where an image is stored (contract, Stored object paths).';

comment on function "private"."image_type"(text) is 'The specification of an image type; PT400 when there is none of that name.';

comment on function "private"."image_url"(text) is 'An image''s public URL with its cache-busting parameter, ?v=<epoch milliseconds>.';

comment on function "private"."is_abandoned"(text) is 'Whether the upload of this object never finished, and will not while this transaction lasts.';

comment on function "private"."is_named"(text) is 'Whether the column of the podcast or episode that an object is stored for names it.';

comment on function "private"."lock_object"(text) is 'Serialises, until the transaction ends, the finishing of an object and its removal.';

comment on function "private"."moved_artwork"(uuid, text, text) is 'The address of this object, when it is the podcast''s image now; null otherwise. Admin+ only.';

comment on function "private"."my_storage"() is 'storage_usage''s half behind the grants.';

comment on function "private"."named_path"(text) is 'The path of the object that an address would name, wherever it leads; null when it has the form of none.';

comment on function "private"."object_path"(text) is 'The path in the bucket of what a public URL names; null for addresses elsewhere.';

comment on function "private"."require_allowance"(uuid, uuid, text, bigint) is 'PT409 when the podcast''s account (admin+ only), or for a temporary object the caller''s own, cannot take these bytes in place of what is there.';

comment on function "private"."require_announced"(text, bigint) is 'PT400 unless an upload is announced with a name and a size of at most 500 MB.';

comment on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) is 'Locks what an upload changes; PT403, PT404, PT409, or PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';

comment on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric) is
  'PT400 unless an image fits its type: format, size, the bytes'' own format, minimum dimensions, aspect ratio within the tolerance (0.02 uploads, 0.05 imports).';

comment on function "private"."require_image_format"(private.image_types, text) is 'PT400 unless images of this type may have this format.';

comment on function "private"."require_image_target"(uuid, text, uuid) is 'Returns when the caller may set this image here; PT401, PT403, PT404 or PT409 otherwise.';

comment on function "private"."require_importable"(text) is 'The specification of an image type that is imported; PT400 otherwise.';

comment on function "private"."require_measured"(text, bigint) is 'PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';

comment on function "private"."require_uploadable"(text) is 'The specification of an image type that is uploaded; PT400 otherwise.';

comment on function "private"."set_image_column"(uuid, text, text) is 'Sets a podcast''s image of this type.';

comment on function "private"."settle_direct_upload"(text) is 'The direct upload behind this path, if there is one, is over: its staged object goes.';

comment on function "private"."start_direct_upload"(uuid, uuid, text, bigint) is 'Opens a direct upload; admin+ only. PT409 when it does not fit beside what else is open, PT429 at 100 open ones of an account.';

comment on function "private"."stored_size"(text, text) is 'The bytes of a stored object as storage measured them; null when it is not there.';

comment on function "private"."sweep_storage"(timestamp with time zone) is 'Queues for deletion, at most 10,000 of each a run: orphans older than the setting orphan_guard_hours, counted from when they were replaced; artwork imports and direct uploads that were not used within temporary_hours.';

comment on function "private"."take_collectable"(text, text[]) is 'Those of a bucket''s paths that nothing names: forgotten here, and the caller''s to delete.';

comment on function "private"."take_turn"(text, integer, interval, timestamp
  with time zone) is 'Counts one more of what is limited to `most` in a window of `per`. PT429 RATE_LIMITED with rate_limit_reset_at; a refused turn is not counted.';

comment on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid) is 'POST /api/media/import-artwork, after the fetch: checks what came (ratio within 5 %) and names its key. 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';

comment on function "public"."begin_artwork_move"(text, uuid, text) is 'POST /api/media/move-artwork, before the copy: the permanent key. 400 image type, or an image that does not fit it, 403, 404 no such import, 409.';

comment on function "public"."begin_direct_completion"(uuid) is 'POST /api/media/audio/direct-upload/complete, which then copies the object under its final key and finishes it. 400 empty, 403, 404 no such upload, 409 nothing uploaded yet, other audio in the meantime, or over the allowance.';

comment on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) is 'POST /api/media/audio/direct-upload, which adds the signed URL. 400 content type, size or filename, 403, 404, 409 allowance, 429 too many open.';

comment on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid) is 'PUT /api/media/upload: the contract''s checks, with the bytes received and what they are ({type, width, height}, null for no image). 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';

comment on function "public"."delete_podcast_image"(uuid, text) is 'DELETE /api/media/image/{podcastId}/{imageType}: clears the column and queues every object of the image, also replaced ones; none is 200 with 0. Needs admin+. 400 image type, 403, 404, 409.';

comment on function "public"."get_episode_cover"(uuid) is 'GET /api/media/episode-cover/{episodeId}/download: {path, filename} of the object. Needs a member. 403, 404 no episode, no cover, or one that lies elsewhere.';

comment on function "public"."prepare_artwork_import"(text, uuid) is 'POST /api/media/import-artwork, before the fetch: what may be fetched. 400 image type, with a podcast 403, 404, 409, 429 too often.';

comment on function "public"."prepare_audio_upload"(uuid, uuid, text) is 'PUT /api/media/audio/upload, before the body: the most bytes to read. 400 content type, 403, 404, 409.';

comment on function "public"."prepare_image_upload"(uuid, text, text, uuid) is 'PUT /api/media/upload, before the body: the most bytes to read. 400 image type or format, 403, 404, 409.';

comment on function "public"."presign_image_upload"(uuid, text, text, text, uuid) is 'POST /api/media/presigned-url. The paths are advisory: the upload makes its own key. 400 image type, content type or filename, 403, 404, 409.';

comment on function "public"."storage_usage"() is 'The caller''s own account, in bytes: {used, allowed, temporary, podcasts: [{id, slug, title, used}]}, the largest first. `used` is the podcasts'' sum and the temporary imports.';

comment on table "private"."direct_uploads" is 'Uploads by signed URL that are under way, and for a day those that ended.';

comment on table "private"."image_types" is 'The specification of each image type.';

comment on table "private"."rate_limits" is 'The present window of whatever is limited. Rows of past windows are deleted daily.';

revoke all on function "private"."artwork_source"(text) from public;

grant execute on function "private"."artwork_source"(text) to "authenticated", "postgres";

revoke all on function "private"."audio_path"(uuid, uuid, uuid, text) from public;

grant execute on function "private"."audio_path"(uuid, uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "private"."collect_objects"(text[], text) from public;

grant execute on function "private"."collect_objects"(text[], text) to "postgres";

revoke all on function "private"."direct_upload"(uuid) from public;

grant execute on function "private"."direct_upload"(uuid) to "authenticated", "postgres";

revoke all on function "private"."drop_podcast_image"(uuid, text) from public;

grant execute on function "private"."drop_podcast_image"(uuid, text) to "authenticated", "postgres";

revoke all on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb) from public;

grant execute
  on function "private"."finish_artwork_import"(uuid, text, bigint, text, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) from public;

grant execute on function "private"."finish_artwork_move"(uuid, text, uuid, text, text) to "postgres", "service_role";

revoke all on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb) from public;

grant execute
  on function "private"."finish_image_upload"(uuid, uuid, text, uuid, text, bigint, text, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."follow_episode_cover"() from public;

grant execute on function "private"."follow_episode_cover"() to "postgres";

revoke all on function "private"."follow_image"(uuid, text, text) from public;

grant execute on function "private"."follow_image"(uuid, text, text) to "postgres";

revoke all on function "private"."follow_podcast_images"() from public;

grant execute on function "private"."follow_podcast_images"() to "postgres";

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

revoke all on function "private"."is_abandoned"(text) from public;

grant execute on function "private"."is_abandoned"(text) to "postgres";

revoke all on function "private"."is_named"(text) from public;

grant execute on function "private"."is_named"(text) to "postgres";

revoke all on function "private"."lock_object"(text) from public;

grant execute on function "private"."lock_object"(text) to "postgres";

revoke all on function "private"."moved_artwork"(uuid, text, text) from public;

grant execute on function "private"."moved_artwork"(uuid, text, text) to "authenticated", "postgres";

revoke all on function "private"."my_storage"() from public;

grant execute on function "private"."my_storage"() to "authenticated", "postgres";

revoke all on function "private"."named_path"(text) from public;

grant execute on function "private"."named_path"(text) to "postgres";

revoke all on function "private"."object_path"(text) from public;

grant execute on function "private"."object_path"(text) to "authenticated", "postgres";

revoke all on function "private"."release_temporaries_of_profile"() from public;

grant execute on function "private"."release_temporaries_of_profile"() to "postgres";

revoke all on function "private"."require_allowance"(uuid, uuid, text, bigint) from public;

grant execute on function "private"."require_allowance"(uuid, uuid, text, bigint) to "authenticated", "postgres";

revoke all on function "private"."require_announced"(text, bigint) from public;

grant execute on function "private"."require_announced"(text, bigint) to "authenticated", "postgres";

revoke all on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) from public;

grant execute on function "private"."require_finishable"(uuid, uuid, uuid, text, bigint) to "postgres";

revoke all on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric) from public;

grant execute
  on function "private"."require_image"(private.image_types, text, bigint, jsonb, numeric)
  to "authenticated", "postgres";

revoke all on function "private"."require_image_format"(private.image_types, text) from public;

grant execute on function "private"."require_image_format"(private.image_types, text) to "authenticated", "postgres";

revoke all on function "private"."require_image_target"(uuid, text, uuid) from public;

grant execute on function "private"."require_image_target"(uuid, text, uuid) to "authenticated", "postgres";

revoke all on function "private"."require_importable"(text) from public;

grant execute on function "private"."require_importable"(text) to "authenticated", "postgres";

revoke all on function "private"."require_measured"(text, bigint) from public;

grant execute on function "private"."require_measured"(text, bigint) to "postgres";

revoke all on function "private"."require_uploadable"(text) from public;

grant execute on function "private"."require_uploadable"(text) to "authenticated", "postgres";

revoke all on function "private"."set_image_column"(uuid, text, text) from public;

grant execute on function "private"."set_image_column"(uuid, text, text) to "postgres";

revoke all on function "private"."settle_direct_upload"(text) from public;

grant execute on function "private"."settle_direct_upload"(text) to "postgres";

revoke all on function "private"."start_direct_upload"(uuid, uuid, text, bigint) from public;

grant execute on function "private"."start_direct_upload"(uuid, uuid, text, bigint) to "authenticated", "postgres";

revoke all on function "private"."stored_size"(text, text) from public;

grant execute on function "private"."stored_size"(text, text) to "postgres";

revoke all on function "private"."take_collectable"(text, text[]) from public;

grant execute on function "private"."take_collectable"(text, text[]) to "postgres";

revoke all on function "private"."take_turn"(text, integer, interval, timestamp with time zone) from public;

grant execute
  on function "private"."take_turn"(text, integer, interval, timestamp with time zone)
  to "authenticated", "postgres";

revoke all on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid) from public;

grant execute
  on function "public"."begin_artwork_import"(text, bigint, jsonb, text, uuid)
  to "authenticated", "postgres";

revoke all on function "public"."begin_artwork_move"(text, uuid, text) from public;

grant execute on function "public"."begin_artwork_move"(text, uuid, text) to "authenticated", "postgres";

revoke all on function "public"."begin_direct_completion"(uuid) from public;

grant execute on function "public"."begin_direct_completion"(uuid) to "authenticated", "postgres";

revoke all on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) from public;

grant execute on function "public"."begin_direct_upload"(uuid, uuid, text, text, bigint) to "authenticated", "postgres";

revoke all on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid) from public;

grant execute
  on function "public"."begin_image_upload"(uuid, text, text, bigint, jsonb, uuid)
  to "authenticated", "postgres";

revoke all on function "public"."delete_podcast_image"(uuid, text) from public;

grant execute on function "public"."delete_podcast_image"(uuid, text) to "authenticated", "postgres";

revoke all on function "public"."get_episode_cover"(uuid) from public;

grant execute on function "public"."get_episode_cover"(uuid) to "authenticated", "postgres";

revoke all on function "public"."prepare_artwork_import"(text, uuid) from public;

grant execute on function "public"."prepare_artwork_import"(text, uuid) to "authenticated", "postgres";

revoke all on function "public"."prepare_audio_upload"(uuid, uuid, text) from public;

grant execute on function "public"."prepare_audio_upload"(uuid, uuid, text) to "authenticated", "postgres";

revoke all on function "public"."prepare_image_upload"(uuid, text, text, uuid) from public;

grant execute on function "public"."prepare_image_upload"(uuid, text, text, uuid) to "authenticated", "postgres";

revoke all on function "public"."presign_image_upload"(uuid, text, text, text, uuid) from public;

grant execute on function "public"."presign_image_upload"(uuid, text, text, text, uuid) to "authenticated", "postgres";

revoke all on function "public"."storage_usage"() from public;

grant execute on function "public"."storage_usage"() to "authenticated", "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."direct_uploads"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."image_types"
  to "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."rate_limits"
  to "postgres";

reset check_function_bodies;

select private.install();
