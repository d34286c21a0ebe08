-- Conditions of rules.
create function private.has_conditions(rule_id uuid) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return false;
end $$;
comment on function private.has_conditions is 'Whether a rule has conditions.';

create function private.unmet_condition(rule_id uuid, context jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return null;
end $$;
comment on function private.unmet_condition is
  'The first condition of a rule that does not hold, as a text; null if the rule may run.';
