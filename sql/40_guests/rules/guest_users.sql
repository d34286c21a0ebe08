-- Links each guest to the confirmed user with the guest's email address, in either order of creation. Both
-- sides lock the address, so that of two concurrent transactions the second sees the first. The addresses share 256
-- locks, so that a transaction with many guests does not fill the server's lock table.
create function private.lock_guest_emails(variadic emails text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtext('guest_emails'), locks.slot)
  from (select distinct hashtext(email) & 255 as slot from unnest(emails) email order by slot) locks;  -- one order
end $$;
comment on function private.lock_guest_emails is
  'Locks email addresses until the transaction ends, so that concurrent ones link guests and users one after another.';

create function private.link_guest_to_user() returns trigger
language plpgsql security definer  -- clients may not look up users by email address
set search_path = ''
as $$
begin
  perform private.lock_guest_emails(new.email);
  new.user_id := (
    select p.id from auth.users u join public.profiles p on p.id = u.id
    where u.email = new.email and u.is_sso_user = false and u.email_confirmed_at is not null);
  return new;
end $$;
create trigger t500_link_user before insert or update of email on public.podcast_guests
  for each row execute function private.link_guest_to_user();

create function private.link_user_to_guests() returns trigger
language plpgsql security definer  -- writes guests of podcasts that the user does not belong to
set search_path = ''
as $$
declare
  user_email text := (
    select u.email from auth.users u
    where u.id = new.id and u.is_sso_user = false and u.email_confirmed_at is not null);
begin
  perform private.lock_guest_emails(user_email);
  update public.podcast_guests g set user_id = new.id where g.email = user_email;
  return null;
end $$;
create trigger t500_link_guests after insert on public.profiles
  for each row execute function private.link_user_to_guests();

-- A changed address moves the links. private.install() creates the trigger on auth.users, for every update of a user.
create function private.relink_user_to_guests() returns trigger
language plpgsql security definer  -- runs as supabase_auth_admin, which has no grant on guests
set search_path = ''
as $$
begin
  if new.email_confirmed_at is null or old.email is not distinct from new.email then
    return null;
  end if;
  perform private.lock_guest_emails(old.email, new.email);
  update public.podcast_guests g set user_id = null where g.user_id = new.id and g.email is distinct from new.email;
  update public.podcast_guests g set user_id = p.id from public.profiles p
  where p.id = new.id and g.email = new.email and not new.is_sso_user;
  return null;
end $$;

-- reap_unconfirmed_users keeps users with an open invitation until its email's link expires.
create function private.skip_user_with_guest_invitation() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from public.podcast_guests g join public.episode_guests e on e.podcast_guest_id = g.id
  where g.email = new.email and e.status = 'invited'
    and e.invited_at > new.checked_at - make_interval(days => private.get_setting('guest_token_ttl_days')::int);
  return case when not found then new end;
end $$;
create trigger t300_skip_user_with_guest_invitation before insert on private.reapable_users
  for each row execute function private.skip_user_with_guest_invitation();
