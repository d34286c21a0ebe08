-- Audio formats and the two answers before any byte is stored: what may be uploaded, and where it would go.
create function private.audio_extension(content_type text) returns text
language sql immutable parallel safe set search_path = ''
as $$
  select case content_type
    when 'audio/mpeg' then 'mp3'
    when 'audio/mp4' then 'm4a' when 'audio/x-m4a' then 'm4a'
    when 'audio/wav' then 'wav' when 'audio/x-wav' then 'wav' end
$$;
comment on function private.audio_extension is 'The extension of an accepted audio MIME type (contract, Audio and image formats); null for others.';
revoke all on function private.audio_extension from public, anon, authenticated, service_role;
grant execute on function private.audio_extension to authenticated;

create function private.require_audio_target(podcast_id uuid, episode_id uuid, content_type text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.audio_extension(require_audio_target.content_type) is null then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = 'Accepted: audio/mpeg, audio/mp4, audio/x-m4a, audio/wav, audio/x-wav';
  end if;
  perform private.require_role(require_audio_target.podcast_id, 'admin');
  perform from public.episodes e where e.id = require_audio_target.episode_id and e.podcast_id = require_audio_target.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
  end if;
  perform private.require_open_podcast(require_audio_target.podcast_id);
end $$;
comment on function private.require_audio_target is 'Returns when the caller may upload this kind of audio for this episode; PT400, PT401, PT403, PT404 or PT409 otherwise.';
revoke all on function private.require_audio_target from public, anon, authenticated, service_role;
grant execute on function private.require_audio_target to authenticated;

create function private.require_upload_size(bytes bigint) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if bytes > private.setting('audio_upload_cap_bytes')::bigint then
    raise sqlstate 'PT413' using message = 'The audio is larger than the upload limit', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', private.setting('audio_upload_cap_bytes')::bigint)::text;
  end if;
end $$;
comment on function private.require_upload_size is 'PT413 over the interim cap, the setting audio_upload_cap_bytes.';
revoke all on function private.require_upload_size from public, anon, authenticated, service_role;
grant execute on function private.require_upload_size to authenticated;

create function public.presign_audio_upload(podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_audio_target(presign_audio_upload.podcast_id, presign_audio_upload.episode_id, presign_audio_upload.content_type);
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
    'acceptedTypes', jsonb_build_array('audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav'),
    'uploadEndpoint', '/api/media/audio/upload/' || upload_id);
end $$;
comment on function public.presign_audio_upload is
  'POST /api/media/audio/presigned-url. The paths are advisory: the upload makes its own key. 400 content type or over 500 MB, 403, 404, 409, 413 over the cap.';
revoke all on function public.presign_audio_upload from public, anon, authenticated, service_role;
grant execute on function public.presign_audio_upload to authenticated;
