-- Adds a person to an episode's roster and, except guests, to its credits.
create function private.add_episode_person(
  _episode_id uuid, _source_type public.person_source_type, _name text, _user_id uuid, _guest_id uuid,
  _role_label text, _avatar_url text, _external_url text
) returns jsonb
language plpgsql volatile security definer  -- clients have no write grants on roster and credits
set search_path = ''
as $$
declare
  episode_podcast_id uuid := private.lock_roster_for_edit(_episode_id, added_user_id => _user_id);
  label              text := 'Guest';
  member_role        public.podcast_role;
  person             public.episode_people;
  warning            text;
begin
  perform private.validate_person_fields(_name, _role_label, _avatar_url, _external_url);
  select * into person from public.episode_people p
  where p.episode_id = _episode_id and p.source_type = _source_type
    and (p.user_id = _user_id or p.guest_id = _guest_id);
  if found then  -- even if the person could no longer be added
    return jsonb_build_object('data', private.person_json(person), 'alreadyExisted', true);
  end if;

  if _source_type = 'team' then
    select m.role into member_role from public.podcast_members m
    where m.podcast_id = episode_podcast_id and m.user_id = _user_id;
    if not found then
      raise sqlstate 'PT400' using message = case when _user_id is null
        then 'userId is required for sourceType team' else 'The user is not a member of this podcast' end;
    end if;
    label := private.role_label_for_member(member_role);
  elsif _source_type = 'guest' then
    perform from public.episode_guests g
    where g.id = _guest_id and g.episode_id = _episode_id and g.status <> 'removed';
    if not found then
      raise sqlstate 'PT400' using message = case when _guest_id is null
        then 'guestId is required for sourceType guest' else 'The guest does not belong to this episode' end;
    end if;
    delete from private.roster_removals r where r.episode_guest_id = _guest_id;
  else
    perform private.require_credit_role_label(_role_label);
    label := coalesce(_role_label, 'Participant');
  end if;

  if (select count(*) from public.episode_people p where p.episode_id = _episode_id) >= 200 then
    raise sqlstate 'PT409' using message = 'An episode''s roster is limited to 200 people', hint = 'ROSTER_FULL';
  end if;
  insert into public.episode_people as p
    (episode_id, source_type, user_id, guest_id, name, role_label, avatar_url, external_url)
  values (_episode_id, _source_type,
    case _source_type when 'team' then _user_id end,
    case _source_type when 'guest' then _guest_id end, _name, label, _avatar_url, _external_url)
  returning p.* into person;
  if _source_type <> 'guest' then  -- a guest is credited on accepting the invitation
    begin
      person.credit_id := (private.append_credit(person, person.name, private.default_credit_role_label(person),
        person.avatar_url, person.external_url)).id;
    exception when others then  -- the roster entry stays
      if sqlstate like '40%' then  -- a conflict with another transaction: the whole call is retried
        raise;
      end if;
      warning := 'Added to the roster, but the credit could not be created';
      raise log 'castbase: failed to create credit for person % on episode %: % (%)',
        person.id, person.episode_id, sqlerrm, sqlstate;
    end;
  end if;
  if _source_type = 'team' then
    perform private.notify_team_added(array[person.user_id], auth.uid(), episode_podcast_id,
      array[person.episode_id]);
    perform private.enqueue_attendee_change('added', episode_podcast_id, person.episode_id, person.user_id);
  end if;
  perform set_config('response.status', '201', true);
  return jsonb_strip_nulls(jsonb_build_object('warning', warning))
    || jsonb_build_object('data', private.person_json(private.require_roster_person(person.episode_id, person.id)));
end $$;
grant execute on function private.add_episode_person to authenticated;

create function public.add_episode_person(
  episode_id   uuid,
  source_type  public.person_source_type,
  name         text,
  user_id      uuid default null,
  guest_id     uuid default null,
  role_label   text default null,
  avatar_url   text default null,
  external_url text default null
) returns jsonb
language sql volatile security invoker set search_path = ''
return private.add_episode_person(episode_id, source_type, name, user_id, guest_id, role_label, avatar_url,
  external_url);
comment on function public.add_episode_person is
  'POST …/people: 201 {data: the roster entry, warning?}, or 200 with alreadyExisted if the user or guest is on the '
  'roster. role_label applies to external people only. Requires admin. '
  '400 INVALID_ROLE_LABEL, 403, 404, 409 ROSTER_FULL.';
grant execute on function public.add_episode_person to authenticated;
