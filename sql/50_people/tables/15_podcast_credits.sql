-- Podcast credits: the regular people of a podcast, whom the channel of its feed names. An episode's own credits
-- replace them for that episode.
create table public.podcast_credits (
  id            uuid primary key default gen_random_uuid(),
  podcast_id    uuid not null references public.podcasts on delete cascade,
  name          text not null,
  role_label    public.credit_role_label not null,
  avatar_url    text,
  external_url  text,
  display_order int not null,                         -- from 0, without gaps
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint avatar_url_is_http_url check (private.is_http_url(avatar_url)),
  constraint external_url_is_http_url check (private.is_http_url(external_url)),
  constraint display_order_is_0_to_49 check (display_order between 0 and 49),
  constraint display_order_unique_per_podcast unique (podcast_id, display_order)
);
comment on table public.podcast_credits is
  'Credits of a podcast, as its feed shows them. Members read them; set_podcast_credits writes them.';
comment on constraint avatar_url_is_http_url on public.podcast_credits is 'The avatar URL must be an http or https URL';
comment on constraint display_order_is_0_to_49 on public.podcast_credits is 'The order of a credit must be 0 to 49';
comment on constraint external_url_is_http_url on public.podcast_credits is
  'The external URL must be an http or https URL';
comment on constraint name_is_1_to_200_chars on public.podcast_credits is 'The name must have 1 to 200 characters';
comment on constraint display_order_unique_per_podcast on public.podcast_credits is
  'Another credit of the podcast has this order';

-- Who
alter table public.podcast_credits enable row level security;
create policy members_read on public.podcast_credits for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
grant select on public.podcast_credits to authenticated, service_role;
-- No write grants: set_podcast_credits replaces the list as a whole, so that its order has no gaps.

-- Always
create trigger t100_normalize before insert or update on public.podcast_credits
  for each row execute function private.normalize_credit();

-- Rows at the same place are updated, so that a repeated list changes nothing and invalidates no feed.
create function private.replace_podcast_credits(_podcast_id uuid, credits jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('podcast-credits/' || _podcast_id, 0));
  delete from public.podcast_credits c
  where c.podcast_id = _podcast_id and c.display_order >= jsonb_array_length(credits);
  insert into public.podcast_credits as c (podcast_id, name, role_label, avatar_url, external_url, display_order)
  select _podcast_id, private.normalize_line(e.credit ->> 'name'),
    (e.credit ->> 'roleLabel')::public.credit_role_label, e.credit ->> 'avatarUrl', e.credit ->> 'externalUrl', e.n - 1
  from jsonb_array_elements(credits) with ordinality e (credit, n)
  on conflict on constraint display_order_unique_per_podcast do update
    set name = excluded.name, role_label = excluded.role_label, avatar_url = excluded.avatar_url,
      external_url = excluded.external_url
    where (c.name, c.role_label, c.avatar_url, c.external_url)
      is distinct from (excluded.name, excluded.role_label, excluded.avatar_url, excluded.external_url);
  return (
    select coalesce(jsonb_agg(private.credit_json(c) order by c.display_order), '[]')
    from public.podcast_credits c where c.podcast_id = _podcast_id);
end $$;
comment on function private.replace_podcast_credits is
  'Replaces the credits of a podcast by a valid list [{name, roleLabel, avatarUrl?, externalUrl?}], and returns them. '
  'The caller checks the role, the list and that the podcast may be written.';
-- No grant: security definer functions call it.
