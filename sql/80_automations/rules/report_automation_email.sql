-- What worker, provider and recipient report of an email shows in the results of its execution.
create function private.automation_email_state(delivery public.notification_deliveries) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'status', case when delivery.status in ('pending', 'queued') then 'sending' else delivery.status::text end,
    'send_at', case when delivery.status = 'pending' and delivery.due_at > delivery.created_at
      then private.format_timestamp(delivery.due_at) end,
    'reason', case delivery.status
      -- never the server's words, which may name the operator's systems
      when 'failed' then case when exists (
        select from private.delivery_addresses a, private.suppressions_of(a.email) s
        where a.delivery_id = delivery.id and s.reason = 'complaint')
        then 'The recipient reported the email as spam'
        else 'The mail server could not be reached, or refused the email' end
      when 'bounced' then 'The address does not receive email'
      when 'canceled' then coalesce(
        (select s.last_error from private.delivery_sends s where s.delivery_id = delivery.id),
        'The email was canceled') end));
end $$;
comment on function private.automation_email_state is
  'The state of a delivery as the result of an action shows it: {status, send_at, reason}.';

create function private.automation_email_counts(_email_ids uuid[])
returns table (counts jsonb, are_canceled boolean)
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
      'sent_count', count(*) filter (where d.status in ('sent', 'delivered', 'opened', 'clicked')),
      'failed_count', count(*) filter (where d.status in ('bounced', 'failed', 'canceled'))),
    coalesce(bool_and(d.status = 'canceled'), false)
  from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
  where a.source_id = any ($1)
$$;
comment on function private.automation_email_counts is
  'How many emails were accepted by the provider, and how many failed, bounced or were canceled; and whether all were '
  'canceled, which is final.';

create function private.report_automation_email() returns trigger
language plpgsql security definer  -- workers, providers and recipients may not write executions
set search_path = ''
as $$
declare
  email        private.automation_emails;
  execution_id uuid;
  execution    public.automation_executions;
  changed      jsonb;
  state        jsonb;
begin
  select e.* into email from private.delivery_addresses a join private.automation_emails e on e.id = a.source_id
  where a.delivery_id = new.id;
  execution_id := email.execution_id;
  state := private.automation_email_state(new);
  select x.* into execution from public.automation_executions x where x.id = execution_id;
  -- Deletions of both lock retries before what they retry. The delivery is before all of them, as nothing that holds an
  -- execution, its rule or its podcast waits for a delivery that exists.
  perform from public.podcasts p where p.id = execution.podcast_id for key share;
  perform from public.automation_rules r where r.id = execution.rule_id for key share;
  while execution_id is not null loop
    select x.* into execution from public.automation_executions x where x.id = execution_id for no key update;
    exit when not found;
    select jsonb_agg(case when r.entry ->> 'action_id' = email.action_id::text
        then jsonb_set(r.entry, '{result}', (r.entry -> 'result') || c.counts || jsonb_build_object('recipients', (
          select coalesce(jsonb_agg(case when l.listed ->> 'id' = email.id::text
            then (l.listed - '{status,send_at,reason}'::text[]) || state else l.listed end order by l.n), '[]')
          from jsonb_array_elements(r.entry #> '{result,recipients}') with ordinality l (listed, n)))
          || case when c.are_canceled then jsonb_build_object('reason', state -> 'reason') else '{}' end)
          || case when c.are_canceled then '{"status": "skipped"}' else '{}'::jsonb end
        else r.entry end order by r.n)
    into changed
    from jsonb_array_elements(execution.action_results) with ordinality r (entry, n)
    cross join private.automation_email_counts(array(
      select o.id from private.automation_emails o
      where o.execution_id = email.execution_id and o.action_id = email.action_id)) c
    where execution.action_results @? format(
      '$[*] ? (@.action_id == "%s" && exists (@.result.recipients))', email.action_id)::jsonpath;
    if changed is distinct from execution.action_results and changed is not null then
      update public.automation_executions x set action_results = changed where x.id = execution.id;
    end if;
    -- a retry repeats the results of what was done before it
    execution_id := (select x.id from public.automation_executions x where x.retry_of_id = execution.id);
  end loop;
  return null;
end $$;
comment on function private.report_automation_email is
  'Trigger: writes what became of an email into the result of its action, also in retries of its execution. An action '
  'whose emails were all canceled when they were to be sent was skipped. Each report holds its delivery, so reports '
  'arrive in order.';
create trigger t900_report_automation_email after update of status, due_at on public.notification_deliveries
  for each row when (new.type = 'automation.email'
    and (old.status, old.due_at) is distinct from (new.status, new.due_at)
    -- the job that queues many emails must not wait for executions
    and not (old.status = 'pending' and new.status = 'queued'))
  execute function private.report_automation_email();
