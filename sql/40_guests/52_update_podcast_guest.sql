-- Changes what hosts say of a guest: absent is unchanged, null clears.
create function private.change_podcast_guest(id uuid, changes jsonb) returns jsonb
language plpgsql volatile security definer  -- guests and notes have no write grants
set search_path = ''
as $$
declare
  guest   public.podcast_guests := private.require_guest_role(change_podcast_guest.id, 'admin');
  written public.podcast_guest_notes;
begin
  update public.podcast_guests g set display_name = case when changes ? 'displayName' then changes ->> 'displayName' else g.display_name end
  where g.id = guest.id returning * into guest;  -- also when only notes change: updated_at is theirs too
  if changes ?| '{notes,bio}' then
    insert into public.podcast_guest_notes (guest_id, notes, bio) values (guest.id, changes ->> 'notes', changes ->> 'bio')
    on conflict (guest_id) do update set
      notes = case when changes ? 'notes' then excluded.notes else podcast_guest_notes.notes end,
      bio = case when changes ? 'bio' then excluded.bio else podcast_guest_notes.bio end;
  end if;
  select * into written from public.podcast_guest_notes n where n.guest_id = guest.id;
  return private.described_guest(guest) - 'avatarUrl' || jsonb_build_object(
    'notes', written.notes, 'bio', written.bio, 'updatedAt', private.iso(guest.updated_at));
end $$;
comment on function private.change_podcast_guest is 'update_podcast_guest''s half behind the grants.';
revoke all on function private.change_podcast_guest from public, anon, authenticated, service_role;
grant execute on function private.change_podcast_guest to authenticated;  -- checks the role itself

create function public.update_podcast_guest(id uuid, changes jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  wrong text := (
    select format('%s: %s', c.key, case when c.key <> all ('{displayName,notes,bio}') then 'is not a field of this request'
      else 'must be a text' end)
    from jsonb_each(case jsonb_typeof(changes) when 'object' then changes end) c
    where c.key <> all ('{displayName,notes,bio}')
      or jsonb_typeof(c.value) <> all (case c.key when 'displayName' then '{string}' else '{string,null}' end::text[])
    limit 1);
begin
  if wrong is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = wrong;
  elsif jsonb_typeof(changes) is distinct from 'object' or changes = '{}' then
    raise sqlstate 'PT400' using message = 'Give at least one of displayName, notes and bio';
  end if;
  return private.change_podcast_guest(update_podcast_guest.id, update_podcast_guest.changes);
end $$;
comment on function public.update_podcast_guest is
  'PUT /api/podcast-guests/{id}: displayName, notes, bio. Needs admin+. 400 nothing, unknown or too long, 403, 404, 409.';
revoke all on function public.update_podcast_guest from public, anon, authenticated, service_role;
grant execute on function public.update_podcast_guest to authenticated;
