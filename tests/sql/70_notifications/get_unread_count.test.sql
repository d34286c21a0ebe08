-- get_unread_count: the number of the caller's unread notifications that are due.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
create function pg_temp.count(who text) returns text language sql as $$
  select tests.value_as(who, 'select public.get_unread_count()')
$$;
select is(pg_temp.count('ola'), '{"unreadCount": 0}', 'get_unread_count of an empty inbox is 0');
select tests.notification('unread', 'ola'), tests.notification('system', 'ola', '{"category": "system"}'),
  tests.notification('due', 'ola', jsonb_build_object('scheduled_for', now())),
  tests.notification('read', 'ola', tests.read()), tests.notification('archived', 'ola', tests.archived()),
  tests.notification('later', 'ola', tests.not_due()), tests.notification('others', 'ana');
select is(pg_temp.count('ola'), '{"unreadCount": 3}',
  'get_unread_count counts due unread notifications of all categories');
select is(pg_temp.count('ana'), '{"unreadCount": 1}', 'get_unread_count counts the rows of the caller alone');
select tests.result_of('ola', 'select public.mark_all_notifications_read()') is not null;
select is(pg_temp.count('ola'), '{"unreadCount": 0}', 'get_unread_count is 0 after mark_all_notifications_read');

select * from tests.finish();
rollback;
