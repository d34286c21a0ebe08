-- enqueue_due_redirect_checks: a check of each redirect a day, for a year after the deletion of the podcast.
begin;
select tests.start();

select tests.person('ola'), tests.podcast('show', 'ola'), tests.podcast('second', 'ola'), tests.podcast('third', 'ola');
update public.podcasts set feed_redirect_url = 'https://new.example/' || slug;
select tests.empty_queue('redirect_checks');
create function pg_temp.waiting() returns text[] language sql as $$
  select array(select i.name || ' ' || extract(epoch from q.vt - now() - interval '25 hours')::int
    from pgmq.q_redirect_checks q join tests.ids i on i.id::text = q.message ->> 'podcast_id' order by q.vt)
$$;

select is(private.enqueue_due_redirect_checks(at => now() + interval '23 hours'), 0,
  'enqueue_due_redirect_checks enqueues no redirect that was checked within a day');
update private.feed_redirects set check_due_at = now() + case podcast_id when tests.id('second') then interval '1 hour'
  when tests.id('show') then interval '2 hours' else interval '3 hours' end;
select is(private.enqueue_due_redirect_checks(2, now() + interval '25 hours'), 2,
  'enqueue_due_redirect_checks enqueues at most max_redirects');
select is(pg_temp.waiting(), '{second 1,show 2}', 'the checks of a run wait a second each, the longest due first');
select is(private.enqueue_due_redirect_checks(at => now() + interval '25 hours'), 1,
  'the next run enqueues the others, and none twice');
select pgmq.send('redirect_checks_dlq', jsonb_build_object('message',
  jsonb_build_object('podcast_id', id))) from unnest(array[tests.id('show'), gen_random_uuid()]) id;
select is(private.enqueue_due_redirect_checks(at => now() + interval '50 hours'), 0,
  'a redirect whose message still waits is not enqueued again');
select tests.empty_queue('redirect_checks');
select is(private.enqueue_due_redirect_checks(at => now() + interval '75 hours'), 3,
  'a redirect whose message was lost is enqueued again a day later');
select is((select count(*) from pgmq.q_redirect_checks_dlq), 1::bigint, 'a new try replaces a dead letter');

-- Deleted podcasts
select tests.empty_queue('redirect_checks');
delete from public.podcasts where id = tests.id('show');
update private.podcast_tombstones set deleted_at = now() - interval '366 days';
select is(private.enqueue_due_redirect_checks(at => now() + interval '100 hours'), 2,
  'a redirect is not checked a year after the deletion of its podcast');
select is((select check_due_at from private.feed_redirects where podcast_id = tests.id('show')), null,
  'a redirect that cannot be corrected is no longer due');
select tests.empty_queue('redirect_checks');
update private.podcast_tombstones set deleted_at = now();
update private.feed_redirects set check_due_at = now() where podcast_id = tests.id('show');
select is(private.enqueue_due_redirect_checks(), 1, 'the redirect of a deleted podcast is checked for a year');
select tests.empty_queue('redirect_checks');
update private.podcast_tombstones set owner_id = null;
update private.feed_redirects set check_due_at = now() where podcast_id = tests.id('show');
select is(private.enqueue_due_redirect_checks(), 0,
  'the redirect of a deleted podcast is not checked when the account of its former owner is deleted');
select is((select check_due_at from private.feed_redirects where podcast_id = tests.id('show')), null,
  'a redirect that no owner can correct is no longer due');

select * from tests.finish();
rollback;
