-- Addresses outside the team that agreed to receive the emails of a podcast's automations.
create table public.automation_addresses (
  id           uuid primary key default gen_random_uuid(),
  podcast_id   uuid not null references public.podcasts on delete cascade,
  email        text not null,
  requested_by uuid default auth.uid() references public.profiles on delete set null,
  confirmed_at timestamptz,                      -- null: its holder has not confirmed it
  unsubscribed_at timestamptz,                   -- when the holder of a confirmed address ended the emails
  status       text not null generated always as (case when confirmed_at is null then 'pending'
    when unsubscribed_at is null then 'confirmed' else 'unsubscribed' end) stored,
  email_status public.email_status,              -- of the last email that asks for it
  email_due_at timestamptz,                      -- when an email that waits is sent
  created_at   timestamptz not null default now(),
  constraint address_unique_per_podcast unique (podcast_id, email),
  constraint email_is_valid check (private.is_email_address(email)),
  -- what the holder told another podcast is not this one's to know
  constraint only_confirmed_is_unsubscribed check (unsubscribed_at is null or confirmed_at is not null)
);
comment on table public.automation_addresses is
  'Addresses to which automations may send, once their holder confirmed it by the link in an email. Admins read and '
  'delete them; request_automation_address writes them. An address is pending, confirmed or unsubscribed.';
comment on constraint email_is_valid on public.automation_addresses is 'The email must be a valid email address';
comment on constraint only_confirmed_is_unsubscribed on public.automation_addresses is
  'Only a confirmed address can be unsubscribed';
comment on constraint address_unique_per_podcast on public.automation_addresses is
  'The podcast has this address already';
create index automation_addresses_email_idx on public.automation_addresses (email);
create index automation_addresses_digest_idx on public.automation_addresses (private.email_digest(email));
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

create function private.unsubscribed_at(email text, podcast_id uuid) returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select min(s.created_at) from private.suppressions_of($1, 'automation.email', $2) s where s.reason = 'unsubscribed'
$$;
comment on function private.unsubscribed_at is
  'When the holder of an address ended the automatic emails of a podcast, or of all; null if they are on.';

create function private.show_unsubscribed_addresses() returns trigger
language plpgsql security definer  -- recipients who unsubscribe may not write addresses
set search_path = ''
as $$
declare
  suppression constant private.email_suppressions := coalesce(new, old);
begin
  if suppression.type = 'automation.email' then
    update public.automation_addresses a set unsubscribed_at = c.unsubscribed_at
    from (
      select o.id, private.unsubscribed_at(o.email, o.podcast_id) as unsubscribed_at
      from public.automation_addresses o
      where private.email_digest(o.email) = suppression.digest and o.confirmed_at is not null
        and (suppression.podcast_id is null or o.podcast_id = suppression.podcast_id)
      order by o.id for update) c
    where a.id = c.id and a.unsubscribed_at is distinct from c.unsubscribed_at;
  end if;
  return null;
end $$;
comment on function private.show_unsubscribed_addresses is
  'Trigger: confirmed addresses show when their holder ended the emails of their podcast.';
create trigger t500_show_unsubscribed_addresses after insert or update or delete on private.email_suppressions
  for each row execute function private.show_unsubscribed_addresses();

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

create function private.is_reply_address(podcast_id uuid, email text) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
      select from public.automation_addresses a
      where a.podcast_id = $1 and a.email = private.normalize_email($2) and a.status = 'confirmed')
    or exists (
      select from auth.users u join public.podcast_members m on m.user_id = u.id
      where u.email = private.normalize_email($2) and u.email_confirmed_at is not null and u.is_sso_user = false
        and m.podcast_id = $1 and m.role >= 'admin')
$$;
comment on function private.is_reply_address is
  'Whether recipients may answer to an address: of an admin, or confirmed by its holder, who has not unsubscribed. '
  'Guests and other members did not agree to get the answers of strangers, who would read their address.';
