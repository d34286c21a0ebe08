-- One guest with the episodes of every invitation; the hosts' notes for admins only.
create function private.get_podcast_guest(id uuid) returns jsonb
language plpgsql stable security definer  -- shows the avatar of someone who shares no podcast with the caller
set search_path = ''
as $$
declare
  guest    public.podcast_guests := private.require_guest_role(get_podcast_guest.id, 'member');
  is_admin boolean := guest.podcast_id = any (private.my_podcasts('admin'));
  written  public.podcast_guest_notes;
begin
  if is_admin then
    select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  end if;
  return private.guest_json(guest) || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'privateNotesVisible', is_admin,
    'createdAt', private.format_timestamp(guest.created_at), 'updatedAt', private.format_timestamp(guest.updated_at),
    'episodes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', e.title, 'episodeSlug', e.slug,
        'status', g.status, 'invitedAt', private.format_timestamp(g.invited_at), 'lastAccessedAt', private.format_timestamp(g.last_accessed_at))
        order by g.invited_at desc, g.id desc), '[]')
      from public.episode_guests g join public.episodes e on e.id = g.episode_id
      where g.podcast_guest_id = guest.id));
end $$;
comment on function private.get_podcast_guest is 'get_podcast_guest''s half behind the grants.';
grant execute on function private.get_podcast_guest to authenticated;  -- checks the role itself

create function public.get_podcast_guest(id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.get_podcast_guest(get_podcast_guest.id);
end $$;
comment on function public.get_podcast_guest is
  'GET /api/podcast-guests/{id}: with its episodes, newest invitation first; notes and bio are null to plain members. Needs a member. 403, 404.';
grant execute on function public.get_podcast_guest to authenticated;
