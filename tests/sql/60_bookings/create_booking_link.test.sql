-- create_booking_link: a link with its defaults.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');

select tests.access('create_booking_link', $$ select public.create_booking_link(tests.id('show'), 'Call', 'UTC') $$,
  '42501: anon; PT403: otto vic; 42501: service');

select tests.act_as('ada');
create temp table made as select public.create_booking_link(tests.id('show'), 'A  chat', 'Asia/Kathmandu',
  min_notice_hours => 0, availability_rules => '[{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:00"}]') as link;
select is((select link - '{id,created_at,updated_at}'::text[] from made), jsonb_build_object(
  'podcast_id', tests.id('show'), 'slug', 'a-chat', 'name', 'A chat', 'description', '', 'duration_minutes', 60,
  'timezone', 'Asia/Kathmandu', 'buffer_before_minutes', 0, 'buffer_after_minutes', 0, 'min_notice_hours', 0,
  'max_advance_days', null, 'questions', '[]'::jsonb, 'date_overrides', '[]'::jsonb, 'conflict_scope', 'link',
  'location', null, 'requires_confirmation', true, 'is_active', true,
  'availability_rules', '[{"dayOfWeek": 1, "startTime": "09:00", "endTime": "24:00"}]'::jsonb),
  'create_booking_link returns the link with its defaults');
select matches((select link ->> 'created_at' from made), '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  'create_booking_link returns timestamps in ISO 8601 with Z');
select is(current_setting('response.status'), '201', 'create_booking_link sets the status 201');

select * from tests.finish();
rollback;
