-- The answer of a guest to an invitation.
create function private.respond_to_guest_invitation(
  _access_token text, accepts boolean, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  guest public.episode_guests := private.authenticate_guest(_access_token, for_write => true, at => at);
begin
  perform private.consume_rate_limit('guest_answers:' || guest.id, 30, interval '1 hour', at);
  update public.episode_guests g
  set status = case when accepts then 'active' else 'declined' end::public.episode_guest_status
  where g.id = guest.id returning * into guest;
  if guest.status = 'active' then
    perform private.reset_rate_limit('guest_invitation_emails:' || guest.id);
  else  -- the guest gets at most one more email for the episode
    update private.rate_limits r set request_count = greatest(r.request_count,
      private.get_setting('max_guest_invitation_emails_per_episode')::int - 1)
    where r.key = 'guest_invitation_emails:' || guest.id;
  end if;
  return private.guest_invitation_json(guest);
end $$;
comment on function private.respond_to_guest_invitation is
  'Records whether a guest accepts or declines. PT401 INVALID or EXPIRED, PT409 PODCAST_PENDING_DELETION to one who '
  'accepts, PT429 RATE_LIMITED over 30 an hour.';
grant execute on function private.respond_to_guest_invitation to anon, authenticated;
