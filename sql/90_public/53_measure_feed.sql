-- What the renderer must know of the stored items to put a document around them: their sums in feed order, a digest of
-- them all, the digest that the present document was made from, and the date a new one would bear. That date is never
-- one that a former document bore: who asks by If-Modified-Since alone must not miss the second change within a second.
create function private.measure_feed(podcast_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  document private.feed_documents;
begin
  select d.digest, d.last_modified into document.digest, document.last_modified
  from private.feed_documents d where d.podcast_id = measure_feed.podcast_id;
  return (
    select jsonb_build_object(
      'sums', coalesce(jsonb_agg(jsonb_build_array(i.crc32, i.bytes) order by i.published_at desc, i.episode_id desc), '[]'),
      'digest', encode(sha256(coalesce(string_agg(i.digest, '' order by i.published_at desc, i.episode_id desc), '')), 'hex'),
      'written', encode(document.digest, 'hex'),
      'date', greatest(date_trunc('second', clock_timestamp()), document.last_modified + interval '1 second'))
    from private.feed_items i where i.podcast_id = measure_feed.podcast_id);
end $$;
comment on function private.measure_feed is '{sums: [[crc32, bytes], …], digest, written, date} of a podcast''s stored items.';
revoke all on function private.measure_feed from public, anon, authenticated, service_role;
