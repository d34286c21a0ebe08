-- Partial updates: an absent key is unchanged, null clears the value.
create function private.validate_changes(changes jsonb, allowed_types jsonb, min_keys int default 1) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  keys text[];
  key  text;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'changes must be a JSON object';
  end if;
  keys := array(select jsonb_object_keys(changes));
  if cardinality(keys) < min_keys then
    raise sqlstate 'PT400' using message = format('Provide at least one of: %s',
      array_to_string(array(select jsonb_object_keys(allowed_types)), ', '));
  end if;
  foreach key in array keys loop
    if not allowed_types ? key then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('Unknown field: %s', left(key, 100));
    elsif allowed_types -> key <> 'null' and not allowed_types -> key ? jsonb_typeof(changes -> key) then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: must be %s', key,
        (select string_agg(type, ' or ') from jsonb_array_elements_text(allowed_types -> key) type));
    end if;
  end loop;
end $$;
comment on function private.validate_changes is
  'Requires an object with at least min_keys keys, each in allowed_types (key to its JSON types, or to null if the '
  'table checks the type). PT400 names the wrong key.';
-- No grant: security definer functions call it.
