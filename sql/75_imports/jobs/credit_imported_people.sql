-- The people that a feed names for an episode become its credits and its roster.
create function private.credit_imported_people(_episode_id uuid, persons jsonb, out losses jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_people constant int := 150;  -- a roster has at most 200 entries; the team needs some of them
  credits    constant record := private.imported_credits(persons, max_people);
begin
  losses := credits.losses;
  if credits.accepted is null then
    return;
  end if;
  with new_entries as (
    select e.credit, e.n - 1 as display_order, gen_random_uuid() as credit_id
    from jsonb_array_elements(credits.accepted) with ordinality e (credit, n)
  ), credits as (
    insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, external_url, display_order)
    select e.credit_id, _episode_id, e.credit ->> 'name',
      (e.credit ->> 'roleLabel')::public.credit_role_label, e.credit ->> 'avatarUrl', e.credit ->> 'externalUrl',
      e.display_order
    from new_entries e
  )
  insert into public.episode_people (
    episode_id, source_type, name, role_label, avatar_url, external_url, credit_id)
  select _episode_id, 'external', e.credit ->> 'name', e.credit ->> 'roleLabel',
    e.credit ->> 'avatarUrl', e.credit ->> 'externalUrl', e.credit_id
  from new_entries e;
end $$;
comment on function private.credit_imported_people is
  'Adds the persons of a feed''s item to the roster and the credits of a new episode, in the feed''s order. Returns '
  'the losses [{path, reason, excerpt}].';
