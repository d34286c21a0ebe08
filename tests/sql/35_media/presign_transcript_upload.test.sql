-- presign_transcript_upload: the checks of an upload before any byte is sent.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
create function pg_temp.outcome(who text, type text default 'text/vtt', episode text default 'pilot') returns text
language sql as $$
  select tests.result_of(who, format('select public.presign_transcript_upload(%L, %L, %L, ''a.vtt'', 10)',
    tests.id('show'), tests.id(episode), type))
$$;
select is(pg_temp.outcome(who), outcome, format('presign_transcript_upload returns %s to %s', outcome, who))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) v
  (who, outcome);
select is(pg_temp.outcome('ana', type), outcome,
  format('presign_transcript_upload returns %s for the type %s', outcome, type))
from (values ('text/plain', 'ok 1'), ('application/json+chapters', 'ok 1'), ('application/srt', 'ok 1'),
  ('audio/mpeg', 'PT400'), ('', 'PT400'), (null, 'PT400')) v (type, outcome);
select is(pg_temp.outcome('ana', episode => 'foreign'), 'PT404',
  'presign_transcript_upload returns 404 for an episode of another podcast');
select is(tests.result_of('ana', format('select public.presign_transcript_upload(%L, %L, %L, %L, %s)',
    tests.id('show'), tests.id('pilot'), 'text/vtt', name, bytes)), outcome,
  format('presign_transcript_upload returns %s for the file %s of %s bytes', outcome, name, bytes))
from (values ('a.vtt', 5242880, 'ok 1'), ('a.vtt', 5242881, 'PT413'), ('a.vtt', 524288001, 'PT400'),
  ('a.vtt', 0, 'PT400'), ('', 10, 'PT400')) v (name, bytes, outcome);


update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
  deletion_scheduled_at = now() + interval '90 days' where id = tests.id('show');
select is(pg_temp.outcome('ana'), 'PT409', 'presign_transcript_upload returns 409 while the deletion is due');

select * from tests.finish();
rollback;
