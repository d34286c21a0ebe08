-- Job: enqueues a check of each redirect that was not checked for a day. One message becomes visible each second, so
-- that a host of many feeds is not asked for all of them at once.
create function private.enqueue_due_redirect_checks(
  max_redirects int default 3000, at timestamptz default clock_timestamp()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_ids uuid[];
begin
  with due as (
    select r.podcast_id, r.check_due_at from private.feed_redirects r where r.check_due_at <= at
    order by r.check_due_at limit max_redirects
    for update skip locked  -- another run has it, or it is changing
  ), next as (
    update private.feed_redirects r set
      -- a lost message is enqueued again a day later
      check_due_at = case when t.podcast_id is null or t.owner_id is not null
        and at < private.correctable_until(t.deleted_at) then at + interval '1 day' end
    from due d left join private.podcast_tombstones t on t.podcast_id = d.podcast_id
    where r.podcast_id = d.podcast_id
    returning r.podcast_id, r.check_due_at, d.check_due_at as was_due_at
  )
  select coalesce(array_agg(n.podcast_id order by n.was_due_at), '{}') into podcast_ids
  from next n where n.check_due_at is not null and not exists (
    select from pgmq.q_redirect_checks q where q.message ->> 'podcast_id' = n.podcast_id::text);
  -- another try leaves a dead letter with its own error, or none
  delete from pgmq.q_redirect_checks_dlq d
  where d.message -> 'message' ->> 'podcast_id' = any (podcast_ids::text[]);
  perform private.enqueue('redirect_checks', jsonb_build_object('podcast_id', u.id), u.place::int, at)
  from unnest(podcast_ids) with ordinality u (id, place);
  return cardinality(podcast_ids);
end $$;
comment on function private.enqueue_due_redirect_checks is
  'Enqueues redirect_checks for at most max_redirects redirects that were not checked for a day and have no message, '
  'the longest first; those of deleted podcasts while their former owner can correct them. Cron calls it hourly. '
  'Returns how many.';
