-- archive_notification: archives a notification of the caller, which marks it as read.
begin;
select tests.start();

select tests.check_archiving('archive_notification');

select * from tests.finish();
rollback;
