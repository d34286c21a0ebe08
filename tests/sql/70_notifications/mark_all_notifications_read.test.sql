-- mark_all_notifications_read: marks the caller's due notifications, or those of a category.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification(c::text, 'ola', jsonb_build_object('category', c))
from unnest(enum_range(null::public.notification_category)) c;
select tests.notification('read', 'ola', '{"category": "team", "read_at": "2026-01-01"}'),
  tests.notification('archived', 'ola', tests.archived() || '{"category": "team"}'),
  tests.notification('later', 'ola', tests.not_due() || '{"category": "team"}'),
  tests.notification('due', 'ola', jsonb_build_object('scheduled_for', now(), 'category', 'team')),
  tests.notification('others', 'ana', '{"category": "team"}');

select is(tests.value_as('ola', $$ select public.mark_all_notifications_read('team') $$),
  '{"hasMore": false, "markedCount": 2}',
  'mark_all_notifications_read marks the due unread notifications of the category and returns their number');
select is(array(
    select n.title from public.notifications n where n.read_at = now() and n.archived_at is null order by 1),
  array['due', 'team'], 'mark_all_notifications_read with a category leaves all other notifications as they are');
select is((select n.updated_at from public.notifications n where n.id = tests.id('team')), now(),
  'mark_all_notifications_read sets updated_at');
select is(tests.value_as('ola', 'select public.mark_all_notifications_read()'), '{"hasMore": false, "markedCount": 4}',
  'mark_all_notifications_read without a category marks the due unread notifications of all categories');
select is(tests.value_as('ola', 'select public.mark_all_notifications_read()'), '{"hasMore": false, "markedCount": 0}',
  'mark_all_notifications_read returns 0 when there is nothing to mark');
select is(tests.notification_state('later'), 'unread', 'mark_all_notifications_read leaves what is not due unread');
select is((select n.read_at from public.notifications n where n.id = tests.id('read')), '2026-01-01',
  'mark_all_notifications_read keeps the read_at of read notifications');
select is(tests.notification_state('others'), 'unread',
  'mark_all_notifications_read leaves notifications of others unread');
select is(
  tests.value_as('ola', $$ select tests.describe_error('select public.mark_all_notifications_read(''system'')') $$),
  'PT400 / category must be one of: episode, collaboration, team, booking',
  'mark_all_notifications_read returns 400 for the category system');
select is(tests.result_of('ola', $$ select public.mark_all_notifications_read('news') $$), '22P02',
  'mark_all_notifications_read rejects an unknown category');

-- parts
update public.notifications set read_at = null, created_at = '2026-01-01' where title = any (
  enum_range(null::public.notification_category)::text[]);
create function pg_temp.call(max_rows int, category public.notification_category default null) returns text
language sql as $$
  select tests.value_as('ola',
    format('select private.mark_all_notifications_read(%L, max_rows => %s)', category, max_rows))
$$;
select is(pg_temp.call(1, 'team'), '{"hasMore": false, "markedCount": 1}',
  'mark_all_notifications_read of a category has no more when only others are left');
select is(array[pg_temp.call(3), pg_temp.call(3)],
  array['{"hasMore": true, "markedCount": 3}', '{"hasMore": false, "markedCount": 1}'],
  'mark_all_notifications_read marks each notification once in repeated calls, which say whether more are left');
select is((select tests.notification_state(title) from unnest(array['later']) title), 'unread',
  'mark_all_notifications_read in parts leaves what is not due unread');

select * from tests.finish();
rollback;
