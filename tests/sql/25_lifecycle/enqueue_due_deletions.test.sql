-- enqueue_due_deletions: one message per podcast whose deletion is due.
begin;
select tests.start();

select tests.podcast('due', 'ola'), tests.podcast('later', 'ola'), tests.podcast('kept', 'ola');
select tests.set_status('due', 'pending_deletion', now() - interval '90 days'),
  tests.set_status('later', 'pending_deletion');

select is(private.enqueue_due_deletions(now() - interval '1 second'), 0,
  'enqueue_due_deletions enqueues no podcast before its deletion is due');
select is(private.enqueue_due_deletions(), 1, 'enqueue_due_deletions returns the number of podcasts that it enqueues');
select results_eq($$ select tests.queued('podcast_deletions') $$,
  $$ select jsonb_build_object('podcast_id', tests.id('due')) $$,
  'enqueue_due_deletions enqueues a podcast when its deletion is due');
select is(private.enqueue_due_deletions(), 0, 'enqueue_due_deletions skips a podcast that has a message');
select private.fail_job('podcast_deletions', (select msg_id from private.claim_jobs('podcast_deletions', 1, 60)), 'x',
  _is_permanent => true);
select is(private.enqueue_due_deletions(), 0, 'enqueue_due_deletions skips a podcast that has a dead letter');
select is(private.enqueue_due_deletions(now() + interval '90 days'), 1,
  'enqueue_due_deletions enqueues a podcast beside one that has a dead letter');
select is(private.delete_due_podcast(tests.id('due')), true, 'a podcast with a dead letter can be deleted');
select is_empty('select from pgmq.q_podcast_deletions_dlq', 'the deletion of a podcast deletes its dead letters');

select tests.empty_queue('podcast_deletions');
insert into public.podcasts (owner_id, title, slug, status, deletion_requested_at, deletion_scheduled_at)
select tests.id('ola'), 'Many', 'many-' || n, 'pending_deletion', now() - interval '2 days', now() - interval '1 day'
from generate_series(1, 1001) n;
select is(private.enqueue_due_deletions(), 1000, 'enqueue_due_deletions enqueues at most 1,000 podcasts per run');
select is(private.enqueue_due_deletions(), 1, 'enqueue_due_deletions enqueues the others in its next run');
select isnt_empty($$
  select from cron.job where jobname = 'enqueue_due_deletions' and schedule = '23 * * * *' and active $$,
  'enqueue_due_deletions runs hourly');

select * from tests.finish();
rollback;
