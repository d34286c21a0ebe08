-- Direct uploads: audio that goes to storage by a signed URL, past the functions and their cap, and is finished afterwards.
-- The client writes a staged object; the server copies it under the final key, whose bytes and headers are then its own.
create table private.direct_uploads (
  id                 uuid primary key default gen_random_uuid(),
  podcast_id         uuid not null references public.podcasts on delete cascade,
  episode_id         uuid not null references public.episodes on delete cascade,
  staged_path        text not null unique,   -- in the bucket staging, which nobody reads
  path               text not null unique,   -- in the bucket media
  content_type       text not null,
  bytes              bigint not null,        -- as announced; what counts is measured
  expected_audio_url text,
  created_at         timestamptz not null default now(),
  completed_at       timestamptz,
  constraint content_type_is_known check (content_type = any (private.audio_types()))
);
comment on table private.direct_uploads is 'Uploads by signed URL that are under way, and for a day those that ended.';
create index direct_uploads_podcast_id_idx on private.direct_uploads (podcast_id);
create index direct_uploads_episode_id_idx on private.direct_uploads (episode_id);
create index direct_uploads_created_at_idx on private.direct_uploads (created_at);
alter table private.direct_uploads enable row level security;
-- No policy, no grant.

create function private.settle_direct_upload(path text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  staged text;
begin
  update private.direct_uploads d set completed_at = now()
  where d.path = settle_direct_upload.path and d.completed_at is null returning d.staged_path into staged;
  if found then
    perform private.collect_objects(array[staged], 'staging');
  end if;
end $$;
comment on function private.settle_direct_upload is 'The direct upload behind this path, if there is one, is over: its staged object goes.';
revoke all on function private.settle_direct_upload from public, anon, authenticated, service_role;
