-- Last step of every audio upload, as the service: makes the stored object the episode's audio, or changes nothing.
create function private.finish_audio_upload(
  actor_id uuid, _podcast_id uuid, _episode_id uuid, _path text, _bytes bigint, _content_type text,
  _duration_seconds int default null, _expected_audio_url text default null, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write the audio columns, the ledger or the queue
set search_path = ''
as $$
declare
  episode public.episodes;
  upload  private.direct_uploads;
  url     text := private.get_setting('media_url') || '/' || _path;
begin
  perform private.lock_and_authorize_finish(actor_id, _podcast_id, _episode_id, _path, _bytes, at);
  perform private.require_path_in(format('podcasts/%s/e/%s/audio/', _podcast_id, _episode_id), _path);
  select * into upload from private.direct_uploads d where d.path = _path for update;
  if upload.rejection_code is not null then  -- its objects are being deleted
    raise sqlstate 'PT409' using message = 'The upload was replaced or expired', hint = 'CONCURRENT_REPLACEMENT';
  end if;
  select * into episode from public.episodes e where e.id = _episode_id;
  -- equal: a repetition of this upload, which is harmless, even after media_url changed
  if private.own_object_path(episode.audio_url) is distinct from _path then
    if episode.audio_url is distinct from _expected_audio_url then
      raise sqlstate 'PT409' using
        message = 'The audio was replaced by another upload', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_episode_audio(episode, at);
    insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type)
    select _path, p.owner_id, p.id, episode.id, 'audio', _bytes, _content_type
    from public.podcasts p where p.id = episode.podcast_id;
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = _bytes, audio_content_type = _content_type,
      audio_duration_seconds = _duration_seconds
    where e.id = episode.id  -- the episodes trigger enqueues the feed invalidation
    returning * into episode;
  end if;
  perform private.end_direct_uploads(array[upload.id], at => at);
  return jsonb_build_object('path', _path, 'publicUrl', episode.audio_url,
    'fileSize', episode.audio_file_size_bytes, 'contentType', episode.audio_content_type,
    'durationSeconds', episode.audio_duration_seconds);
end $$;
comment on function private.finish_audio_upload is
  'Finishes both ways to upload audio, after the object is stored: measured size, optimistic guard, '
  'allowance under the account''s lock, release of the previous object. Safe to repeat. PT403, PT404, PT409 allowance '
  'or concurrent replacement, PT500 size mismatch, PT503.';
grant execute on function private.finish_audio_upload to service_role;
