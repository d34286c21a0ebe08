-- Updates accept what a read showed: its fields that cannot be changed are ignored.
create function private.changed_fields(changes jsonb, shown jsonb, allowed_types jsonb) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if jsonb_typeof(changes) = 'object' then
    changes := changes - array(select key from jsonb_object_keys(shown) key where not allowed_types ? key);
    if changes -> 'description' = 'null' then
      changes := changes || '{"description": ""}';
    end if;
  end if;
  perform private.validate_changes(changes, allowed_types, 0);
  return changes;
end $$;
comment on function private.changed_fields is
  'The changes without the fields that a read shows and allowed_types lacks; a description of null becomes empty. '
  'PT400 names another unknown field, or one of a wrong type.';
