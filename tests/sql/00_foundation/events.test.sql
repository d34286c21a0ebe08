-- Events: what happened, written down for whoever cares.
begin;
select tests.start();

select private.notify('guest.accepted', '{"episode_id":"e"}'), private.notify('episode.team_added', '{}');
select results_eq('select type, payload from private.events order by id', $$ values ('guest.accepted', '{"episode_id":"e"}'::jsonb), ('episode.team_added', '{}') $$, 'events are kept in their order');
select throws_ok($$ select private.notify('nonsense', '{}') $$, '23514', null, 'a type is noun.verb');
select throws_ok($$ select private.notify('a.b', '[]') $$, '23514', null, 'a payload is an object');
select is(tests.result_of(who, $$ select private.notify('a.b', '{}') $$), '42501', who || ' cannot tell events by hand') from unnest(array['anon', 'service']) who;
select is(tests.result_of(who, 'select from private.events'), '42501', who || ' cannot read them') from unnest(array['anon', 'service']) who;

select * from tests.finish();
rollback;
