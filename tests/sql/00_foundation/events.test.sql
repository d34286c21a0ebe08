-- Events, in the order of their publication
begin;
select tests.start();

select private.notify('guest.accepted', '{"episode_id":"e"}'), private.notify('episode.team_added', '{}');
select results_eq('select type, payload from private.events order by id',
  $$ values ('guest.accepted', '{"episode_id":"e"}'::jsonb), ('episode.team_added', '{}') $$,
  'notify records events in order');
select throws_ok($$ select private.notify('nonsense', '{}') $$, '23514', null,
  'notify rejects a type without a dot');
select throws_ok($$ select private.notify('a.b', '[]') $$, '23514', null,
  'notify rejects a payload that is not an object');
select is(tests.result_of(who, $$ select private.notify('a.b', '{}') $$), '42501',
  format('notify is not executable for %s', who)) from unnest(array['anon', 'service']) who;
select is(tests.result_of(who, 'select from private.events'), '42501', format('%s may not read private.events', who))
from unnest(array['anon', 'service']) who;

select * from tests.finish();
rollback;
