-- transcripts_from_feed: the transcripts of an imported episode
begin;
select tests.start();

select results_eq(
  $$ select url, type, language, rel from private.transcripts_from_feed('[
    {"url": "https://x.example/a.vtt", "language": "en_US", "rel": "x"},
    {"url": "https://x.example/b.srt", "language": "de", "rel": "captions"},
    {"url": "https://x.example/c", "type": "application/SRT"},
    {"url": "https://x.example/d", "type": "application/ttml+xml"}, {"url": "https://x.example/e"},
    {"url": "nowhere", "type": "text/vtt"}, {"type": "text/vtt"}, 1]') $$,
  $$ values ('https://x.example/a.vtt', 'text/vtt', null, null),
    ('https://x.example/b.srt', 'application/x-subrip', 'de', 'captions'),
    ('https://x.example/c', 'application/x-subrip', null, null),
    ('https://x.example/d', 'application/ttml+xml', null, null) $$,
  'transcripts_from_feed drops a language and a rel that a feed may not carry, and entries without a URL or a type');
select results_eq(
  $$ select url from private.transcripts_from_feed((
    select jsonb_agg(jsonb_build_object('url', 'https://x.example/' || n || '.vtt') order by n)
    from generate_series(1, 100) n)) $$,
  $$ select 'https://x.example/' || n || '.vtt' from generate_series(1, 20) n $$,
  'transcripts_from_feed returns the first 20 transcripts of an item');
select is_empty($$ select from unnest(array['null', '{}', '1']::jsonb[]) l, private.transcripts_from_feed(l) $$,
  'transcripts_from_feed returns nothing for a value that is not a list');

-- Losses
select is(private.transcript_losses(null), '[]', 'transcript_losses returns no loss of no transcripts');
select is(private.transcript_losses('[{"url": "https://a.example/1"}, {"url": "https://a.example/2.vtt"},
  {"url": "ftp://a.example/3.vtt"}]'), '[
  {"path": "podcast:transcript", "reason": "INVALID", "excerpt": "https://a.example/1"},
  {"path": "podcast:transcript", "reason": "INVALID", "excerpt": "ftp://a.example/3.vtt"}]',
  'transcript_losses reports transcripts without a type or an http address');
select is(private.transcript_losses((
    select jsonb_agg(jsonb_build_object('url', format('https://a.example/%s.vtt', n)) order by n)
    from generate_series(1, 21) n)),
  '[{"path": "podcast:transcript", "reason": "LIMIT", "excerpt": "https://a.example/21.vtt"}]',
  'transcript_losses reports those after the twentieth');

select * from tests.finish();
rollback;
