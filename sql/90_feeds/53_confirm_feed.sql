-- Ends a rendering that found the document up to date. The version rises, so that a rendering of older rows that is still
-- under way does not replace the document afterwards.
create function private.confirm_feed(podcast_id uuid, version bigint) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed(confirm_feed.podcast_id, confirm_feed.version) then
    return false;
  end if;
  update private.feed_documents d set version = d.version + 1 where d.podcast_id = confirm_feed.podcast_id;
  return true;
end $$;
comment on function private.confirm_feed is
  'The document of this version has what the rows say. False when another rendering was faster: open the feed again.';
