-- Who may work on a roster, what people are called on it, and how roster and credits leave the API.
-- The lock is the episode's own row: a publication takes it as well, so that whichever of the two comes second sees the
-- first, and so does a deleted account, which leaves its episodes before their rosters.
create function private.lock_roster(episode_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.episodes e where e.id = lock_roster.episode_id for no key update;
  if not found then  -- deleted while this waited
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
end $$;
comment on function private.lock_roster is
  'Whoever changes an episode''s roster or credits does so one after another: orders stay whole, duplicates are seen. PT404 when it is gone.';

create function private.lock_roster_for_edit(episode_id uuid, added_user_id uuid default null) returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  show_id uuid := private.require_episode_role(episode_id, 'admin');
begin
  perform private.require_writable_podcast(show_id);
  perform from public.profiles p where p.id = added_user_id for key share;  -- before the episode, as accounts are deleted
  perform private.lock_roster(episode_id);
  return show_id;
end $$;
comment on function private.lock_roster_for_edit is
  'The episode''s podcast, for an admin who changes its roster, alone until the transaction ends; PT401, PT404, PT403 or PT409 otherwise. `added_user_id` is the user who is to be on it.';
-- No grants: definers call them.

create function private.require_roster_person(episode_id uuid, person_id uuid) returns public.episode_people
language plpgsql stable security invoker set search_path = ''
as $$
declare
  person public.episode_people;
begin
  select * into person from public.episode_people p
  where p.id = require_roster_person.person_id and p.episode_id = require_roster_person.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person is not on the episode''s roster';
  end if;
  return person;
end $$;
comment on function private.require_roster_person is 'The roster entry; PT404 when it is not one of this episode''s.';

create function private.is_credit_role_label(label text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return label = any (enum_range(null::public.credit_role_label)::text[]);
end $$;
comment on function private.is_credit_role_label is 'Whether it is one of the credit role labels, letter for letter.';

create function private.require_credit_role_label(label text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if not private.is_credit_role_label(label) then
    raise sqlstate 'PT400' using message = 'Unknown credit role label', hint = 'INVALID_ROLE_LABEL',
      detail = 'roleLabel: one of ' || array_to_string(enum_range(null::public.credit_role_label), ', ');
  end if;
end $$;
comment on function private.require_credit_role_label is 'Returns when it is one of the credit role labels, or null; PT400 INVALID_ROLE_LABEL otherwise.';

create function private.validate_person_fields(name text, role_label text, avatar_url text, external_url text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  wrong text := case
    when coalesce(private.is_blank(name) or char_length(private.normalize_line(name)) > 200, true) then 'name: must be 1 to 200 characters'
    when private.is_blank(role_label) or char_length(private.normalize_line(role_label)) > 100 then 'roleLabel: must be 1 to 100 characters'
    when not private.is_http_url(avatar_url) then 'avatarUrl: must be an http or https URL'
    when not private.is_http_url(external_url) then 'externalUrl: must be an http or https URL'
  end;
begin
  if wrong is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = wrong;
  end if;
end $$;
comment on function private.validate_person_fields is
  'Returns when a roster entry can hold these values; PT400 that names the field otherwise. Holds for a person who is on the roster already, of whom no row is written.';

create function private.role_label_for_member(role public.podcast_role) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case role when 'owner' then 'Host' when 'admin' then 'Producer' else 'Co-host' end;
end $$;
comment on function private.role_label_for_member is 'What a member is called on a roster: by the role on the podcast, not by choice.';

create function private.default_credit_role_label(person public.episode_people) returns public.credit_role_label
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case when private.is_credit_role_label(person.role_label) then person.role_label
    when person.source_type = 'team' then 'Co-host' else 'Guest' end;
end $$;
comment on function private.default_credit_role_label is 'The label of a person''s credit when nobody chooses one: that of the roster, or the nearest that feeds know.';

create function private.display_name_or_default(display_name text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce(display_name, 'Team member');  -- never the address: feeds are public
end $$;
comment on function private.display_name_or_default is 'What a member is called who gave no name.';

create function private.append_credit(person public.episode_people, name text, role_label public.credit_role_label, avatar_url text, external_url text)
returns public.episode_credits
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  made public.episode_credits;
begin
  insert into public.episode_credits (episode_id, name, role_label, avatar_url, external_url, display_order)
  values (person.episode_id, append_credit.name, append_credit.role_label, append_credit.avatar_url, append_credit.external_url,
    (select coalesce(max(c.display_order) + 1, 0) from public.episode_credits c where c.episode_id = person.episode_id))
  returning * into made;
  update public.episode_people p set credit_id = made.id where p.id = person.id;
  return made;
end $$;
comment on function private.append_credit is 'Credits a roster person after all others. Needs lock_roster.';

create function private.notify_team_added(user_id uuid, actor_id uuid, podcast_id uuid, episode_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if user_id is distinct from actor_id then  -- nobody is told what they did themselves
    perform private.notify('episode.team_added', jsonb_build_object('user_id', user_id, 'actor_id', actor_id,
      'podcast_id', podcast_id, 'episode_id', episode_id, 'channels', '["in_app", "email"]'::jsonb));
  end if;
end $$;
comment on function private.notify_team_added is 'The event episode.team_added, unless people add themselves.';

create function private.enqueue_attendee_change(change text, podcast_id uuid, episode_id uuid, user_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue('calendar_sync', jsonb_build_object(
    'type', 'attendee.' || change, 'podcast_id', podcast_id, 'episode_id', episode_id, 'user_id', user_id));
end $$;
comment on function private.enqueue_attendee_change is 'Queues {type: attendee.added or attendee.removed, podcast_id, episode_id, user_id} for the calendar event of the episode''s session.';

create function private.person_json(person public.episode_people) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('id', person.id, 'episodeId', person.episode_id, 'sourceType', person.source_type,
    'userId', person.user_id, 'guestId', person.guest_id, 'name', person.name, 'roleLabel', person.role_label,
    'avatarUrl', person.avatar_url, 'externalUrl', person.external_url, 'isActive', person.is_active, 'creditId', person.credit_id,
    'createdAt', private.format_timestamp(person.created_at), 'updatedAt', private.format_timestamp(person.updated_at));
end $$;
comment on function private.person_json is 'A roster entry as the API shows it.';

create function private.credit_json(credit public.episode_credits) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('id', credit.id, 'name', credit.name, 'roleLabel', credit.role_label,
    'avatarUrl', credit.avatar_url, 'externalUrl', credit.external_url, 'displayOrder', credit.display_order);
end $$;
comment on function private.credit_json is 'A credit as the API shows it.';
