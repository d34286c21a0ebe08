-- Removes the credit of a person; the roster entry stays.
create function private.remove_episode_person_credit(_episode_id uuid, _person_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on credits
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.lock_roster_for_edit(_episode_id, removed_person_id => _person_id);
  person := private.require_roster_person(_episode_id, _person_id);
  delete from public.episode_credits c where c.id = person.credit_id;  -- the foreign key clears credit_id
  if not found then
    raise sqlstate 'PT422' using message = 'This person has no credit to remove', hint = 'NOT_CREDITED';
  end if;
  return jsonb_build_object('personId', person.id, 'name', person.name);
end $$;
grant execute on function private.remove_episode_person_credit to authenticated;

create function public.remove_episode_person_credit(episode_id uuid, person_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_episode_person_credit(episode_id, person_id);
comment on function public.remove_episode_person_credit is
  'DELETE …/people/{personId}/credit: {personId, name}. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION '
  'unless it is the caller''s own credit, 422 NOT_CREDITED.';
grant execute on function public.remove_episode_person_credit to authenticated;
