-- Statuses of podcasts, with the columns that each requires.
create function tests.set_status(podcast text, status public.podcast_status, at timestamptz default now()) returns void
language plpgsql security definer as $$
begin
  update public.podcasts p set
    status = set_status.status,
    paused_at = case set_status.status when 'paused' then at when 'pending_deletion' then p.paused_at end,
    pause_expires_at = case set_status.status
      when 'paused' then at + interval '90 days' when 'pending_deletion' then p.pause_expires_at end,
    deletion_requested_at = case set_status.status when 'pending_deletion' then at end,
    deletion_scheduled_at = case set_status.status when 'pending_deletion' then at + interval '90 days' end,
    deletion_redirect_url = null
  where p.id = tests.id(podcast);
end $$;

create function tests.set_plan(person text, plan_code text) returns void language plpgsql security definer as $$
begin
  update public.billing_accounts a set plan_code = set_plan.plan_code where a.user_id = tests.id(person);
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the functions that set a status and a plan are created']);
