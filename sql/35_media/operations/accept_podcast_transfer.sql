-- Makes the caller the owner and the previous owner an admin. Triggers move roles and stored bytes with owner_id. If
-- the podcast grew since the offer, the offer gets the new size instead, and the caller accepts again.
create function private.accept_podcast_transfer(_transfer_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on owner_id and roles
set search_path = ''
as $$
declare
  transfer     public.podcast_transfers;
  stored_bytes bigint;
begin
  select t.* into transfer from public.podcast_transfers t where t.id = _transfer_id and t.user_id = auth.uid();
  perform from public.podcasts p where p.id = transfer.podcast_id for no key update;
  perform from public.profiles f where f.id = transfer.user_id for key share;
  perform from public.podcast_members m
  where m.podcast_id = transfer.podcast_id and m.user_id = transfer.user_id for update;
  transfer := private.lock_pending_transfer(_transfer_id);
  stored_bytes := private.podcast_storage_bytes(transfer.podcast_id);
  if stored_bytes > transfer.storage_bytes then
    update public.podcast_transfers t set storage_bytes = stored_bytes where t.id = transfer.id;
    return private.error_response(
      409, 'The podcast has grown since it was offered; check storage_bytes and accept again',
      'TRANSFER_SIZE_INCREASED', jsonb_build_object('storage_bytes', stored_bytes));
  end if;
  update public.podcast_transfers t set status = 'accepted', storage_bytes = stored_bytes
  where t.id = transfer.id returning * into transfer;
  -- codes of directories and of other hosts go to the owner's address
  update public.podcasts p set owner_id = transfer.user_id, owner_email = null, show_owner_email = false
  where p.id = transfer.podcast_id;
  perform private.notify('podcast.transfer_accepted', private.user_recipients(transfer.offered_by),
    jsonb_build_object('transfer_id', transfer.id, 'podcast_id', transfer.podcast_id, 'user_id', transfer.offered_by,
      'actor_id', transfer.user_id));
  perform private.notify('podcast.owner_email_needed', private.user_recipients(transfer.user_id),
    jsonb_build_object('podcast_id', transfer.podcast_id, 'user_id', transfer.user_id),
    _group_key => 'podcast_owner_email:' || transfer.podcast_id);
  return to_jsonb(transfer);
end $$;
grant execute on function private.accept_podcast_transfer to authenticated;

create function public.accept_podcast_transfer(transfer_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.accept_podcast_transfer(transfer_id);
comment on function public.accept_podcast_transfer is
  'Returns the podcast_transfers row. Makes the caller the owner and the previous owner an admin, and clears '
  'owner_email. Requires the member to whom it was offered. 404, 409 TRANSFER_ENDED, STORAGE_ALLOWANCE_EXCEEDED, or '
  'TRANSFER_SIZE_INCREASED with storage_bytes.';
grant execute on function public.accept_podcast_transfer to authenticated;
