-- Lists a podcast's executions, newest first.
create function private.list_automation_executions(
  podcast_id uuid, rule_id uuid, status public.automation_execution_status, max_rows int, row_offset int) returns jsonb
language plpgsql stable security definer  -- under policies, a comparison of an enum can use no index
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- each set of filters has its own index
as $$
begin
  perform private.require_role(list_automation_executions.podcast_id, 'admin');
  perform private.require_page(max_rows, row_offset);
  return jsonb_build_object(
    'executions', (
      select coalesce(jsonb_agg(private.automation_execution_json(p.e)
        || jsonb_build_object('automation_rules', jsonb_build_object('name', coalesce(r.name, (p.e).rule_name)))
        order by (p.e).created_at desc, (p.e).id desc), '[]')
      from (
        select e from public.automation_executions e
        where e.podcast_id = list_automation_executions.podcast_id
          and (list_automation_executions.rule_id is null or e.rule_id = list_automation_executions.rule_id)
          and (list_automation_executions.status is null or e.status = list_automation_executions.status)
        order by e.created_at desc, e.id desc limit max_rows offset row_offset) p
      left join public.automation_rules r on r.id = (p.e).rule_id),
    'total', (
      select count(*) from public.automation_executions e
      where e.podcast_id = list_automation_executions.podcast_id
        and (list_automation_executions.rule_id is null or e.rule_id = list_automation_executions.rule_id)
        and (list_automation_executions.status is null or e.status = list_automation_executions.status)));
end $$;
comment on function private.list_automation_executions is
  'Implementation of list_automation_executions (security definer). Checks the role itself.';
grant execute on function private.list_automation_executions to authenticated;

create function public.list_automation_executions(
  podcast_id uuid, rule_id uuid default null, status public.automation_execution_status default null,
  "limit" int default 50, "offset" int default 0) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.list_automation_executions(list_automation_executions.podcast_id, list_automation_executions.rule_id,
    list_automation_executions.status, list_automation_executions."limit", list_automation_executions."offset");
end $$;
comment on function public.list_automation_executions is
  'GET /api/automations/executions: {executions, total}, newest first, each with automation_rules: {name}, the name '
  'that a deleted rule had. limit 1 to 200, offset from 0. Requires admin. 400, 403, 404.';
grant execute on function public.list_automation_executions to authenticated;
