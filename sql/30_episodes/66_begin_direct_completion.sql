-- When the client says that the bytes are there: what they are, measured. Safe to repeat, also after it was completed.
create function private.direct_upload(upload_id uuid, out upload private.direct_uploads, out bytes bigint, out is_replaced boolean)
language plpgsql volatile security definer  -- the table is the server's, and so is storage
set search_path = ''
as $$
declare
  audio_url text;
begin
  select * into upload from private.direct_uploads d where d.id = direct_upload.upload_id
  for update;  -- a completion under way ends first, and takes the staged object with it
  if not found then
    raise sqlstate 'PT404' using message = 'Upload not found';
  end if;
  perform private.require_role(upload.podcast_id, 'admin');
  bytes := case when upload.completed_at is null then private.stored_size(upload.staged_path, 'staging') else private.stored_size(upload.path) end;
  select e.audio_url into audio_url from public.episodes e where e.id = upload.episode_id;
  is_replaced := private.own_object_path(audio_url) is distinct from upload.path
    and (upload.completed_at is not null or audio_url is distinct from upload.expected_audio_url);
  if is_replaced then
    perform private.settle_direct_upload(upload.path);
  end if;
end $$;
comment on function private.direct_upload is
  'A direct upload, the bytes that storage has of it (null for none yet), and whether other audio came before it, which ends it; admin+ only. PT404 unknown, or a day old.';
revoke all on function private.direct_upload from public, anon, authenticated, service_role;
grant execute on function private.direct_upload to authenticated;  -- checks the role itself

create function public.begin_direct_completion(upload_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  state  record;
  upload private.direct_uploads;
  bytes  bigint;
begin
  select * into state from private.direct_upload(begin_direct_completion.upload_id);
  upload := state.upload;
  bytes := state.bytes;
  perform private.require_audio_target(upload.podcast_id, upload.episode_id, upload.content_type);
  if state.is_replaced then  -- returned, so that the upload stays ended
    return private.refuse(409, 'The audio was replaced by another upload in the meantime', 'CONCURRENT_REPLACEMENT');
  elsif bytes is null then
    raise sqlstate 'PT409' using message = 'Nothing has been uploaded yet', hint = 'UPLOAD_MISSING';
  elsif bytes = 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if upload.completed_at is null then
    perform private.require_allowance(upload.podcast_id, upload.episode_id, 'audio', bytes);
  end if;
  return jsonb_build_object(
    'podcastId', upload.podcast_id, 'episodeId', upload.episode_id,
    'stagedPath', case when upload.completed_at is null then upload.staged_path end,
    'path', upload.path, 'bytes', bytes, 'contentType', upload.content_type, 'expectedAudioUrl', upload.expected_audio_url);
end $$;
comment on function public.begin_direct_completion is
  'POST /api/media/audio/direct-upload/complete, which then copies the object under its final key and finishes it. 400 empty, 403, 404 no such upload, 409 nothing uploaded yet, other audio in the meantime, or over the allowance.';
revoke all on function public.begin_direct_completion from public, anon, authenticated, service_role;
grant execute on function public.begin_direct_completion to authenticated;
