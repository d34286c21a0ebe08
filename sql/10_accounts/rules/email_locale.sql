-- The locale of an email to an address: that of the person's account. The sender learns nothing from it.
create function private.email_locale(email text, podcast_language text) returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce((
    select p.locale from auth.users u join public.profiles p on p.id = u.id
    where u.email = $1 and u.is_sso_user = false and u.email_confirmed_at is not null), $2)
$$;
comment on function private.email_locale is
  'The locale of texts and dates for an email to an address: that of its account, else the podcast''s language.';
