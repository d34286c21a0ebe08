-- Takes someone out of the feed's credits; the roster entry stays.
create function private.take_from_credits(episode_id uuid, person_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no grant on credits
set search_path = ''
as $$
declare
  person public.episode_people;
begin
  perform private.open_roster(take_from_credits.episode_id);
  person := private.roster_person(take_from_credits.episode_id, take_from_credits.person_id);
  delete from public.episode_credits c where c.id = person.credit_id;  -- which unlinks it
  if not found then
    raise sqlstate 'PT422' using message = 'This person is not credited', hint = 'NOT_CREDITED';
  end if;
  return jsonb_build_object('personId', person.id, 'name', person.name);
end $$;
comment on function private.take_from_credits is 'uncredit_episode_person''s half behind the grants.';
revoke all on function private.take_from_credits from public, anon, authenticated, service_role;
grant execute on function private.take_from_credits to authenticated;  -- checks the role itself

create function public.uncredit_episode_person(episode_id uuid, person_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.take_from_credits(uncredit_episode_person.episode_id, uncredit_episode_person.person_id);
end $$;
comment on function public.uncredit_episode_person is
  'DELETE …/people/{personId}/credit: {personId, name}. Needs admin+. 403, 404 not on this episode, 409, 422 NOT_CREDITED.';
revoke all on function public.uncredit_episode_person from public, anon, authenticated, service_role;
grant execute on function public.uncredit_episode_person to authenticated;
