-- Withdraws an ownership offer.
create function private.withdraw_podcast_transfer(_transfer_id uuid) returns public.podcast_transfers
language plpgsql volatile security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(
    _transfer_id,
    (select t.offered_by from public.podcast_transfers t where t.id = _transfer_id));
begin
  update public.podcast_transfers t set status = 'withdrawn' where t.id = transfer.id returning * into transfer;
  return transfer;
end $$;
grant execute on function private.withdraw_podcast_transfer to authenticated;

create function public.withdraw_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language sql volatile security invoker
return private.withdraw_podcast_transfer(transfer_id);
comment on function public.withdraw_podcast_transfer is
  'Returns the podcast_transfers row. Requires the owner who offered it. 404, 409 TRANSFER_ENDED.';
grant execute on function public.withdraw_podcast_transfer to authenticated;
