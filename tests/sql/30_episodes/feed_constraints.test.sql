-- Values that no feed may carry are rejected on write: languages, transcripts, media, texts about AI.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('one', 'show');
select is(tests.result_of('ola', format('update public.podcasts set language = %L where id = tests.id(''show'')', tag)), 'ok 1', tag || ' is a language')
from unnest(array['en', 'de-AT', 'zh-Hans-TW', 'es-419', 'sl-rozaj', 'x-own', 'haw', 'EN-gb']) tag;
select is(tests.result_of('ola', format('update public.podcasts set language = %L where id = tests.id(''show'')', tag)), '23514', quote_literal(tag) || ' is not a language')
from unnest(array['', 'e', 'en_US', 'en-', 'english-', '1n', 'en--GB', 'toolonglang', 'en ', 'en-x-' || repeat('a', 40)]) tag;
select is(tests.result_of('ola', format('update public.podcasts set medium = %L where id = tests.id(''show'')', medium)), expected, 'the medium ' || medium || ' returns ' || expected)
from (values ('mixed', 'ok 1'), ('musicL', 'ok 1'), ('mixedL', '23514'), ('radio', '23514')) m (medium, expected);
select is(tests.result_of('ola', format('update public.podcasts set verify_texts = %L where id = tests.id(''show'')', jsonb_build_array(jsonb_build_object('purpose', 'ai-content', 'text', words)))), expected, 'ai-content ' || words || ' returns ' || expected)
from (values ('true', 'ok 1'), ('false', 'ok 1'), ('Music only', 'PT400'), ('TRUE', 'PT400')) t (words, expected);
select is(tests.result_of('ola', format('update public.episodes set transcripts = %L where id = tests.id(''one'')',
    jsonb_build_array(jsonb_build_object('url', 'https://x.example/a.vtt', 'type', 'text/vtt') || more))), expected, 'a transcript with ' || more::text || ' returns ' || expected)
from (values ('{}'::jsonb, 'ok 1'), ('{"language": "de-AT", "rel": "captions"}', 'ok 1'), ('{"language": null, "rel": null}', 'ok 1'),
  ('{"language": "en_US"}', 'PT400'), ('{"language": ""}', 'PT400'), ('{"rel": "subtitles"}', 'PT400'), ('{"rel": ""}', 'PT400')) t (more, expected);
select is(private.transcripts_from_feed('[{"url": "https://x.example/a.vtt", "language": "en_US", "rel": "x"}, {"url": "https://x.example/b.srt", "language": "de", "rel": "captions"}]'),
  '[{"url": "https://x.example/a.vtt", "type": "text/vtt"}, {"url": "https://x.example/b.srt", "type": "application/x-subrip", "language": "de", "rel": "captions"}]',
  'an imported transcript keeps only a language and a rel that feeds may carry');

select * from tests.finish();
rollback;
