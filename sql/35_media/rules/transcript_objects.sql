-- Transcripts as files: the checks that uploads share, their paths, and the life of their objects.
create function private.require_transcript_target(
  _podcast_id uuid, _episode_id uuid, _content_type text, language text, rel text
) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  accepted constant text[] := private.transcript_types() || 'application/json+chapters'::text;
begin
  perform private.require_user();
  if private.normalize_transcript_type(_content_type) = any (accepted) is not true then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = 'Accepted: ' || array_to_string(accepted, ', ');
  elsif private.is_language_tag(language) is false then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'language: must be a BCP 47 tag, for example en or de-AT';
  elsif rel <> 'captions' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'rel: must be captions, or absent';
  end if;
  perform private.require_upload_episode(_podcast_id, _episode_id);
end $$;
comment on function private.require_transcript_target is
  'PT400, PT401, PT403, PT404 or PT409 unless the caller may upload this transcript, or chapters, of this episode.';
grant execute on function private.require_transcript_target to authenticated;

create function private.transcript_path(podcast_id uuid, episode_id uuid, id uuid, type text) returns text
language sql immutable security invoker set search_path = ''
return format('podcasts/%s/e/%s/transcripts/%s.', $1, $2, $3) || private.transcript_extension($4);
comment on function private.transcript_path is
  'Returns the path of a stored transcript; null for a type that is not stored.';
grant execute on function private.transcript_path to authenticated;

-- Clients add transcripts that are hosted elsewhere; an object of ours could be deleted without the row.
create function private.guard_transcript_url() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' and private.own_object_path(new.url) is not null then
    raise sqlstate 'PT400' using message = 'url must be that of a file hosted elsewhere', hint = 'URL_NOT_EXTERNAL',
      detail = 'PUT /api/media/transcript/upload/{uploadId} stores a file and adds its transcript';
  end if;
  return new;
end $$;
create trigger t330_guard_url before insert on public.episode_transcripts
  for each row execute function private.guard_transcript_url();

-- After: a deleted row releases its object. The URL of a published episode's transcript is in cached feeds.
create function private.release_transcript_objects() returns trigger
language plpgsql security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
declare
  episode record;
begin
  for episode in  -- locked before the ledger; one that is deleted with its transcripts releases all its objects itself
    select e.id, e.first_published_at is not null as was_public from public.episodes e
    where e.id in (select d.episode_id from deleted_rows d where d.bytes is not null)
    order by e.id for no key update
  loop
    perform private.release_media_objects(array(
      select private.own_object_path(d.url) from deleted_rows d
      where d.episode_id = episode.id and d.bytes is not null), episode.was_public);
  end loop;
  return null;
end $$;
create trigger t500_release_objects after delete on public.episode_transcripts
  referencing old table as deleted_rows for each statement execute function private.release_transcript_objects();
