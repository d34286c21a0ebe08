-- Invites someone to an episode, or invites them again: an email with a fresh access token follows, within the limits.
create function private.invite_guest(episode_id uuid, email text, display_name text, message text) returns jsonb
language plpgsql volatile security definer  -- guests have no write grants; the queue is the server's
set search_path = ''
as $$
declare
  show_id   uuid := private.require_episode_role(invite_guest.episode_id, 'admin');
  words     text := btrim(invite_guest.message);
  guest     public.podcast_guests;
  invited   public.episode_guests;
begin
  perform private.consume_rate_limit('guest_invitation:' || auth.uid(), private.setting('max_guest_invitations_per_hour')::int, interval '1 hour');

  insert into public.podcast_guests as g (podcast_id, display_name, email)
  values (show_id, invite_guest.display_name, invite_guest.email)
  on conflict on constraint email_unique_per_podcast do nothing;  -- who is known keeps the name
  select g.* into strict guest from public.podcast_guests g
  where g.podcast_id = show_id and g.email = private.normalize_email(invite_guest.email);

  insert into public.episode_guests as g (episode_id, podcast_guest_id) values (invite_guest.episode_id, guest.id)
  on conflict on constraint guest_unique_per_episode do update set
    status = case when g.status in ('declined', 'removed') then 'invited' else g.status end,
    invited_at = case when g.status in ('declined', 'removed') then excluded.invited_at else g.invited_at end
  returning * into invited;

  insert into private.guest_invitations as i (episode_guest_id, message, invited_by)
  values (invited.id, case when not private.is_blank(words) then words end, auth.uid())
  on conflict (episode_guest_id) do update set
    message = excluded.message, invited_by = excluded.invited_by;
  perform private.queue_guest_invitation_email(invited.id, guest.email);
  return private.guest_invitation_json(invited);
end $$;
comment on function private.invite_guest is 'invite_guest''s half behind the grants.';
grant execute on function private.invite_guest to authenticated;  -- checks the role itself

create function public.invite_guest(episode_id uuid, email text, display_name text, message text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.invite_guest(invite_guest.episode_id, invite_guest.email, invite_guest.display_name, invite_guest.message);
end $$;
comment on function public.invite_guest is
  'POST /api/guests: 201 {episodeGuest, guest}. Makes or reuses the record by podcast and address; a guest who declined, was removed or was taken off the roster is invited again. An email with a fresh token follows, unless the guest or the address got as many as the limits allow; the response is the same. Needs admin+. 400, 403, 404, 409, 429.';
grant execute on function public.invite_guest to authenticated;
