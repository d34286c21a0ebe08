-- authorize_transcript_upload: who may upload transcripts and chapters, of which types, languages and rels.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
select tests.transcript_upload_checks('authorize_transcript_upload',
  'select public.authorize_transcript_upload(%L, %L, %L)');
select is(tests.result_of('ana', format('select public.authorize_transcript_upload(%L, %L, %L, %L, %L)',
    tests.id('show'), tests.id('pilot'), 'text/vtt', language, rel)), outcome,
  format('authorize_transcript_upload returns %s for the language %s and the rel %s', outcome, language, rel))
from (values ('de-AT', 'captions', 'ok 1'), ('en_US', null, 'PT400'), ('', null, 'PT400'), (null, 'x', 'PT400')) v
  (language, rel, outcome);
select is(tests.value_as('ana', format('select public.authorize_transcript_upload(%L, %L, %L)', tests.id('show'),
    tests.id('pilot'), 'application/srt'))::jsonb, '{"maxBytes": 5242880, "contentType": "application/x-subrip"}',
  'authorize_transcript_upload returns the limit and the normalized type');

select * from tests.finish();
rollback;
