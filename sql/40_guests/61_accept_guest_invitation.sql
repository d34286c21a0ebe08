-- A guest's answer, by the access token of the mail. Either may follow the other; giving the same again changes nothing.
create function private.answer_invitation(access_token text, answer public.guest_status) returns jsonb
language plpgsql volatile security definer  -- for someone without an account; the token is the right to do it
set search_path = ''
as $$
declare
  guest public.episode_guests := private.guest_by_token(answer_invitation.access_token, writing => true);
begin
  if answer not in ('active', 'declined') then
    raise sqlstate 'PT400' using message = 'A guest accepts or declines';
  end if;
  perform private.take_turn('guest_answers/' || guest.id, 30, interval '1 hour');
  update public.episode_guests g set status = answer_invitation.answer where g.id = guest.id returning * into guest;
  -- Accepting resets the number of emails; after declining at most one more is sent for the episode.
  update private.guest_invitations i set email_count = case answer_invitation.answer when 'active' then 0
    else greatest(i.email_count, private.setting('guest_invitation_emails_per_episode')::int - 1) end
  where i.episode_guest_id = guest.id;
  return private.described_invitation(guest);
end $$;
comment on function private.answer_invitation is 'The half of accept_ and decline_guest_invitation behind the grants. PT401 INVALID or EXPIRED, PT409 the podcast is on its way out, PT429 over 30 an hour.';
revoke all on function private.answer_invitation from public, anon, authenticated, service_role;
grant execute on function private.answer_invitation to anon, authenticated;  -- asks for the token itself

create function public.accept_guest_invitation(access_token text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.answer_invitation(accept_guest_invitation.access_token, 'active');
end $$;
comment on function public.accept_guest_invitation is
  'POST /api/guests/accept: {episodeGuest, guest}, the status active. Needs the access token, no login. 401 INVALID or EXPIRED, 409, 429 RATE_LIMITED.';
revoke all on function public.accept_guest_invitation from public, anon, authenticated, service_role;
grant execute on function public.accept_guest_invitation to anon, authenticated;

create function public.decline_guest_invitation(access_token text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.answer_invitation(decline_guest_invitation.access_token, 'declined');
end $$;
comment on function public.decline_guest_invitation is
  'POST /api/guests/decline: {episodeGuest, guest}, the status declined; also for someone who had accepted. Needs the access token, no login. 401 INVALID or EXPIRED, 409, 429 RATE_LIMITED.';
revoke all on function public.decline_guest_invitation from public, anon, authenticated, service_role;
grant execute on function public.decline_guest_invitation to anon, authenticated;
