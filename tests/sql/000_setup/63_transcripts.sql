-- Stored transcripts of an episode, as an upload leaves them before and after finish_transcript_upload.
create function tests.store_transcript_object(episode text, type text default 'text/vtt', bytes bigint default 100)
returns text
language plpgsql security definer as $$
declare path text;
begin
  select private.transcript_path(e.podcast_id, e.id, gen_random_uuid(), store_transcript_object.type) into path
  from public.episodes e where e.id = tests.id(episode);
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes));
  return path;
end $$;

-- Finishes an upload by the podcast's owner, or by the user of this name; returns the id of the transcript.
create function tests.upload_transcript(
  episode text, type text default 'text/vtt', bytes bigint default 100, language text default null,
  path text default null, by text default null
) returns uuid
language plpgsql security definer as $$
declare
  e public.episodes;
begin
  select * into e from public.episodes where id = tests.id(episode);
  return private.finish_transcript_upload(
    coalesce(case when by is not null then tests.id(by) end,
      (select p.owner_id from public.podcasts p where p.id = e.podcast_id)),
    e.podcast_id, e.id, coalesce(path, tests.store_transcript_object(episode, type, bytes)), bytes, type, language,
    null) ->> 'transcriptId';
end $$;

select unnest(array['1..1', 'ok 1 - the factories of transcripts are created']);
