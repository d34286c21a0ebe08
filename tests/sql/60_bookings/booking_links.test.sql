-- Booking links: what the table requires of every writer, and who writes it.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.booking_link('talk', 'show');

-- Who
select tests.access('reading booking links', $$ select from public.booking_links $$,
  '42501: anon; ok 0: otto vic; ok 1: ada ola service');
select tests.access('inserting a booking link', format($$ insert into public.booking_links (podcast_id, name, timezone)
  values (%L, 'Call', 'UTC') $$, tests.id('show')), '42501: anon otto vic; ok 1: ada ola service');
select tests.access('updating a booking link', $$ update public.booking_links set name = name where slug = 'talk' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada service');
select is(tests.result_of('ola', format('update public.booking_links set %I = %I', name, name)), '42501',
  format('clients may not change booking_links.%s', name)) from unnest('{id,podcast_id,created_at}'::text[]) name;
select tests.access('deleting a booking link', $$ delete from public.booking_links where slug = 'talk' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada');
delete from public.booking_links;

-- Derived values
create function pg_temp.add(fields jsonb, podcast text default 'show') returns text language sql as $$
  select tests.describe_error(format('insert into public.booking_links (podcast_id, timezone, name, %s) select %L,
    %L, %L, %s from jsonb_populate_record(null::public.booking_links, %L) r',
    coalesce(string_agg(k, ', '), 'is_active'), tests.id(podcast), coalesce(fields ->> 'timezone', 'UTC'),
    coalesce(fields ->> 'name', 'Talk'), coalesce(string_agg('r.' || k, ', '), 'true'), fields))
  from jsonb_object_keys(fields - '{timezone,name}'::text[]) k
$$;
select pg_temp.add('{"name": " Deep\n  Dive "}') from generate_series(1, 2);
select pg_temp.add('{"name": "夜 – ?", "slug": null}'), pg_temp.add('{"name": "?!"}'),
  pg_temp.add('{"slug": "Ein Gespräch"}'), pg_temp.add('{"name": "Deep Dive"}', 'theirs');
select results_eq('select name, slug from public.booking_links order by slug collate "C"', $$ values
  ('Deep Dive', 'deep-dive'), ('Deep Dive', 'deep-dive'), ('Deep Dive', 'deep-dive-2'),
  ('Talk', 'ein-gesprach'), ('?!', 'session'), ('夜 – ?', '夜') $$,
  'a booking link gets a slug from its name, which is one line');
select is(pg_temp.add('{"slug": "deep dive"}'), 'PT409 / Slug ''deep-dive'' is already in use / SLUG_TAKEN',
  'a booking link cannot take the slug of another');
select is(pg_temp.add('{"slug": "?"}'), 'PT400 / A slug must contain at least one letter or digit',
  'a booking link''s slug has a letter or digit');
select is(tests.describe_error($$ update public.booking_links set slug = 'session' where slug = 'deep-dive-2' $$),
  'PT409 / Slug ''session'' is already in use / SLUG_TAKEN', 'a change of the slug cannot take that of another link');
select is(tests.error_of(format($$ update public.booking_links set slug = %L where slug = 'deep-dive-2' $$, slug)),
  'none', format('a link keeps its slug if it is set to %L', slug)) from unnest(array[null, ' Deep dive 2']) slug;
select is((select count(*) from public.booking_links where slug = 'deep-dive-2'), 1::bigint,
  'a slug that a link derives again is its own');
select is(pg_temp.add('{"slug": "Ein Gespräch"}', 'theirs'), 'none', 'slugs of booking links are unique per podcast');
select pg_temp.add('{"slug": "asks", "questions": [{"id": "bio", "label": " Who\n are you? ", "isRequired": true}]}');
select is((select questions from public.booking_links where slug = 'asks'),
  '[{"id": "bio", "label": "Who are you?", "isRequired": true}]', 'the label of a question is one line');

select pg_temp.add('{"slug": "placed", "location": {"type": "custom", "value": " Door\u0007 2,\n\u202eback "}}');
select is((select location from public.booking_links where slug = 'placed'),
  '{"type": "custom", "value": "Door 2, back"}', 'the place of a booking link is one line without control characters');

-- What is wrong
select is(pg_temp.add(fields::jsonb), 'PT400 / Invalid request / ' || problem, format('a booking link''s %s', problem))
from (values
  ('{"timezone": "Mars/Base"}', 'timezone: must be an IANA time zone, such as Europe/Berlin'),
  ('{"availability_rules": {}}', 'availability_rules: must be a list'),
  ('{"availability_rules": [7]}', 'availability_rules[0]: must be an object with dayOfWeek, startTime and endTime'),
  ('{"availability_rules": [{"dayOfWeek": 7, "startTime": "09:00", "endTime": "10:00"}]}',
    'availability_rules[0].dayOfWeek: must be an integer from 0 (Sunday) to 6'),
  ('{"availability_rules": [{"dayOfWeek": "1", "startTime": "09:00", "endTime": "10:00"}]}',
    'availability_rules[0].dayOfWeek: must be an integer from 0 (Sunday) to 6'),
  ('{"availability_rules": [{"dayOfWeek": 1, "startTime": "9:00", "endTime": "10:00"}]}',
    'availability_rules[0].startTime: must be a time from 00:00 to 23:59, as HH:MM'),
  ('{"availability_rules": [{"dayOfWeek": 1, "startTime": "09:00", "endTime": "10:00"},
    {"dayOfWeek": 1, "startTime": "09:00"}]}',
    'availability_rules[1].endTime: must be a time from 00:01 to 24:00, as HH:MM'),
  ('{"availability_rules": [{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:01"}]}',
    'availability_rules[0].endTime: must be a time from 00:01 to 24:00, as HH:MM'),
  ('{"availability_rules": [{"dayOfWeek": 1, "startTime": "09:00", "endTime": "09:00"}]}',
    'availability_rules[0].endTime: must be after startTime'),
  ('{"availability_rules": [{"dayOfWeek": 1, "startTime": "09:00", "endTime": "10:00", "zone": "UTC"}]}',
    'availability_rules[0]: may have only dayOfWeek, startTime and endTime'),
  ('{"date_overrides": {}}', 'date_overrides: must be a list'),
  ('{"date_overrides": [[]]}', 'date_overrides[0]: must be an object with date and windows'),
  ('{"date_overrides": [{"date": "2026-02-30", "windows": []}]}',
    'date_overrides[0].date: must be a date as YYYY-MM-DD'),
  ('{"date_overrides": [{"date": "today", "windows": []}]}', 'date_overrides[0].date: must be a date as YYYY-MM-DD'),
  ('{"date_overrides": [{"date": 20260101, "windows": []}]}', 'date_overrides[0].date: must be a date as YYYY-MM-DD'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": []}, {"date": "2026-12-24", "windows": []}]}',
    'date_overrides[1].date: must differ from the other dates'),
  ('{"date_overrides": [{"date": "2026-12-24"}]}',
    'date_overrides[0].windows: must be a list, which is empty for a day off'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": null}]}',
    'date_overrides[0].windows: must be a list, which is empty for a day off'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": [], "dayOfWeek": 1}]}',
    'date_overrides[0]: may have only date and windows'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": [5]}]}',
    'date_overrides[0].windows[0]: must be an object with startTime and endTime'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": [{"startTime": "09:00", "endTime": "10:00"},
    {"startTime": "9:00", "endTime": "10:00"}]}]}',
    'date_overrides[0].windows[1].startTime: must be a time from 00:00 to 23:59, as HH:MM'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": [{"startTime": "10:00", "endTime": "09:00"}]}]}',
    'date_overrides[0].windows[0].endTime: must be after startTime'),
  ('{"date_overrides": [{"date": "2026-12-24", "windows": [{"startTime": "09:00", "endTime": "10:00", "a": 1}]}]}',
    'date_overrides[0].windows[0]: may have only startTime and endTime'),
  ('{"questions": "Why?"}', 'questions: must be a list'),
  ('{"questions": [null]}', 'questions[0]: must be an object with id, label and, optionally, isRequired'),
  ('{"questions": [{"id": "a b", "label": "?"}]}', 'questions[0].id: must be 1 to 50 letters, digits, "_" or "-"'),
  ('{"questions": [{"id": 7, "label": "?"}]}', 'questions[0].id: must be 1 to 50 letters, digits, "_" or "-"'),
  ('{"questions": [{"id": "a", "label": 7}]}', 'questions[0].label: must be 1 to 300 characters'),
  ('{"questions": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}',
    'questions[1].id: must differ from those of the other questions'),
  ('{"questions": [{"id": "a", "label": " "}]}', 'questions[0].label: must be 1 to 300 characters'),
  ('{"questions": [{"id": "a", "label": "A", "isRequired": 1}]}', 'questions[0].isRequired: must be true or false'),
  ('{"questions": [{"id": "a", "label": "A", "type": "text"}]}',
    'questions[0]: may have only id, label and isRequired'),
  ('{"location": "Studio"}', 'location: must be null, or an object with type and value'),
  ('{"location": {"type": "custom", "value": "A", "url": "B"}}', 'location: may have only type and value'),
  ('{"location": {"type": "zoom", "value": "A"}}', 'location.type: must be link, phone, in_person or custom'),
  ('{"location": {"value": "A"}}', 'location.type: must be link, phone, in_person or custom'),
  ('{"location": {"type": "phone"}}', 'location.value: must be 1 to 500 characters'),
  ('{"location": {"type": "phone", "value": 49}}', 'location.value: must be 1 to 500 characters'),
  ('{"location": {"type": "in_person", "value": " \u202e"}}', 'location.value: must be 1 to 500 characters'),
  ('{"location": {"type": "link", "value": "javascript:alert(1)"}}',
    'location.value: must be an http or https URL, such as https://meet.example.com/room'),
  ('{"location": {"type": "link", "value": "meet.example.com"}}',
    'location.value: must be an http or https URL, such as https://meet.example.com/room')
) v (fields, problem);
select is(pg_temp.add(jsonb_build_object('availability_rules', (
  select jsonb_agg('{"dayOfWeek": 1, "startTime": "00:00", "endTime": "24:00"}'::jsonb) from generate_series(1, n)))),
  result, format('a booking link with %s equal rules gives %s', n, result))
