-- Lists a podcast's executions, newest first.
create function private.list_automation_executions(
  _podcast_id uuid, _rule_id uuid, _status public.automation_execution_status, max_rows int, row_offset int
) returns jsonb
language plpgsql stable security definer  -- under policies, a comparison of an enum can use no index
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- each set of filters has its own index
as $$
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.require_page(max_rows, row_offset);
  return jsonb_build_object(
    'executions', (
      select coalesce(jsonb_agg(private.automation_execution_json(p.e)
        || jsonb_build_object('automation_rules', jsonb_build_object('name', coalesce(r.name, (p.e).rule_name)))
        order by (p.e).created_at desc, (p.e).id desc), '[]')
      from (
        select e from public.automation_executions e
        where e.podcast_id = _podcast_id
          and (_rule_id is null or e.rule_id = _rule_id)
          and (_status is null or e.status = _status)
        order by e.created_at desc, e.id desc limit max_rows offset row_offset) p
      left join public.automation_rules r on r.id = (p.e).rule_id),
    'total', (
      select count(*) from public.automation_executions e
      where e.podcast_id = _podcast_id
        and (_rule_id is null or e.rule_id = _rule_id)
        and (_status is null or e.status = _status)));
end $$;
grant execute on function private.list_automation_executions to authenticated;

create function public.list_automation_executions(
  podcast_id uuid, rule_id uuid default null, status public.automation_execution_status default null,
  "limit" int default 50, "offset" int default 0) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_automation_executions(podcast_id, rule_id, status, "limit", "offset");
comment on function public.list_automation_executions is
  'GET /api/automations/executions: {executions, total}, newest first, each with automation_rules: {name}, the name '
  'that a deleted rule had. limit 1 to 200, offset from 0. Requires admin. 400, 403, 404.';
grant execute on function public.list_automation_executions to authenticated;
