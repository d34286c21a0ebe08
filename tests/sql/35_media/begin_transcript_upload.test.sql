-- begin_transcript_upload: the checks with the received bytes, and the path of the object.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
select tests.transcript_upload_checks('begin_transcript_upload',
  'select public.begin_transcript_upload(%L, %L, %L, 10)');
select matches(tests.value_as('ana', format('select public.begin_transcript_upload(%L, %L, %L, 10)', tests.id('show'),
    tests.id('pilot'), type))::jsonb ->> 'path',
  format('^podcasts/%s/e/%s/transcripts/[0-9a-f-]{36}\.%s$', tests.id('show'), tests.id('pilot'), extension),
  format('begin_transcript_upload returns a new path for %s', type))
from (values ('text/vtt', 'vtt'), ('application/x-subrip', 'srt'), ('application/json', 'json'), ('text/html', 'html'),
  ('text/plain', 'txt')) v (type, extension);
select is(tests.outcome_of(format('select public.begin_transcript_upload(%L, %L, %L, %s)', tests.id('show'),
    tests.id('pilot'), 'text/vtt', bytes)), outcome, format('begin_transcript_upload returns %s for %s bytes', outcome,
  bytes))
from (select tests.act_as('ana')) a, (values (0, 'PT400 EMPTY_BODY'),
  (5242881, 'PT413 FILE_TOO_LARGE {"maxBytes": 5242880}')) v (bytes, outcome);
select tests.act_as('postgres');

select is(tests.value_as('ana', format('select public.begin_transcript_upload(%L, %L, %L, 10)', tests.id('show'),
    tests.id('pilot'), 'application/json+chapters'))::jsonb, '{"path": null}',
  'begin_transcript_upload returns no path for chapters');

-- Allowance: the bytes of the replaced transcript do not count
select tests.upload_transcript('pilot', 'text/vtt', 100, 'de');
update public.billing_accounts set storage_bytes_used = 1073741824 where user_id = tests.id('ola');
select is(tests.result_of('ana', format('select public.begin_transcript_upload(%L, %L, %L, %s, %L)',
    tests.id('show'), tests.id('pilot'), type, bytes, language)), outcome,
  format('begin_transcript_upload returns %s for %s bytes of %s in %s on a full account', outcome, bytes, type,
    language))
from (values ('text/vtt', 'de', 100, 'ok 1'), ('text/vtt', 'de', 101, 'PT409'), ('text/vtt', 'en', 1, 'PT409'),
  ('text/plain', 'de', 1, 'PT409'), ('application/json+chapters', 'de', 1000, 'ok 1')) v
  (type, language, bytes, outcome);

select * from tests.finish();
rollback;
