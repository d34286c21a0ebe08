-- The people whom a feed names for an episode become its credits, as data of the import: credits know six roles, and the
-- Podcast Taxonomy a hundred. Who is something else is left out, not made a guest.
create function private.credit_role_from_taxonomy(role text, "group" text) returns public.credit_role_label
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case regexp_replace(lower(coalesce(role, 'host')), '[^a-z]+', '', 'g')  -- without a role the namespace means the host
    when 'host' then 'Host'
    when 'cohost' then 'Co-host'
    when 'guest' then 'Guest'
    when 'producer' then 'Producer' when 'executiveproducer' then 'Producer' when 'associateproducer' then 'Producer'
    when 'composer' then 'Composer'
    when 'audioeditor' then 'Editor'
    -- that of the group Writing prepares scripts
    when 'editor' then case when coalesce("group", '') !~* 'writing' then 'Editor' end
  end::public.credit_role_label;
end $$;
comment on function private.credit_role_from_taxonomy is 'The credit label of a podcast:person''s role and group, in any spelling of case and hyphens; null when credits have none for it.';

create function private.credit_imported_people(episode_id uuid, persons jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  with named as (
    select left(private.normalize_line(p ->> 'name'), 200) as name, private.credit_role_from_taxonomy(p ->> 'role', p ->> 'group') as label,
      case when private.is_http_url(p ->> 'img') then p ->> 'img' end as avatar_url,
      case when private.is_http_url(p ->> 'href') then p ->> 'href' end as external_url, n
    from jsonb_array_elements(case jsonb_typeof(persons) when 'array' then persons end) with ordinality a (p, n)
  ), once as (
    select distinct on (name, label) * from named
    where label is not null and not private.is_blank(name)
    order by name, label, n
  ), seats as (
    select o.*, gen_random_uuid() as credit_id, row_number() over (order by o.n) - 1 as place from once o
    order by o.n limit 150  -- a roster has 200 places, some of them the team's
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, external_url, display_order)
    select s.credit_id, credit_imported_people.episode_id, s.name, s.label, s.avatar_url, s.external_url, s.place from seats s
  )
  insert into public.episode_people (episode_id, source_type, name, role_label, avatar_url, external_url, credit_id)
  select credit_imported_people.episode_id, 'external', s.name, s.label::text, s.avatar_url, s.external_url, s.credit_id from seats s;
end $$;
comment on function private.credit_imported_people is 'Puts the persons of a feed''s item onto the roster and into the credits of a new episode, in the feed''s order.';
