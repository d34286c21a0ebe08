-- Emails of executions: the source that private.delivery_addresses names, so that each attempt renders it again, and
-- that a report about the delivery finds its execution.
create table private.automation_emails (
  id           uuid primary key default gen_random_uuid(),
  execution_id uuid not null references public.automation_executions on delete cascade,
  action_id    uuid not null  -- no reference: an action can be deleted while its email waits
);
comment on table private.automation_emails is
  'The emails of executions, one per recipient. private.delivery_addresses.source_id names them, as does the '
  'id of each recipient in the result of the action.';
create index automation_emails_execution_id_idx on private.automation_emails (execution_id, action_id);
alter table private.automation_emails enable row level security;
-- No policy, no grant.
