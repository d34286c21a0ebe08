-- Counts a podcast's executions of the last days, by trigger and by action.
create function private.get_automation_stats(_podcast_id uuid, _days int, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- time is a parameter, which clients may not choose
set search_path = ''
as $$
begin
  perform private.require_role(_podcast_id, 'admin');
  if _days is null or _days not between 1 and 365 then
    raise sqlstate 'PT400' using message = 'days must be between 1 and 365';
  end if;
  return (
    with counted as materialized (
      select e.trigger_type, e.status, e.occurrence_id, e.action_results from public.automation_executions e
      where e.podcast_id = _podcast_id
        and e.created_at > at - make_interval(days => _days))
    select jsonb_build_object('stats', jsonb_build_object(
      'total', count(*),
      'completed', count(*) filter (where c.status = 'completed'),
      'failed', count(*) filter (where c.status = 'failed'),
      'pending', count(*) filter (where c.status in ('pending', 'running')),
      'by_trigger', (
        select coalesce(jsonb_object_agg(t.trigger_type, t.n), '{}')
        from (select o.trigger_type, count(*) as n from counted o group by 1) t),
      'by_action', (
        select coalesce(jsonb_object_agg(a.action_type, a.n), '{}')
        from (
          -- a retry repeats the results of what had completed
          select r.entry ->> 'action_type' as action_type,
            count(distinct (o.occurrence_id, r.entry ->> 'action_id')) as n
          from counted o cross join lateral jsonb_array_elements(o.action_results) r (entry)
          where r.entry ->> 'status' <> 'skipped' group by 1) a)))
    from counted c);
end $$;
grant execute on function private.get_automation_stats to authenticated;

create function public.get_automation_stats(podcast_id uuid, days int default 30) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_automation_stats(podcast_id, days);
comment on function public.get_automation_stats is
  'GET /api/automations/executions/stats: {stats: {total, completed, failed, pending, by_trigger, by_action}} of the '
  'last days (1 to 365). pending counts running ones too; total also counts canceled ones. Requires admin. 400, 403, '
  '404.';
grant execute on function public.get_automation_stats to authenticated;
