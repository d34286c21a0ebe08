-- presign_transcript_upload: the checks of an upload before any byte is sent.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
select tests.transcript_upload_checks('presign_transcript_upload',
  'select public.presign_transcript_upload(%L, %L, %L, ''a.vtt'', 10)');
select is(tests.result_of('ana', format('select public.presign_transcript_upload(%L, %L, %L, %L, %s)',
    tests.id('show'), tests.id('pilot'), 'text/vtt', name, bytes)), outcome,
  format('presign_transcript_upload returns %s for the file %s of %s bytes', outcome, name, bytes))
from (values ('a.vtt', 5242880, 'ok 1'), ('a.vtt', 5242881, 'PT413'), ('a.vtt', 524288001, 'PT400'),
  ('a.vtt', 0, 'PT400'), ('', 10, 'PT400')) v (name, bytes, outcome);

select * from tests.finish();
rollback;
