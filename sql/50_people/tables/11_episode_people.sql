-- The roster: the people who take part in an episode, each with the credit that names them in its feed.
create type public.person_source_type as enum ('team', 'guest', 'external');

create table public.episode_people (
  id           uuid primary key default gen_random_uuid(),
  episode_id   uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id   uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  source_type  public.person_source_type not null,
  user_id      uuid references public.profiles on delete set null,
  guest_id     uuid references public.episode_guests on delete set null,
  name         text not null,                         -- the name on this episode; it does not follow the profile
  role_label   text not null default 'Participant',   -- any text; a credit's label is from a closed set
  avatar_url   text,
  external_url text,
  is_active    boolean not null default true,
  credit_id    uuid,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint source_type_matches_ids check (
    (source_type = 'team') = (user_id is not null) and (source_type = 'guest') = (guest_id is not null)),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint role_label_is_1_to_100_chars check (char_length(role_label) <= 100 and not private.is_blank(role_label)),
  constraint avatar_url_is_http_url check (private.is_http_url(avatar_url)),
  constraint external_url_is_http_url check (private.is_http_url(external_url)),
  constraint inactive_has_no_credit check (is_active or credit_id is null),
  constraint user_unique_per_roster unique (episode_id, user_id),
  constraint guest_unique_per_roster unique (episode_id, guest_id),
  constraint credit_unique_per_person unique (credit_id, episode_id),
  constraint credit_belongs_to_episode foreign key (credit_id, episode_id)
    references public.episode_credits (id, episode_id) on delete set null (credit_id)
);
comment on table public.episode_people is
  'The roster of an episode. Admins and members who are active on it read it; add_episode_person adds people.';
comment on constraint avatar_url_is_http_url on public.episode_people is 'The avatar URL must be an http or https URL';
comment on constraint external_url_is_http_url on public.episode_people is
  'The external URL must be an http or https URL';
comment on constraint inactive_has_no_credit on public.episode_people is 'An inactive person cannot be credited';
comment on constraint name_is_1_to_200_chars on public.episode_people is 'The name must have 1 to 200 characters';
comment on constraint role_label_is_1_to_100_chars on public.episode_people is
  'The role label must have 1 to 100 characters';
comment on constraint source_type_matches_ids on public.episode_people is
  'The source of a person must match the user or guest';
comment on constraint credit_unique_per_person on public.episode_people is
  'Another person of the episode has this credit';
comment on constraint guest_unique_per_roster on public.episode_people is 'The roster has this guest already';
comment on constraint user_unique_per_roster on public.episode_people is 'The roster has this user already';
create index episode_people_podcast_id_idx on public.episode_people (podcast_id);
create index episode_people_user_id_idx on public.episode_people (user_id, id);
create index episode_people_guest_id_idx on public.episode_people (guest_id);

-- Who
create function private.my_roster_episode_ids() returns setof uuid
language plpgsql stable parallel safe security definer  -- the roster's own policy calls it
set search_path = ''
as $$
begin
  return query select p.episode_id from public.episode_people p where p.user_id = (select auth.uid()) and p.is_active;
end $$;
comment on function private.my_roster_episode_ids is
  'Episodes on whose roster the caller is active, including podcasts whose team they have left.';
grant execute on function private.my_roster_episode_ids to authenticated, service_role;

alter table public.episode_people enable row level security;
-- The subquery on rosters is hashed once, and skipped for admins; the podcast ids use the index.
create policy admins_and_participants_read on public.episode_people for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[])
    and (podcast_id = any ((select private.my_podcasts('admin'))::uuid[])
      or episode_id in (select private.my_roster_episode_ids())));
grant select on public.episode_people to authenticated, service_role;
-- No write grants: the people functions derive labels and keep roster, credits and order consistent.

-- Always
create function private.normalize_episode_person() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  new.role_label := private.normalize_line(new.role_label);
  if tg_op = 'INSERT' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  -- The name and credit of a deleted account or guest stay, because the person took part in the episode.
  elsif (old.user_id is not null and new.user_id is null) or (old.guest_id is not null and new.guest_id is null) then
    new.source_type := 'external';
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.episode_people
  for each row execute function private.normalize_episode_person();
