-- Deletes a podcast whose deletion is due, with all its rows, in one statement: readers see it whole or deleted. A
-- cancellation that commits first wins, because the statement then finds another status.
create function private.delete_due_podcast(_podcast_id uuid, at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  select p.* into podcast from public.podcasts p
  where p.id = _podcast_id and p.status = 'pending_deletion' and p.deletion_scheduled_at <= at for update;
  if not found then
    return false;
  end if;
  if podcast.hosting_type = 'native' then  -- delete_podcast has told the team of the other
    perform private.announce_deleted_podcast(podcast, null, at);
  end if;
  delete from public.podcasts p where p.id = podcast.id;
  return true;
end $$;
grant execute on function private.delete_due_podcast to service_role;
comment on function private.delete_due_podcast is
  'Deletes a podcast whose deletion is due, and tells its team. False if it was canceled, is not due, or no longer '
  'exists.';
