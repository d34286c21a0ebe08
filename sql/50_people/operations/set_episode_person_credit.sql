-- Creates or updates the credit of a person on the roster. Safe to repeat.
create function private.set_episode_person_credit(_episode_id uuid, _person_id uuid, changes jsonb) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on credits
set search_path = ''
as $$
declare
  person           public.episode_people;
  credit           public.episode_credits;
  new_name         text;
  new_avatar_url   text;
  new_external_url text;
begin
  perform private.lock_roster_for_edit(_episode_id);
  person := private.require_roster_person(_episode_id, _person_id);
  perform private.validate_changes(changes, '{"name": ["string"], "roleLabel": ["string"],
    "avatarUrl": ["string", "null"], "externalUrl": ["string", "null"]}', min_keys => 0);
  perform private.require_credit_role_label(changes ->> 'roleLabel');
  if not person.is_active then
    raise sqlstate 'PT422' using message = 'An inactive person cannot be credited', hint = 'PERSON_INACTIVE';
  end if;
  new_name := coalesce(changes ->> 'name', person.name);
  new_avatar_url := case when changes ? 'avatarUrl' then changes ->> 'avatarUrl' else person.avatar_url end;
  new_external_url := case when changes ? 'externalUrl' then changes ->> 'externalUrl' else person.external_url end;
  if person.credit_id is null then
    credit := private.append_credit(person, new_name,
      coalesce((changes ->> 'roleLabel')::public.credit_role_label, private.default_credit_role_label(person)),
      new_avatar_url, new_external_url);
    perform set_config('response.status', '201', true);
  else
    update public.episode_credits c set name = new_name, avatar_url = new_avatar_url, external_url = new_external_url,
      role_label = coalesce((changes ->> 'roleLabel')::public.credit_role_label, c.role_label)
    where c.id = person.credit_id returning * into credit;
  end if;
  return jsonb_build_object('personId', person.id, 'credit', private.credit_json(credit));
end $$;
grant execute on function private.set_episode_person_credit to authenticated;

create function public.set_episode_person_credit(episode_id uuid, person_id uuid, changes jsonb default '{}')
returns jsonb
language sql volatile security invoker set search_path = ''
return private.set_episode_person_credit(episode_id, person_id, changes);
comment on function public.set_episode_person_credit is
  'PUT …/people/{personId}/credit: 201 {personId, credit} for a new last credit, or 200 if it existed. name, avatarUrl '
  'and externalUrl default to the roster entry''s; roleLabel to the credit''s own, else the entry''s. Requires admin. '
  '400 INVALID_ROLE_LABEL, 403, 404, 409 PODCAST_PENDING_DELETION, 422 PERSON_INACTIVE.';
grant execute on function public.set_episode_person_credit to authenticated;
