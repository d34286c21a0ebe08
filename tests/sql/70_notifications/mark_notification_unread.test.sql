-- mark_notification_unread: marks a read notification of the caller that is not archived.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('unread', 'ola'), tests.notification('read', 'ola', tests.read()),
  tests.notification('archived', 'ola', tests.archived()),
  tests.notification('later', 'ola', tests.read() || tests.not_due()),
  tests.notification('others', 'ana', tests.read() || '{"updated_at": "2026-01-01"}');
create function pg_temp.call(title text) returns text language sql as $$
  select format('select (public.mark_notification_unread(%L)).updated_at', tests.id(title))
$$;

select is(tests.value_as('ola', pg_temp.call('read'))::timestamptz, now(),
  'mark_notification_unread returns the row with its updated_at');
select is(tests.notification_state('read'), 'unread', 'mark_notification_unread clears read_at');
select is(tests.result_of('ola', pg_temp.call('later')), 'ok 1',
  'mark_notification_unread marks a read notification that is not due');
select is(tests.value_as('ola', format('select tests.describe_error(%L)', pg_temp.call(title))),
  'PT404 / Notification not found / A notification that is read and not archived can be marked as unread',
  format('mark_notification_unread returns 404 for a notification that is %s', state))
from (values ('unread', 'unread'), ('archived', 'archived'), ('others', 'another user''s')) v (title, state);
select is(tests.result_of('ola', format('select public.mark_notification_unread(%L)', gen_random_uuid())), 'PT404',
  'mark_notification_unread returns 404 for an unknown id');
select is(tests.notification_state(title), title,
  format('mark_notification_unread leaves a notification that is %s as it is', title))
from unnest(array['archived']) title;
select is(tests.notification_state('others'), 'read', 'mark_notification_unread leaves notifications of others read');

select * from tests.finish();
rollback;
