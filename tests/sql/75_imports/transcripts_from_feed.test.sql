-- transcripts_from_feed: the transcripts of an imported episode
begin;
select tests.start();

select is(
  private.transcripts_from_feed('[{"url": "https://x.example/a.vtt", "language": "en_US", "rel": "x"},
    {"url": "https://x.example/b.srt", "language": "de", "rel": "captions"}]'),
  '[{"url": "https://x.example/a.vtt", "type": "text/vtt"},
    {"url": "https://x.example/b.srt", "type": "application/x-subrip", "language": "de", "rel": "captions"}]',
  'transcripts_from_feed drops a language and a rel that a feed may not carry');

select * from tests.finish();
rollback;
