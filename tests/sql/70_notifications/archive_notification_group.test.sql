-- archive_notification_group: archives the caller's due unread notifications of a group and link.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
select tests.notification('first', 'ola', '{"group_key": "g", "link": "/a"}'),
  tests.notification('second', 'ola', jsonb_build_object('group_key', 'g', 'link', '/a', 'scheduled_for', now())),
  tests.notification('without-link', 'ola', '{"group_key": "g"}'),
  tests.notification('other-link', 'ola', '{"group_key": "g", "link": "/b"}'),
  tests.notification('other-group', 'ola', '{"group_key": "h", "link": "/a"}'),
  tests.notification('read', 'ola', '{"group_key": "g", "link": "/a", "read_at": "2026-01-01"}'),
  tests.notification('archived', 'ola', '{"group_key": "g", "link": "/a", "read_at": "2026-01-01",
    "archived_at": "2026-01-01"}'),
  tests.notification('later', 'ola', tests.not_due() || '{"group_key": "g", "link": "/a"}'),
  tests.notification('others', 'ana', '{"group_key": "g", "link": "/a"}');
create function pg_temp.changed() returns text[] language sql as $$
  select array(select n.title from public.notifications n where n.updated_at = now() and n.archived_at = now()
    and (n.read_at, n.created_at) = (now(), '2026-01-01') order by 1)
$$;
update public.notifications set created_at = '2026-01-01', updated_at = '2026-01-01';

select is(tests.value_as('ola', $$ select public.archive_notification_group('g', '/a') $$), '{"archivedCount": 2}',
  'archive_notification_group returns the number of archived notifications');
select is(pg_temp.changed(), array['first', 'second'],
  'archive_notification_group changes due unread notifications of this group and link alone');
select is(tests.value_as('ola', $$ select public.archive_notification_group('g', null) $$), '{"archivedCount": 1}',
  'archive_notification_group with a null link matches notifications without a link');
select is(pg_temp.changed(), array['first', 'second', 'without-link'],
  'archive_notification_group with a null link leaves notifications with a link as they are');
select is(tests.value_as('ola', format('select public.archive_notification_group(%L, null)', key)),
  '{"archivedCount": 0}',
  format('archive_notification_group returns 0 for a group of %s characters without notifications', length(key)))
from unnest(array['x', repeat('ä', 200)]) key;
select is(tests.value_as('ola', format('select tests.describe_error(%L)',
    format('select public.archive_notification_group(%L, null)', key))),
  'PT400 / group_key must be 1 to 200 characters',
  format('archive_notification_group returns 400 for a group key of %s characters',
    coalesce(length(key)::text, 'null')))
from unnest(array['', repeat('x', 201), null]) key;
select is(tests.result_of('ola', $$ select public.archive_notification_group('g') $$), '42883',
  'archive_notification_group requires a link');
select is(tests.result_of(who, $$ select public.archive_notification_group('g', null) $$), '42501',
  who || ' may not call archive_notification_group')
from unnest(array['anon', 'service']) who;
select is(tests.notification_state('others'), 'unread',
  'archive_notification_group leaves notifications of others unread');

select * from tests.finish();
rollback;
