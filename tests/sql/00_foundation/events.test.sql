-- Events, in the order of their publication
begin;
select tests.start();

select private.notify('guest.accepted', '[]', '{"status":"new"}'), private.notify('episode.team_added', null, '{}');
select results_eq('select type, payload from private.events order by id',
  $$ values ('guest.accepted', '{"status":"new"}'::jsonb), ('episode.team_added', '{}') $$,
  'notify records events in order');
select throws_ok($$ select private.notify('nonsense', '[]', '{}') $$, '23514', null,
  'notify rejects a type without a dot');
select throws_ok($$ select private.notify('import.failed', '[]', '[]') $$, '23514', null,
  'notify rejects a payload that is not an object');
select throws_ok(format('select private.notify(%L, %L, %L, %s => %L)', 'import.failed', '[]', '{}', name, value),
  '23514', null, format('notify rejects the %s %s', name, left(value, 30)))
from (values ('link', 'https://evil.example'), ('link', '//evil.example'), ('link', '/\\evil.example'),
  ('link', '/' || repeat('x', 500)), ('dedupe_key', ''), ('dedupe_key', repeat('x', 201)), ('group_key', ''),
  ('group_key', repeat('x', 201))) v (name, value);
select is(tests.result_of(who, $$ select private.notify('import.failed', '[]', '{}') $$), '42501',
  format('notify is not executable for %s', who)) from unnest(array['anon', 'service']) who;
select is(private.user_recipients(null, '00000000-0000-4000-8000-000000000001', null),
  '[{"user_id":"00000000-0000-4000-8000-000000000001"}]', 'user_recipients leaves nulls out');
select is(tests.result_of(who, 'select from private.events'), '42501', format('%s may not read private.events', who))
from unnest(array['anon', 'service']) who;

select * from tests.finish();
rollback;
