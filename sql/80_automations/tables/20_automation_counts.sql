-- Counts of executions. A statement that changes executions appends what it changes to automation_count_changes, so
-- that executions of one podcast never wait for each other; fold_automation_counts adds the changes to the counts. The
-- sum of both is exact at every moment. None of the tables references the podcast, because its lock would wait for a
-- deletion of the podcast, and deadlock.
create table private.automation_execution_counts (
  podcast_id uuid not null,
  rule_id    uuid,           -- null: of deleted rules
  pending    int not null,
  running    int not null,
  completed  int not null,
  failed     int not null,
  canceled   int not null,
  constraint rule_has_one_row unique nulls not distinct (podcast_id, rule_id)
);
comment on table private.automation_execution_counts is
  'How many executions a podcast has, by rule and status: the totals of lists.';
alter table private.automation_execution_counts enable row level security;
-- No policy, no grant.

-- By the hour of created_at. These stay when the executions are purged.
create table private.automation_hourly_counts (
  podcast_id   uuid not null,
  hour         timestamptz not null,
  trigger_type public.automation_trigger not null,
  pending      int not null,
  running      int not null,
  completed    int not null,
  failed       int not null,
  canceled     int not null,
  emails       int not null,   -- actions that were not skipped, by type
  webhooks     int not null,
  updates      int not null,
  primary key (podcast_id, hour, trigger_type)
);
comment on table private.automation_hourly_counts is
  'How many executions a podcast had, by hour, trigger and status, and how many actions they ran: the statistics of a '
  'year.';
create index automation_hourly_counts_hour_idx on private.automation_hourly_counts using brin (hour);
alter table private.automation_hourly_counts enable row level security;
-- No policy, no grant.

create table private.automation_count_changes (
  podcast_id   uuid not null,
  rule_id      uuid,
  hour         timestamptz,    -- null: a purge or a test, which the statistics do not follow
  trigger_type public.automation_trigger,
  pending      int not null,
  running      int not null,
  completed    int not null,
  failed       int not null,
  canceled     int not null,
  emails       int not null,
  webhooks     int not null,
  updates      int not null
);
comment on table private.automation_count_changes is
  'Changes of automation_execution_counts and automation_hourly_counts that are not yet folded into them.';
create index automation_count_changes_podcast_id_idx on private.automation_count_changes (podcast_id);
alter table private.automation_count_changes enable row level security;
-- No policy, no grant.

create function private.count_actions(results jsonb, action_type text) returns int
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return jsonb_array_length(jsonb_path_query_array(results, '$[*] ? (@.action_type == $type && @.status != "skipped")',
    jsonb_build_object('type', action_type)));
end $$;
comment on function private.count_actions is 'How many results are of an action of this type that was not skipped.';

create function private.count_executions() returns trigger
language plpgsql security definer  -- clients may not write counts
set search_path = ''
as $$
declare
  is_broadcast constant boolean := not private.are_execution_broadcasts_paused();
  changed_ids  uuid[];
