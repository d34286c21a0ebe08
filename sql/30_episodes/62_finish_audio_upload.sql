-- Second half, by the server: the object is stored; it becomes the episode's audio, or nothing changes.
create function private.finish_audio_upload(
  actor uuid, podcast_id uuid, episode_id uuid, path text, bytes bigint, content_type text,
  duration_seconds int, expected_audio_url text
) returns jsonb
language plpgsql volatile security definer  -- writes the audio columns, the ledger and the queue
set search_path = ''
as $$
declare
  episode    public.episodes;
  account_id uuid;
  stored     bigint;
  url        text := private.setting('media_url') || '/' || finish_audio_upload.path;
begin
  -- podcast, episode, ledger, account: everyone locks in this order. The shared lock keeps a transfer of the podcast
  -- from moving the account away underneath.
  select p.owner_id into account_id from public.podcasts p where p.id = finish_audio_upload.podcast_id for share;
  select * into episode from public.episodes e
  where e.id = finish_audio_upload.episode_id and e.podcast_id = finish_audio_upload.podcast_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode is gone';
  end if;
  perform private.require_open_podcast(finish_audio_upload.podcast_id);
  perform from public.podcast_members m
  where m.podcast_id = finish_audio_upload.podcast_id and m.user_id = finish_audio_upload.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  if not starts_with(finish_audio_upload.path,
       format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id)) then
    raise sqlstate 'PT500' using message = 'The object lies outside the episode';
  end if;
  select (o.metadata ->> 'size')::bigint into stored from storage.objects o
  where o.bucket_id = 'media' and o.name = finish_audio_upload.path;
  if stored is null or stored is distinct from finish_audio_upload.bytes then
    raise sqlstate 'PT500' using message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
  if episode.audio_url is distinct from url then  -- equal: this very upload, finished before; safe to repeat
    if episode.audio_url is distinct from finish_audio_upload.expected_audio_url then
      raise sqlstate 'PT409' using message = 'The audio was replaced by another upload in the meantime', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_episode_audio(episode);
    insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type)
    values (finish_audio_upload.path, account_id, episode.podcast_id, episode.id, 'audio', stored, finish_audio_upload.content_type);
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = stored, audio_content_type = finish_audio_upload.content_type,
      audio_duration_seconds = finish_audio_upload.duration_seconds
    where e.id = episode.id;  -- the feed hears of it by the episodes' own trigger
  end if;
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', url, 'fileSize', stored,
    'contentType', finish_audio_upload.content_type, 'durationSeconds', finish_audio_upload.duration_seconds);
end $$;
comment on function private.finish_audio_upload is
  'PUT /api/media/audio/upload, rules 4 to 7: measured size, optimistic guard, allowance under the account''s lock, disposal of the previous object. PT500 size mismatch, PT404 episode gone, PT409 allowance or concurrent replacement, PT403.';
revoke all on function private.finish_audio_upload from public, anon, authenticated, service_role;
grant execute on function private.finish_audio_upload to service_role;
