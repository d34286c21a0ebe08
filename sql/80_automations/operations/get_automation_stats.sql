-- Counts a podcast's executions of the last days, by trigger and by action.
create function private.get_automation_stats(_podcast_id uuid, _days int, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- clients may not read the counts
set search_path = ''
as $$
declare
  since constant timestamptz := date_trunc('hour', at - make_interval(days => _days), 'UTC');
begin
  perform private.require_role(_podcast_id, 'admin');
  if _days is null or _days not between 1 and 365 then
    raise sqlstate 'PT400' using message = 'days must be between 1 and 365';
  end if;
  return (
    with counts as (
      select h.trigger_type, h.pending, h.running, h.completed, h.failed, h.canceled, h.emails, h.webhooks, h.updates
      from private.automation_hourly_counts h where h.podcast_id = _podcast_id and h.hour >= since
      union all
      select n.trigger_type, n.pending, n.running, n.completed, n.failed, n.canceled, n.emails, n.webhooks, n.updates
      from private.automation_count_changes n where n.podcast_id = _podcast_id and n.hour >= since
    ), per_trigger as (
      select c.trigger_type, sum(c.pending + c.running) as pending, sum(c.completed) as completed,
        sum(c.failed) as failed, sum(c.pending + c.running + c.completed + c.failed + c.canceled) as total,
        sum(c.emails) as emails, sum(c.webhooks) as webhooks, sum(c.updates) as updates
      from counts c group by c.trigger_type)
    select jsonb_build_object('stats', jsonb_build_object(
      'total', coalesce(sum(t.total), 0), 'completed', coalesce(sum(t.completed), 0),
      'failed', coalesce(sum(t.failed), 0), 'pending', coalesce(sum(t.pending), 0),
      'by_trigger', coalesce(jsonb_object_agg(t.trigger_type, t.total) filter (where t.total > 0), '{}'),
      'by_action', jsonb_strip_nulls(jsonb_build_object('send_email', nullif(sum(t.emails), 0),
        'send_webhook', nullif(sum(t.webhooks), 0), 'update_field', nullif(sum(t.updates), 0)))))
    from per_trigger t);
end $$;
grant execute on function private.get_automation_stats to authenticated;

create function public.get_automation_stats(podcast_id uuid, days int default 30) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_automation_stats(podcast_id, days);
comment on function public.get_automation_stats is
  'GET /api/automations/executions/stats: {stats: {total, completed, failed, pending, by_trigger, by_action}} of the '
  'last days (1 to 365), from the start of an hour on. pending counts running ones too; total also counts canceled '
  'ones. Purged executions count. Requires admin. 400, 403, 404.';
grant execute on function public.get_automation_stats to authenticated;
