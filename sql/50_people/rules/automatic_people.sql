-- Automatic roster entries: triggers add the creator and the flagged members to a new episode, add a guest who accepts
-- the invitation, and remove a guest who declines it.
create function private.automatic_team(_podcast_id uuid, _created_by uuid)
returns table (user_id uuid, name text, label text, avatar_url text)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
  select t.user_id, private.display_name_or_default(f.display_name), t.label, f.avatar_url
  from (
    -- the creator is added first, as a Host, regardless of the podcast role
    select _created_by as user_id, 'Host' as label, null::timestamptz as joined_at
    union all
    select m.user_id, private.role_label_for_member(m.role), m.created_at from public.podcast_members m
    where m.podcast_id = _podcast_id and m.auto_add_to_new_episodes
      and m.user_id is distinct from _created_by
  ) t
  join public.profiles f on f.id = t.user_id
  order by t.joined_at nulls first, t.user_id;
end $$;
comment on function private.automatic_team is
  'Returns who joins a new episode: its creator and the flagged members of its podcast, in the order of their credits.';

create function private.add_team_to_roster() returns trigger
language plpgsql security definer  -- clients have no write grants on roster and credits
set search_path = ''
as $$
declare
  batch    record;
  user_ids uuid[];
begin
  for batch in
    select n.podcast_id, n.created_by, n.origin, array_agg(n.id) as episode_ids from new_rows n
    group by n.podcast_id, n.created_by, n.origin order by n.podcast_id, n.created_by
  loop
    with team as materialized (
      select t.* from private.automatic_team(batch.podcast_id, batch.created_by)
        with ordinality t (user_id, name, label, avatar_url, n)
    ), new_entries as materialized (  -- the credits of an import are those of the feed
      select e.episode_id, t.*, case when batch.origin <> 'import' then gen_random_uuid() end as credit_id
      from unnest(batch.episode_ids) e (episode_id), team t
    ), new_credits as (
      insert into public.episode_credits (id, episode_id, name, role_label, avatar_url, display_order)
      select n.credit_id, n.episode_id, n.name, n.label::public.credit_role_label, n.avatar_url, n.n - 1
      from new_entries n where n.credit_id is not null
    )
    insert into public.episode_people (episode_id, source_type, user_id, name, role_label, avatar_url, credit_id)
    select n.episode_id, 'team', n.user_id, n.name, n.label, n.avatar_url, n.credit_id from new_entries n;
    user_ids := array(
      select p.user_id from public.episode_people p
      where p.episode_id = batch.episode_ids[1] and p.user_id is distinct from batch.created_by);
    if batch.origin <> 'import' and user_ids <> '{}' then
      perform private.notify_team_added(user_ids, batch.created_by, batch.podcast_id, batch.episode_ids);
    end if;
  end loop;
  return null;
end $$;
create trigger t500_add_team_to_roster after insert on public.episodes
  referencing new table as new_rows for each statement execute function private.add_team_to_roster();

create function private.add_guest_to_roster() returns trigger
language plpgsql security definer  -- anonymous guests have no grants
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.lock_roster(new.episode_id);
  perform from private.roster_removals r where r.episode_guest_id = new.id;
  if found then
    return null;
  end if;
  insert into public.episode_people (episode_id, source_type, guest_id, name, role_label, avatar_url)
  select new.episode_id, 'guest', new.id, g.display_name, 'Guest', f.avatar_url
  from public.podcast_guests g left join public.profiles f on f.id = g.user_id
  where g.id = new.podcast_guest_id
  on conflict on constraint guest_unique_per_roster do nothing;
  select * into strict person from public.episode_people p where p.episode_id = new.episode_id and p.guest_id = new.id;
  if person.is_active and person.credit_id is null then  -- an admin deactivated an inactive entry
    perform private.append_credit(person, person.name, private.default_credit_role_label(person),
      person.avatar_url, person.external_url);
  end if;
  return null;
end $$;
create trigger t500_add_guest_to_roster after insert on public.episode_guests
  for each row when (new.status = 'active') execute function private.add_guest_to_roster();
create trigger t500_add_accepted_guest_to_roster after update of status on public.episode_guests
  for each row when (new.status = 'active' and old.status <> 'active') execute function private.add_guest_to_roster();

create function private.remove_guest_from_roster() returns trigger
language plpgsql security definer  -- anonymous guests have no grants
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.lock_roster(new.episode_id);
  -- an entry that an admin deactivated stays
  delete from public.episode_people p where p.guest_id = new.id and p.is_active returning * into person;
  delete from public.episode_credits c where c.id = person.credit_id;
  return null;
end $$;
create trigger t500_remove_guest_from_roster after update of status on public.episode_guests
  for each row when (new.status = 'declined' and old.status <> 'declined')
  execute function private.remove_guest_from_roster();
