-- Profiles of confirmed users. An unconfirmed sign-up has none, so it cannot own anything.
create table public.profiles (
  id           uuid primary key references auth.users on delete cascade,
  display_name text,
  avatar_url   text,
  timezone     text,                          -- IANA; null: the user set none
  locale       text not null default 'en',    -- BCP 47
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint display_name_is_1_to_200_chars check (
    char_length(display_name) <= 200 and not private.is_blank(display_name)),
  constraint avatar_url_is_http_url check (private.is_http_url(avatar_url)),
  constraint locale_is_bcp47 check (locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$' and char_length(locale) <= 35)
);
comment on table public.profiles is
  'One row per confirmed user, created by provision_user. Users edit their own; team members read each other''s.';
comment on constraint avatar_url_is_http_url on public.profiles is 'The avatar URL must be an http or https URL';
comment on constraint display_name_is_1_to_200_chars on public.profiles is
  'The display name must have 1 to 200 characters';
comment on constraint locale_is_bcp47 on public.profiles is 'The locale must be a BCP 47 tag, such as en or de-AT';
-- Who: a higher domain adds the read policy, because every policy of a table adds to the cost of a read.
alter table public.profiles enable row level security;
create policy users_update_own on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
grant select on public.profiles to authenticated;
grant update (display_name, avatar_url, timezone, locale) on public.profiles to authenticated;
grant select, update on public.profiles to service_role;
-- No insert or delete grant: provision_user inserts it, and it is deleted with the user.

-- Always
create function private.normalize_profile() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.display_name := private.normalize_line(new.display_name);
  if new.timezone is distinct from old.timezone and not private.is_timezone(new.timezone) then
    raise sqlstate 'PT400' using message = 'timezone must be an IANA time zone name, such as Europe/Berlin';
  end if;
  new.timezone := private.normalize_timezone(new.timezone);
  return new;
end $$;
create trigger t100_normalize before insert or update on public.profiles
  for each row execute function private.normalize_profile();

create function private.display_name_or_default(display_name text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce(display_name, 'Team member');  -- never the email: feeds are public
end $$;
comment on function private.display_name_or_default is 'A user''s display name, or "Team member".';

-- After: events that a deleted user would be notified of are deleted; other people's keep no id of the user.
create function private.remove_user_from_events() returns trigger
language plpgsql security definer  -- clients may not write events
set search_path = ''
as $$
begin
  delete from private.events e where (e.payload ->> 'user_id')::uuid = old.id;
  update private.events e set payload = jsonb_set(e.payload, '{actor_id}', 'null')
  where (e.payload ->> 'actor_id')::uuid = old.id;
  return null;
end $$;
create trigger t500_remove_from_events after delete on public.profiles
  for each row execute function private.remove_user_from_events();
