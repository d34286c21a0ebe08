-- unarchive_all_notifications: returns the caller's archived notifications to the inbox.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('first', 'ola', '{"read_at": "2026-01-01", "archived_at": "2026-01-01"}'),
  tests.notification('later', 'ola', tests.not_due() || '{"read_at": "2026-01-01", "archived_at": "2026-01-01"}'),
  tests.notification('unread', 'ola', '{"updated_at": "2026-01-01"}'),
  tests.notification('others', 'ana', tests.archived());

select is(tests.value_as('ola', 'select public.unarchive_all_notifications()'),
  '{"hasMore": false, "restoredCount": 2}',
  'unarchive_all_notifications returns the number of restored notifications, due or not');
select is((select array_agg((n.archived_at, n.read_at, n.updated_at)::text) from public.notifications n
    where n.title in ('first', 'later')),
  array_fill(row(null::timestamptz, '2026-01-01'::timestamptz, now())::text, array[2]),
  'unarchive_all_notifications clears archived_at and keeps read_at');
select is((select n.updated_at from public.notifications n where n.id = tests.id('unread')), '2026-01-01',
  'unarchive_all_notifications changes no notification that is not archived');
select is(tests.value_as('ola', 'select public.unarchive_all_notifications()'),
  '{"hasMore": false, "restoredCount": 0}',
  'unarchive_all_notifications returns 0 when nothing is archived');
select is(tests.notification_state('others'), 'archived',
  'unarchive_all_notifications leaves notifications of others archived');

-- parts
update public.notifications set archived_at = now() where title in ('first', 'later');
select is(array(select tests.value_as('ola', 'select private.unarchive_all_notifications(max_rows => 1)')
    from generate_series(1, 3)),
  array['{"hasMore": true, "restoredCount": 1}', '{"hasMore": false, "restoredCount": 1}',
    '{"hasMore": false, "restoredCount": 0}'],
  'unarchive_all_notifications restores each notification once in repeated calls');

select * from tests.finish();
rollback;
