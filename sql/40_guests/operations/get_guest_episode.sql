-- Returns the public details of the episode that a guest is invited to, with its audio once published.
create function private.get_guest_episode(_access_token text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  guest public.episode_guests := private.authenticate_guest(_access_token, at => at);
begin
  return private.guest_invitation_json(guest) || (
    select jsonb_build_object(
      'episode', jsonb_build_object(
        'id', e.id, 'slug', e.slug, 'title', e.title,
        'description', private.public_description(e.description, e.summary, e.show_notes_safe_html,
          e.subtitle),
        'status', e.status, 'scheduledAt', private.format_timestamp(e.scheduled_at),
        'coverImageUrl', e.cover_image_url, 'coverCopies', private.image_copies(e.id, 'episode_cover'),
        'publishedAt', case when e.status = 'published' then private.format_timestamp(e.published_at) end,
        'audioUrl', case when e.status = 'published' then e.audio_url end),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'language', p.language,
        'coverImageUrl', p.cover_image_url, 'coverCopies', private.image_copies(p.id, 'cover')))
    from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = guest.episode_id);
end $$;
grant execute on function private.get_guest_episode to anon, authenticated;

create function public.get_guest_episode(access_token text) returns jsonb
language sql volatile security invoker  -- volatile: records the visit
set search_path = ''
return private.get_guest_episode(access_token);
comment on function public.get_guest_episode is
  'POST /api/guests/episode: {episodeGuest, guest, episode, podcast}, the episode''s public details, covers '
  'with their copies as in /v1; guest has the invited address, and its user once one has confirmed it. '
  'Requires the access token, no login. 401 INVALID or EXPIRED.';
grant execute on function public.get_guest_episode to anon, authenticated;
