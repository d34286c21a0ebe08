-- list_public_transcripts and get_public_transcript: the transcripts of published episodes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'),
  tests.published_episode('plain', 'show');
insert into public.episode_transcripts (episode_id, type, url) values
  (tests.id('pilot'), 'text/vtt', 'https://x.test/a.vtt');
select tests.remember(type, tests.upload_transcript('pilot', type, 100, 'de'))
from unnest(array['text/vtt', 'text/html']) type;
select tests.remember('secret', tests.upload_transcript('draft'));
create function pg_temp.format_of(type text, extension text, transcript text) returns jsonb language sql as $$
  select jsonb_build_object('type', type, 'url',
    format('https://casts.test/functions/v1/public/transcripts/%s.%s', tests.id(transcript), extension))
$$;

select is(
  tests.value_as('anon', format('select public.list_public_transcripts(%L)', tests.id('pilot')))::jsonb -> 'data',
  (select jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'language', t.language, 'rel', t.rel, 'url', t.url,
    'formats', case t.id
      when tests.id('text/vtt') then jsonb_build_array(pg_temp.format_of('text/vtt', 'vtt', 'text/vtt'),
        pg_temp.format_of('application/x-subrip', 'srt', 'text/vtt'),
        pg_temp.format_of('application/json', 'json', 'text/vtt'))
      when tests.id('text/html') then jsonb_build_array(pg_temp.format_of('text/html', 'html', 'text/html'),
        pg_temp.format_of('text/plain', 'txt', 'text/html'))
      else '[]' end) order by t.display_order)
   from public.episode_transcripts t where t.episode_id = tests.id('pilot')),
  'list_public_transcripts returns transcripts with the formats of stored ones');
select is(tests.value_as('anon', format('select public.list_public_transcripts(%L)', tests.id('plain')))::jsonb,
  '{"data": []}', 'list_public_transcripts returns an empty list for an episode without transcripts');
select is(tests.result_of('anon', format('select public.list_public_transcripts(%L)', id)), 'PT404',
  format('list_public_transcripts returns 404 for %s', what))
from (values (tests.id('draft'), 'a draft'), (gen_random_uuid(), 'an unknown episode')) v (id, what);

select results_eq($$ select path, type from private.get_public_transcript(tests.id('text/vtt')) $$,
  $$ select private.own_object_path(url), type from public.episode_transcripts where id = tests.id('text/vtt') $$,
  'get_public_transcript returns the object of a stored transcript');
select is_empty(format('select from private.get_public_transcript(%L)', id),
  format('get_public_transcript returns nothing for %s', what))
from (values (tests.id('secret'), 'a transcript of a draft'), (gen_random_uuid(), 'an unknown transcript'),
  ((select t.id from public.episode_transcripts t where t.bytes is null), 'a transcript hosted elsewhere')) v
  (id, what);

select * from tests.finish();
rollback;
