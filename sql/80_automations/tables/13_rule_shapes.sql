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
    when jsonb_typeof(config) is distinct from 'object' then 'trigger_config: must be an object'
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

-- Of a front end's editor: its ids are checked where it has them, and all else is its own.
create function private.editor_id(entry jsonb, key text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case when jsonb_typeof(entry -> key) in ('string', 'number') then entry ->> key end;
end $$;
comment on function private.editor_id is
  'The id of a node that an entry has there, a text or a number, as text; null if it has none.';

create function private.workflow_data_error(workflow jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  entry    jsonb;
  n        int := 0;
  node_id  text;
  node_ids text[] := '{}';
  problem  text;
begin
  problem := case
    when jsonb_typeof(workflow) is distinct from 'object' then ': must be an object with nodes and connections'
    when octet_length(workflow::text) > 262144 then ': must be at most 262,144 bytes'
    when workflow @? 'strict $.**{33}' then ': must be at most 32 levels deep'
    when jsonb_typeof(workflow -> 'nodes') is distinct from 'array' then '.nodes: must be a list'
    when jsonb_typeof(workflow -> 'connections') is distinct from 'array' then '.connections: must be a list'
    when jsonb_array_length(workflow -> 'nodes') > 200 then '.nodes: must have at most 200 nodes'
    when jsonb_array_length(workflow -> 'connections') > 500 then '.connections: must have at most 500 connections'
    end;
  if problem is not null then
    return 'workflow_data' || problem;
  end if;
  for entry in select value from jsonb_array_elements(workflow -> 'nodes') loop
    if jsonb_typeof(entry) = 'object' and entry ? 'id' then
      node_id := private.editor_id(entry, 'id');
      problem := case
        when (char_length(node_id) between 1 and 100) is not true then 'must be 1 to 100 characters, or a number'
        when node_id = any (node_ids) then 'must differ from those of the other nodes' end;
      if problem is not null then
        return format('workflow_data.nodes[%s].id: %s', n, problem);
      end if;
      node_ids := node_ids || node_id;
    end if;
    n := n + 1;
  end loop;
  if n > 0 and node_ids = '{}' then  -- the editor names nodes in another way
    return null;
  end if;
  return (
    select format('workflow_data.connections[%s].%s: must be the id of a node', c.place - 1, k.key)
    from jsonb_array_elements(workflow -> 'connections') with ordinality c (connection, place)
    cross join unnest('{from,to,source,target}'::text[]) with ordinality k (key, place)
    cross join lateral (select private.editor_id(c.connection, k.key)) e (id)
    where e.id is not null and e.id <> all (node_ids)
    order by c.place, k.place limit 1);
end $$;
comment on function private.workflow_data_error is
  'What is wrong with workflow_data, or null: at most 200 nodes and 500 connections, 256 KB and 32 levels in all. The '
  'ids of nodes differ, and from, to, source and target of a connection are ids of nodes, unless no node has an id.';

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
