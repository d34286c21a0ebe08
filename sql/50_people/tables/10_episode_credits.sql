-- Credits: the people that an episode's feed names, in feed order.
create type public.credit_role_label as enum ('Host', 'Co-host', 'Producer', 'Guest', 'Editor', 'Composer');

create table public.episode_credits (
  id            uuid primary key default gen_random_uuid(),
  episode_id    uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id    uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  name          text not null,
  role_label    public.credit_role_label not null,
  avatar_url    text,
  external_url  text,
  display_order int not null,                                                -- from 0, without gaps
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint avatar_url_is_http_url check (private.is_http_url(avatar_url)),
  constraint external_url_is_http_url check (private.is_http_url(external_url)),
  constraint display_order_not_negative check (display_order >= 0),
  constraint display_order_unique_per_episode unique (episode_id, display_order) deferrable,
  constraint episode_credits_id_episode_id_key unique (id, episode_id)       -- referenced by the roster
);
comment on table public.episode_credits is
  'Credits of an episode, as the feed and /v1 show them. Members read them; set_episode_person_credit writes them.';
comment on constraint avatar_url_is_http_url on public.episode_credits is 'The avatar URL must be an http or https URL';
comment on constraint display_order_not_negative on public.episode_credits is 'The order of a credit must be 0 or more';
comment on constraint external_url_is_http_url on public.episode_credits is
  'The external URL must be an http or https URL';
comment on constraint name_is_1_to_200_chars on public.episode_credits is 'The name must have 1 to 200 characters';
comment on constraint display_order_unique_per_episode on public.episode_credits is
  'Another credit of the episode has this order';
comment on constraint episode_credits_id_episode_id_key on public.episode_credits is 'The credit exists already';
create index episode_credits_podcast_id_idx on public.episode_credits (podcast_id);

-- Who
alter table public.episode_credits enable row level security;
create policy members_read on public.episode_credits for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
grant select on public.episode_credits to authenticated, service_role;
-- No write grants: the people functions keep roster, credits and order consistent.

-- Always
create function private.normalize_credit() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  if tg_op = 'INSERT' and tg_table_name = 'episode_credits' then
    select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  end if;
  return new;
end $$;
comment on function private.normalize_credit is 'Trigger of the credits of episodes and of podcasts.';
create trigger t100_normalize before insert or update on public.episode_credits
  for each row execute function private.normalize_credit();

-- After
create function private.renumber_credits() returns trigger
language plpgsql security definer  -- clients have no write grant on credits
set search_path = ''
as $$
begin
  update public.episode_credits c set display_order = ordered.position
  from (
    select k.id, row_number() over (partition by k.episode_id order by k.display_order) - 1 as position
    from public.episode_credits k where k.episode_id in (select d.episode_id from deleted_rows d)
  ) ordered
  where c.id = ordered.id and c.display_order <> ordered.position;
  return null;
end $$;
create trigger t500_renumber after delete on public.episode_credits
  referencing old table as deleted_rows
  for each statement execute function private.renumber_credits();

create function private.credit_json(credit anyelement) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('id', credit.id, 'name', credit.name, 'roleLabel', credit.role_label,
    'avatarUrl', credit.avatar_url, 'externalUrl', credit.external_url, 'displayOrder', credit.display_order);
end $$;
comment on function private.credit_json is 'A credit of an episode or of a podcast as the API shows it.';
