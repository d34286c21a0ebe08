-- The comment of a constraint is its sentence for people; types/constraints.ts has them too.
create function private.constraint_message(schema_name text, table_name text, constraint_name text) returns text
language sql stable security invoker set search_path = ''
as $$
  select obj_description(c.oid, 'pg_constraint')
  from pg_constraint c where c.conrelid = to_regclass(format('%I.%I', $1, $2)) and c.conname = $3
$$;
comment on function private.constraint_message is
  'What a violated constraint demands, for people; null for a constraint that only we can violate.';
grant execute on function private.constraint_message to authenticated;  -- public functions run as their caller
