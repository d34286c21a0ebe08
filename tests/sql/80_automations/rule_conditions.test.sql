-- The conditions of rules: which a rule may have, and for which occurrences they hold.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.rule('rule', 'show', 'booking.confirmed');

-- Which a rule may have
create function pg_temp.save(conditions jsonb, trigger_type text default 'booking.confirmed') returns text
language sql as $$
  select tests.value_as('ada', format('select tests.describe_error(%L)', format(
    'update public.automation_rules set trigger_type = %L, conditions = %L where id = tests.id(''rule'')',
    trigger_type, conditions)))
$$;
create function pg_temp.condition(field text, operator text, value jsonb default null) returns jsonb language sql as $$
  select jsonb_strip_nulls(jsonb_build_object('field', field, 'operator', operator, 'value', value))
$$;
select is(pg_temp.save(conditions::jsonb), 'PT400 / Invalid request / conditions' || problem,
  format('a rule rejects the conditions %s', left(conditions, 100)))
from (values
  ('{}', ': must be a list'), ('null', ': must be a list'),
  ((select jsonb_agg(pg_temp.condition('guest_email', 'is_empty')) from generate_series(1, 21))::text,
    ': must have at most 20 conditions'),
  ('["guest_email"]', '[0]: must be an object with field, operator and value'),
  ('[{"field": "guest_email", "operator": "is_empty"}, {"field": "guest_email"}]',
    '[1].operator: must be equals, not_equals, contains, before, after, is_empty or is_not_empty'),
  ('[{"field": "guest_email", "operator": "like", "value": "%"}]',
    '[0].operator: must be equals, not_equals, contains, before, after, is_empty or is_not_empty'),
  ('[{"field": "booking_start", "operator": "contains", "value": "2026"}]',
    '[0].operator: must be before, after, equals or not_equals, or ask whether the moment is empty'),
  ('[{"field": "guest_email", "operator": "equals"}]', '[0].value: must be 1 to 1,000 characters, or a number'),
  ('[{"field": "guest_email", "operator": "equals", "value": null}]',
    '[0].value: must be 1 to 1,000 characters, or a number'),
  ('[{"field": "guest_email", "operator": "equals", "value": " "}]',
    '[0].value: must be 1 to 1,000 characters, or a number'),
  ('[{"field": "guest_email", "operator": "equals", "value": true}]',
    '[0].value: must be 1 to 1,000 characters, or a number'),
  (jsonb_build_array(pg_temp.condition('guest_email', 'equals', to_jsonb(repeat('x', 1001))))::text,
    '[0].value: must be 1 to 1,000 characters, or a number'),
  ('[{"field": "guest_email", "operator": "is_empty", "value": "x"}]', '[0].value: must be absent for is_empty'),
  ('[{"field": "guest_email", "operator": "is_empty", "not": true}]', '[0]: may have only field, operator, value'),
  ('[{"field": "booking_start", "operator": "equals", "value": "soon"}]',
    '[0].value: must be a date (YYYY-MM-DD) or an ISO 8601 time'),
  ('[{"field": "booking_start", "operator": "after", "value": 7}]',
    '[0].value: must be a date (YYYY-MM-DD) or an ISO 8601 time'),
  ('[{"field": "booking_start", "operator": "before", "value": "2026-02-30"}]',
    '[0].value: must be a date (YYYY-MM-DD) or an ISO 8601 time'),
  ('[{"field": "booking_start", "operator": "before", "value": "2026-01-01T25:00:00Z"}]',
    '[0].value: must be a date (YYYY-MM-DD) or an ISO 8601 time'),
  ('[{"field": "episode_number", "operator": "after", "value": "ten"}]',
    '[0].value: must be a number, a date (YYYY-MM-DD) or an ISO 8601 time')) v (conditions, problem);
select is(pg_temp.save(jsonb_build_array(pg_temp.condition(field, 'is_empty')), trigger_type), case when not may_have
    then format('PT400 / Invalid request / conditions[0].field: must be a tag that %s can have, see the table '
      'automation_tags, or booking_answer:<question> of a booking', trigger_type) else 'none' end,
  format('a condition of %s %s have the field %s', trigger_type, case when may_have then 'may' else 'may not' end,
    left(field, 40)))
