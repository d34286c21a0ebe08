-- Hands a podcast to another member; the old owner stays as an admin.
create function private.move_ownership(podcast_id uuid, user_id uuid) returns public.podcasts
language plpgsql volatile security definer  -- owner_id and the owner's role are the server's columns
set search_path = ''
as $$
declare
  moved     public.podcasts;
  old_owner uuid;
begin
  perform private.require_role(move_ownership.podcast_id, 'owner');
  select p.owner_id into old_owner from public.podcasts p where p.id = move_ownership.podcast_id for update;
  if old_owner is distinct from auth.uid() then
    raise sqlstate 'PT409' using message = 'The podcast has just been transferred';
  end if;
  perform from public.podcast_members m
  where m.podcast_id = move_ownership.podcast_id and m.user_id = move_ownership.user_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The new owner must be a member of the podcast', hint = 'NOT_A_MEMBER';
  end if;
  update public.podcasts p set owner_id = move_ownership.user_id where p.id = move_ownership.podcast_id returning * into moved;
  -- the roles and the stored bytes follow owner_id by its triggers
  return moved;
end $$;
comment on function private.move_ownership is 'transfer_podcast''s half behind the grants.';
revoke all on function private.move_ownership from public, anon, authenticated, service_role;
grant execute on function private.move_ownership to authenticated;  -- checks the role itself

create function public.transfer_podcast(podcast_id uuid, user_id uuid) returns public.podcasts
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.move_ownership(transfer_podcast.podcast_id, transfer_podcast.user_id);
end $$;
comment on function public.transfer_podcast is
  'Makes another member the owner; the old owner becomes an admin, the stored bytes count on the new owner''s account. Owner only. 403, 404 podcast or NOT_A_MEMBER, 409 allowance.';
revoke all on function public.transfer_podcast from public, anon, authenticated, service_role;
grant execute on function public.transfer_podcast to authenticated;