begin
  if tg_op = 'INSERT' then
    insert into private.automation_count_changes (podcast_id, rule_id, hour, trigger_type, pending, running,
      completed, failed, canceled, emails, webhooks, updates)
    select n.podcast_id, n.rule_id, case when not n.is_test then date_trunc('hour', n.created_at, 'UTC') end,
      n.trigger_type,
      count(*) filter (where n.status = 'pending'), count(*) filter (where n.status = 'running'),
      count(*) filter (where n.status = 'completed'), count(*) filter (where n.status = 'failed'),
      count(*) filter (where n.status = 'canceled'),
      sum(private.count_actions(r.own, 'send_email')), sum(private.count_actions(r.own, 'send_webhook')),
      sum(private.count_actions(r.own, 'update_field'))
    from new_rows n
    -- a retry begins with results that are counted already
    cross join lateral (values (case when n.retry_of_id is null then n.action_results else '[]' end)) r (own)
    group by 1, 2, 3, 4;
    changed_ids := array(select n.id from new_rows n limit 500);
  elsif tg_op = 'UPDATE' then
    insert into private.automation_count_changes (podcast_id, rule_id, hour, trigger_type, pending, running,
      completed, failed, canceled, emails, webhooks, updates)
    -- the row as it was and as it is, because to group them takes longer than to fold one more
    select r.podcast_id, r.rule_id, case when not r.is_test then date_trunc('hour', r.created_at, 'UTC') end,
      r.trigger_type, r.n * (r.status = 'pending')::int, r.n * (r.status = 'running')::int,
      r.n * (r.status = 'completed')::int, r.n * (r.status = 'failed')::int, r.n * (r.status = 'canceled')::int,
      r.n * private.count_actions(r.action_results, 'send_email'),
      r.n * private.count_actions(r.action_results, 'send_webhook'),
      r.n * private.count_actions(r.action_results, 'update_field')
    from (
      select 1 as n, w.podcast_id, w.rule_id, w.created_at, w.is_test, w.trigger_type, w.status, w.action_results
      from new_rows w
      union all
      select -1, o.podcast_id, o.rule_id, o.created_at, o.is_test, o.trigger_type, o.status, o.action_results
      from old_rows o) r;
    if is_broadcast then
      changed_ids := array(  -- a join of rows without statistics takes minutes for thousands
        select c.id from (select n.id, n.status from new_rows n except select o.id, o.status from old_rows o) c
        limit 500);
    end if;
  else
    insert into private.automation_count_changes (podcast_id, rule_id, hour, trigger_type, pending, running,
      completed, failed, canceled, emails, webhooks, updates)
    select o.podcast_id, o.rule_id, null, null,
      - count(*) filter (where o.status = 'pending'), - count(*) filter (where o.status = 'running'),
      - count(*) filter (where o.status = 'completed'), - count(*) filter (where o.status = 'failed'),
      - count(*) filter (where o.status = 'canceled'), 0, 0, 0
    from old_rows o
    where exists (select from public.podcasts p where p.id = o.podcast_id)
    group by 1, 2;
  end if;
  if is_broadcast and cardinality(changed_ids) > 0 then
    perform private.broadcast_executions(changed_ids);
  end if;
  return null;
end $$;
create trigger t900_count_insert after insert on public.automation_executions
  referencing new table as new_rows for each statement execute function private.count_executions();
create trigger t900_count_update after update on public.automation_executions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_executions();
create trigger t900_count_delete after delete on public.automation_executions
  referencing old table as old_rows for each statement execute function private.count_executions();

-- Runs when the executions are deleted, so that no other transaction can add a change of them.
create function private.delete_automation_counts() returns trigger
language plpgsql security definer  -- clients may not write counts
set search_path = ''
as $$
begin
  -- first, because it waits for a fold, which adds to the others
  delete from private.automation_count_changes c where c.podcast_id in (select o.id from old_rows o);
  delete from private.automation_execution_counts c where c.podcast_id in (select o.id from old_rows o);
  delete from private.automation_hourly_counts c where c.podcast_id in (select o.id from old_rows o);
  return null;
end $$;
create trigger t500_delete_automation_counts after delete on public.podcasts
  referencing old table as old_rows for each statement execute function private.delete_automation_counts();

-- Broadcasts
create function private.broadcast_executions(execution_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- direct, because realtime.send takes one message and a subtransaction for each
  insert into realtime.messages (topic, extension, event, private, payload)
  select 'automations:' || c.podcast_id, 'broadcast', 'executions_changed', true, jsonb_build_object(
    'executions', jsonb_agg(jsonb_build_object('id', c.id, 'rule_id', c.rule_id, 'status', c.status,
      'is_test', c.is_test) order by c.n) filter (where c.n <= 50),
    'has_more', count(*) > 50)
  from (
    select e.id, e.podcast_id, e.rule_id, e.status, e.is_test,
      row_number() over (partition by e.podcast_id order by e.created_at desc, e.id desc) as n
    from public.automation_executions e where e.id = any (execution_ids)) c
  group by c.podcast_id;
exception
  when check_violation then  -- no partition of today: Realtime sleeps, because there are no subscribers
    null;
  when others then
    raise warning 'Changed executions are not broadcast: %', sqlerrm;
end $$;
comment on function private.broadcast_executions is
  'Tells front ends that these executions are new or have another status: one message per podcast, with at most 50 of '
  'them, on the private topic automations:<podcast id>. A failure is a warning: a broadcast may be lost, the change of '
  'the caller may not.';

create function private.pause_execution_broadcasts(is_paused boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.pauses_execution_broadcasts', is_paused::text, true);
end $$;
comment on function private.pause_execution_broadcasts is
  'For a transaction that changes many executions one by one, and then sends one message itself: Realtime drops '
  'everyone''s messages above its rate.';

create function private.are_execution_broadcasts_paused() returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce(current_setting('castbase.pauses_execution_broadcasts', true), '') = 'true';
end $$;
comment on function private.are_execution_broadcasts_paused is 'Whether this transaction sends its own broadcasts.';
