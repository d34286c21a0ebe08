-- When the client says that the bytes are there: what they are, measured. Safe to repeat, also after it was completed.
create function private.lease_direct_upload(upload_id uuid, at timestamptz default now(), out upload private.direct_uploads, out bytes bigint,
  out rejection_code text, out lease timestamptz)
language plpgsql volatile security definer  -- the table is the server's, and so is storage
set search_path = ''
as $$
declare
  audio_url text;
  unused    timestamptz := at - make_interval(hours => private.setting('temporary_object_ttl_hours')::int);
begin
  select * into upload from private.direct_uploads d
  where d.id = lease_direct_upload.upload_id and (d.lease_expires_at > at or d.created_at > unused)
  for update;  -- a completion under way ends first, and takes the staged object with it
  if not found then
    raise sqlstate 'PT404' using message = 'Upload not found';
  end if;
  perform private.require_role(upload.podcast_id, 'admin');
  bytes := case when upload.ended_at is null then private.stored_size(upload.staged_path, 'staging') else private.stored_size(upload.path) end;
  select e.audio_url into audio_url from public.episodes e where e.id = upload.episode_id;
  rejection_code := case
    when upload.rejection_code is not null then upload.rejection_code
    when private.own_object_path(audio_url) is not distinct from upload.path then null
    when upload.ended_at is not null or audio_url is distinct from upload.expected_audio_url then 'CONCURRENT_REPLACEMENT'
    when bytes > upload.declared_bytes then 'LARGER_THAN_DECLARED' end;
  if upload.ended_at is null and rejection_code is not null then
    perform private.end_direct_uploads(array[upload.id], rejection_code);
  -- as long as a request may take, and some; an upload that is temporary_object_ttl_hours old keeps its last lease, so that a client
  -- cannot keep it open by completing it again and again
  elsif upload.ended_at is null and bytes > 0 and upload.created_at > unused then
    update private.direct_uploads d set lease_expires_at = clock_timestamp() + interval '3 minutes' where d.id = upload.id
    returning d.lease_expires_at into lease;
    if upload.lease_expires_at > at then
      lease := null;  -- another completion may still copy: this one prolongs its lease, and must not release it
    end if;
  end if;
end $$;
comment on function private.lease_direct_upload is
  'A direct upload and the bytes that storage has of it (null for none yet), or why it was refused, which ends it; admin+ only. lease: of its completion, to release when that fails; null while another completion holds one. PT404 unknown, or temporary_object_ttl_hours old.';
grant execute on function private.lease_direct_upload to authenticated;  -- checks the role itself

create function private.release_direct_upload_lease(upload_id uuid, lease timestamptz) returns void
language plpgsql volatile security definer  -- the table is the server's
set search_path = ''
as $$
begin
  update private.direct_uploads d set lease_expires_at = null
  where d.id = release_direct_upload_lease.upload_id and d.lease_expires_at = release_direct_upload_lease.lease;
end $$;
comment on function private.release_direct_upload_lease is 'A completion failed: its lease ends, unless another completion has taken one since.';
grant execute on function private.release_direct_upload_lease to service_role;

create function public.begin_direct_upload_completion(upload_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  state  record;
  upload private.direct_uploads;
  bytes  bigint;
begin
  select * into state from private.lease_direct_upload(begin_direct_upload_completion.upload_id);
  upload := state.upload;
  bytes := state.bytes;
  perform private.require_audio_target(upload.podcast_id, upload.episode_id, upload.content_type);
  if state.rejection_code = 'LARGER_THAN_DECLARED' then  -- returned, so that the upload stays ended
    return private.error_response(400, 'The object is larger than announced; announce its size and upload it again', 'LARGER_THAN_DECLARED',
      jsonb_build_object('maxBytes', upload.declared_bytes));
  elsif state.rejection_code is not null then
    return private.error_response(409, 'The audio or the upload was replaced by another one in the meantime', 'CONCURRENT_REPLACEMENT');
  elsif bytes is null then
    raise sqlstate 'PT409' using message = 'Nothing has been uploaded yet', hint = 'UPLOAD_NOT_RECEIVED';
  elsif bytes = 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if upload.ended_at is null then
    perform private.require_allowance(upload.podcast_id, upload.episode_id, 'audio', bytes, 0);  -- what is staged was counted before
  end if;
  return jsonb_build_object(
    'podcastId', upload.podcast_id, 'episodeId', upload.episode_id,
    'stagedPath', case when upload.ended_at is null then upload.staged_path end,
    'path', upload.path, 'bytes', bytes, 'contentType', upload.content_type, 'expectedAudioUrl', upload.expected_audio_url,
    'lease', state.lease);
end $$;
comment on function public.begin_direct_upload_completion is
  'POST /api/media/audio/direct-upload/complete, which then copies the object under its final key and finishes it. 400 empty or larger than announced, 403, 404 no such upload, 409 nothing uploaded yet, replaced in the meantime, or over the allowance.';
grant execute on function public.begin_direct_upload_completion to authenticated;
