-- Declines an ownership offer.
create function public.decline_podcast_transfer(transfer_id uuid) returns public.podcast_transfers
language sql volatile security invoker set search_path = ''
return private.end_podcast_transfer(transfer_id, by_owner => false);
comment on function public.decline_podcast_transfer is
  'Returns the podcast_transfers row. Requires the member to whom it was offered. 404, 409 TRANSFER_ENDED.';
grant execute on function public.decline_podcast_transfer to authenticated;
