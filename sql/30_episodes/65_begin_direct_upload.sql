-- Audio larger than the cap goes to storage itself. This half asks what every upload asks, and remembers the answer.
create function private.start_direct_upload(podcast_id uuid, episode_id uuid, content_type text) returns private.direct_uploads
language plpgsql volatile security definer  -- the table is the server's
set search_path = ''
as $$
declare
  started private.direct_uploads;
  file    text := gen_random_uuid() || '.' || private.audio_extension(start_direct_upload.content_type);
begin
  perform private.require_role(start_direct_upload.podcast_id, 'admin');
  perform from public.podcasts p where p.id = start_direct_upload.podcast_id for no key update;  -- the count below holds
  if (select count(*) >= 100 from private.direct_uploads d where d.podcast_id = start_direct_upload.podcast_id and d.completed_at is null) then
    raise sqlstate 'PT429' using message = 'Too many uploads of this podcast are open; complete them, or wait a day', hint = 'TOO_MANY_UPLOADS';
  end if;
  insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, expected_audio_url)
  select e.podcast_id, e.id, format('uploads/%s/%s', e.podcast_id, file), format('podcasts/%s/e/%s/audio/%s', e.podcast_id, e.id, file),
    start_direct_upload.content_type, e.audio_url
  from public.episodes e where e.id = start_direct_upload.episode_id and e.podcast_id = start_direct_upload.podcast_id
  returning * into started;
  return started;
end $$;
comment on function private.start_direct_upload is 'Opens a direct upload; admin+ only, at most 100 open ones a podcast (PT429).';
revoke all on function private.start_direct_upload from public, anon, authenticated, service_role;
grant execute on function private.start_direct_upload to authenticated;  -- checks the role itself

create function public.begin_direct_upload(podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  started private.direct_uploads;
begin
  perform private.require_audio_target(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type);
  perform private.require_announced(filename, file_size);
  perform private.require_allowance(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, 'audio', file_size);
  started := private.start_direct_upload(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type);
  return jsonb_build_object(
    'uploadId', started.id,
    'uploadPath', started.staged_path,
    'finalPath', started.path,
    'publicUrl', private.setting('media_url') || '/' || started.path,
    'contentType', started.content_type,
    'maxSize', 524288000,
    'storageUrl', private.setting('storage_url'));
end $$;
comment on function public.begin_direct_upload is
  'POST /api/media/audio/direct-upload, which adds the signed URL. 400 content type, size or filename, 403, 404, 409 allowance, 429 too many open.';
revoke all on function public.begin_direct_upload from public, anon, authenticated, service_role;
grant execute on function public.begin_direct_upload to authenticated;
