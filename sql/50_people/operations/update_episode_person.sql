-- Updates a roster entry: an absent field stays unchanged, null clears. The credit keeps its own texts; deactivating
-- the person removes it.
create function private.update_episode_person(_episode_id uuid, _person_id uuid, changes jsonb) returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on roster and credits
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.lock_roster_for_edit(_episode_id);
  person := private.require_roster_person(_episode_id, _person_id);
  perform private.validate_changes(changes, '{"name": ["string"], "roleLabel": ["string"],
    "avatarUrl": ["string", "null"], "externalUrl": ["string", "null"], "isActive": ["boolean"]}');
  if changes @> '{"isActive": false}' then
    delete from public.episode_credits c where c.id = person.credit_id;
  end if;
  update public.episode_people p set
    name = coalesce(changes ->> 'name', p.name),
    role_label = coalesce(changes ->> 'roleLabel', p.role_label),
    avatar_url = case when changes ? 'avatarUrl' then changes ->> 'avatarUrl' else p.avatar_url end,
    external_url = case when changes ? 'externalUrl' then changes ->> 'externalUrl' else p.external_url end,
    is_active = coalesce((changes ->> 'isActive')::boolean, p.is_active)
  where p.id = person.id returning * into person;
  return private.person_json(person);
end $$;
grant execute on function private.update_episode_person to authenticated;

create function public.update_episode_person(episode_id uuid, person_id uuid, changes jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_episode_person(episode_id, person_id, changes);
comment on function public.update_episode_person is
  'PUT …/people/{personId}: the roster entry with the changed name, roleLabel, avatarUrl, externalUrl or isActive; '
  'isActive false removes the credit. Requires admin. 400, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.update_episode_person to authenticated;
