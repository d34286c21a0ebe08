-- Pauses a podcast for up to 90 days. Its feed and episodes stay public, and the team keeps working on it.
create function private.pause_podcast(_podcast_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on the status
set search_path = ''
as $$
declare
  podcast      public.podcasts := private.lock_podcast_as_owner(_podcast_id);
  available_at timestamptz := private.next_pause_available_at(podcast, at);
begin
  if podcast.status <> 'active' then
    perform private.raise_invalid_podcast_status(podcast, 'only an active podcast can be paused');
  elsif not private.has_paid_plan(podcast.owner_id) then
    raise sqlstate 'PT403' using message = 'Pausing requires a paid plan; upgrade first', hint = 'PAID_PLAN_REQUIRED';
  elsif available_at is not null then
    raise sqlstate 'PT409' using hint = 'PAUSE_TOO_SOON',
      message = 'A podcast can be paused again 12 months after its last pause ended; try again then',
      detail = jsonb_build_object('next_pause_available_at', private.format_timestamp(available_at))::text;
  end if;
  update public.podcasts p set
    status = 'paused', paused_at = at, pause_expires_at = at + interval '2160 hours'
  where p.id = podcast.id returning * into podcast;
  perform private.notify('podcast.paused', private.team_recipients(podcast.id, except_user_id => auth.uid()),
    jsonb_build_object('podcast_id', podcast.id, 'actor_id', auth.uid(),
      'pause_expires_at', private.format_timestamp(podcast.pause_expires_at)), at => at);
  return jsonb_build_object(
    'status', podcast.status, 'paused_at', private.format_timestamp(podcast.paused_at),
    'pause_expires_at', private.format_timestamp(podcast.pause_expires_at));
end $$;
grant execute on function private.pause_podcast to authenticated;

create function public.pause_podcast(podcast_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.pause_podcast(podcast_id);
comment on function public.pause_podcast is
  'POST /api/podcast-lifecycle/{podcastId}/pause: {status: paused, paused_at, pause_expires_at}, 90 days later. '
  'Requires the owner. 403 also PAID_PLAN_REQUIRED, 404, 409 INVALID_PODCAST_STATUS, or PAUSE_TOO_SOON with '
  'next_pause_available_at.';
grant execute on function public.pause_podcast to authenticated;
