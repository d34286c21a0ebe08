-- Takes someone out of the feed's credits; the roster entry stays.
create function private.remove_episode_person_credit(episode_id uuid, person_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no grant on credits
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.lock_roster_for_edit(remove_episode_person_credit.episode_id);
  person := private.require_roster_person(remove_episode_person_credit.episode_id, remove_episode_person_credit.person_id);
  delete from public.episode_credits c where c.id = person.credit_id;  -- which unlinks it
  if not found then
    raise sqlstate 'PT422' using message = 'This person is not credited', hint = 'NOT_CREDITED';
  end if;
  return jsonb_build_object('personId', person.id, 'name', person.name);
end $$;
comment on function private.remove_episode_person_credit is 'remove_episode_person_credit''s half behind the grants.';
grant execute on function private.remove_episode_person_credit to authenticated;  -- checks the role itself

create function public.remove_episode_person_credit(episode_id uuid, person_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.remove_episode_person_credit(remove_episode_person_credit.episode_id, remove_episode_person_credit.person_id);
end $$;
comment on function public.remove_episode_person_credit is
  'DELETE …/people/{personId}/credit: {personId, name}. Needs admin+. 403, 404 not on this episode, 409, 422 NOT_CREDITED.';
grant execute on function public.remove_episode_person_credit to authenticated;
