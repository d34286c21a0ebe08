-- Marks a guest's notifications of an episode as read, which cancels the email about them.
create function private.mark_guest_notifications_read(
  _episode_id uuid, _access_token text, at timestamptz default now()
) returns void
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  guest public.episode_guests := private.authenticate_guest(_access_token, at => at);
begin
  perform private.require_guest_of_episode(guest, _episode_id);
  perform from public.episodes e where e.id = guest.episode_id for key share;  -- a deletion waits, or has happened
  update public.notifications n
  set read_at = at, updated_at = at
  where n.episode_guest_id = guest.id and n.read_at is null;
end $$;
grant execute on function private.mark_guest_notifications_read to anon, authenticated;

create function public.mark_guest_notifications_read(episode_id uuid, access_token text) returns void
language sql volatile security invoker set search_path = ''
return private.mark_guest_notifications_read(episode_id, access_token);
comment on function public.mark_guest_notifications_read is
  'POST /api/notifications/guest-read: marks the guest''s unread notifications of the episode as read. Safe to repeat. '
  'Requires the access token, no login. 401 INVALID or EXPIRED, 403 for another episode.';
grant execute on function public.mark_guest_notifications_read to anon, authenticated;
