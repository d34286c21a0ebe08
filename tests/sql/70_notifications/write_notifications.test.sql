-- A user who turned the app off for a type gets its emails and pushes, and finds its notifications nowhere.
begin;
select tests.start();

select tests.person('ola');
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('ola'), 'https://push.test/ola');
update public.notification_preferences set in_app_import_completed = false, push_import_completed = true;
select private.notify('import.completed', private.user_recipients(tests.id('ola')), '{}', _group_key => 'g',
  _scheduled_for => scheduled_for) from unnest(array[null, now() - interval '1 hour']) scheduled_for;
select bag_eq('select channel::text from public.notification_deliveries', array['email', 'email', 'push', 'push'],
  'the user gets emails and pushes');

select is(tests.result_of('ola', 'select from public.notifications'), 'ok 0', 'the user may not select the rows');
select is(tests.value_as('ola', format('select public.list_notifications(archived_only => %L)', archived_only))::jsonb
    -> 'notifications', '[]', format('list_notifications (archived_only: %s) returns none', archived_only))
from unnest(array[false, true]) archived_only;
select is(tests.value_as('ola', 'select public.get_notification_counts()')::jsonb - 'byCategory',
  '{"inbox": 0, "unread": 0, "archived": 0, "needsAttention": 0}', 'get_notification_counts counts none');
select is(tests.value_as('ola', 'select public.get_unread_count()')::jsonb, '{"unreadCount": 0}',
  'get_unread_count counts none');
select is(tests.value_as('ola', format('select public.%s', call))::jsonb, expected, call || ' changes none')
from (values ('mark_all_notifications_read()', '{"markedCount": 0, "hasMore": false}'::jsonb),
  ('unarchive_all_notifications()', '{"restoredCount": 0, "hasMore": false}'),
  ('mark_notification_group_read(''g'', null)', '{"markedCount": 0, "hasMore": false}'),
  ('archive_notification_group(''g'', null)', '{"archivedCount": 0, "hasMore": false}')) v (call, expected);
select is(tests.result_of('ola', format('select public.%s(%L)', verb, n.id)), 'PT404', verb || ' finds none')
from unnest(array['mark_notification_read', 'mark_notification_unread', 'archive_notification',
  'unarchive_notification', 'delete_notification']) verb,
  (select id from public.notifications limit 1) n;

-- turning the app on again
update public.notification_preferences set in_app_import_completed = true;
select private.notify('import.completed', private.user_recipients(tests.id('ola')), '{}', _group_key => 'g');
select is(tests.value_as('ola', 'select public.get_unread_count()')::jsonb, '{"unreadCount": 1}',
  'turning the app on again lists new notifications alone');

select throws_ok($$ update public.notifications set read_at = null where unlisted_user_id is not null $$, '23514',
  null, 'an unlisted notification is read, so that retention deletes it');
select tests.value_as('ola', 'select public.delete_account()') is not null;
select is_empty('select from public.notifications', 'deleting the account deletes its unlisted notifications');

select * from tests.finish();
rollback;
