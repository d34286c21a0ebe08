-- Which webhooks are in flight. A podcast has 8 places, so that slow receivers of one cannot occupy all workers. A
-- receiver has at most 6 of them, and 2 for its retries, so that a slow one delays only itself.
create function private.release_webhooks(_podcast_id uuid, at timestamptz default clock_timestamp()) returns int
language plpgsql volatile security invoker
set search_path = '' set enable_seqscan = off  -- a plan for a few rows would read all rows of a burst
as $$
declare
  max_places  constant int := 8;
  max_shared  constant int := 6;
  max_retries constant int := 2;
  chosen      record;
  released    int := 0;
begin
  -- one at a time per podcast, so that each counts the places that the earlier ones gave
  perform pg_advisory_xact_lock(hashtextextended('automation-webhooks/' || _podcast_id, 0));
  loop
    if (
      select count(*) from private.automation_webhooks w
      where w.podcast_id = _podcast_id and w.message_id is not null) >= max_places
    then
      return released;
    end if;
    with recursive receivers (receiver) as (  -- one look into the index per receiver
      (select w.receiver from private.automation_webhooks w
       where w.podcast_id = _podcast_id and w.message_id is null order by w.receiver limit 1)
      union all
      select (
        select w.receiver from private.automation_webhooks w
        where w.podcast_id = _podcast_id and w.message_id is null and w.receiver > r.receiver
        order by w.receiver limit 1)
      from receivers r where r.receiver is not null
    )
    select w.execution_id, w.action_id into chosen
    from receivers r
    cross join lateral (
      select count(*) as places, count(*) filter (where f.attempt_count > 0) as retries
      from private.automation_webhooks f
      where f.podcast_id = _podcast_id and f.receiver = r.receiver and f.message_id is not null) used
    cross join (values (false), (true)) kind (is_retry)
    cross join lateral (
      select l.execution_id, l.action_id, l.next_attempt_at from private.automation_webhooks l
      where l.podcast_id = _podcast_id and l.receiver = r.receiver and (l.attempt_count > 0) = kind.is_retry
        and l.message_id is null and l.next_attempt_at <= at
      order by l.next_attempt_at limit 1
      for update skip locked) w  -- one that is changed now is released by its own transaction
    where used.places < max_shared and (not kind.is_retry or used.retries < max_retries)
    order by used.places, w.next_attempt_at, w.execution_id limit 1;
    if not found then
      return released;
    end if;
    update private.automation_webhooks w set message_id = private.enqueue('automation_webhooks', jsonb_build_object(
      'podcast_id', _podcast_id, 'execution_id', w.execution_id, 'action_id', w.action_id), at => at)
    where (w.execution_id, w.action_id) = (chosen.execution_id, chosen.action_id);
    released := released + 1;
  end loop;
end $$;
comment on function private.release_webhooks is
  'Gives the free places of a podcast to webhooks that are due, of the receiver with the fewest in flight first, and '
  'enqueues {podcast_id, execution_id, action_id} for automation_webhooks. Returns how many.';

create function private.release_due_webhooks(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.automation_webhooks w set message_id = null, next_attempt_at = least(w.next_attempt_at, at)
  -- one that is locked has the next call, because its transaction may wait for another one of these
  where w.ctid = any (
    array(
      select l.ctid from private.automation_webhooks l
      where l.message_id is not null and not exists (
        select from pgmq.q_automation_webhooks q where q.msg_id = l.message_id)
      for no key update skip locked)
    || array(
      select l.ctid from private.automation_webhooks l
      where l.begun_at <= at - interval '7 days' and l.message_id is null and l.next_attempt_at > at
      for no key update skip locked)
    || array(  -- whose rule was resumed while begin_webhook made them wait for that
      select l.ctid from private.automation_webhooks l
      where l.message_id is null and l.next_attempt_at = 'infinity' and not exists (
        select from public.automation_executions e join public.automation_rules r on r.id = e.rule_id
        where e.id = l.execution_id and r.is_enabled and r.is_paused)
      for no key update skip locked));
  return (
    select coalesce(sum(private.release_webhooks(d.podcast_id, at)), 0) from (
      select distinct o.podcast_id from (
        select w.podcast_id from private.automation_webhooks w
        where w.message_id is null and w.next_attempt_at <= at order by w.next_attempt_at limit 20000) o
      order by o.podcast_id) d);  -- transactions take the locks of podcasts in this order
end $$;
comment on function private.release_due_webhooks is
  'Releases the webhooks whose next attempt is due, those that waited for longer than 7 days, those that wait for a '
  'rule that was resumed, and those whose message was lost. Cron calls it every five seconds. Returns how many.';

create function private.max_webhook_attempts() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 10;
comment on function private.max_webhook_attempts is 'Attempts to send a webhook: the first one and nine retries.';

create function private.next_webhook_attempt(
  webhook private.automation_webhooks, retry_after_seconds int, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  pauses constant interval[] := '{5 seconds,5 minutes,30 minutes,2 hours,5 hours,10 hours,14 hours,20 hours,24 hours}';
  pause  constant interval := pauses[least(webhook.attempt_count + 1, cardinality(pauses))];
begin
  return greatest(at + pause * (0.9 + random() / 5),  -- what failed together does not return together
    least(at + make_interval(secs => coalesce(retry_after_seconds, 0)),
      webhook.begun_at + (select sum(p) from unnest(pauses) p)));
end $$;
comment on function private.next_webhook_attempt is
  'When a webhook is sent again: after the pause of its attempt in the schedule of Standard Webhooks, or after '
  'Retry-After, at the latest at the end of the schedule of three days. https://www.standardwebhooks.com';
