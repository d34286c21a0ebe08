-- The owner of an address confirms it, but another person may have signed up with it. So the confirmation, by any email
-- of Auth, ends the password of the sign-up, and the profile does not get the name of the sign-up. A user whom an
-- operator creates as confirmed was sent no confirmation, and keeps both.
create function private.drop_sign_up_password() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if old.email_confirmed_at is null and new.email_confirmed_at is not null and old.confirmation_sent_at is not null then
    new.encrypted_password := null;
  end if;
  return new;
end $$;

-- Provisioning: a user gets profile and billing account when the email is confirmed.
-- private.install() adds the trigger on auth.users, because schema diffs omit it. It runs on every update of a user.
create function private.provision_user() returns trigger
language plpgsql security definer  -- supabase_auth_admin may not write these tables
set search_path = ''
as $$
declare
  is_vouched_for boolean := coalesce(new.raw_app_meta_data ->> 'provider' not in ('email', 'phone'), false);
  display_name text := case when is_vouched_for or new.confirmation_sent_at is null then coalesce(
    new.raw_user_meta_data ->> 'display_name',
    new.raw_user_meta_data ->> 'full_name',
    new.raw_user_meta_data ->> 'name') end;
  avatar_url text := case when is_vouched_for then new.raw_user_meta_data ->> 'avatar_url' end;
begin
  if new.email_confirmed_at is null or old.email_confirmed_at is not null then  -- old is null at an insert
    return null;
  end if;
  -- Invalid sign-up metadata is dropped, because it must not prevent the confirmation.
  insert into public.profiles (id, display_name, avatar_url)
  values (new.id,
    case when not private.is_blank(display_name) then left(private.normalize_line(display_name), 200) end,
    case when private.is_http_url(avatar_url) then avatar_url end)
  on conflict (id) do nothing;
  insert into public.billing_accounts (user_id) values (new.id) on conflict (user_id) do nothing;
  return null;
end $$;

-- A soft deletion in Auth keeps the user's row without address and name; its profile goes as after a real deletion.
-- private.install() adds the trigger, as above.
create function private.delete_profile_of_deleted_user() returns trigger
language plpgsql security definer  -- supabase_auth_admin may not write profiles
set search_path = ''
as $$
begin
  if new.deleted_at is not null and old.deleted_at is null then
    delete from public.profiles p where p.id = new.id;  -- fails while the user owns podcasts
  end if;
  return null;
end $$;