from (values (100, 'none'), (101, 'PT400 / Invalid request / availability_rules: must have at most 100 rules')) v (n,
  result);
select is(pg_temp.add(jsonb_build_object('date_overrides', (
  select jsonb_agg(jsonb_build_object('date', '2026-01-01'::date + n, 'windows', (
    select jsonb_agg('{"startTime": "00:00", "endTime": "24:00"}'::jsonb) from generate_series(1, windows))))
  from generate_series(1, dates) n))), result,
  format('a booking link with %s overrides of %s equal windows gives %s', dates, windows, result))
from (values (366, 10, 'none'),
  (367, 10, 'PT400 / Invalid request / date_overrides: must have at most 366 dates; remove past ones'),
  (1, 11, 'PT400 / Invalid request / date_overrides[0].windows: must have at most 10 windows'))
  v (dates, windows, result);
select is(pg_temp.add(jsonb_build_object('questions', (
  select jsonb_agg(jsonb_build_object('id', lpad(n::text, id_length, '0'), 'label', repeat('x', label_length)))
  from generate_series(1, questions) n))), result,
  format('a booking link with %s questions with ids of %s and labels of %s characters gives %s', questions, id_length,
    label_length, result))
from (values (20, 50, 300, 'none'),
  (21, 50, 300, 'PT400 / Invalid request / questions: must have at most 20 questions'),
  (1, 51, 300, 'PT400 / Invalid request / questions[0].id: must be 1 to 50 letters, digits, "_" or "-"'),
  (1, 50, 301, 'PT400 / Invalid request / questions[0].label: must be 1 to 300 characters'))
  v (questions, id_length, label_length, result);
