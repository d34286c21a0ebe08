-- update_field: a write by the author of the rule, under the policies, grants and guards of a person's write.
create function private.update_automated_field(entity text, entity_id uuid, field text, value jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if entity = 'guest' then
    perform public.update_podcast_guest(entity_id,
      jsonb_build_object(case field when 'display_name' then 'displayName' else field end, value));
    return;
  end if;
  -- a statement that sets one column evaluates and copies least; a dynamic one would be planned each time
  case field
    when 'title' then
      update public.episodes e set title = value #>> '{}' where e.id = entity_id;
    when 'itunes_title' then
      update public.episodes e set itunes_title = value #>> '{}' where e.id = entity_id;
    when 'summary' then
      update public.episodes e set summary = value #>> '{}' where e.id = entity_id;
    when 'description' then
      update public.episodes e set description = value #>> '{}' where e.id = entity_id;
    when 'show_notes_html' then
      update public.episodes e set show_notes_html = value #>> '{}' where e.id = entity_id;
    when 'season_number' then
      update public.episodes e set season_number = (value #>> '{}')::int where e.id = entity_id;
    when 'episode_number' then
      update public.episodes e set episode_number = (value #>> '{}')::int where e.id = entity_id;
    when 'episode_type' then
      update public.episodes e set episode_type = (value #>> '{}')::public.episode_type where e.id = entity_id;
    when 'explicit' then
      update public.episodes e set explicit = value::boolean where e.id = entity_id;
    when 'is_blocked' then
      update public.episodes e set is_blocked = value::boolean where e.id = entity_id;
  end case;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
end $$;
comment on function private.update_automated_field is
  'Updates one field of an episode or guest as the caller. private.automation_fields() lists the fields. PT403, PT404, '
  'PT409, and the errors of the write.';
grant execute on function private.update_automated_field to authenticated;  -- the worker calls it as the author

-- Anyone can book with any address, and name a published episode, whose id is public.
create function private.update_field_targets(
  context jsonb, entity text, trigger_type public.automation_trigger) returns uuid[]
language plpgsql stable security invoker set search_path = ''
as $$
declare
  booking      public.bookings;
  is_confirmed boolean;  -- now, earlier, or when the trigger fires
begin
  select b.* into booking from public.bookings b where b.id = (context ->> 'booking_id')::uuid;
  is_confirmed := booking.confirmed_by is not null or booking.status = 'confirmed' or (trigger_type = any (
    '{booking.requested,booking.declined,booking.rescheduled,booking.cancelled}')) is not true;
  if entity = 'episode' then
    return array(
      select e.id from public.episodes e
      -- a booking may be linked with another episode since it was confirmed
      where e.id = coalesce(booking.episode_id, (context ->> 'episode_id')::uuid)
        and e.podcast_id = (context ->> 'podcast_id')::uuid
        and (is_confirmed or not booking.requires_confirmation or e.status <> 'published'));
  end if;
  return array(
    select g.id from public.podcast_guests g
    where g.podcast_id = (context ->> 'podcast_id')::uuid and case
      when context ->> 'episode_guest_id' is not null then g.id = (context ->> 'podcast_guest_id')::uuid
      when context ->> 'booking_id' is not null
      then g.email = booking.guest_email and (is_confirmed or booking.guest_verified_at is not null)
      else g.id in (
        select o.podcast_guest_id from public.episode_guests o
        where o.episode_id = (context ->> 'episode_id')::uuid and o.status = 'active') end
    order by g.id limit 100);
end $$;
comment on function private.update_field_targets is
  'What update_field changes: the episode of the occurrence, or the guest who accepted, or the guest record of the '
  'booking''s address, or the active guests of the episode. A request that no host confirmed changes no published '
  'episode, and no guest until its guest verifies it.';

-- What an author may read of the error of a write: nothing of other rows, nothing internal.
create function private.write_error(state text, message text, constraint_message text) returns text
language sql immutable security invoker set search_path = ''
return case
  when $1 ~ '^PT4' then $2
  when $1 = '42501' then 'The author of the rule may not change this'
  when $1 ~ '^2[23]' then concat_ws(': ', 'The value was rejected', case $1 when '23514' then $3 end) end;
comment on function private.write_error is
  'The message of a failed write for the team; null for an error that is not the value''s, such as a deadlock.';

create function private.plan_update_field(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  config   constant jsonb := action.action_config;
  ids      constant uuid[] := private.update_field_targets(
    execution.context_data, config ->> 'entity', execution.trigger_type);
  reset_at timestamptz;
begin
  if ids = '{}' then
    return private.action_result(action, 'skipped', jsonb_build_object(
      'reason', format('The occurrence has no %s', config ->> 'entity')));
  end if;
  reset_at := private.consume_automation_limit(
    execution.podcast_id, 'update_field', cardinality(ids), at, execution.id);
  if reset_at is not null then
    return private.rate_limited_result(action, reset_at, at);
  end if;
  return private.action_result(action, 'pending', jsonb_build_object(
    'entity', config -> 'entity', 'ids', to_jsonb(ids), 'field', config -> 'field', 'value', config -> 'value'));
end $$;
comment on function private.plan_update_field is
  'Decides what an update_field changes, counts it for the hourly limit, and returns its result: pending, until '
  'write_planned_fields writes it.';

create function private.write_planned_fields(plan jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.update_automated_field(
    plan #>> '{result,entity}', t.id::uuid, plan #>> '{result,field}', plan #> '{result,value}')
  from jsonb_array_elements_text(plan #> '{result,ids}') t (id);
end $$;
comment on function private.write_planned_fields is 'Writes what plan_update_field planned, as the caller.';
grant execute on function private.write_planned_fields to authenticated;  -- the worker calls it as the author

create function private.run_update_field(
  execution public.automation_executions, author_id uuid, action public.automation_actions, at timestamptz)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  plan            constant jsonb := private.plan_update_field(execution, action, at);
  error           text;
  schema_name     text;
  table_name      text;
  constraint_name text;
begin
  if plan ->> 'status' <> 'pending' then
    return plan;
  end if;
  begin
    perform set_config('request.jwt.claims',
        jsonb_build_object('role', 'authenticated', 'sub', author_id)::text, true),
      set_config('role', 'authenticated', true);
    perform private.write_planned_fields(plan);
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
  exception when others then  -- ends the role and the claims too
    get stacked diagnostics
      schema_name = schema_name, table_name = table_name, constraint_name = constraint_name;
    error := private.write_error(sqlstate, sqlerrm,
      private.constraint_message(schema_name, table_name, constraint_name));
    if error is null then
      raise;
    end if;
    return private.action_result(action, 'failed', jsonb_build_object('error', error));
  end;
  return plan || '{"status": "completed"}';
end $$;
comment on function private.run_update_field is
  'Runs an update_field as the author, and returns its result. Errors that are not the value''s are raised.';
