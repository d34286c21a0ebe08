-- Requests to a user that are no longer open: invitations to a team, and offered transfers. The notification that asks
-- for an answer is read then.
create function private.read_notification_of_request() returns trigger
language plpgsql security definer  -- clients have no write grant on notifications
set search_path = ''
as $$
declare
  request      constant jsonb := to_jsonb(new);
  request_key  constant text := tg_argv[0] || ':' || new.id;
  user_ids     constant uuid[] := array(
    select (request ->> 'user_id')::uuid
    union all select u.id from auth.users u where u.email = request ->> 'email');
begin
  update public.notifications n set read_at = now(), updated_at = now()
  where n.user_id = any (user_ids) and n.group_key = request_key and n.read_at is null;
  -- reading cancels the push only, and not that of a user who turned the app off
  update public.notification_deliveries d set status = 'canceled'
  from public.notifications n
  where coalesce(d.user_id, d.episode_guest_id) = any (user_ids) and d.status in ('pending', 'queued')
    and (d.channel = 'push' or d.status = 'pending')
    and not exists (select from private.delivery_sends s where s.delivery_id = d.id)
    and n.id = d.notification_id and n.group_key = request_key;
  return null;
end $$;
comment on function private.read_notification_of_request is
  'Trigger: marks the notification of a request that is no longer pending as read, which cancels its push, and cancels '
  'its email. The argument is the prefix of its group_key.';
create trigger t500_read_notification after update on public.podcast_invitations
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.read_notification_of_request('podcast_invitation');
create trigger t500_read_notification after update on public.podcast_transfers
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.read_notification_of_request('podcast_transfer');
