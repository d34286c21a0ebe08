-- The shapes of a rule's JSON. Each function returns what is wrong, as `path: problem`, or null.
create type public.automation_action_type as enum ('send_email', 'send_webhook', 'update_field');

create function private.unknown_key_error(path text, object jsonb, keys text[]) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select format('%s: may have only %s', $1, array_to_string($3, ', '))
  where $2 - $3 <> '{}'
$$;
comment on function private.unknown_key_error is
  'The error of an object with other keys than these; null if it has none.';

create function private.trigger_config_error(trigger_type public.automation_trigger, config jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  is_timed   constant boolean := trigger_type in ('time.before_recording', 'time.after_recording');
  min_offset constant int := case trigger_type when 'time.before_recording' then 1 else 0 end;
begin
  return case
    when jsonb_typeof(config) <> 'object' then 'trigger_config: must be an object'
    when private.automation_subject(trigger_type) <> 'booking_id' then case when config <> '{}'
      then format('trigger_config: must be empty for %s', trigger_type) end
    when is_timed
      and (jsonb_typeof(config -> 'offset_minutes') = 'number' and config ->> 'offset_minutes' ~ '^[0-9]{1,5}$'
        and (config ->> 'offset_minutes')::int between min_offset and 43200) is not true
      then format('trigger_config.offset_minutes: must be an integer from %s to 43200', min_offset)
    when config ? 'booking_link_id' and (jsonb_typeof(config -> 'booking_link_id') = 'string'
      and pg_input_is_valid(config ->> 'booking_link_id', 'uuid')) is not true
      then 'trigger_config.booking_link_id: must be the id of a booking link'
    when is_timed then private.unknown_key_error('trigger_config', config, '{offset_minutes,booking_link_id}')
    else private.unknown_key_error('trigger_config', config, '{booking_link_id}') end;
end $$;
comment on function private.trigger_config_error is
  'What is wrong with a trigger_config, or null: {offset_minutes} (1 to 43200) for time.before_recording and (0 to '
  '43200) for time.after_recording, for these and the triggers of bookings optionally {booking_link_id}; empty for '
  'others.';

create function private.workflow_data_error(workflow jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  entry   jsonb;
  n       int := 0;
  ids     text[] := '{}';
  problem text;
begin
  problem := case
    when jsonb_typeof(workflow) <> 'object' then 'workflow_data: must be an object with nodes and connections'
    when octet_length(workflow::text) > 262144 then 'workflow_data: must be at most 262,144 bytes'
    when jsonb_typeof(workflow -> 'nodes') is distinct from 'array' then 'workflow_data.nodes: must be a list'
    when jsonb_typeof(workflow -> 'connections') is distinct from 'array'
      then 'workflow_data.connections: must be a list'
    when jsonb_array_length(workflow -> 'nodes') > 200 then 'workflow_data.nodes: must have at most 200 nodes'
    when jsonb_array_length(workflow -> 'connections') > 500
      then 'workflow_data.connections: must have at most 500 connections'
    else private.unknown_key_error('workflow_data', workflow, '{nodes,connections}') end;
  if problem is not null then
    return problem;
  end if;
  for entry in select value from jsonb_array_elements(workflow -> 'nodes') loop
    problem := case
      when jsonb_typeof(entry) <> 'object' then ': must be an object with id, type and data'
      when (jsonb_typeof(entry -> 'id') = 'string' and char_length(entry ->> 'id') between 1 and 100) is not true
        then '.id: must be 1 to 100 characters'
      when entry ->> 'id' = any (ids) then '.id: must differ from those of the other nodes'
      when (jsonb_typeof(entry -> 'type') = 'string' and char_length(entry ->> 'type') between 1 and 100) is not true
        then '.type: must be 1 to 100 characters'
      when coalesce(jsonb_typeof(entry -> 'data'), 'object') <> 'object' then '.data: must be an object'
      else private.unknown_key_error('', entry, '{id,type,data}') end;
    if problem is not null then
      return format('workflow_data.nodes[%s]%s', n, problem);
    end if;
    ids := ids || (entry ->> 'id');
    n := n + 1;
  end loop;
  n := 0;
  for entry in select value from jsonb_array_elements(workflow -> 'connections') loop
    problem := case
      when jsonb_typeof(entry) <> 'object' then ': must be an object with from and to'
      when (entry ->> 'from' = any (ids)) is not true then '.from: must be the id of a node'
      when (entry ->> 'to' = any (ids)) is not true then '.to: must be the id of a node'
      else private.unknown_key_error('', entry, '{from,to}') end;
    if problem is not null then
      return format('workflow_data.connections[%s]%s', n, problem);
    end if;
    n := n + 1;
  end loop;
  return null;
end $$;
comment on function private.workflow_data_error is
  'What is wrong with workflow_data, or null: at most 200 nodes {id, type, data?} with different ids, and 500 '
  'connections {from, to} between them, 256 KB in all.';

-- The fields that automations may update. None of them makes a trigger of automations fire.
create function private.automation_fields() returns table (entity text, field text, types text[], pattern text)
language sql immutable parallel safe security invoker set search_path = ''
as $$
  values
    ('episode', 'title', '{string}'::text[], null),
    ('episode', 'itunes_title', '{string,"null"}', null),
    ('episode', 'summary', '{string,"null"}', null),
    ('episode', 'description', '{string}', null),
    ('episode', 'show_notes_html', '{string,"null"}', null),
    ('episode', 'season_number', '{number,"null"}', '^[0-9]{1,9}$'),
    ('episode', 'episode_number', '{number,"null"}', '^[0-9]{1,9}$'),
    ('episode', 'episode_type', '{string}', '^(full|trailer|bonus)$'),
    ('episode', 'explicit', '{boolean}', null),
    ('episode', 'is_blocked', '{boolean}', null),
    ('guest', 'display_name', '{string}', null),
    ('guest', 'notes', '{string,"null"}', null),
    ('guest', 'bio', '{string,"null"}', null)
$$;
comment on function private.automation_fields is
  'The allow-list of update_field: entity, field, the JSON types of its value, and a pattern of their text.';

create function private.update_field_error(config jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  allowed record;
begin
  select f.* into allowed from private.automation_fields() f
  where (f.entity, f.field) = (config ->> 'entity', config ->> 'field');
  return case
    when (config ->> 'entity' in ('episode', 'guest')) is not true then '.entity: must be episode or guest'
    when allowed.field is null then format('.field: must be one of: %s', (
      select string_agg(f.field, ', ') from private.automation_fields() f where f.entity = config ->> 'entity'))
    when (jsonb_typeof(config -> 'value') = any (allowed.types)) is not true
      then format('.value: must be %s', array_to_string(allowed.types, ' or '))
    when config ->> 'value' !~ allowed.pattern then format('.value: is not valid for %s', allowed.field)
    when octet_length(config ->> 'value') > 102400 then '.value: must be at most 102,400 bytes'
    when allowed.field in ('title', 'itunes_title', 'display_name') and private.is_blank(config ->> 'value')
      then '.value: must not be empty'
    when config ->> 'value' ~ '\{(?:[a-z]+(?:_[a-z]+)+|booking_answer:[^{}]+)\}'  -- it would be stored as it is
      then '.value: must have no {tags}, which only templates may have'
    else private.unknown_key_error('', config, '{entity,field,value}') end;
end $$;
comment on function private.update_field_error is
  'What is wrong with the action_config of update_field, or null: {entity: episode | guest, field, value}.';

create function private.is_webhook_secret(secret text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return secret ~ '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$'
    and octet_length(decode(substr(secret, 7), 'base64')) between 24 and 64;
exception when invalid_parameter_value then
  return false;
end $$;
comment on function private.is_webhook_secret is
  'Whether a text is a secret of Standard Webhooks: whsec_ and 24 to 64 bytes in base64.';
