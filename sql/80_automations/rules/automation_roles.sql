-- The role check of the functions that name a template, rule, execution or address.
create function private.require_automation_role(kind text, _id uuid) returns uuid
language plpgsql stable security definer  -- distinguishes a missing row from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  perform private.require_user();
  select r.podcast_id into podcast_id from (
    select t.podcast_id from public.automation_templates t where kind = 'template' and t.id = _id
    union all
    select u.podcast_id from public.automation_rules u where kind = 'rule' and u.id = _id
    union all
    select e.podcast_id from public.automation_executions e
    where kind = 'execution' and e.id = _id
    union all
    select a.podcast_id from public.automation_addresses a where kind = 'address' and a.id = _id
  ) r;
  if not found then
    raise sqlstate 'PT404' using message = case kind when 'template' then 'Template not found'
      when 'address' then 'Address not found' else format('Automation %s not found', kind) end;
  end if;
  perform private.require_role(podcast_id, 'admin');
  return podcast_id;
end $$;
comment on function private.require_automation_role is
  'Requires the admin role on the podcast of a template, rule, execution or address, and returns the podcast. PT401, '
  'PT403, PT404.';
grant execute on function private.require_automation_role to authenticated;
