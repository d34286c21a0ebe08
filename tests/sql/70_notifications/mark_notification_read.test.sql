-- mark_notification_read: marks a due notification of the caller that is not archived.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('unread', 'ola', '{"updated_at": "2026-01-01"}'),
  tests.notification('read', 'ola', '{"read_at": "2026-01-01", "updated_at": "2026-01-01"}'),
  tests.notification('archived', 'ola', tests.archived()), tests.notification('later', 'ola', tests.not_due()),
  tests.notification('due', 'ola', jsonb_build_object('scheduled_for', now())), tests.notification('others', 'ana');
create function pg_temp.call(title text) returns text language sql as $$
  select format('select (public.mark_notification_read(%L)).read_at', tests.id(title))
$$;

select is(tests.value_as('ola', pg_temp.call('unread'))::timestamptz, now(),
  'mark_notification_read sets read_at and returns the row');
select is((select n.updated_at from public.notifications n where n.id = tests.id('unread')), now(),
  'mark_notification_read sets updated_at');
select is(tests.value_as('ola', pg_temp.call('read'))::timestamptz, '2026-01-01',
  'mark_notification_read keeps the read_at of a read notification');
select is((select n.updated_at from public.notifications n where n.id = tests.id('read')), '2026-01-01',
  'mark_notification_read changes nothing of a read notification');
select is(tests.value_as('ola', pg_temp.call('due'))::timestamptz, now(),
  'mark_notification_read marks a notification whose scheduled_for is now');
select is(tests.value_as('ola', format('select tests.describe_error(%L)', pg_temp.call(title))),
  'PT404 / Notification not found / A notification that is due and not archived can be marked as read',
  format('mark_notification_read returns 404 for a notification that is %s', state))
from (values ('archived', 'archived'), ('later', 'not due'), ('others', 'another user''s')) v (title, state);
select is(tests.result_of('ola', format('select public.mark_notification_read(%L)', id)), 'PT404',
  format('mark_notification_read returns 404 for the id %L', id))
from (values (gen_random_uuid()), (null)) v (id);
select is(tests.notification_state('others'), 'unread', 'mark_notification_read leaves notifications of others unread');

-- Limit
select private.set_setting('max_notification_changes_per_minute', '2');
delete from private.rate_limits;
create function pg_temp.change(person text, verb text, title text) returns text language sql as $$
  select tests.result_of(person, format('select public.%I(%L)', verb, tests.id(title))) $$;
select is(pg_temp.change('ola', verb, 'due'), expected, title)
from (values ('mark_notification_unread', 'ok 1', 'a user changes a notification'),
  ('mark_notification_read', 'ok 1', 'a user changes as many notifications in a minute as the limit allows'),
  ('mark_notification_read', 'ok 1', 'a change that changes nothing is not counted'),
  ('mark_notification_unread', 'PT429', 'mark_notification_unread returns 429 over the changes of a minute'),
  ('archive_notification', 'PT429', 'archive_notification returns 429 over the changes of a minute'))
  v (verb, expected, title);
select is(pg_temp.change('ana', 'mark_notification_read', 'others'), 'ok 1',
  'the changes of a user do not count on those of another');

select * from tests.finish();
rollback;
