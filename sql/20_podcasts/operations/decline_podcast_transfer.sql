-- Declines an ownership offer.
create function private.decline_podcast_transfer(_transfer_id uuid) returns public.podcast_transfers
language plpgsql volatile security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(
    _transfer_id,
    (select t.user_id from public.podcast_transfers t where t.id = _transfer_id));
begin
  update public.podcast_transfers t set status = 'declined' where t.id = transfer.id returning * into transfer;
  return transfer;
end $$;
grant execute on function private.decline_podcast_transfer to authenticated;

create function public.decline_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language sql volatile security invoker
return private.decline_podcast_transfer(transfer_id);
comment on function public.decline_podcast_transfer is
  'Returns the podcast_transfers row. Requires the member to whom it was offered. 404, 409 TRANSFER_ENDED.';
grant execute on function public.decline_podcast_transfer to authenticated;
