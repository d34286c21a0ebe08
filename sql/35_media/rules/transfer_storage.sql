-- The bytes that a transfer will count on the new owner's allowance: the podcast's live objects and staged bytes,
-- measured on every write of an open offer.
create function private.derive_transfer_storage() returns trigger
language plpgsql security definer  -- clients may not read the ledger
set search_path = ''
as $$
begin
  new.storage_bytes := coalesce((
    select sum(m.bytes) from private.media_objects m
    where m.podcast_id = new.podcast_id and m.released_at is null), 0) + private.staged_bytes(new.podcast_id);
  return new;
end $$;
create trigger t500_derive_storage before insert or update on public.podcast_transfers
  for each row when (new.status = 'pending') execute function private.derive_transfer_storage();
