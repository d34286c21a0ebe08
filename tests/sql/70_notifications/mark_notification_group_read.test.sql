-- mark_notification_group_read: marks the caller's due notifications of a group and link.
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
  select array(select n.title from public.notifications n where n.updated_at = now() and n.read_at = now()
    and (n.read_at, n.created_at) = (now(), '2026-01-01') order by 1)
$$;
update public.notifications set created_at = '2026-01-01', updated_at = '2026-01-01';

select is(tests.value_as('ola', $$ select public.mark_notification_group_read('g', '/a') $$), '{"markedCount": 2}',
  'mark_notification_group_read returns the number of marked notifications');
select is(pg_temp.changed(), array['first', 'second'],
  'mark_notification_group_read changes due unread notifications of this group and link alone');
select is(tests.value_as('ola', $$ select public.mark_notification_group_read('g', null) $$), '{"markedCount": 1}',
  'mark_notification_group_read with a null link matches notifications without a link');
select is(pg_temp.changed(), array['first', 'second', 'without-link'],
  'mark_notification_group_read with a null link leaves notifications with a link as they are');
select is(tests.value_as('ola', format('select public.mark_notification_group_read(%L, null)', key)),
  '{"markedCount": 0}',
  format('mark_notification_group_read returns 0 for a group of %s characters without notifications', length(key)))
from unnest(array['x', repeat('ä', 200)]) key;
select is(tests.value_as('ola', format('select tests.describe_error(%L)',
    format('select public.mark_notification_group_read(%L, null)', key))),
  'PT400 / group_key must be 1 to 200 characters',
  format('mark_notification_group_read returns 400 for a group key of %s characters',
    coalesce(length(key)::text, 'null')))
from unnest(array['', repeat('x', 201), null]) key;
select is(tests.result_of('ola', $$ select public.mark_notification_group_read('g') $$), '42883',
  'mark_notification_group_read requires a link');
select is(tests.result_of(who, $$ select public.mark_notification_group_read('g', null) $$), '42501',
  who || ' may not call mark_notification_group_read')
from unnest(array['anon', 'service']) who;
select is(tests.notification_state('others'), 'unread',
  'mark_notification_group_read leaves notifications of others unread');

select * from tests.finish();
rollback;
