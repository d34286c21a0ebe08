-- Removes a person from an episode's roster and credits.
create function private.remove_episode_person(_episode_id uuid, _person_id uuid, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on roster and credits
set search_path = ''
as $$
declare
  episode_podcast_id uuid := private.lock_roster_for_edit(_episode_id, removed_person_id => _person_id);
  person             public.episode_people := private.require_roster_person(_episode_id, _person_id);
begin
  delete from public.episode_credits c where c.id = person.credit_id;
  delete from public.episode_people p where p.id = person.id;
  if person.source_type = 'guest' then
    insert into private.roster_removals (episode_guest_id, removed_at)
    select g.id, at from public.episode_guests g
    where g.id = person.guest_id and g.status = 'active'
    on conflict do nothing;
  elsif person.source_type = 'team' then
    begin
      perform private.enqueue_attendee_change('removed', episode_podcast_id, person.episode_id, person.user_id);
    exception when others then  -- best effort: the person is removed even if the message cannot be enqueued
      raise log 'castbase: failed to enqueue calendar removal for episode %: % (%)', person.episode_id, sqlerrm,
        sqlstate;
    end;
  end if;
  return jsonb_build_object('id', person.id, 'name', person.name);
end $$;
grant execute on function private.remove_episode_person to authenticated;

create function public.remove_episode_person(episode_id uuid, person_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_episode_person(episode_id, person_id);
comment on function public.remove_episode_person is
  'DELETE …/people/{personId}: {id, name}. Also removes the credit. Requires admin. 403, 404, 409 '
  'PODCAST_PENDING_DELETION unless it is the caller''s own entry.';
grant execute on function public.remove_episode_person to authenticated;
