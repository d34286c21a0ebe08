-- Ends a mute of the caller.
create function private.unmute_notifications(_mute_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on mutes
set search_path = ''
as $$
declare
  mute public.notification_mutes;
begin
  perform private.require_account();
  delete from public.notification_mutes m where m.id = _mute_id and m.user_id = auth.uid() returning m.* into mute;
  if not found then
    raise sqlstate 'PT404' using message = 'Mute not found';
  end if;
  return jsonb_build_object('mute', private.notification_mute_json(mute));
end $$;
grant execute on function private.unmute_notifications to authenticated;

create function public.unmute_notifications(mute_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.unmute_notifications(mute_id);
comment on function public.unmute_notifications is
  'DELETE /api/notifications/mutes/{id}: {mute}, which has ended. Later notifications are emailed and pushed again. '
  '401, 403 ACCOUNT_REQUIRED, 404 unknown or another user''s.';
grant execute on function public.unmute_notifications to authenticated;
