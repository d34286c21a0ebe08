-- Reads one execution.
create function public.get_automation_execution(execution_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_automation_role('execution', get_automation_execution.execution_id);
  return (
    select jsonb_build_object('execution', private.automation_execution_json(e))
    from public.automation_executions e where e.id = get_automation_execution.execution_id);
end $$;
comment on function public.get_automation_execution is
  'GET /api/automations/executions/{id}: {execution}. Requires admin. 403, 404.';
grant execute on function public.get_automation_execution to authenticated;
