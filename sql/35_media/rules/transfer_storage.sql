-- What a transfer will count on the new owner's allowance.
create function private.podcast_storage_bytes(_podcast_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select sum(m.bytes) from private.media_objects m
    where m.podcast_id = _podcast_id and m.released_at is null), 0) + private.staged_bytes(_podcast_id);
end $$;
comment on function private.podcast_storage_bytes is 'Returns the bytes of a podcast: live objects and staged uploads.';
