-- Events, in the order of their publication
begin;
select tests.start();

select private.notify('guest.accepted', '[]', '{"status":"new"}'), private.notify('episode.team_added', null, '{}');
select results_eq('select type, payload from private.events order by id',
  $$ values ('guest.accepted', '{"status":"new"}'::jsonb), ('episode.team_added', '{}') $$,
  'notify records events in order');
select throws_ok($$ select private.notify('nonsense', '[]', '{}') $$, '23514',
  'The type of an event must be like domain.event', 'notify rejects a type without a dot');
select throws_ok(format('select private.notify(%L, %L, %L)', 'import.failed', '[]', payload), '23514',
  'The payload of an event must be an object', format('notify rejects the payload %s', payload))
from unnest(array['[]', null]) payload;
select throws_ok(format('select private.notify(%L, %L, %L, _%s => %L)', 'import.failed', '[]', '{}', name, value),
  '23514', format('The %s of an event must %s', name, rule), format('notify rejects the %s %s', name, left(value, 30)))
from (values ('link', 'be a path of at most 500 characters', array['https://evil.example', '//evil.example',
    '/\evil.example', '/' || repeat('x', 500)]),
  ('dedupe_key', 'have 1 to 200 characters', array['', repeat('x', 201)]),
  ('group_key', 'have 1 to 200 characters', array['', repeat('x', 201)])) v (name, rule, rejected),
  unnest(rejected) value;
do $$
declare
  detail text;
begin
  perform private.notify('import.failed', '[{"email": "zoe@test.example"}]', null);
exception when check_violation then
  get stacked diagnostics detail = pg_exception_detail;
  create temp table error as select detail;
end $$;
select is((select detail from error), '', 'the error of an invalid event has no addresses');
select tests.access('notify', $$ select private.notify('import.failed', '[]', '{}') $$, '42501: anon service');
select is(private.user_recipients(null, '00000000-0000-4000-8000-000000000001', null),
  '[{"user_id":"00000000-0000-4000-8000-000000000001"}]', 'user_recipients leaves nulls out');

select * from tests.finish();
rollback;
