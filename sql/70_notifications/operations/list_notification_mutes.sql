-- Lists what the caller has muted.
create function private.notification_mute_json(mute public.notification_mutes) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', $1.id, 'scope', $1.scope, 'podcast_id', $1.podcast_id, 'episode_id', $1.episode_id,
    'muted_until', private.format_timestamp($1.muted_until), 'mutes_mentions', $1.mutes_mentions,
    'created_at', private.format_timestamp($1.created_at))
$$;
comment on function private.notification_mute_json is 'A mute as the API returns it.';
-- No grant: the functions of mutes call it.

create function private.list_notification_mutes(at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- under the policy, clients would need the function of the row's JSON
set search_path = ''
as $$
begin
  perform private.require_account();
  return jsonb_build_object('mutes', coalesce((
    select jsonb_agg(private.notification_mute_json(m) order by m.created_at desc, m.id)
    from public.notification_mutes m
    where m.user_id = auth.uid() and coalesce(m.muted_until > at, true)), '[]'));
end $$;
grant execute on function private.list_notification_mutes to authenticated;

create function public.list_notification_mutes() returns jsonb
language sql stable security invoker set search_path = ''
return private.list_notification_mutes();
comment on function public.list_notification_mutes is
  'GET /api/notifications/mutes: {mutes: [{id, scope, podcast_id, episode_id, muted_until, mutes_mentions, '
  'created_at}]} of the caller that are in force, newest first. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.list_notification_mutes to authenticated;
