-- Which user a guest is: the confirmed one of the guest's address, whichever of the two comes first. Both sides hold the
-- address while they look for each other, so that of two at the same moment the second sees the first.
-- One of 256 locks each: a transaction that writes many guests must not fill the server's table of locks.
create function private.lock_guest_emails(variadic addresses text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtext('guest-addresses'), held.place)
  from (select distinct hashtext(a) & 255 as place from unnest(addresses) a order by place) held;  -- in one order for all
end $$;
comment on function private.lock_guest_emails is 'Until the transaction ends, nobody else links these addresses.';

-- The guest looks for a user
create function private.link_guest_to_user() returns trigger
language plpgsql security definer  -- looks people up by address, which no client may
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

-- A user looks for guest records: when the profile comes …
create function private.link_user_to_guests() returns trigger
language plpgsql security definer  -- guests of podcasts that the user has nothing to do with
set search_path = ''
as $$
declare
  address text := (
    select u.email from auth.users u where u.id = new.id and u.is_sso_user = false and u.email_confirmed_at is not null);
begin
  perform private.lock_guest_emails(address);
  update public.podcast_guests g set user_id = new.id where g.email = address;
  return null;
end $$;
create trigger t900_link_guests after insert on public.profiles
  for each row execute function private.link_user_to_guests();

-- … and when the address is another. private.install() puts the trigger on auth.users.
create function private.relink_user_to_guests() returns trigger
language plpgsql security definer  -- as link_user_to_guests, and runs as supabase_auth_admin
set search_path = ''
as $$
begin
  perform private.lock_guest_emails(old.email, new.email);
  update public.podcast_guests g set user_id = null where g.user_id = new.id and g.email is distinct from new.email;
  update public.podcast_guests g set user_id = p.id from public.profiles p
  where p.id = new.id and g.email = new.email and not new.is_sso_user;
  return null;
end $$;

-- The reaper spares users who are invited to an episode, as long as the email's link is valid.
create function private.spare_invited_guest() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from public.podcast_guests g join public.episode_guests e on e.podcast_guest_id = g.id
  where g.email = new.email and e.status = 'invited'
    and e.invited_at > new.at - make_interval(days => private.setting('guest_token_ttl_days')::int);
  return case when not found then new end;
end $$;
create trigger t300_spare_invited_guest before insert on private.reapable_users
  for each row execute function private.spare_invited_guest();
