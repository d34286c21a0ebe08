-- toggle_automation_rule: enables or disables a rule. adopt_changed_rule.test.sql has the author.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.open_link('talk', 'show'), tests.booking_in('session', 'talk', 30, 'confirmed'),
  tests.rule('rule', 'show', 'time.before_recording', '[]', '{"offset_minutes": 60}'),
  tests.rule('other', 'show', 'booking.confirmed');

select tests.access('toggle_automation_rule', $$ select public.toggle_automation_rule(tests.id('rule'), true) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
create function pg_temp.toggle(is_enabled boolean) returns text language plpgsql as $$
declare
  returned text := tests.value_as('ada', format('select public.toggle_automation_rule(tests.id(''rule''), %L) #>> %L',
    is_enabled, '{rule,is_enabled}'));
begin
  return returned || ', schedules: ' || (select count(*) from private.automation_schedules);
end $$;
select is(pg_temp.toggle(argument), result, format('%s: toggle_automation_rule(rule, %s) returns %s', n,
  coalesce(argument::text, 'null'), result))
from (values (1, null, 'false, schedules: 0'), (2, null, 'true, schedules: 1'), (3, true, 'true, schedules: 1'),
  (4, false, 'false, schedules: 0'), (5, false, 'false, schedules: 0'), (6, null, 'true, schedules: 1'))
  v (n, argument, result) order by n;
select is((select is_enabled from public.automation_rules where id = tests.id('other')), true,
  'toggle_automation_rule changes only the named rule');
create temp table toggled as
select tests.value_as('ada', $$ select public.toggle_automation_rule(tests.id('rule')) $$)::jsonb as response;
select is(response, tests.value_as('ada', $$ select public.get_automation_rule(tests.id('rule')) $$)::jsonb,
  'toggle_automation_rule returns the whole rule') from toggled;

select * from tests.finish();
rollback;
