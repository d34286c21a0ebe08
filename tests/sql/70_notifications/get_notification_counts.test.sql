-- get_notification_counts: the caller's notifications by state and category.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
create function pg_temp.counts(who text) returns jsonb language sql as $$
  select tests.value_as(who, 'select public.get_notification_counts()')::jsonb
$$;
select is(pg_temp.counts('ola'), '{"inbox": 0, "unread": 0, "archived": 0, "needsAttention": 0,
  "byCategory": {"episode": 0, "collaboration": 0, "team": 0, "booking": 0, "system": 0}}',
  'get_notification_counts of an empty inbox returns zeros, and each category');

select tests.notification('unread', 'ola', '{"category": "team", "priority": "immediate"}'),
  tests.notification('read', 'ola', tests.read() || '{"category": "team", "priority": "immediate"}'),
  tests.notification('plain', 'ola', '{"category": "booking"}'),
  tests.notification('archived', 'ola', tests.archived() || '{"category": "team", "priority": "immediate"}'),
  tests.notification('archived-later', 'ola', tests.archived() || tests.not_due()),
  tests.notification('later', 'ola', tests.not_due() || '{"category": "team", "priority": "immediate"}'),
  tests.notification('read-later', 'ola', tests.not_due() || tests.read()),
  tests.notification('due', 'ola', jsonb_build_object('category', 'system', 'scheduled_for', now())),
  tests.notification('others', 'ana');
create temp table expected as select '{"inbox": 4, "unread": 3, "archived": 2, "needsAttention": 2,
  "byCategory": {"episode": 0, "collaboration": 0, "team": 2, "booking": 1, "system": 1}}'::jsonb as counts;
select is(pg_temp.counts('ola'), counts,
  'get_notification_counts counts the due inbox by category, all archived rows, and immediate unread rows, due or not')
from expected;
select ok(private.fold_notification_counts() > 0, 'fold_notification_counts returns the number of folded changes');
select is(pg_temp.counts('ola'), counts, 'get_notification_counts returns the same after the changes are folded')
from expected;
select is_empty('select from private.notification_count_changes', 'fold_notification_counts deletes the changes');
select is(private.fold_notification_counts(), 0::bigint, 'fold_notification_counts may run again');
select is(pg_temp.counts('ola'), counts, 'a second fold_notification_counts changes no counts') from expected;
select is(private.release_due_notifications(), 1, 'release_due_notifications releases the notification that is due');
select is(private.release_due_notifications(), 0, 'release_due_notifications releases a notification once');
select is(pg_temp.counts('ola'), counts,
  'get_notification_counts returns the same after a due notification is released')
from expected;
select is(private.release_due_notifications(at => now() + interval '2 hours', max_rows => 1), 1,
  'release_due_notifications releases at most max_rows notifications');
update public.notifications set released_for = null where scheduled_for > now();
select is(pg_temp.counts('ana') -> 'inbox', '1', 'get_notification_counts counts the rows of the caller alone');

update public.notifications set scheduled_for = now() where id = tests.id('later');
select is(pg_temp.counts('ola') - '{byCategory}'::text[],
  '{"inbox": 5, "unread": 4, "archived": 2, "needsAttention": 2}',
  'get_notification_counts counts a notification once it is due');
delete from public.notifications where id in (tests.id('unread'), tests.id('archived'));
select is(pg_temp.counts('ola') - '{byCategory}'::text[],
  '{"inbox": 4, "unread": 3, "archived": 1, "needsAttention": 1}',
  'get_notification_counts does not count deleted notifications');
update public.notifications set category = 'booking' where id = tests.id('due');
select is(pg_temp.counts('ola') -> 'byCategory',
  '{"episode": 0, "collaboration": 0, "team": 2, "booking": 2, "system": 0}',
  'get_notification_counts follows a change of category');
update public.notifications set user_id = tests.id('ana') where user_id = tests.id('ola');
select is(pg_temp.counts(who) -> 'inbox', inbox, format('the inbox of %s counts rows that moved to ana', who))
from (values ('ola', '0'::jsonb), ('ana', '5')) v (who, inbox);

delete from auth.users where id = tests.id('ana');
select is_empty($$ select from private.notification_counts c where c.user_id = tests.id('ana') union all
  select from private.notification_count_changes c where c.user_id = tests.id('ana') $$,
  'a deleted account leaves no counts');

select * from tests.finish();
rollback;
