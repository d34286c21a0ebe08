-- Begins the completion of a direct upload: measures the staged object and leases the upload. Safe to repeat after
-- completion.
create function private.begin_direct_upload_completion(
  _upload_id uuid, at timestamptz default now(),
  out upload private.direct_uploads, out bytes bigint, out rejection_code text, out lease timestamptz
)
language plpgsql volatile security definer  -- clients may not read the table or storage's rows
set search_path = ''
as $$
declare
  audio_url     text;
  expired_since timestamptz := at - make_interval(hours => private.get_setting('temporary_object_ttl_hours')::int);
begin
  perform private.require_user();
  select * into upload from private.direct_uploads d
  where d.id = _upload_id and (d.lease_expires_at > at or d.created_at > expired_since)
  for update;  -- waits for a concurrent completion, which deletes the staged object
  if not found then
    raise sqlstate 'PT404' using message = 'Upload not found';
  end if;
  perform private.require_role(upload.podcast_id, 'admin');
  bytes := case when upload.ended_at is null
    then private.stored_size(upload.staged_path, 'staging') else private.stored_size(upload.path) end;
  select e.audio_url into audio_url from public.episodes e where e.id = upload.episode_id;
  rejection_code := case
    when upload.rejection_code is not null then upload.rejection_code
    when private.own_object_path(audio_url) is not distinct from upload.path then null
    when upload.ended_at is not null or audio_url is distinct from upload.expected_audio_url
    then 'CONCURRENT_REPLACEMENT'
    when bytes > upload.declared_bytes then 'UPLOAD_LARGER_THAN_DECLARED' end;
  if upload.ended_at is null and rejection_code is not null then
    perform private.end_direct_uploads(array[upload.id], rejection_code, at);
  -- 3 minutes from the start of the transaction: longer than a request and its wait for the lock take together. An
  -- expired upload keeps its last lease, so that repeated completions cannot keep it open.
  elsif upload.ended_at is null and bytes > 0 and upload.created_at > expired_since then
    update private.direct_uploads d set lease_expires_at = at + interval '3 minutes'
    where d.id = upload.id
    returning d.lease_expires_at into lease;
    if upload.lease_expires_at > at then
      lease := null;  -- another completion may still copy: this call extends its lease and must not release it
    end if;
  end if;
end $$;
comment on function private.begin_direct_upload_completion is
  'Leases a direct upload for its completion and returns it with the stored bytes (null for none yet), or ends it with '
  'a rejection code. lease: to release if the completion fails; null while another completion has one. Requires admin. '
  'PT404 if unknown or temporary_object_ttl_hours old.';
grant execute on function private.begin_direct_upload_completion to authenticated;  -- checks the role itself

create function public.begin_direct_upload_completion(upload_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  state  record;
  upload private.direct_uploads;
  bytes  bigint;
begin
  select * into state from private.begin_direct_upload_completion(begin_direct_upload_completion.upload_id);
  upload := state.upload;
  bytes := state.bytes;
  perform private.require_audio_target(upload.podcast_id, upload.episode_id, upload.content_type);
  if state.rejection_code = 'UPLOAD_LARGER_THAN_DECLARED' then  -- returned, so that the upload stays ended
    return private.error_response(
      400, 'The object is larger than declared; upload it again with its actual size', 'UPLOAD_LARGER_THAN_DECLARED',
      jsonb_build_object('maxBytes', upload.declared_bytes));
  elsif state.rejection_code is not null then
    return private.error_response(
      409, 'The audio or the upload was replaced by another upload', 'CONCURRENT_REPLACEMENT');
  elsif bytes is null then
    raise sqlstate 'PT409' using message = 'Nothing has been uploaded yet', hint = 'UPLOAD_NOT_RECEIVED';
  elsif bytes = 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if upload.ended_at is null then
    perform private.require_allowance(
      upload.podcast_id, upload.episode_id, 'audio', bytes, 0);  -- 0: begin_direct_upload counted staged bytes
  end if;
  return jsonb_build_object(
    'podcastId', upload.podcast_id, 'episodeId', upload.episode_id,
    'stagedPath', case when upload.ended_at is null then upload.staged_path end,
    'path', upload.path, 'bytes', bytes, 'contentType', upload.content_type,
    'expectedAudioUrl', upload.expected_audio_url, 'lease', state.lease);
end $$;
comment on function public.begin_direct_upload_completion is
  'POST /api/media/audio/direct-upload/complete, before it copies the object to its final path and finishes it. 400 '
  'empty or larger than declared, 403, 404, 409 not received, replaced, or over the allowance.';
grant execute on function public.begin_direct_upload_completion to authenticated;
