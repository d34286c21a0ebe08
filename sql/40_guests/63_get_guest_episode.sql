-- What a guest may see of the episode: what its page will say, and its audio once everyone hears it.
create function private.get_guest_episode(access_token text) returns jsonb
language plpgsql volatile security definer  -- reads for someone without an account; the token is the right to it
set search_path = ''
as $$
declare
  guest public.episode_guests := private.authenticate_guest(get_guest_episode.access_token);
begin
  return private.guest_invitation_json(guest) || (
    select jsonb_build_object(
      'episode', jsonb_build_object(
        'id', e.id, 'slug', e.slug, 'title', e.title, 'description', private.public_description(e.summary, e.description, e.show_notes_safe_html),
        'status', e.status, 'scheduledAt', private.format_timestamp(e.scheduled_at), 'coverImageUrl', e.cover_image_url,
        'publishedAt', case when e.status = 'published' then private.format_timestamp(e.published_at) end,
        'audioUrl', case when e.status = 'published' then e.audio_url end),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', p.cover_image_url))
    from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = guest.episode_id);
end $$;
comment on function private.get_guest_episode is 'get_guest_episode''s half behind the grants. PT401 INVALID or EXPIRED.';
grant execute on function private.get_guest_episode to anon, authenticated;  -- asks for the token itself

create function public.get_guest_episode(access_token text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.get_guest_episode(get_guest_episode.access_token);
end $$;
comment on function public.get_guest_episode is
  'POST /api/guests/episode: {episodeGuest, guest, episode, podcast}, the public side of the episode. Needs the access token, no login. 401 INVALID or EXPIRED.';
grant execute on function public.get_guest_episode to anon, authenticated;
