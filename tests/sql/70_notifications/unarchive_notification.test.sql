-- unarchive_notification: returns an archived notification of the caller to the inbox.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('archived', 'ola', '{"read_at": "2026-01-01", "archived_at": "2026-01-01"}'),
  tests.notification('read', 'ola', tests.read()), tests.notification('unread', 'ola'),
  tests.notification('others', 'ana', tests.archived());
create function pg_temp.call(title text) returns text language sql as $$
  select format('select (n.archived_at, n.read_at, n.updated_at)::text from public.unarchive_notification(%L) n',
    tests.id(title))
$$;

select is(tests.value_as('ola', pg_temp.call('archived')),
  row(null::timestamptz, '2026-01-01'::timestamptz, now())::text,
  'unarchive_notification clears archived_at and keeps read_at');
select is(tests.value_as('ola', format('select tests.describe_error(%L)', pg_temp.call(title))),
  'PT404 / Notification not found / An archived notification can be unarchived',
  format('unarchive_notification returns 404 for a notification that is %s', state))
from (values ('archived', 'unarchived before'), ('read', 'read'), ('unread', 'unread'),
  ('others', 'another user''s')) v (title, state);
select is(tests.notification_state('others'), 'archived',
  'unarchive_notification leaves notifications of others archived');

select * from tests.finish();
rollback;
