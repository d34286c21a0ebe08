-- Lists a podcast's executions, newest first.
create function private.count_listed_executions(
  _podcast_id uuid, _rule_id uuid, _status public.automation_execution_status) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(sum(case _status when 'pending' then c.pending when 'running' then c.running
      when 'completed' then c.completed when 'failed' then c.failed when 'canceled' then c.canceled
      else c.pending + c.running + c.completed + c.failed + c.canceled end), 0)
    from (
      select n.rule_id, n.pending, n.running, n.completed, n.failed, n.canceled
      from private.automation_execution_counts n where n.podcast_id = _podcast_id
      union all
      select n.rule_id, n.pending, n.running, n.completed, n.failed, n.canceled
      from private.automation_count_changes n where n.podcast_id = _podcast_id) c
    where _rule_id is null or c.rule_id = _rule_id);
end $$;
comment on function private.count_listed_executions is
  'How many executions a podcast has, by the counts: of a rule and a status, where these are not null.';

create function private.list_automation_executions(
  _podcast_id uuid, _rule_id uuid, _status public.automation_execution_status, max_rows int, row_offset int,
  _booking_id uuid, _episode_id uuid, _guest_email text, created_from timestamptz, created_to timestamptz,
  _is_test boolean
) returns jsonb
language plpgsql stable security definer  -- under policies, a comparison of an enum can use no index
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- each set of filters has its own index
as $$
declare
  has_counts constant boolean := num_nonnulls(_booking_id, _episode_id, _guest_email, created_from, created_to,
    _is_test) = 0;
  email      constant text := private.normalize_email(_guest_email);
begin
  perform private.require_role(_podcast_id, 'admin');
  max_rows := private.require_page(max_rows, row_offset);
  if _rule_id is not null and not exists (
    select from public.automation_rules r where r.id = _rule_id and r.podcast_id = _podcast_id) then
    return '{"executions": [], "total": 0}';
  end if;
  return (
    with matching as not materialized (
      select e.id, e.created_at from public.automation_executions e
      where case when _rule_id is null then e.podcast_id = _podcast_id else e.rule_id = _rule_id end  -- one index each
        and (_status is null or e.status = _status)
        and (_booking_id is null or e.booking_id = _booking_id)
        and (_episode_id is null or e.episode_id = _episode_id)
        and (email is null or e.guest_email = email)
        and (created_from is null or e.created_at >= created_from)
        and (created_to is null or e.created_at < created_to)
        and (_is_test is null or e.is_test = _is_test)
    ), page as materialized (
      select m.id from matching m order by m.created_at desc, m.id desc limit max_rows offset row_offset
    )
    select jsonb_build_object(
      'executions', (
        select coalesce(jsonb_agg(private.automation_execution_json(e)
          || jsonb_build_object('automation_rules', jsonb_build_object('name', coalesce(r.name, e.rule_name)))
          order by e.created_at desc, e.id desc), '[]')
        from page p
        join public.automation_executions e on e.id = p.id
        left join public.automation_rules r on r.id = e.rule_id),
      'total', case when has_counts then private.count_listed_executions(_podcast_id, _rule_id, _status)
        else (select count(*) from (select from matching m limit 100000) c) end));
end $$;
grant execute on function private.list_automation_executions to authenticated;

create function public.list_automation_executions(
  podcast_id uuid, rule_id uuid default null, status public.automation_execution_status default null,
  "limit" int default 50, "offset" int default 0, booking_id uuid default null, episode_id uuid default null,
  guest_email text default null, created_from timestamptz default null, created_to timestamptz default null,
  is_test boolean default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_automation_executions(podcast_id, rule_id, status, "limit", "offset", booking_id, episode_id,
  guest_email, created_from, created_to, is_test);
comment on function public.list_automation_executions is
  'GET /api/automations/executions: {executions, total}, newest first, each with automation_rules: {name}, the name '
  'that a deleted rule had. At most 200; limit from 1, offset from 0. Created at or after created_from, and before '
  'created_to; without is_test, tests too. With filters other than rule_id and status, total counts at most 100,000. '
  'Requires admin. 400, 403, 404.';
grant execute on function public.list_automation_executions to authenticated;
