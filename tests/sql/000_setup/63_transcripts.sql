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

-- What each function of a transcript upload checks first: the caller, the type, the episode and the podcast. The call
-- has placeholders for the podcast, the episode and the type; show has the callers, other the episode foreign.
create function tests.transcript_upload_checks(what text, call text) returns setof text language plpgsql as $$
begin
  return query select tests.access(what, format(call, tests.id('show'), tests.id('pilot'), 'text/vtt'),
    '42501: anon; PT403: stranger vic; ok 1: ana ola');
  return query select is(tests.result_of('ana', format(call, tests.id('show'), tests.id('pilot'), type)), outcome,
    format('%s returns %s for the type %s', what, outcome, type))
  from (values ('text/plain', 'ok 1'), ('application/json+chapters', 'ok 1'), ('application/srt', 'ok 1'),
    ('text/html', 'ok 1'), ('audio/mpeg', 'PT400'), ('', 'PT400'), (null, 'PT400')) v (type, outcome);
  return next is(tests.result_of('ana', format(call, tests.id('show'), tests.id('foreign'), 'text/vtt')), 'PT404',
    what || ' returns 404 for an episode of another podcast');
  perform tests.set_status('show', 'pending_deletion');
  return next is(tests.result_of('ana', format(call, tests.id('show'), tests.id('pilot'), 'text/vtt')), 'PT409',
    what || ' returns 409 while the deletion is due');
  perform tests.set_status('show', 'active');
end $$;

select unnest(array['1..1', 'ok 1 - the factories of transcripts are created']);
