-- Conditions of a rule: [{field, operator, value}] over the tags of an occurrence.
create function private.condition_field_kind(_trigger_type public.automation_trigger, field text)
returns public.automation_tag_kind
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_of_bookings constant boolean := (
    select _trigger_type = any (t.triggers) from public.automation_tags t where t.tag = 'booking_start');
begin
  if field like 'booking\_answer:%' then
    return case when is_of_bookings and char_length(field) <= 315
      and not private.is_blank(substr(field, char_length('booking_answer:') + 1)) then 'text' end;
  end if;
  return (
    select t.kind from public.automation_tags t
    where t.tag = field and _trigger_type = any (t.triggers || t.optional_triggers));
end $$;
comment on function private.condition_field_kind is
  'What a field of a condition has, if occurrences of the trigger can have it: a tag of the registry, or '
  'booking_answer:<question>; else null.';

create function private.condition_moment(value text, zone text) returns tstzrange
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return case
    when value ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(value, 'date')
      then tstzrange(value::timestamp at time zone zone, (value::date + 1)::timestamp at time zone zone)
    when value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?$' and pg_input_is_valid(value, 'timestamp')
      then tstzrange(value::timestamp at time zone zone, value::timestamp at time zone zone, '[]')
    when value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$'
      and pg_input_is_valid(value, 'timestamptz')
      then tstzrange(value::timestamptz, value::timestamptz, '[]') end;
end $$;
comment on function private.condition_moment is
  'The day of a date in a time zone, or the moment of an ISO 8601 time, which is local there if it has no offset; null '
  'for other texts.';

create function private.condition_number(value text) returns numeric
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case when value ~ '^-?[0-9]{1,15}(\.[0-9]{1,15})?$' then value::numeric end;
end $$;
comment on function private.condition_number is 'The number that a text is; null for other texts.';

create function private.condition_error(trigger_type public.automation_trigger, condition jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  operator constant text := condition ->> 'operator';
  wanted   constant text := condition ->> 'value';
  kind     public.automation_tag_kind;
begin
  if jsonb_typeof(condition) <> 'object' then
    return ': must be an object with field, operator and value';
  elsif jsonb_typeof(condition -> 'field') = 'string' then
    kind := private.condition_field_kind(trigger_type, condition ->> 'field');
  end if;
  return case
    when kind is null then format('.field: must be a tag that %s can have, see the table automation_tags, or '
      'booking_answer:<question> of a booking', trigger_type)
    when (operator in ('equals', 'not_equals', 'contains', 'before', 'after', 'is_empty', 'is_not_empty')) is not true
      then '.operator: must be equals, not_equals, contains, before, after, is_empty or is_not_empty'
    when operator = 'contains' and kind = 'moment'
      then '.operator: must be before, after, equals or not_equals, or ask whether the moment is empty'
    when operator in ('is_empty', 'is_not_empty') then case
      when wanted is not null then format('.value: must be absent for %s', operator) end
    when (jsonb_typeof(condition -> 'value') in ('string', 'number') and char_length(wanted) <= 1000
      and not private.is_blank(wanted)) is not true then '.value: must be 1 to 1,000 characters, or a number'
    when kind = 'moment' and private.condition_moment(wanted, 'UTC') is null
      then '.value: must be a date (YYYY-MM-DD) or an ISO 8601 time'
    when operator in ('before', 'after') and private.condition_moment(wanted, 'UTC') is null
      and private.condition_number(wanted) is null
      then '.value: must be a number, a date (YYYY-MM-DD) or an ISO 8601 time' end;
end $$;
comment on function private.condition_error is 'What is wrong with a condition, or null. Extra keys are not looked at.';

create function private.conditions_error(trigger_type public.automation_trigger, conditions jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if jsonb_typeof(conditions) is distinct from 'array' then
    return 'conditions: must be a list';
  elsif jsonb_array_length(conditions) > 20 then
    return 'conditions: must have at most 20 conditions';
  end if;
  return (
    select format('conditions[%s]%s', c.place - 1, e.problem)
    from jsonb_array_elements(conditions) with ordinality c (condition, place)
    cross join lateral (
      select coalesce(private.condition_error(trigger_type, c.condition),
        private.unknown_key_error('', c.condition, '{field,operator,value}'))) e (problem)
    where e.problem is not null order by c.place limit 1);
end $$;
comment on function private.conditions_error is
  'What is wrong with the conditions of a rule, or null: at most 20 {field, operator, value}. field is a tag that the '
  'trigger can have; value is a text or number, and absent for is_empty and is_not_empty.';

create function private.condition_holds(condition jsonb, context jsonb) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  operator constant text := condition ->> 'operator';
  wanted   constant text := condition ->> 'value';
  found    constant text := context -> 'tags' ->> (condition ->> 'field');
  actual   constant text := case when not private.is_blank(found) then found end;
  zone     constant text := private.timezone_or_utc(context ->> 'timezone');
  is_equal boolean;
begin
  if operator in ('is_empty', 'is_not_empty') then
    return (actual is null) = (operator = 'is_empty');
  elsif operator in ('equals', 'not_equals') then
    is_equal := case
      when exists (select from public.automation_tags t where t.tag = condition ->> 'field' and t.kind = 'moment')
        then private.condition_moment(wanted, zone) @> private.condition_moment(actual, zone)
      else private.comparable_title(actual) = private.comparable_title(wanted) end;
    return coalesce(is_equal, false) = (operator = 'equals');
  elsif operator = 'contains' then
    return coalesce(position(private.comparable_title(wanted) in private.comparable_title(actual)) > 0, false);
  end if;
  return coalesce(case operator
    when 'before' then coalesce(private.condition_number(actual) < private.condition_number(wanted),
      private.condition_moment(actual, zone) << private.condition_moment(wanted, zone))
    else coalesce(private.condition_number(actual) > private.condition_number(wanted),
      private.condition_moment(actual, zone) >> private.condition_moment(wanted, zone)) end, false);
end $$;
comment on function private.condition_holds is
  'Whether a condition holds for a context_data. Texts are compared as comparable_title folds them. A date is a day '
  'in the time zone of the context. A missing value is empty, equals nothing, and is neither before nor after '
  'anything.';

create function private.unmet_condition(rule public.automation_rules, context jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  unmet  text;
  is_met boolean;
begin
  select (array_agg(concat_ws(' ', c.condition ->> 'field', replace(c.condition ->> 'operator', '_', ' '),
      left(c.condition ->> 'value', 100)) order by c.place) filter (where not h.holds))[1], bool_or(h.holds)
  into unmet, is_met
  from jsonb_array_elements(rule.conditions) with ordinality c (condition, place)
  cross join lateral (select private.condition_holds(c.condition, context)) h (holds);
  return case
    when rule.condition_mode = 'any' then case
      when not is_met then format('None of the conditions holds; the first is "%s"', unmet) end
    when unmet is not null then format('The condition "%s" does not hold', unmet) end;
end $$;
comment on function private.unmet_condition is
  'Why the conditions of a rule do not hold for a context_data: it names the first that does not. Null if they hold.';
