-- Whether a user still may get, and wants, a delivery at the time of sending.
create function private.is_reachable_user(user_id uuid, at timestamptz) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (select from auth.users u where u.id = $1 and u.email_confirmed_at is not null
    and coalesce(u.banned_until <= $2, true))
$$;
comment on function private.is_reachable_user is 'Whether a user may get emails and pushes: confirmed and not banned.';

create function private.account_of(delivery public.notification_deliveries) returns uuid
language sql stable security invoker set search_path = ''
as $$
  select coalesce($1.user_id, (
    select g.user_id from public.episode_guests e join public.podcast_guests g on g.id = e.podcast_guest_id
    where e.id = $1.episode_guest_id))
$$;
comment on function private.account_of is 'The account of a delivery''s user or guest; null if there is none.';

create function private.is_turned_off(delivery public.notification_deliveries) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
    select from public.notification_preferences p join public.notification_types t on t.type = $1.type
    where p.user_id = private.account_of($1) and to_jsonb(p) -> ($1.channel || '_' || t.preference) = 'false')
$$;
comment on function private.is_turned_off is
  'Whether the account of a delivery''s user or guest turned off its type on its channel, in notification_preferences.';
