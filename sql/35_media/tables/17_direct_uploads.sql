-- Direct uploads: audio that a client uploads to storage by a signed URL, past the functions and their limit, and then
-- completes. The service copies the staged object to its final path, where clients cannot change it.
-- An upload is open until it is completed, replaced, or temporary_object_ttl_hours old.
create table private.direct_uploads (
  id                 uuid primary key default gen_random_uuid(),
  podcast_id         uuid not null references public.podcasts on delete cascade,
  episode_id         uuid not null references public.episodes on delete cascade,
  staged_path        text not null unique,   -- in the bucket staging, which clients cannot read
  path               text not null unique,   -- in the bucket media
  content_type       text not null,
  declared_bytes     bigint not null,        -- maximum size; the measured size counts
  expected_audio_url text,
  created_at         timestamptz not null default now(),
  lease_expires_at   timestamptz,            -- lease of a completion; it expires if the process dies
  ended_at           timestamptz,            -- when the upload was completed or rejected
  rejection_code     text,                   -- why it ended without completion: a code of docs/errors.md
  constraint content_type_is_audio check (content_type = any (private.audio_types())),
  constraint rejected_has_ended_at check (rejection_code is null or ended_at is not null)
);
comment on table private.direct_uploads is
  'Uploads by signed URL: open uploads, and ended uploads until they are temporary_object_ttl_hours old.';
create index direct_uploads_podcast_id_idx on private.direct_uploads (podcast_id);
create index direct_uploads_episode_id_idx on private.direct_uploads (episode_id);
create index direct_uploads_created_at_idx on private.direct_uploads (created_at);
alter table private.direct_uploads enable row level security;
-- No policy, no grant.

create function private.end_direct_uploads(
  upload_ids uuid[], _rejection_code text default null, at timestamptz default now()
) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  staged text[];
  copies text[];
begin
  with ended as (
    update private.direct_uploads d
    set ended_at = at, lease_expires_at = null, rejection_code = _rejection_code
    where d.ended_at is null and d.id in (
      select o.id from private.direct_uploads o where o.id = any (upload_ids) order by o.id for update)
    returning d.staged_path, d.path
  ) select array_agg(e.staged_path), array_agg(e.path) into staged, copies from ended e;
  perform private.enqueue_object_deletion(staged, 'staging');
  if _rejection_code is not null then  -- a completion that died may have left its copy
    perform private.enqueue_object_deletion(copies);
  end if;
end $$;
comment on function private.end_direct_uploads is
  'Ends the open uploads among these, as completed or (with a code) as rejected, and enqueues the deletion of their '
  'staged objects.';

-- After: an upload that expects another audio than the episode has now can never be completed.
create function private.end_replaced_uploads() returns trigger
language plpgsql security definer  -- clients may not write the table or the queue
set search_path = ''
as $$
begin
  perform private.end_direct_uploads(array_agg(d.id), 'CONCURRENT_REPLACEMENT')
  from private.direct_uploads d
  where d.episode_id = new.id and d.ended_at is null and d.expected_audio_url is distinct from new.audio_url
    and d.path is distinct from private.own_object_path(new.audio_url)
  having count(*) > 0;
  return null;
end $$;
create trigger t510_end_replaced_uploads after update of audio_url on public.episodes
  for each row when (old.audio_url is distinct from new.audio_url) execute function private.end_replaced_uploads();

-- The object of a completed upload counts under its final path.
create function private.staged_bytes(_podcast_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(sum(o.bytes), 0)
    from private.stored_objects('staging', 'uploads/' || _podcast_id) o
    where not exists (
      select from private.direct_uploads d
      where d.staged_path = o.name and d.ended_at >= o.created_at and d.rejection_code is null));
end $$;
comment on function private.staged_bytes is
  'Returns the bytes that clients have staged for a podcast. They count on its account until they are deleted.';
