-- archive_notification_group: archives the caller's due unread notifications of a group and link.
begin;
select tests.start();

select tests.check_group_verb('archive_notification_group', 'archivedCount', 'archived_at');

select * from tests.finish();
rollback;
