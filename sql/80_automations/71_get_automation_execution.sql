-- Reads one execution.
create function private.require_automation_execution_role(execution_id uuid) returns uuid
language plpgsql stable security definer  -- distinguishes a missing execution from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  perform private.require_user();
  select e.podcast_id into podcast_id from public.automation_executions e
  where e.id = require_automation_execution_role.execution_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Automation execution not found';
  end if;
  perform private.require_role(podcast_id, 'admin');
  return podcast_id;
end $$;
comment on function private.require_automation_execution_role is
  'Requires the admin role on the podcast of an execution, and returns the podcast. PT401, PT403, PT404.';
grant execute on function private.require_automation_execution_role to authenticated;

create function public.get_automation_execution(execution_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_automation_execution_role(get_automation_execution.execution_id);
  return (
    select jsonb_build_object('execution', private.automation_execution_json(e))
    from public.automation_executions e where e.id = get_automation_execution.execution_id);
end $$;
comment on function public.get_automation_execution is
  'GET /api/automations/executions/{id}: {execution}. Requires admin. 403, 404.';
grant execute on function public.get_automation_execution to authenticated;
