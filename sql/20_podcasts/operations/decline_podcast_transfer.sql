-- Declines an ownership offer.
create function private.decline_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language plpgsql volatile security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(
    decline_podcast_transfer.transfer_id,
    (select t.user_id from public.podcast_transfers t where t.id = decline_podcast_transfer.transfer_id));
begin
  update public.podcast_transfers t set status = 'declined' where t.id = transfer.id returning * into transfer;
  return transfer;
end $$;
comment on function private.decline_podcast_transfer is
  'Implementation of decline_podcast_transfer (security definer). Checks the caller itself.';
grant execute on function private.decline_podcast_transfer to authenticated;

create function public.decline_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.decline_podcast_transfer(decline_podcast_transfer.transfer_id);
end $$;
comment on function public.decline_podcast_transfer is
  'Returns the podcast_transfers row. Requires the member to whom it was offered. 404, 409 TRANSFER_ENDED.';
grant execute on function public.decline_podcast_transfer to authenticated;
