-- Offers the ownership of a podcast to a member.
create function private.offer_podcast_transfer(_podcast_id uuid, _user_id uuid, at timestamptz default now())
returns public.podcast_transfers
language plpgsql volatile security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
declare
  transfer public.podcast_transfers;
begin
  perform private.require_role(_podcast_id, 'owner');
  perform private.consume_plan_rate_limit('podcast_transfers', at);
  perform from public.podcasts p where p.id = _podcast_id for no key update;
  perform private.require_role(_podcast_id, 'owner');  -- again, under the lock
  perform private.require_writable_podcast(_podcast_id);
  if _user_id = auth.uid() then
    raise sqlstate 'PT409' using message = 'You already own this podcast; offer it to another member',
      hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  perform from public.profiles f where f.id = _user_id for key share;  -- the common lock order
  perform from public.podcast_members m
  where m.podcast_id = _podcast_id and m.user_id = _user_id for share;
  if not found then
    raise sqlstate 'PT404' using message = 'The new owner must be a member of the podcast',
      hint = 'NEW_OWNER_NOT_A_MEMBER';
  end if;
  select t.* into transfer from public.podcast_transfers t
  where t.podcast_id = _podcast_id and t.status = 'pending';
  if found then
    raise sqlstate 'PT409' using message = 'The podcast is already offered; withdraw that offer first',
      hint = 'TRANSFER_OPEN',
      detail = jsonb_build_object('transfer_id', transfer.id)::text;
  end if;
  insert into public.podcast_transfers (podcast_id, user_id, offered_by, storage_bytes)
  values (_podcast_id, _user_id, auth.uid(), private.podcast_storage_bytes(_podcast_id)) returning * into transfer;
  perform private.notify_repeatedly(format('podcast_transfer:%s:%s', transfer.podcast_id, transfer.user_id), 5,
    'podcast.transfer_offered', private.user_recipients(transfer.user_id),
    jsonb_build_object('transfer_id', transfer.id, 'podcast_id', transfer.podcast_id, 'user_id', transfer.user_id,
      'actor_id', transfer.offered_by),
    'podcast_transfer:' || transfer.id, at => at);
  return transfer;
end $$;
grant execute on function private.offer_podcast_transfer to authenticated;

create function public.offer_podcast_transfer(podcast_id uuid, user_id uuid) returns public.podcast_transfers
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.offer_podcast_transfer(offer_podcast_transfer.podcast_id, offer_podcast_transfer.user_id);
end $$;
comment on function public.offer_podcast_transfer is
  '201 with the podcast_transfers row; its storage_bytes would count on the member''s allowance. Requires the owner. '
  '403, 404 podcast or NEW_OWNER_NOT_A_MEMBER, 409 TRANSFER_OPEN or OWNERSHIP_TRANSFER_REQUIRED, 429.';
grant execute on function public.offer_podcast_transfer to authenticated;
