-- Stores the notes that a rendering of the feed sanitized. The rendering reads them next, so the change needs no feed
-- invalidation.
create function private.store_feed_show_notes(_version int, _notes jsonb) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stored int;
begin
  perform private.announce_feed_elsewhere(true);
  stored := private.store_show_notes(_version, _notes);
  perform private.announce_feed_elsewhere(false);
  return stored;
end $$;
grant execute on function private.store_feed_show_notes to service_role;
comment on function private.store_feed_show_notes is
  'Stores sanitized notes as store_show_notes does, without invalidating the feed. Called while the feed is rendered.';
