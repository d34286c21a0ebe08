-- delete_notification: archives a notification of the caller, which marks it as read.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('unread', 'ola'), tests.notification('read', 'ola', '{"read_at": "2026-01-01"}'),
  tests.notification('archived', 'ola', '{"read_at": "2026-01-01", "archived_at": "2026-01-01",
    "updated_at": "2026-01-01"}'),
  tests.notification('later', 'ola', tests.not_due()), tests.notification('others', 'ana');
create function pg_temp.call(title text) returns text language sql as $$
  select format('select (n.archived_at, n.read_at, n.updated_at)::text from public.delete_notification(%L) n',
    tests.id(title))
$$;

select is(tests.value_as('ola', pg_temp.call(title)), row(archived_at, read_at, updated_at)::text,
  format('delete_notification of a notification that is %s sets archived_at and an empty read_at', title))
from (values ('unread', now(), now(), now()), ('read', now(), '2026-01-01', now()),
  ('later', now(), now(), now())) v (title, archived_at, read_at, updated_at);
select is(tests.value_as('ola', pg_temp.call('archived')),
  row('2026-01-01'::timestamptz, '2026-01-01'::timestamptz, '2026-01-01'::timestamptz)::text,
  'delete_notification changes nothing of an archived notification');
select is(tests.value_as('ola', format('select tests.describe_error(%L)',
    format('select public.delete_notification(%L)', id))), 'PT404 / Notification not found',
  format('delete_notification returns 404 for %s', what))
from (values (tests.id('others'), 'a notification of another user'), (gen_random_uuid(), 'an unknown id'),
  (null, 'null')) v (id, what);
select is(tests.result_of(who, pg_temp.call('unread')), '42501', who || ' may not call delete_notification')
from unnest(array['anon', 'service']) who;
select is(tests.notification_state('others'), 'unread',
  'delete_notification leaves notifications of others as they are');

select * from tests.finish();
rollback;
