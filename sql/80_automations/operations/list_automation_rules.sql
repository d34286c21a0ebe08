-- Lists a podcast's rules, newest first. There are at most 100.
create function public.list_automation_rules(podcast_id uuid, is_enabled boolean default null) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_role(list_automation_rules.podcast_id, 'admin');
  return (
    select jsonb_build_object(
      'rules', coalesce(jsonb_agg(private.automation_rule_json(r) order by r.created_at desc, r.id desc), '[]'),
      'total', count(*))
    from public.automation_rules r
    where r.podcast_id = list_automation_rules.podcast_id
      and (list_automation_rules.is_enabled is null or r.is_enabled = list_automation_rules.is_enabled));
end $$;
comment on function public.list_automation_rules is
  'GET /api/automations/rules: {rules, total} with automation_actions, newest first. Requires admin. 403, 404.';
grant execute on function public.list_automation_rules to authenticated;
