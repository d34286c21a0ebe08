-- Ends emails and pushes about a podcast, an episode or its chat for the caller, until a time or permanently. What
-- waits to be sent is not sent.
create function private.mute_notifications(
  _scope public.notification_mute_scope, _podcast_id uuid, _episode_id uuid, _muted_until timestamptz,
  _mutes_mentions boolean, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on mutes
set search_path = ''
as $$
declare
  mute   public.notification_mutes;
  is_new boolean;
begin
  perform private.require_account();
  if _scope = 'podcast' and (_podcast_id is null or _episode_id is not null)
    or _scope <> 'podcast' and (_episode_id is null or _podcast_id is not null) or _scope is null
  then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'the scope podcast needs podcast_id, the scopes episode and chat need episode_id, and no other id';
  elsif _muted_until <= at or _muted_until > at + interval '10 years' then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'muted_until must be in the future, within ten years; use null permanently';
  end if;
  if _scope = 'podcast' then
    perform private.require_role(_podcast_id, 'member');
  else
    _podcast_id := private.require_episode_role(_episode_id, 'member');
  end if;
  perform from public.profiles f where f.id = auth.uid() for no key update;  -- counts one call after the other
  is_new := not exists (
    select from public.notification_mutes m
    where m.user_id = auth.uid() and coalesce(m.muted_until > at, true)
      and m.scope = _scope and m.podcast_id = _podcast_id
      and m.episode_id is not distinct from _episode_id);
  if is_new and (
    select count(*) from public.notification_mutes m
    where m.user_id = auth.uid() and coalesce(m.muted_until > at, true))
    >= private.get_setting('max_notification_mutes_per_user')::int
  then
    raise sqlstate 'PT409' using hint = 'TOO_MANY_MUTES', message =
      'You have muted as much as possible; unmute something, or turn types off in your notification preferences';
  end if;
  insert into public.notification_mutes as m
    (user_id, scope, podcast_id, episode_id, muted_until, mutes_mentions, created_at)
  values (auth.uid(), _scope, _podcast_id, _episode_id, _muted_until, coalesce(_mutes_mentions, false), at)
  on conflict on constraint user_mutes_once
    do update set muted_until = excluded.muted_until, mutes_mentions = excluded.mutes_mentions,
      created_at = case when is_new then at else m.created_at end
  returning m.* into mute;
  perform set_config('response.status', case when is_new then '201' else '200' end, true);
  return jsonb_build_object('mute', private.notification_mute_json(mute));
end $$;
grant execute on function private.mute_notifications to authenticated;

create function public.mute_notifications(
  scope public.notification_mute_scope, podcast_id uuid default null, episode_id uuid default null,
  muted_until timestamptz default null, mutes_mentions boolean default false) returns jsonb
language sql volatile security invoker set search_path = ''
return private.mute_notifications(scope, podcast_id, episode_id, muted_until, mutes_mentions);
comment on function public.mute_notifications is
  'POST /api/notifications/mutes: 201 {mute}, or 200 if it existed, with the new values. Emails and pushes about the '
  'podcast, the episode or its chat end for the caller, until muted_until or permanently; the inbox still shows what '
  'happens. Essential types pass, and those with passes_mutes unless mutes_mentions. Requires membership. 400, 403, '
  '404, 409 TOO_MANY_MUTES.';
grant execute on function public.mute_notifications to authenticated;
