-- Lists a podcast's templates, newest first.
create function private.require_page(max_rows int, row_offset int) returns int
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if max_rows is null or max_rows < 1 then
    raise sqlstate 'PT400' using message = 'limit must be at least 1';
  elsif row_offset is null or row_offset not between 0 and 100000 then
    raise sqlstate 'PT400' using message = 'offset must be between 0 and 100000';
  end if;
  return least(max_rows, 200);
end $$;
comment on function private.require_page is
  'The rows of a page of a list of automations: limit, at most 200. PT400 unless limit and offset are in their range.';
grant execute on function private.require_page to authenticated;  -- public functions run as their caller

create function public.list_automation_templates(
  podcast_id uuid, category public.automation_template_category default null, "limit" int default 100,
  "offset" int default 0) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_rows int;
begin
  perform private.require_role(list_automation_templates.podcast_id, 'admin');
  max_rows := private.require_page(list_automation_templates."limit", list_automation_templates."offset");
  return (
    with matching as (
      select t, row_number() over (order by t.created_at desc, t.id desc) as n from public.automation_templates t
      where t.podcast_id = list_automation_templates.podcast_id
        and (list_automation_templates.category is null or t.category = list_automation_templates.category))
    select jsonb_build_object(
      'templates', coalesce(jsonb_agg(private.automation_template_json(m.t) order by m.n) filter (
        where m.n > list_automation_templates."offset"
          and m.n <= list_automation_templates."offset" + max_rows), '[]'),
      'total', count(*))
    from matching m);
end $$;
comment on function public.list_automation_templates is
  'GET /api/automations/templates: {templates, total}, newest first, at most 200. limit from 1, offset from 0. '
  'Requires admin. 400, 403, 404.';
grant execute on function public.list_automation_templates to authenticated;