from (values
  ('booking.confirmed', 'podcast_title', true), ('booking.confirmed', 'booking_start', true),
  ('booking.confirmed', 'guest_email', true), ('booking.confirmed', 'episode_number', true),
  ('booking.confirmed', 'booking_answer:What is it about?', true), ('booking.confirmed', 'booking_answer:', false),
  ('booking.confirmed', 'booking_answer:' || repeat('é', 300), true),
  ('booking.confirmed', 'booking_answer:' || repeat('é', 301), false), ('booking.confirmed', 'color', false),
  ('booking.confirmed', '', false), ('episode.published', 'episode_title', true),
  ('episode.published', 'guest_email', true), ('episode.published', 'booking_start', false),
  ('episode.published', 'recording_start', false), ('episode.published', 'booking_answer:Why?', false))
  v (trigger_type, field, may_have);
select pg_temp.save(jsonb_build_array(pg_temp.condition('booking_start', 'is_not_empty')));
select is(tests.value_as('ada', $$ select tests.describe_error($q$ update public.automation_rules
    set trigger_type = 'episode.published' $q$) $$),
  'PT400 / Invalid request / conditions[0].field: must be a tag that episode.published can have, see the '
  'table automation_tags, or booking_answer:<question> of a booking',
  'a changed trigger_type must have the fields of the conditions');
delete from public.automation_tags where tag = 'booking_start';
select is(tests.result_of('ada', 'update public.automation_rules set is_enabled = false'), 'ok 1',
  'a rule with a condition on a tag that was removed can be disabled');
select private.install_automations();

-- For which occurrences they hold
create function pg_temp.rule() returns public.automation_rules language sql as $$
  select r.* from public.automation_rules r where r.id = tests.id('rule')
$$;
create function pg_temp.unmet(conditions jsonb, mode text default 'all', zone text default 'America/New_York')
returns text language plpgsql as $$
declare
  problem text := tests.describe_error(format('update public.automation_rules set conditions = %L, condition_mode = %L',
    conditions, mode));
begin
  return case when problem <> 'none' then problem else coalesce(private.unmet_condition(pg_temp.rule(),
    jsonb_build_object('timezone', zone, 'tags', jsonb_build_object('guest_full_name', E' Grace  HOPPER\n',
      'guest_email', 'a%b_c\d@example.com', 'episode_number', '12', 'episode_title', ' ',
      'booking_start', '2026-07-06T02:30:00.000Z', 'booking_answer:How many?', '-1.5', 'booking_answer:From when?',
      '2026-07-06', 'booking_answer:Straße', 'ÄÖ'))), 'holds') end;
end $$;
select is(pg_temp.unmet(jsonb_build_array(pg_temp.condition(field, operator, value))) = 'holds', holds,
  format('the condition %s %s%s %s', field, operator, ' ' || value::text, case when holds then 'holds'
    else 'does not hold' end))
