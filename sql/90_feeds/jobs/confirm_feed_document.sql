-- Ends a rendering that found the document up to date. Stores the findings, which also depend on what the feed does not
-- show. Raises the version, so that a slower rendering of older rows cannot replace the document afterwards.
create function private.confirm_feed_document(
  _podcast_id uuid, _version bigint, _findings jsonb, at timestamptz default clock_timestamp()
) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed_document(_podcast_id, _version) then
    return false;
  end if;
  update private.feed_documents d
  set version = d.version + 1, findings = _findings, checked_at = at
  where d.podcast_id = _podcast_id;
  return true;
end $$;
grant execute on function private.confirm_feed_document to service_role;
comment on function private.confirm_feed_document is
  'Confirms that the document of this version is up to date. Returns false if another rendering was faster; read '
  'the feed again.';
