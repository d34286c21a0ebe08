-- Second step of a transcript's upload, with the received bytes: checks them before the file is parsed and stored.
create function public.begin_transcript_upload(
  podcast_id uuid, episode_id uuid, content_type text, bytes bigint, language text default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_transcript_target(begin_transcript_upload.podcast_id, begin_transcript_upload.episode_id,
    begin_transcript_upload.content_type, begin_transcript_upload.language, null);
  perform private.require_upload_size(begin_transcript_upload.bytes, 'max_transcript_upload_bytes');
  if begin_transcript_upload.content_type = any (private.transcript_types()) then  -- chapters take no storage
    perform private.require_allowance(begin_transcript_upload.podcast_id, begin_transcript_upload.episode_id,
      'transcript', begin_transcript_upload.bytes, replaced_bytes => coalesce((
        select sum(t.bytes)::bigint from public.episode_transcripts t
        where t.episode_id = begin_transcript_upload.episode_id and t.type = begin_transcript_upload.content_type
          and t.language is not distinct from begin_transcript_upload.language), 0));
  end if;
  return jsonb_build_object('path', private.transcript_path(begin_transcript_upload.podcast_id,
    begin_transcript_upload.episode_id, gen_random_uuid(), begin_transcript_upload.content_type));
end $$;
comment on function public.begin_transcript_upload is
  'PUT /api/media/transcript/upload: the checks with the received bytes and the normalized content type: {path}, which '
  'is null for chapters. 400 content type or empty, 403, 404, 409 allowance, 413 over the upload limit.';
grant execute on function public.begin_transcript_upload to authenticated;
