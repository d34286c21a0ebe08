-- Addresses outside the team that agreed to receive the emails of a podcast's automations.
create table public.automation_addresses (
  id           uuid primary key default gen_random_uuid(),
  podcast_id   uuid not null references public.podcasts on delete cascade,
  email        text not null,
  requested_by uuid default auth.uid() references public.profiles on delete set null,
  confirmed_at timestamptz,                      -- null: its holder has not confirmed it
  email_status public.email_status,              -- of the last email that asks for it
  email_due_at timestamptz,                      -- when an email that waits is sent
  created_at   timestamptz not null default now(),
  constraint address_unique_per_podcast unique (podcast_id, email),
  constraint email_is_valid check (private.is_email_address(email))
);
comment on table public.automation_addresses is
  'Addresses to which automations may send, once their holder confirmed it by the link in an email. Admins read and '
  'delete them; request_automation_address writes them.';
comment on constraint email_is_valid on public.automation_addresses is 'The email must be a valid email address';
comment on constraint address_unique_per_podcast on public.automation_addresses is
  'The podcast has this address already';
create index automation_addresses_email_idx on public.automation_addresses (email);
create index automation_addresses_requested_by_idx on public.automation_addresses (requested_by, id);

-- Who
alter table public.automation_addresses enable row level security;
create policy admins_read on public.automation_addresses for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.automation_addresses for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.automation_addresses to authenticated, service_role;
-- No insert or update grant: request_automation_address limits the emails, and only the holder confirms.

-- Always
create trigger t300_guard_writable before insert or delete on public.automation_addresses
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();
create trigger t320_guard_count after insert on public.automation_addresses
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('podcast_id', '50',
    'A podcast can have at most %s addresses for automations; delete one first', 'TOO_MANY_AUTOMATIONS');

create function private.is_automation_address(podcast_id uuid, email text) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
      select from public.automation_addresses a
      where a.podcast_id = $1 and a.email = private.normalize_email($2) and a.confirmed_at is not null)
    or exists (
      select from public.podcast_guests g
      where g.podcast_id = $1 and g.email = private.normalize_email($2) and private.has_accepted_invitation(g.id))
    or exists (
      select from auth.users u join public.podcast_members m on m.user_id = u.id
      where u.email = private.normalize_email($2) and u.email_confirmed_at is not null and u.is_sso_user = false
        and m.podcast_id = $1)
$$;
comment on function private.is_automation_address is
  'Whether automations of a podcast may send to an address: of a member, of a guest who accepted an invitation, or '
  'confirmed by its holder.';
