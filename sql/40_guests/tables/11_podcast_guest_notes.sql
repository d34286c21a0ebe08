-- Notes: what admins write down about a guest. They have their own table because a policy cannot hide columns.
create table public.podcast_guest_notes (
  guest_id   uuid primary key references public.podcast_guests on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  notes      text,
  bio        text,
  constraint notes_and_bio_are_at_most_2000_chars check (char_length(notes) <= 2000 and char_length(bio) <= 2000)
);
comment on table public.podcast_guest_notes is
  'Notes and bio of a guest. Admins and the owner read them; update_podcast_guest writes them.';
comment on constraint notes_and_bio_are_at_most_2000_chars on public.podcast_guest_notes is
  'The notes and the bio must each have at most 2,000 characters';
create index podcast_guest_notes_podcast_id_idx on public.podcast_guest_notes (podcast_id);

-- Who
alter table public.podcast_guest_notes enable row level security;
create policy admins_read on public.podcast_guest_notes for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_guest_notes to authenticated, service_role;
-- No write grants: update_podcast_guest writes notes. Not published to realtime.

-- Always
create function private.normalize_podcast_guest_note() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  select g.podcast_id into new.podcast_id from public.podcast_guests g where g.id = new.guest_id;
  return new;
end $$;
create trigger t100_normalize before insert or update of guest_id, podcast_id on public.podcast_guest_notes
  for each row execute function private.normalize_podcast_guest_note();
create trigger t300_guard_writable before insert or update or delete on public.podcast_guest_notes
  for each row when (pg_trigger_depth() = 0)  -- cascades are allowed
  execute function private.guard_writable_podcast();