select is(pg_temp.add(jsonb_build_object('location', jsonb_build_object('type', 'custom', 'value', repeat('x', n)))),
  result, format('a place of %s characters gives %s', n, result))
from (values (500, 'none'), (501, 'PT400 / Invalid request / location.value: must be 1 to 500 characters'))
  v (n, result);
select is(left(pg_temp.add(fields::jsonb), 5), '23514', format('a booking link cannot have %s', fields))
from unnest(array['{"name": " "}', '{"duration_minutes": 4}', '{"duration_minutes": 721}',
  '{"buffer_before_minutes": -1}', '{"buffer_after_minutes": 721}', '{"min_notice_hours": -1}',
  '{"min_notice_hours": 8761}', '{"max_advance_days": 0}', '{"max_advance_days": 366}']) fields;
select is(left(pg_temp.add(jsonb_build_object('description', repeat('x', n))), 5), result,
  format('a description of %s characters gives %s', n, result)) from (values (5000, 'none'), (5001, '23514'))
  v (n, result);
alter table public.booking_links disable trigger t100_normalize;
select is(tests.error_of(format('update public.booking_links set %s', change)), '23514',
  format('a constraint rejects: %s', change))
from unnest(array[$$ availability_rules = '[{"dayOfWeek": 9}]' $$, $$ date_overrides = '[{"date": "9"}]' $$,
  $$ questions = '[{"id": "?"}]' $$, $$ location = '{"type": "?"}' $$,
  $$ timezone = 'Mars/Base' $$, $$ slug = '' $$, $$ slug = repeat('x', 101) $$, $$ slug = 'a/b' $$]) change;

-- Number
delete from public.booking_links;
alter table public.booking_links enable trigger t100_normalize;
select pg_temp.add('{}') from generate_series(1, 50);
select is(pg_temp.add('{}'), 'PT409 / A podcast can have at most 50 booking links; delete one first / '
  'TOO_MANY_BOOKING_LINKS', 'a podcast has at most 50 booking links');
select is(pg_temp.add('{}', 'theirs'), 'none', 'the limit of booking links is per podcast');

select * from tests.finish();
rollback;
