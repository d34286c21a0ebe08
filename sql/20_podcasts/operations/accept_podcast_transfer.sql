-- Makes the caller the owner and the previous owner an admin. Triggers move roles and stored bytes with owner_id. If
-- the podcast grew since the offer, the offer gets the new size instead, and the caller accepts again.
create function private.accept_podcast_transfer(_transfer_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on owner_id and roles
set search_path = ''
as $$
declare
  transfer      public.podcast_transfers;
  offered_bytes bigint;
begin
  perform from public.podcasts p
  where p.id = (
    select t.podcast_id from public.podcast_transfers t
    where t.id = _transfer_id and t.user_id = auth.uid())
  for no key update;
  perform from public.profiles f where f.id = auth.uid() for key share;  -- the lock order of an account's deletion
  perform from public.podcast_members m
  where m.user_id = auth.uid()
    and m.podcast_id = (
      select t.podcast_id from public.podcast_transfers t where t.id = _transfer_id)
  for update;
  transfer := private.lock_pending_transfer(_transfer_id);
  offered_bytes := transfer.storage_bytes;
  -- an update lets the trigger measure the podcast again
  update public.podcast_transfers t set status = 'pending' where t.id = transfer.id returning * into transfer;
  if transfer.storage_bytes > offered_bytes then
    return private.error_response(
      409, 'The podcast has grown since it was offered; check storage_bytes and accept again',
      'TRANSFER_SIZE_INCREASED', jsonb_build_object('storage_bytes', transfer.storage_bytes));
  end if;
  update public.podcast_transfers t set status = 'accepted' where t.id = transfer.id returning * into transfer;
  update public.podcasts p set owner_id = transfer.user_id where p.id = transfer.podcast_id;
  perform private.notify('podcast.transfer_accepted', private.user_recipients(transfer.offered_by),
    jsonb_build_object('transfer_id', transfer.id, 'podcast_id', transfer.podcast_id, 'user_id', transfer.offered_by,
      'actor_id', transfer.user_id));
  return to_jsonb(transfer);
end $$;
grant execute on function private.accept_podcast_transfer to authenticated;

create function public.accept_podcast_transfer(transfer_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.accept_podcast_transfer(transfer_id);
comment on function public.accept_podcast_transfer is
  'Returns the podcast_transfers row. Makes the caller the owner and the previous owner an admin. Requires the member '
  'to whom it was offered. 404, 409 TRANSFER_ENDED, STORAGE_ALLOWANCE_EXCEEDED, or TRANSFER_SIZE_INCREASED with '
  'storage_bytes.';
grant execute on function public.accept_podcast_transfer to authenticated;
