-- Invites a person to an episode, or invites them again, and enqueues an email with a new access token.
create function private.invite_guest(
  episode_id uuid, email text, display_name text, message text, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on guests and queues
set search_path = ''
as $$
declare
  episode_podcast_id uuid := private.require_episode_role(invite_guest.episode_id, 'admin');
  guest              public.podcast_guests;
  invited            public.episode_guests;
begin
  perform private.consume_rate_limit('guest_invitations:' || auth.uid(),
    private.get_setting('max_guest_invitations_per_hour')::int, interval '1 hour', invite_guest.at);

  insert into public.podcast_guests as g (podcast_id, display_name, email)
  values (episode_podcast_id, invite_guest.display_name, invite_guest.email)
  on conflict on constraint email_unique_per_podcast do nothing;  -- an existing guest keeps the name
  select g.* into strict guest from public.podcast_guests g
  where g.podcast_id = episode_podcast_id and g.email = private.normalize_email(invite_guest.email);

  insert into public.episode_guests as g (episode_id, podcast_guest_id, invited_at)
  values (invite_guest.episode_id, guest.id, invite_guest.at)
  on conflict on constraint guest_unique_per_episode do update set
    status = case when g.status in ('declined', 'removed') then 'invited' else g.status end,
    invited_at = case when g.status in ('declined', 'removed') then excluded.invited_at else g.invited_at end
  returning * into invited;

  insert into private.guest_invitations as i (episode_guest_id, message, invited_by)
  values (invited.id, case when not private.is_blank(btrim(invite_guest.message)) then btrim(invite_guest.message) end,
    auth.uid())
  on conflict (episode_guest_id) do update set message = excluded.message, invited_by = excluded.invited_by;
  perform private.enqueue_guest_invitation_email(invited.id, guest.email, invite_guest.at);
  return private.guest_invitation_json(invited);
end $$;
comment on function private.invite_guest is
  'Implementation of invite_guest (security definer). Checks the role itself.';
grant execute on function private.invite_guest to authenticated;

create function public.invite_guest(episode_id uuid, email text, display_name text, message text default null)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.invite_guest(
    invite_guest.episode_id, invite_guest.email, invite_guest.display_name, invite_guest.message);
end $$;
comment on function public.invite_guest is
  'POST /api/guests: 201 {episodeGuest, guest}. Creates or reuses the guest by podcast and email, and invites a guest '
  'again who declined or was removed from the episode or its roster. Over the limits per episode and per day no email '
  'is sent; the response is the same. Requires admin. 400, 403, 404, 409, 429.';
grant execute on function public.invite_guest to authenticated;
