-- Shared by the functions that end an ownership offer.
-- Lock order: rate limit, podcast, profile, member, transfer, then the stored objects and accounts.
create function private.lock_pending_transfer(_transfer_id uuid, by_owner boolean default false)
returns public.podcast_transfers
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  transfer public.podcast_transfers;
begin
  perform private.require_user();
  select t.* into transfer from public.podcast_transfers t where t.id = _transfer_id for update;
  if (case when by_owner then transfer.offered_by else transfer.user_id end) is distinct from auth.uid() then
    raise sqlstate 'PT404' using message = 'Transfer not found';
  elsif transfer.status <> 'pending' then
    raise sqlstate 'PT409' using message = format('The transfer is no longer open: %s', transfer.status),
      hint = 'TRANSFER_ENDED';
  end if;
  return transfer;
end $$;
comment on function private.lock_pending_transfer is
  'Returns a pending transfer, locked, to the caller to whom it was offered, or by_owner to the one who offered it. '
  'PT401, PT404, PT409 TRANSFER_ENDED.';

create function private.end_podcast_transfer(_transfer_id uuid, by_owner boolean)
returns public.podcast_transfers
language plpgsql volatile security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
declare
  transfer public.podcast_transfers := private.lock_pending_transfer(_transfer_id, by_owner);
begin
  update public.podcast_transfers t
  set status = case when by_owner then 'withdrawn' else 'declined' end::public.podcast_transfer_status
  where t.id = transfer.id returning * into transfer;
  perform private.notify('podcast.transfer_declined', private.user_recipients(transfer.offered_by),
    jsonb_build_object('podcast_id', transfer.podcast_id, 'transfer_id', transfer.id, 'actor_id', transfer.user_id))
  where not by_owner;
  return transfer;
end $$;
comment on function private.end_podcast_transfer is
  'Ends an offer as declined by the member, or by_owner as withdrawn; returns it. As lock_pending_transfer.';
grant execute on function private.end_podcast_transfer to authenticated;  -- checks the party itself
