-- Returns a guest with the episodes of every invitation; notes and bio for admins only.
create function private.get_podcast_guest(_podcast_guest_id uuid) returns jsonb
language plpgsql stable security definer  -- shows the avatar of a person who shares no podcast with the caller
set search_path = ''
as $$
declare
  guest    public.podcast_guests := private.require_guest_role(_podcast_guest_id, 'member');
  is_admin boolean := guest.podcast_id = any (private.my_podcasts('admin'));
  note     public.podcast_guest_notes;
begin
  if is_admin then
    select * into note from public.podcast_guest_notes n where n.guest_id = guest.id;
  end if;
  return private.guest_json(guest) || jsonb_build_object(
    'notes', note.notes, 'bio', note.bio, 'privateNotesVisible', is_admin,
    'createdAt', private.format_timestamp(guest.created_at), 'updatedAt', private.format_timestamp(guest.updated_at),
    'episodes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', e.title, 'episodeSlug', e.slug,
        'status', g.status, 'invitedAt', private.format_timestamp(g.invited_at),
        'lastAccessedAt', private.format_timestamp(g.last_accessed_at),
        'emailStatus', g.email_status, 'emailDueAt', private.format_timestamp(g.email_due_at))
        order by g.invited_at desc, g.id desc), '[]')
      from public.episode_guests g join public.episodes e on e.id = g.episode_id
      where g.podcast_guest_id = guest.id));
end $$;
grant execute on function private.get_podcast_guest to authenticated;

create function public.get_podcast_guest(podcast_guest_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_podcast_guest(podcast_guest_id);
comment on function public.get_podcast_guest is
  'GET /api/podcast-guests/{id}: the guest with its episodes, newest invitation first. Notes and bio are null for '
  'members without the admin role. Requires membership. 403, 404.';
grant execute on function public.get_podcast_guest to authenticated;
