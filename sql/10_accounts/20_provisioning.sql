-- Provisioning (contract, Authentication 8): profile and billing account come when the e-mail is confirmed, or at
-- insert when it already is. The trigger on auth.users is put there by private.install(): schema diffs skip it.
create function private.provision_user() returns trigger
language plpgsql security definer  -- runs as supabase_auth_admin, who may not write our tables
set search_path = ''
as $$
declare
  given text := coalesce(
    new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name', new.raw_user_meta_data ->> 'name');
  avatar text := new.raw_user_meta_data ->> 'avatar_url';
begin
  -- What a sign-up form sent must never keep someone from confirming: what does not fit is left out.
  insert into public.profiles (id, display_name, avatar_url)
  values (new.id, case when not private.is_blank(given) then left(private.normalize_line(given), 200) end, case when private.is_http_url(avatar) then avatar end)
  on conflict (id) do nothing;
  insert into public.billing_accounts (user_id) values (new.id) on conflict (user_id) do nothing;
  return null;
end $$;
