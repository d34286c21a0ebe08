-- authorize_transcript_upload: who may upload transcripts and chapters, of which types, languages and rels.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
create function pg_temp.outcome(who text, type text default 'text/vtt', episode text default 'pilot') returns text
language sql as $$
  select tests.result_of(who, format('select public.authorize_transcript_upload(%L, %L, %L)',
    tests.id('show'), tests.id(episode), type))
$$;
select is(pg_temp.outcome(who), outcome, format('authorize_transcript_upload returns %s to %s', outcome, who))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) v
  (who, outcome);
select is(pg_temp.outcome('ana', type), outcome,
  format('authorize_transcript_upload returns %s for the type %s', outcome, type))
from (values ('text/plain', 'ok 1'), ('application/json+chapters', 'ok 1'), ('application/srt', 'ok 1'),
  ('audio/mpeg', 'PT400'), ('', 'PT400'), (null, 'PT400')) v (type, outcome);
select is(pg_temp.outcome('ana', episode => 'foreign'), 'PT404',
  'authorize_transcript_upload returns 404 for an episode of another podcast');
select is(tests.result_of('ana', format('select public.authorize_transcript_upload(%L, %L, %L, %L, %L)',
    tests.id('show'), tests.id('pilot'), 'text/vtt', language, rel)), outcome,
  format('authorize_transcript_upload returns %s for the language %s and the rel %s', outcome, language, rel))
from (values ('de-AT', 'captions', 'ok 1'), ('en_US', null, 'PT400'), ('', null, 'PT400'), (null, 'x', 'PT400')) v
  (language, rel, outcome);
select is(tests.value_as('ana', format('select public.authorize_transcript_upload(%L, %L, %L)', tests.id('show'),
    tests.id('pilot'), 'application/srt'))::jsonb,
  '{"maxBytes": 5242880, "contentType": "application/x-subrip"}',
  'authorize_transcript_upload returns the limit and the normalized type');
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
  deletion_scheduled_at = now() + interval '90 days' where id = tests.id('show');
select is(pg_temp.outcome('ana'), 'PT409', 'authorize_transcript_upload returns 409 while the deletion is due');

select * from tests.finish();
rollback;
