-- imported_transcripts: the transcripts of an imported episode, and those that are lost
begin;
select tests.start();

select is(private.imported_transcripts('[
    {"url": "https://x.example/a.vtt", "language": "en_US", "rel": "x", "type": "vtt"},
    {"url": "https://x.example/b.srt", "language": "de", "rel": "captions"},
    {"url": "https://x.example/c", "type": "application/SRT", "language": "English!"},
    {"url": "https://x.example/d", "type": "application/ttml+xml"}, {"url": "https://x.example/e"},
    {"url": "ftp://x.example/f.vtt"}, {"type": "text/vtt"}, 1]'),
  row('[
    {"url": "https://x.example/a.vtt", "type": "text/vtt", "language": "en-US"},
    {"url": "https://x.example/b.srt", "type": "application/x-subrip", "language": "de", "rel": "captions"},
    {"url": "https://x.example/c", "type": "application/x-subrip"},
    {"url": "https://x.example/d", "type": "application/ttml+xml"}]'::jsonb, '[
    {"path": "podcast:transcript/@type", "reason": "INVALID", "excerpt": "vtt"},
    {"path": "podcast:transcript/@rel", "reason": "INVALID", "excerpt": "x"},
    {"path": "podcast:transcript/@language", "reason": "INVALID", "excerpt": "English!"},
    {"path": "podcast:transcript", "reason": "INVALID", "excerpt": "https://x.example/e"},
    {"path": "podcast:transcript", "reason": "INVALID", "excerpt": "ftp://x.example/f.vtt"},
    {"path": "podcast:transcript", "reason": "INVALID"}, {"path": "podcast:transcript", "reason": "INVALID"}]'::jsonb),
  'imported_transcripts reports transcripts without a type or an http URL, and attributes that a feed may not carry');
select is((
    select (jsonb_array_length(m.accepted), m.accepted #>> '{19,url}', m.losses)::text
    from private.imported_transcripts((
      select jsonb_agg(jsonb_build_object('url', format('https://a.example/%s.vtt', n)) order by n)
      from generate_series(1, 22) n)) m),
  (20, 'https://a.example/20.vtt', '[
    {"path": "podcast:transcript", "reason": "LIMIT", "excerpt": "https://a.example/21.vtt"},
    {"path": "podcast:transcript", "reason": "LIMIT", "excerpt": "https://a.example/22.vtt"}]'::jsonb)::text,
  'imported_transcripts returns the first 20 transcripts of an item and reports each one after them');
select is(private.imported_transcripts(l)::text, '([],[])',
  format('imported_transcripts returns no transcript of %s', coalesce(l::text, 'null')))
from unnest(array[null, 'null', '{}', '1', '[]']::jsonb[]) l;

select * from tests.finish();
rollback;
