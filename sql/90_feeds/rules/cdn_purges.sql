-- CDN purges: each public response about a podcast has the podcast's surrogate key. A change that such a response shows
-- enqueues {key}. The message has no podcast_id, because it must outlive the podcast. It waits for
-- cdn_purge_delay_seconds, and further changes join it while it waits for at least two seconds more.
create function private.surrogate_key(slug text) returns text
language sql stable security invoker set search_path = ''
return 'podcast-' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 16);
comment on function private.surrogate_key is
  'The surrogate key of a podcast, as functions/app/surrogate_keys.ts: short ASCII for slugs in any script.';

create function private.enqueue_cdn_purges(slugs text[], at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  if cardinality(slugs) > 0 and private.get_setting('cdn_purge_url') <> '' then
    perform private.enqueue_unless_waiting('cdn_purge',
      array(select distinct jsonb_build_object('key', private.surrogate_key(s)) from unnest(slugs) s),
      private.get_setting('cdn_purge_delay_seconds')::int, at,
      min_wait_seconds => 2);  -- READ_LIMIT_MS in functions/database/pool.ts: reads of before the change end first
  end if;
end $$;
comment on function private.enqueue_cdn_purges is
  'Enqueues {key} of each podcast with these slugs, unless it waits for two seconds more, or cdn_purge_url is empty.';

-- After: a feed changes when its document does, which is later than the rows that it shows.
create function private.purge_feed() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.enqueue_cdn_purges(array(select p.slug from public.podcasts p where p.id = new.podcast_id));
  return null;
end $$;
create trigger t900_purge_insert after insert on private.feed_documents
  for each row execute function private.purge_feed();
create trigger t900_purge_update after update on private.feed_documents
  for each row when (new.digest is distinct from old.digest) execute function private.purge_feed();
