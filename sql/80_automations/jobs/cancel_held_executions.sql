-- Executions that wait for longer than they may until their paused rule is resumed.
create function private.cancel_held_executions(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  listed    record;
  execution public.automation_executions;
  canceled  int := 0;
begin
  for listed in
    select e.id from public.automation_executions e where e.held_until <= at
    order by e.podcast_id, e.rule_id, e.created_at, e.id limit 500  -- as run_automation_executions locks
  loop
    execution := private.lock_execution(listed.id, true);
    if execution.held_until <= at then
      perform private.hold_execution(execution, at);
      canceled := canceled + 1;
    end if;
  end loop;
  return canceled;
end $$;
comment on function private.cancel_held_executions is
  'Cancels the executions whose rule was not resumed within seven days, at most 500 per run. Cron calls it every ten '
  'minutes. Returns how many.';
