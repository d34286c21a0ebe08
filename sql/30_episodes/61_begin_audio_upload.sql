-- First half of an upload, as the caller: may these bytes come, and under which key?
create function private.require_allowance(podcast_id uuid, freed bigint, wanted bigint) returns void
language plpgsql stable security definer  -- an admin may not read the owner's account
set search_path = ''
as $$
declare
  account record;
begin
  perform private.require_role(require_allowance.podcast_id, 'admin');
  select a.user_id, a.storage_bytes_used as used, private.allowed_bytes(a.user_id) as allowed into account
  from public.podcasts p join public.billing_accounts a on a.user_id = p.owner_id
  where p.id = require_allowance.podcast_id;
  if account.used - freed + wanted > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used, 'bytes_allowed', account.allowed, 'bytes_wanted', wanted)::text;
  end if;
end $$;
comment on function private.require_allowance is 'PT409 when the podcast''s account cannot take these bytes; admin+ only.';
revoke all on function private.require_allowance from public, anon, authenticated, service_role;
grant execute on function private.require_allowance to authenticated;  -- checks the role itself

create function public.begin_audio_upload(podcast_id uuid, episode_id uuid, content_type text, bytes bigint) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  episode record;
  path    text;
begin
  perform private.require_audio_target(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, begin_audio_upload.content_type);
  perform private.require_upload_size(begin_audio_upload.bytes);
  if coalesce(begin_audio_upload.bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  select e.audio_url, coalesce(e.audio_file_size_bytes, 0) as audio_bytes into episode
  from public.episodes e where e.id = begin_audio_upload.episode_id;
  perform private.require_allowance(begin_audio_upload.podcast_id, episode.audio_bytes, begin_audio_upload.bytes);
  path := format('podcasts/%s/e/%s/audio/%s.%s', begin_audio_upload.podcast_id, begin_audio_upload.episode_id,
    gen_random_uuid(), private.audio_extension(begin_audio_upload.content_type));
  return jsonb_build_object(
    'path', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'contentType', begin_audio_upload.content_type,
    'expectedAudioUrl', episode.audio_url);
end $$;
comment on function public.begin_audio_upload is
  'PUT /api/media/audio/upload, rules 1 to 3, with the bytes received (or announced). 400 content type or empty, 403, 404, 409 allowance, 413 over the cap.';
revoke all on function public.begin_audio_upload from public, anon, authenticated, service_role;
grant execute on function public.begin_audio_upload to authenticated;