from (values
  ('guest_full_name', 'equals', '"grace hopper"'::jsonb, true), ('guest_full_name', 'equals', '"Grace"', false),
  ('guest_full_name', 'not_equals', '" grace\thopper"', false), ('guest_full_name', 'not_equals', '"Grace"', true),
  ('guest_full_name', 'contains', '"E HOP"', true), ('guest_full_name', 'contains', '"Ada"', false),
  ('booking_answer:Straße', 'equals', '"äö"', true), ('episode_number', 'equals', '12', true),
  -- nothing of a value is a pattern
  ('guest_email', 'contains', '"%"', true), ('guest_email', 'contains', '"a%c"', false),
  ('guest_email', 'contains', '"b_c"', true), ('guest_email', 'contains', '"_b"', false),
  ('guest_email', 'contains', '"\\d"', true), ('guest_email', 'contains', '"\\b"', false),
  ('guest_email', 'equals', '"a%b_c\\d@example.com"', true), ('guest_email', 'equals', '"a%@example.com"', false),
  ('guest_email', 'contains', '"'';--"', false), ('guest_email', 'contains', '".*"', false),
  -- empty values
  ('episode_title', 'is_empty', null, true), ('episode_title', 'is_not_empty', null, false),
  ('booking_end', 'is_empty', null, true), ('guest_email', 'is_empty', null, false),
  ('guest_email', 'is_not_empty', null, true), ('booking_end', 'equals', '"2026-07-06"', false),
  ('booking_end', 'not_equals', '"2026-07-06"', true), ('booking_end', 'before', '"2026-07-06"', false),
  ('booking_end', 'after', '"2026-07-06"', false), ('episode_title', 'contains', '"a"', false),
  ('booking_answer:Why?', 'is_empty', null, true), ('booking_answer:Why?', 'not_equals', '"x"', true),
  -- numbers
  ('episode_number', 'before', '100', true), ('episode_number', 'before', '"12"', false),
  ('episode_number', 'after', '9', true), ('episode_number', 'after', '12', false),
  ('booking_answer:How many?', 'before', '-1.25', true), ('booking_answer:How many?', 'after', '"-2"', true),
  ('guest_full_name', 'after', '1', false), ('guest_full_name', 'before', '1', false),
  ('episode_number', 'after', '"2026-01-01"', false), ('episode_number', 'before', '"2026-01-01"', false),
  -- moments: 2026-07-05 22:30 in New York
  ('booking_start', 'before', '"2026-07-06T02:30:00.001Z"', true),
  ('booking_start', 'before', '"2026-07-06T02:30Z"', false),
  ('booking_start', 'after', '"2026-07-06T04:29:59+02:00"', true),
  ('booking_start', 'after', '"2026-07-06T02:30:00Z"', false),
  ('booking_start', 'equals', '"2026-07-05T21:30:00-05:00"', true),
  ('booking_start', 'equals', '"2026-07-06T02:31Z"', false),
  ('booking_start', 'not_equals', '"2026-07-06T02:31Z"', true), ('booking_start', 'equals', '"2026-07-05T22:30"', true),
  ('booking_start', 'after', '"2026-07-05T22:30:01"', false), ('booking_start', 'equals', '"2026-07-05"', true),
  ('booking_start', 'equals', '"2026-07-06"', false), ('booking_start', 'not_equals', '"2026-07-06"', true),
  ('booking_start', 'before', '"2026-07-06"', true), ('booking_start', 'before', '"2026-07-05"', false),
  ('booking_start', 'after', '"2026-07-05"', false), ('booking_start', 'after', '"2026-07-04"', true),
  ('booking_answer:From when?', 'before', '"2026-07-07"', true),
  ('booking_answer:From when?', 'after', '"2026-07-06"', false)) v (field, operator, value, holds);
select is(pg_temp.unmet(jsonb_build_array(pg_temp.condition('booking_start', 'equals', '"2026-07-06"')), zone => zone),
  result, format('a date is a day in the time zone %s of the occurrence', zone))
from (values ('Europe/Berlin', 'holds'), ('UTC', 'holds'),
  ('America/New_York', 'The condition "booking_start equals 2026-07-06" does not hold')) v (zone, result);

-- All or any
create function pg_temp.grace_is(name text) returns jsonb language sql as $$
  select pg_temp.condition('guest_full_name', 'contains', to_jsonb(name))
$$;
select is(pg_temp.unmet(conditions, mode), result, format('conditions %s: %s', title, result))
from (values
  ('that are none', '[]'::jsonb, 'all', 'holds'), ('that are none, any', '[]', 'any', 'holds'),
  ('of which all hold', jsonb_build_array(pg_temp.grace_is('grace'), pg_temp.grace_is('hopper')), 'all', 'holds'),
  ('of which the second does not hold', jsonb_build_array(pg_temp.grace_is('grace'), pg_temp.grace_is('ada'),
    pg_temp.grace_is('bob')), 'all', 'The condition "guest_full_name contains ada" does not hold'),
  ('of which any holds', jsonb_build_array(pg_temp.grace_is('ada'), pg_temp.grace_is('grace')), 'any', 'holds'),
  ('of which none holds', jsonb_build_array(pg_temp.condition('guest_email', 'is_empty'), pg_temp.grace_is('ada')),
    'any', 'None of the conditions holds; the first is "guest_email is empty"'),
  ('with a long value', jsonb_build_array(pg_temp.grace_is(repeat('x', 1000))), 'all',
    format('The condition "guest_full_name contains %s" does not hold', repeat('x', 100))))
  v (title, conditions, mode, result);
select is(private.unmet_condition(null, '{}'), null, 'unmet_condition is null for a deleted rule');
select is(private.unmet_condition(pg_temp.rule(), '{}'), 'The condition "guest_full_name contains '
  || repeat('x', 100) || '" does not hold', 'unmet_condition treats a context without tags as empty');

select * from tests.finish();
rollback;
