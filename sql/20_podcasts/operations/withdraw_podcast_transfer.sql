-- Withdraws an ownership offer.
create function public.withdraw_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language sql volatile security invoker set search_path = ''
return private.end_podcast_transfer(transfer_id, by_owner => true);
comment on function public.withdraw_podcast_transfer is
  'Returns the podcast_transfers row. Requires the owner who offered it. 404, 409 TRANSFER_ENDED.';
grant execute on function public.withdraw_podcast_transfer to authenticated;
