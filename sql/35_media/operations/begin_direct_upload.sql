-- Opens an upload past the functions: makes the checks of every audio upload, and records the upload.
create function private.begin_direct_upload(
  _podcast_id uuid, _episode_id uuid, _content_type text, _bytes bigint, at timestamptz default now()
) returns private.direct_uploads
language plpgsql volatile security definer  -- clients may not write the table
set search_path = ''
as $$
declare
  upload         private.direct_uploads;
  replaced       private.direct_uploads[];
  deleting_bytes numeric;
  file           uuid := gen_random_uuid();
  open           record;
begin
  perform private.require_role(_podcast_id, 'admin');
  -- the podcast's lock keeps its owner, and the owner's uploads are opened one after another, so the count is exact
  perform from public.podcasts p where p.id = _podcast_id for no key update;
  perform private.require_writable_podcast(_podcast_id);  -- again, under the lock
  perform pg_advisory_xact_lock(hashtextextended('direct_uploads/' || p.owner_id, 0))
  from public.podcasts p where p.id = _podcast_id;
  -- a client that starts over replaces its open upload, so that the abandoned upload does not count for a day
  replaced := array(
    select d from private.direct_uploads d
    where d.episode_id = _episode_id and d.podcast_id = _podcast_id
      and d.ended_at is null and coalesce(d.lease_expires_at <= at, true)
    order by d.id for update);
  perform private.end_direct_uploads(array(select r.id from unnest(replaced) r), 'CONCURRENT_REPLACEMENT', at);

  select count(*) as uploads, coalesce(sum(greatest(d.declared_bytes, s.bytes)), 0) as bytes,
    coalesce(sum(s.bytes), 0) as staged, min(d.created_at) as oldest_at into open
  from public.podcasts p join public.podcasts owned on owned.owner_id = p.owner_id
  join private.direct_uploads d on d.podcast_id = owned.id
  cross join lateral (select private.stored_size(d.staged_path, 'staging') as bytes) s
  where p.id = _podcast_id and d.ended_at is null;
  if open.uploads >= 100 then
    raise sqlstate 'PT429' using hint = 'TOO_MANY_OPEN_UPLOADS',
      message = 'This account has too many open uploads; complete some, or wait until the oldest expires',
      detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(open.oldest_at
        + make_interval(hours => private.get_setting('temporary_object_ttl_hours')::int)))::text;
  end if;
  -- an open upload counts its declared bytes, or its staged bytes if they are more; replaced uploads are being deleted
  select coalesce(sum(private.stored_size(r.staged_path, 'staging')), 0) into deleting_bytes from unnest(replaced) r;
  perform private.require_allowance(_podcast_id, _episode_id, 'audio',
    (_bytes + coalesce(open.bytes, 0))::bigint,
    (private.account_staged_bytes(p.owner_id) - coalesce(open.staged, 0) - deleting_bytes)::bigint)
  from public.podcasts p where p.id = _podcast_id;
  insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes,
    expected_audio_url, created_at)
  select e.podcast_id, e.id, format('uploads/%s/%s.%s', e.podcast_id, file, private.audio_extension(_content_type)),
    private.audio_path(e.podcast_id, e.id, file, _content_type), _content_type, _bytes, e.audio_url, at
  from public.episodes e
  where e.id = _episode_id and e.podcast_id = _podcast_id
  returning * into upload;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode no longer exists';
  end if;
  return upload;
end $$;
comment on function private.begin_direct_upload is
  'Opens a direct upload in place of the episode''s open upload, unless that has a lease. Requires admin. PT409 if all '
  'open uploads exceed the allowance, PT429 at 100 open uploads of the account.';
grant execute on function private.begin_direct_upload to authenticated;  -- checks the role itself

create function public.begin_direct_upload(
  podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint
) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  upload private.direct_uploads;
begin
  perform private.require_audio_target(
    begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type);
  perform private.require_declared_upload(filename, file_size);
  perform private.consume_rate_limit('direct_uploads:' || auth.uid(),
    private.get_setting('max_direct_uploads_per_hour')::int, interval '1 hour');
  upload := private.begin_direct_upload(
    begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type, file_size);
  return jsonb_build_object(
    'uploadId', upload.id,
    'uploadPath', upload.staged_path,
    'finalPath', upload.path,
    'publicUrl', private.get_setting('media_url') || '/' || upload.path,
    'contentType', upload.content_type,
    'maxSize', private.max_audio_bytes(),
    'storageUrl', private.get_setting('storage_url'));
end $$;
comment on function public.begin_direct_upload is
  'POST /api/media/audio/direct-upload, which adds the signed URL. 400 content type, size or filename, 403, 404, 409 '
  'allowance, 429 too many open uploads or over the rate limit.';
grant execute on function public.begin_direct_upload to authenticated;
