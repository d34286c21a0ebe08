-- Updates a guest's display name, notes and bio: an absent field stays unchanged, null clears.
create function private.update_podcast_guest(_podcast_guest_id uuid, changes jsonb) returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on guests and notes
set search_path = ''
as $$
declare
  guest public.podcast_guests := private.require_guest_role(_podcast_guest_id, 'admin');
  note  public.podcast_guest_notes;
begin
  perform private.validate_changes(changes,
    '{"displayName": ["string"], "notes": ["string", "null"], "bio": ["string", "null"]}');
  update public.podcast_guests g set display_name = coalesce(changes ->> 'displayName', g.display_name)
  where g.id = guest.id returning * into guest;  -- changed notes move updated_at too
  if changes ?| '{notes,bio}' then
    insert into public.podcast_guest_notes as n (guest_id, notes, bio)
    values (guest.id, changes ->> 'notes', changes ->> 'bio')
    on conflict (guest_id) do update set
      notes = case when changes ? 'notes' then excluded.notes else n.notes end,
      bio = case when changes ? 'bio' then excluded.bio else n.bio end;
  end if;
  select * into note from public.podcast_guest_notes n where n.guest_id = guest.id;
  return private.guest_json(guest) - 'avatarUrl' || jsonb_build_object(
    'notes', note.notes, 'bio', note.bio, 'updatedAt', private.format_timestamp(guest.updated_at));
end $$;
grant execute on function private.update_podcast_guest to authenticated;

create function public.update_podcast_guest(podcast_guest_id uuid, changes jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_podcast_guest(podcast_guest_id, changes);
comment on function public.update_podcast_guest is
  'PUT /api/podcast-guests/{id}: the guest with the changed displayName, notes or bio. Requires admin. '
  '400, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.update_podcast_guest to authenticated;
