-- Job: enqueues the podcasts whose deletion is due.
create function private.enqueue_due_deletions(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  enqueued int;
begin
  -- of two runs at once, the second sees the messages of the first
  perform pg_advisory_xact_lock(hashtextextended('enqueue_due_deletions', 0));
  select count(private.enqueue('podcast_deletions', jsonb_build_object('podcast_id', due.id))) into enqueued
  from (
    select p.id from public.podcasts p
    where p.status = 'pending_deletion' and p.deletion_scheduled_at <= at
      and not exists (
        select from pgmq.q_podcast_deletions q where q.message ->> 'podcast_id' = p.id::text)
      and not exists (
        select from pgmq.q_podcast_deletions_dlq d where d.message -> 'message' ->> 'podcast_id' = p.id::text)
    order by p.deletion_scheduled_at limit 1000
  ) due;
  return enqueued;
end $$;
comment on function private.enqueue_due_deletions is
  'Enqueues at most 1,000 podcasts whose deletion is due, except those that have a message or a dead letter, which '
  'waits for an operator. Returns how many.';
