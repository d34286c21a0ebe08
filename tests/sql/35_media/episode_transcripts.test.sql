-- episode_transcripts: who reads and writes it, its guards, its order and its limit.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.insert_transcript(who text, fields jsonb default '{}') returns text language sql as $$
  select tests.result_of(who, format('insert into public.episode_transcripts (%s) values (%s)',
    string_agg(quote_ident(f.key), ', '), string_agg(quote_nullable(f.value), ', ')))
  from jsonb_each_text(jsonb_build_object('episode_id', tests.id('pilot'), 'url', 'https://x.test/a.vtt', 'type',
    'text/vtt') || fields) f
$$;

select is(pg_temp.insert_transcript(who), outcome, format('episode_transcripts returns %s to an insert of %s', outcome,
  who))
from (values ('anon', '42501'), ('stranger', '42501'), ('vic', '42501'), ('service', '42501'), ('ana', 'ok 1'),
  ('ola', 'ok 1')) v (who, outcome);
select is(pg_temp.insert_transcript('ana', jsonb_build_object('episode_id', gen_random_uuid())), 'PT404',
  'episode_transcripts returns 404 for an unknown episode');
select tests.access('reading episode_transcripts', 'select id from public.episode_transcripts',
  '42501: anon; ok 0: stranger; ok 2: vic service');
select is(tests.result_of(who, $$ update public.episode_transcripts set language = 'de', rel = 'captions' $$), outcome,
  format('updating language and rel of episode_transcripts returns %s to %s', outcome, who))
from (values ('anon', '42501'), ('stranger', 'ok 0'), ('vic', 'ok 0'), ('ana', 'ok 2')) v (who, outcome);
select is(tests.result_of('ana', format('update public.episode_transcripts set %1$I = %1$I', c)), '42501',
  format('clients may not update episode_transcripts.%s', c))
from unnest(array['id', 'episode_id', 'podcast_id', 'url', 'type', 'bytes', 'created_at', 'updated_at']) c;
select is(pg_temp.insert_transcript('ana', jsonb_build_object(c, value)), '42501',
  format('clients may not insert episode_transcripts.%s', c))
from (values ('id', gen_random_uuid()::text), ('podcast_id', gen_random_uuid()::text), ('bytes', '1')) v (c, value);
select tests.access('deleting from episode_transcripts', 'delete from public.episode_transcripts',
  '42501: anon; ok 0: stranger vic; ok 2: ana');

-- Values
select is(pg_temp.insert_transcript('ana', fields), outcome,
  format('episode_transcripts returns %s for a transcript with %s', outcome, left(fields::text, 80)))
from (values
  ('{"language": "de-AT", "rel": "captions"}'::jsonb, 'ok 1'), ('{"language": null, "rel": null}', 'ok 1'),
  ('{"language": "en_US"}', '23514'), ('{"language": ""}', '23514'), ('{"rel": "subtitles"}', '23514'),
  ('{"rel": ""}', '23514'), ('{"type": ""}', '23514'), ('{"type": "vtt"}', '23514'), ('{"type": null}', '23502'),
  (jsonb_build_object('type', 'text/' || repeat('x', 100)), '23514'),
  ('{"url": "nowhere"}', '23514'), ('{"url": "javascript:alert(1)"}', '23514'), ('{"url": null}', '23502'),
  (jsonb_build_object('url', 'https://x.test/' || repeat('x', 2048)), '23514'), ('{"display_order": "-1"}', '23514')
) v (fields, outcome);
select is(pg_temp.insert_transcript('ana', jsonb_build_object('type', type)), 'ok 1',
  format('episode_transcripts accepts the type %s', type))
from unnest(array['application/srt', 'Text/SRT', 'application/ttml+xml']) type;
select set_eq('select distinct type from public.episode_transcripts',
  array['text/vtt', 'application/x-subrip', 'application/ttml+xml'],
  'episode_transcripts stores types in lower case, and one type for SRT');
select set_eq('select display_order from public.episode_transcripts', 'select generate_series(0, 4)',
  'episode_transcripts appends a transcript without a display_order');
select is((select count(*) from public.episode_transcripts where podcast_id = tests.id('show')), 5::bigint,
  'episode_transcripts has the podcast of its episode');
select throws_ok($$ insert into public.episode_transcripts (episode_id, url, type, bytes)
    values (tests.id('pilot'), 'https://x.test/a', 'image/png', 1) $$, '23514', null,
  'episode_transcripts rejects a stored file of another type');

-- Limit
delete from public.episode_transcripts;
insert into public.episode_transcripts (episode_id, url, type)
select tests.id('pilot'), 'https://x.test/' || n, 'text/vtt' from generate_series(1, 20) n;
select is(pg_temp.insert_transcript('ana'), 'PT409', 'an episode has at most 20 transcripts');
select is(tests.error_of(format($i$ insert into public.episode_transcripts (episode_id, url, type)
    select %L, 'https://x.test/' || n, 'text/vtt' from generate_series(1, 21) n $i$, tests.id('second'))),
  'PT409 EPISODE_LIST_FULL', 'a statement cannot insert 21 transcripts of an episode');
select is(pg_temp.insert_transcript('ana', jsonb_build_object('episode_id', tests.id('second'))), 'ok 1',
  'another episode of the podcast has a limit of its own');

-- Life
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', statement), 'PT409',
  format('a podcast pending deletion rejects: %s', left(statement, 40)))
from unnest(array['delete from public.episode_transcripts',
  'update public.episode_transcripts set rel = null']) statement;
select is(pg_temp.insert_transcript('ana'), 'PT409', 'a podcast pending deletion rejects a new transcript');

select * from tests.finish();
rollback;
