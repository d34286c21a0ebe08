-- Podcast guests: the people whom a podcast invites, one row per podcast and email address.
create table public.podcast_guests (
  id           uuid primary key default gen_random_uuid(),
  podcast_id   uuid not null references public.podcasts on delete cascade,
  display_name text not null,
  email        text not null,                                       -- lower case, as Auth stores addresses
  user_id      uuid references public.profiles on delete set null,  -- the confirmed user with this address, if any
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint email_unique_per_podcast unique (podcast_id, email),
  constraint display_name_is_1_to_200_chars
    check (char_length(display_name) <= 200 and not private.is_blank(display_name)),
  constraint email_is_valid check (private.is_email_address(email))
);
comment on table public.podcast_guests is
  'People whom a podcast invites. Members read them; notes and bio are in podcast_guest_notes.';
comment on constraint display_name_is_1_to_200_chars on public.podcast_guests is
  'The display name must have 1 to 200 characters';
comment on constraint email_is_valid on public.podcast_guests is 'The email must be a valid email address';
comment on constraint email_unique_per_podcast on public.podcast_guests is
  'Another guest of the podcast has this email';
create index podcast_guests_name_idx on public.podcast_guests (podcast_id, lower(display_name), id);
create index podcast_guests_search_idx on public.podcast_guests
  using gin ((display_name || E'\n' || email) extensions.gin_trgm_ops)
  with (fastupdate = off);  -- searched at every keystroke and rarely written: searches read no pending list
create index podcast_guests_email_idx on public.podcast_guests (email);  -- links a user who signs up later
create index podcast_guests_user_id_idx on public.podcast_guests (user_id);

-- Who
alter table public.podcast_guests enable row level security;
create policy members_read on public.podcast_guests for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
grant select on public.podcast_guests to authenticated, service_role;
-- No write grants: invite_guest and update_podcast_guest write guests.

-- Always
create function private.normalize_podcast_guest() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.display_name := private.normalize_line(new.display_name);
  new.email := private.normalize_email(new.email);
  return new;
end $$;
create trigger t100_normalize before insert or update on public.podcast_guests
  for each row execute function private.normalize_podcast_guest();

create trigger t300_guard_writable before insert or update or delete on public.podcast_guests
  for each row when (pg_trigger_depth() = 0)  -- cascades and account links are allowed
  execute function private.guard_writable_podcast();
