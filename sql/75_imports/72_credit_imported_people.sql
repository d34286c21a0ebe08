-- The people that a feed names for an episode become its credits. Credits have six roles, the Podcast Taxonomy about a
-- hundred: people with other roles are left out, not credited as guests.
create function private.credit_role_from_taxonomy(role text, "group" text) returns public.credit_role_label
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case regexp_replace(lower(coalesce(role, 'host')), '[^a-z]+', '', 'g')  -- the namespace's default is host
    when 'host' then 'Host'
    when 'cohost' then 'Co-host'
    when 'guest' then 'Guest'
    when 'producer' then 'Producer' when 'executiveproducer' then 'Producer' when 'associateproducer' then 'Producer'
    when 'composer' then 'Composer'
    when 'audioeditor' then 'Editor'
    -- the editor of the group Writing prepares scripts
    when 'editor' then case when coalesce("group", '') !~* 'writing' then 'Editor' end
  end::public.credit_role_label;
end $$;
comment on function private.credit_role_from_taxonomy is
  'The credit label for the role and group of a podcast:person, in any case and hyphenation; null when no label fits.';

create function private.credit_imported_people(episode_id uuid, persons jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(persons), 'null') <> 'array' or persons = '[]' then
    return;
  end if;
  with named as (
    select left(private.normalize_line(p ->> 'name'), 200) as name,
      private.credit_role_from_taxonomy(p ->> 'role', p ->> 'group') as label,
      case when private.is_http_url(p ->> 'img') then p ->> 'img' end as avatar_url,
      case when private.is_http_url(p ->> 'href') then p ->> 'href' end as external_url, n
    from jsonb_array_elements(persons) with ordinality a (p, n)
  ), distinct_people as (
    select distinct on (name, label) * from named
    where label is not null and not private.is_blank(name)
    order by name, label, n
  ), new_entries as (
    select d.*, gen_random_uuid() as credit_id, row_number() over (order by d.n) - 1 as display_order
    from distinct_people d
    order by d.n limit 150  -- a roster has at most 200 entries; the team needs some of them
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, external_url, display_order)
    select e.credit_id, credit_imported_people.episode_id, e.name, e.label, e.avatar_url, e.external_url,
      e.display_order
    from new_entries e
  )
  insert into public.episode_people (
    episode_id, source_type, name, role_label, avatar_url, external_url, credit_id)
  select credit_imported_people.episode_id, 'external', e.name, e.label::text, e.avatar_url, e.external_url, e.credit_id
  from new_entries e;
end $$;
comment on function private.credit_imported_people is
  'Adds the persons of a feed''s item to the roster and the credits of a new episode, in the feed''s order.';
