-- Last step of a transcript's upload, as the service: makes the stored object the episode's transcript of this type and
-- language, or changes nothing. The last upload wins. A replaced transcript keeps its id, so that its public URLs work.
create function private.finish_transcript_upload(
  actor_id uuid, _podcast_id uuid, _episode_id uuid, _path text, _bytes bigint, _content_type text,
  _language text default null, _rel text default null, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write url, bytes, the ledger or the queue
set search_path = ''
as $$
declare
  object_url text := private.get_setting('media_url') || '/' || _path;
  current    public.episode_transcripts;
  locked     uuid[];
  was_public boolean;
begin
  -- uploads wait here, so that only a client's own insert can add a transcript meanwhile
  perform pg_advisory_xact_lock(hashtextextended('transcripts/' || _episode_id, 0));
  -- rows before the podcast and the episode, as in a client's own update and delete
  locked := array(
    select t.id from public.episode_transcripts t
    where t.episode_id = _episode_id order by t.id for update);
  perform private.lock_and_authorize_finish(actor_id, _podcast_id, _episode_id, _path, _bytes, at);
  perform private.require_path_in(format('podcasts/%s/e/%s/transcripts/', _podcast_id, _episode_id), _path);
  select * into current from public.episode_transcripts t
  where t.episode_id = _episode_id and t.type = _content_type
    and t.language is not distinct from _language
  order by t.display_order, t.id limit 1;
  perform from public.episode_transcripts t
  where t.episode_id = _episode_id and t.type = _content_type
    and t.language is not distinct from _language and t.id <> all (locked);
  if found then
    raise serialization_failure using message = 'The transcript was added meanwhile; try again';  -- the route does
  end if;
  if not exists (select from private.media_objects m where m.path = _path) then
    select e.first_published_at is not null into was_public from public.episodes e
    where e.id = _episode_id;
    delete from public.episode_transcripts t  -- others of this type and language, which a feed may have had
    where t.episode_id = _episode_id and t.type = _content_type
      and t.language is not distinct from _language and t.id <> current.id;
    if current.bytes is not null then
      perform private.release_media_objects(array[private.own_object_path(current.url)], was_public, at);
    end if;
    insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type)
    select _path, p.owner_id, p.id, _episode_id, 'transcript', _bytes, _content_type
    from public.podcasts p where p.id = _podcast_id;
    if current.id is null then
      insert into public.episode_transcripts (episode_id, type, language, rel, url, bytes)
      values (_episode_id, _content_type, _language, _rel, object_url, _bytes)
      returning * into current;
    else
      update public.episode_transcripts t set
        url = object_url, bytes = _bytes, rel = _rel
      where t.id = current.id
      returning * into current;
    end if;
  end if;
  return jsonb_build_object('transcriptId', current.id, 'path', _path,
    'publicUrl', current.url, 'fileSize', current.bytes, 'contentType', current.type, 'language', current.language,
    'rel', current.rel);
end $$;
comment on function private.finish_transcript_upload is
  'Finishes a transcript''s upload after the object is stored: replaces the transcript of the same type and language, '
  'and releases its object. Safe to repeat. PT403, PT404, PT409 allowance or EPISODE_LIST_FULL, PT500 size mismatch, '
  'PT503.';
grant execute on function private.finish_transcript_upload to service_role;
