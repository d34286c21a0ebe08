-- Audio larger than the cap goes to storage itself. This half asks what every upload asks, and remembers the answer.
create function private.open_direct_upload(podcast_id uuid, episode_id uuid, content_type text, bytes bigint) returns private.direct_uploads
language plpgsql volatile security definer  -- the table is the server's
set search_path = ''
as $$
declare
  started  private.direct_uploads;
  replaced private.direct_uploads[];
  deleting numeric;
  file     uuid := gen_random_uuid();
  open     record;
begin
  perform private.require_role(open_direct_upload.podcast_id, 'admin');
  -- the count holds: the podcast stays its owner's, and the owner's uploads are opened one after another
  perform from public.podcasts p where p.id = open_direct_upload.podcast_id for no key update;
  perform pg_advisory_xact_lock(hashtextextended('direct_uploads/' || p.owner_id, 0))
  from public.podcasts p where p.id = open_direct_upload.podcast_id;
  -- a client that starts again replaces its open upload, so that the lost one does not count for a day
  replaced := array(
    select d from private.direct_uploads d
    where d.episode_id = open_direct_upload.episode_id and d.podcast_id = open_direct_upload.podcast_id
      and d.ended_at is null and coalesce(d.lease_expires_at <= now(), true)
    order by d.id for update);
  perform private.end_direct_uploads(array(select r.id from unnest(replaced) r), 'CONCURRENT_REPLACEMENT');

  select count(*) as uploads, coalesce(sum(greatest(d.declared_bytes, s.bytes)), 0) as bytes, coalesce(sum(s.bytes), 0) as staged into open
  from public.podcasts p join public.podcasts theirs on theirs.owner_id = p.owner_id
  join private.direct_uploads d on d.podcast_id = theirs.id
  cross join lateral (select private.stored_size(d.staged_path, 'staging') as bytes) s
  where p.id = open_direct_upload.podcast_id and d.ended_at is null;
  if open.uploads >= 100 then
    raise sqlstate 'PT429' using message = 'Too many uploads of this account are open; complete them, or wait a day', hint = 'TOO_MANY_OPEN_UPLOADS';
  end if;
  -- an open upload counts as announced, or as staged if that is more; a replaced one is being deleted
  select coalesce(sum(private.stored_size(r.staged_path, 'staging')), 0) into deleting from unnest(replaced) r;
  perform private.require_allowance(open_direct_upload.podcast_id, open_direct_upload.episode_id, 'audio',
    (open_direct_upload.bytes + coalesce(open.bytes, 0))::bigint,
    (private.account_staged_bytes(p.owner_id) - coalesce(open.staged, 0) - deleting)::bigint)
  from public.podcasts p where p.id = open_direct_upload.podcast_id;
  insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes, expected_audio_url)
  select e.podcast_id, e.id, format('uploads/%s/%s.%s', e.podcast_id, file, private.audio_extension(open_direct_upload.content_type)),
    private.audio_path(e.podcast_id, e.id, file, open_direct_upload.content_type), open_direct_upload.content_type,
    open_direct_upload.bytes, e.audio_url
  from public.episodes e where e.id = open_direct_upload.episode_id and e.podcast_id = open_direct_upload.podcast_id
  returning * into started;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode is gone';
  end if;
  return started;
end $$;
comment on function private.open_direct_upload is 'Opens a direct upload in place of the episode''s open one, unless that is being completed; admin+ only. PT409 when it does not fit beside what else is open, PT429 at 100 open ones of an account.';
grant execute on function private.open_direct_upload to authenticated;  -- checks the role itself

create function public.begin_direct_upload(podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  started private.direct_uploads;
begin
  perform private.require_audio_target(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type);
  perform private.require_declared_upload(filename, file_size);
  perform private.consume_rate_limit('direct_upload:' || auth.uid(), private.setting('max_direct_uploads_per_hour')::int, interval '1 hour');
  started := private.open_direct_upload(begin_direct_upload.podcast_id, begin_direct_upload.episode_id, begin_direct_upload.content_type, file_size);
  return jsonb_build_object(
    'uploadId', started.id,
    'uploadPath', started.staged_path,
    'finalPath', started.path,
    'publicUrl', private.setting('media_url') || '/' || started.path,
    'contentType', started.content_type,
    'maxSize', 524288000,
    'storageUrl', private.setting('storage_url'));
end $$;
comment on function public.begin_direct_upload is
  'POST /api/media/audio/direct-upload, which adds the signed URL. 400 content type, size or filename, 403, 404, 409 allowance, 429 too many open or too often.';
grant execute on function public.begin_direct_upload to authenticated;
