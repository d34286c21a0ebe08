-- update_booking_link: the named fields of a link.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show', '{"created_at": "2026-01-01Z"}');

select is(tests.result_of(who, $$ select public.update_booking_link(tests.id('talk'), '{"name": "Call"}') $$), result,
  format('update_booking_link called by %s gives %s', who, result))
from (values ('anon', '42501'), ('otto', 'PT403'), ('vic', 'PT403'), ('service', '42501')) v (who, result);

select tests.act_as('ada');
create temp table made as select public.create_booking_link(tests.id('show'), 'A chat', 'UTC',
  min_notice_hours => 0, availability_rules => '[{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:00"}]') as link;
create function pg_temp.change(changes text) returns text language sql as $$
  select tests.outcome_of(format('select public.update_booking_link((select (link ->> ''id'')::uuid from made), %L)',
    changes))
$$;
select is(pg_temp.change('{"name": "Short chat", "duration_minutes": 15}')::jsonb - '{updated_at}'::text[],
  (select link || '{"name": "Short chat", "duration_minutes": 15}' from made) - '{updated_at}'::text[],
  'update_booking_link changes the named fields and keeps the others');
select ok(pg_temp.change('{"slug": null, "min_notice_hours": null, "availability_rules": []}')::jsonb
  @> '{"slug": "short-chat", "min_notice_hours": null, "availability_rules": []}',
  'update_booking_link clears a number, and derives the slug from the name');
select ok(pg_temp.change(
  '{"date_overrides": [{"date": "2026-12-24", "windows": []}], "conflict_scope": "podcast"}')::jsonb @>
  '{"date_overrides": [{"date": "2026-12-24", "windows": []}], "conflict_scope": "podcast"}',
  'update_booking_link changes overrides and the scope of conflicts');
select is(split_part(pg_temp.change(changes), ' Failing', 1), outcome,
  format('update_booking_link(%s) returns %s', changes, outcome))
from (values
  ('{}', 'PT400'), ('{"color": "red"}', 'PT400 Unknown field: color'), ('{"name": null}', 'PT400 name: must be string'),
  ('{"duration_minutes": 1.5}', '22P02'), ('{"duration_minutes": 1}', '23514'),
  ('{"availability_rules": [{}]}', 'PT400 availability_rules[0].dayOfWeek: must be an integer from 0 (Sunday) to 6'),
  ('{"date_overrides": [{}]}', 'PT400 date_overrides[0].date: must be a date as YYYY-MM-DD'),
  ('{"conflict_scope": "user"}', '22P02'),
  ('{"slug": "Talk"}', 'PT409 SLUG_TAKEN')) v (changes, outcome);

select * from tests.finish();
rollback;
