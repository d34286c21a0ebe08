-- Checks that every way to upload audio shares: the caller, the target, the size. Transcripts share some of them.
create function private.require_upload_episode(_podcast_id uuid, _episode_id uuid) returns void
language plpgsql stable security definer  -- the policies would check once more what require_role() does
set search_path = ''
as $$
declare
  podcast_status public.podcast_status;
begin
  perform private.require_role(_podcast_id, 'admin');
  select p.status into podcast_status
  from public.episodes e join public.podcasts p on p.id = e.podcast_id
  where e.id = _episode_id and e.podcast_id = _podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
  end if;
  perform private.reject_pending_deletion(podcast_status);  -- the finish of the upload locks the podcast
end $$;
comment on function private.require_upload_episode is
  'PT401, PT403, PT404 or PT409 unless the caller may upload files of this episode.';
grant execute on function private.require_upload_episode to authenticated;

create function private.require_audio_target(_podcast_id uuid, _episode_id uuid, _content_type text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_user();
  if _content_type is null
     or _content_type <> all (private.audio_types()) then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = 'Accepted: ' || array_to_string(private.audio_types(), ', ');
  end if;
  perform private.require_upload_episode(_podcast_id, _episode_id);
end $$;
comment on function private.require_audio_target is
  'PT400, PT401, PT403, PT404 or PT409 unless the caller may upload this audio type for this episode.';
grant execute on function private.require_audio_target to authenticated;

create function private.max_audio_bytes() returns bigint
language sql immutable parallel safe security invoker set search_path = ''
return 524288000::bigint;
comment on function private.max_audio_bytes is
  'Returns the size of the largest audio file, 500 MB: the limit of direct uploads, imports and the buckets.';
grant execute on function private.max_audio_bytes to authenticated;

create function private.require_declared_upload(filename text, file_size bigint) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if coalesce(filename, '') = '' or coalesce(file_size, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'filename and fileSize (bytes, greater than 0) are required';
  end if;
  if file_size > private.max_audio_bytes() then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', private.max_audio_bytes())::text;
  end if;
end $$;
comment on function private.require_declared_upload is
  'PT400 unless an upload is declared with a filename and a size of at most max_audio_bytes.';
grant execute on function private.require_declared_upload to authenticated;

create function private.require_upload_size(bytes bigint, setting text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if bytes > private.get_setting(setting)::bigint then
    raise sqlstate 'PT413' using message = 'The file exceeds the upload limit', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', private.get_setting(setting)::bigint)::text;
  elsif coalesce(bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
end $$;
comment on function private.require_upload_size is
  'PT413 over the limit that this setting holds, PT400 EMPTY_BODY without a byte.';
grant execute on function private.require_upload_size to authenticated;

create function private.audio_path(podcast_id uuid, episode_id uuid, id uuid, content_type text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return format('podcasts/%s/e/%s/audio/%s.%s', podcast_id, episode_id, id, private.audio_extension(content_type));
end $$;
comment on function private.audio_path is 'Returns the path of an episode''s audio.';
grant execute on function private.audio_path to authenticated;
