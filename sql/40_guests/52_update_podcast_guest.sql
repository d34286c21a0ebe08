-- Changes what hosts say of a guest: absent is unchanged, null clears.
create function private.update_podcast_guest(id uuid, changes jsonb) returns jsonb
language plpgsql volatile security definer  -- guests and notes have no write grants
set search_path = ''
as $$
declare
  guest   public.podcast_guests := private.require_guest_role(update_podcast_guest.id, 'admin');
  written public.podcast_guest_notes;
begin
  perform private.validate_changes(changes, '{"displayName": ["string"], "notes": ["string", "null"], "bio": ["string", "null"]}');
  update public.podcast_guests g set display_name = coalesce(changes ->> 'displayName', g.display_name)
  where g.id = guest.id returning * into guest;  -- also when only notes change: updated_at is theirs too
  if changes ?| '{notes,bio}' then
    insert into public.podcast_guest_notes as n (guest_id, notes, bio) values (guest.id, changes ->> 'notes', changes ->> 'bio')
    on conflict (guest_id) do update set
      notes = case when changes ? 'notes' then excluded.notes else n.notes end,
      bio = case when changes ? 'bio' then excluded.bio else n.bio end;
  end if;
  select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  return private.guest_json(guest) - 'avatarUrl' || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'updatedAt', private.format_timestamp(guest.updated_at));
end $$;
comment on function private.update_podcast_guest is 'update_podcast_guest''s half behind the grants.';
grant execute on function private.update_podcast_guest to authenticated;  -- checks the role itself

create function public.update_podcast_guest(id uuid, changes jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.update_podcast_guest(update_podcast_guest.id, update_podcast_guest.changes);
end $$;
comment on function public.update_podcast_guest is
  'PUT /api/podcast-guests/{id}: displayName, notes, bio. Needs admin+. 400 nothing, unknown or too long, 403, 404, 409.';
grant execute on function public.update_podcast_guest to authenticated;
