-- Last step of every audio upload, as the service: makes the stored object the episode's audio, or changes nothing.
create function private.finish_audio_upload(
  actor_id uuid, podcast_id uuid, episode_id uuid, path text, bytes bigint, content_type text,
  duration_seconds int default null, expected_audio_url text default null, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write the audio columns, the ledger or the queue
set search_path = ''
as $$
declare
  episode public.episodes;
  upload  private.direct_uploads;
  url     text := private.get_setting('media_url') || '/' || finish_audio_upload.path;
begin
  perform private.lock_and_authorize_finish(actor_id, finish_audio_upload.podcast_id, finish_audio_upload.episode_id,
    finish_audio_upload.path, finish_audio_upload.bytes, at);
  perform private.require_path_in(
    format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id),
    finish_audio_upload.path);
  select * into upload from private.direct_uploads d where d.path = finish_audio_upload.path for update;
  if upload.rejection_code is not null then  -- its objects are being deleted
    raise sqlstate 'PT409' using message = 'The upload was replaced or expired', hint = 'CONCURRENT_REPLACEMENT';
  end if;
  select * into episode from public.episodes e where e.id = finish_audio_upload.episode_id;
  -- equal: a repetition of this upload, which is harmless, even after media_url changed
  if private.own_object_path(episode.audio_url) is distinct from finish_audio_upload.path then
    if episode.audio_url is distinct from finish_audio_upload.expected_audio_url then
      raise sqlstate 'PT409' using
        message = 'The audio was replaced by another upload', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_episode_audio(episode, at);
    insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type)
    select finish_audio_upload.path, p.owner_id, p.id, episode.id, 'audio', finish_audio_upload.bytes,
      finish_audio_upload.content_type
    from public.podcasts p where p.id = episode.podcast_id;
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = finish_audio_upload.bytes,
      audio_content_type = finish_audio_upload.content_type,
      audio_duration_seconds = finish_audio_upload.duration_seconds
    where e.id = episode.id  -- the episodes trigger enqueues the feed invalidation
    returning * into episode;
  end if;
  perform private.end_direct_uploads(array[upload.id], at => at);
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', episode.audio_url,
    'fileSize', episode.audio_file_size_bytes, 'contentType', episode.audio_content_type,
    'durationSeconds', episode.audio_duration_seconds);
end $$;
comment on function private.finish_audio_upload is
  'Finishes both ways to upload audio, after the object is stored: measured size, optimistic guard, '
  'allowance under the account''s lock, release of the previous object. Safe to repeat. PT403, PT404, PT409 allowance '
  'or concurrent replacement, PT500 size mismatch, PT503.';
grant execute on function private.finish_audio_upload to service_role;
