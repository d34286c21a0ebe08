-- Shared by the people functions: the roster's lock, the checks of its fields, and the JSON of people and credits.
-- The lock is the episode's row. Publishing and deleting an account lock it too; the latter deletes episodes before
-- their rosters.
create function private.lock_roster(_episode_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.episodes e where e.id = _episode_id for no key update;
  if not found then  -- deleted while this transaction waited
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
end $$;
comment on function private.lock_roster is
  'Locks an episode''s roster and credits until the transaction ends, so that changes run one after another. PT404.';

create function private.lock_roster_for_edit(
  episode_id uuid, added_user_id uuid default null, removed_person_id uuid default null) returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id uuid := private.require_episode_role(episode_id, 'admin');
begin
  perform private.require_writable_podcast(podcast_id, is_leaving => exists (
    select from public.episode_people p where p.id = removed_person_id and p.user_id = auth.uid()));
  perform from public.profiles p where p.id = added_user_id for key share;  -- account deletions lock in this order
  perform private.lock_roster(episode_id);
  return podcast_id;
end $$;
comment on function private.lock_roster_for_edit is
  'Locks the roster for an admin who edits it, and the user to be added, and returns the podcast. '
  'PT401, PT403, PT404, PT409 PODCAST_PENDING_DELETION unless the admins remove themselves.';

create function private.require_roster_person(_episode_id uuid, _person_id uuid) returns public.episode_people
language plpgsql stable security invoker set search_path = ''
as $$
declare
  person public.episode_people;
begin
  select * into person from public.episode_people p
  where p.id = _person_id and p.episode_id = _episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Person not found on this episode''s roster';
  end if;
  return person;
end $$;
comment on function private.require_roster_person is 'The roster entry of this episode. PT404.';

create function private.is_credit_role_label(label text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return label = any (enum_range(null::public.credit_role_label)::text[]);
end $$;
comment on function private.is_credit_role_label is 'Whether the text is a credit role label, in the same letter case.';

create function private.require_credit_role_label(label text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if not private.is_credit_role_label(label) then
    raise sqlstate 'PT400' using message = 'Invalid credit role label', hint = 'INVALID_ROLE_LABEL',
      detail = 'roleLabel: one of ' || array_to_string(enum_range(null::public.credit_role_label), ', ');
  end if;
end $$;
comment on function private.require_credit_role_label is
  'PT400 INVALID_ROLE_LABEL unless the text is a credit role label or null.';

create function private.validate_person_fields(name text, role_label text, avatar_url text, external_url text)
returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  error text := case
    when coalesce(private.is_blank(name) or char_length(private.normalize_line(name)) > 200, true)
      then 'name: must be 1 to 200 characters'
    when private.is_blank(role_label) or char_length(private.normalize_line(role_label)) > 100
      then 'roleLabel: must be 1 to 100 characters'
    when not private.is_http_url(avatar_url) then 'avatarUrl: must be an http or https URL'
    when not private.is_http_url(external_url) then 'externalUrl: must be an http or https URL'
  end;
begin
  if error is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = error;
  end if;
end $$;
comment on function private.validate_person_fields is
  'PT400 with the first invalid field of a roster entry. Needed beside the constraints, which check written rows only.';

create function private.role_label_for_member(role public.podcast_role) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case role when 'owner' then 'Host' when 'admin' then 'Producer' else 'Co-host' end;
comment on function private.role_label_for_member is
  'A team member''s role label on a roster, derived from the podcast role.';

create function private.default_credit_role_label(person public.episode_people) returns public.credit_role_label
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case when private.is_credit_role_label(person.role_label) then person.role_label
    when person.source_type = 'team' then 'Co-host' else 'Guest' end;
end $$;
comment on function private.default_credit_role_label is
  'The role label of a new credit: the roster entry''s if credits allow it, else Co-host for the team or Guest.';

create function private.append_credit(
  person public.episode_people, _name text, _role_label public.credit_role_label, _avatar_url text, _external_url text
) returns public.episode_credits
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  credit public.episode_credits;
begin
  insert into public.episode_credits (episode_id, name, role_label, avatar_url, external_url, display_order)
  select person.episode_id, _name, _role_label, _avatar_url, _external_url, coalesce(max(c.display_order) + 1, 0)
  from public.episode_credits c where c.episode_id = person.episode_id
  returning * into credit;
  update public.episode_people p set credit_id = credit.id where p.id = person.id;
  return credit;
end $$;
comment on function private.append_credit is
  'Adds a credit for a roster person after all others. Requires lock_roster.';

create function private.notify_team_added(user_ids uuid[], actor_id uuid, podcast_id uuid, episode_ids uuid[])
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- an admin can remove and add a member, or create episodes, in a loop
  perform private.notify_each('episode.team_added', (
    select jsonb_agg(jsonb_build_object('recipients', added.recipients, 'dedupe_key', added.dedupe_key,
      'payload', jsonb_build_object('actor_id', actor_id, 'podcast_id', podcast_id,
        'episode_id', episode_ids[added.n])) order by added.n)
    from (
      select k.n, k.dedupe_key, private.user_recipients(variadic array_agg(u.user_id)) as recipients
      from (select i.user_id from unnest(user_ids) i (user_id) where i.user_id is distinct from actor_id order by 1) u
      cross join lateral private.repeated_notice_keys(
        format('team_added:%s:%s:%s', podcast_id, u.user_id, actor_id), 20, cardinality(episode_ids))
        with ordinality k (dedupe_key, n)
      group by k.n, k.dedupe_key) added));
end $$;
comment on function private.notify_team_added is
  'Notifies users that they were added to the rosters of episodes, except users who added themselves: each user 20 '
  'times per podcast, actor and day, then once per hour.';

create function private.enqueue_attendee_change(change text, podcast_id uuid, episode_id uuid, user_id uuid)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue('calendar_sync', jsonb_build_object(
    'type', 'attendee.' || change, 'podcast_id', podcast_id, 'episode_id', episode_id, 'user_id', user_id));
end $$;
comment on function private.enqueue_attendee_change is
  'Enqueues {type: attendee.added or attendee.removed, podcast_id, episode_id, user_id} for calendar_sync.';

create function private.person_json(person public.episode_people) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('id', person.id, 'episodeId', person.episode_id, 'sourceType', person.source_type,
    'userId', person.user_id, 'guestId', person.guest_id, 'name', person.name, 'roleLabel', person.role_label,
    'avatarUrl', person.avatar_url, 'externalUrl', person.external_url, 'isActive', person.is_active,
    'creditId', person.credit_id, 'createdAt', private.format_timestamp(person.created_at),
    'updatedAt', private.format_timestamp(person.updated_at));
end $$;
comment on function private.person_json is 'A roster entry as the API shows it.';
