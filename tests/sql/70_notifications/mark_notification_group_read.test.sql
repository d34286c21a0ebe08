-- mark_notification_group_read: marks the caller's due notifications of a group and link.
begin;
select tests.start();

select tests.check_group_verb('mark_notification_group_read', 'markedCount', 'read_at');

select * from tests.finish();
rollback;
