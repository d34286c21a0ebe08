-- Counts notifications that have become due. The update also tells front ends that they are due.
create function private.release_due_notifications(at timestamptz default now(), max_rows int default 10000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  released_count int;
begin
  update public.notifications n set released_for = n.scheduled_for
  where n.id in (
    select o.id from public.notifications o
    where o.archived_at is null and o.scheduled_for is distinct from o.released_for
      and o.scheduled_for <= at
    limit max_rows for no key update skip locked);
  get diagnostics released_count = row_count;
  return released_count;
end $$;
comment on function private.release_due_notifications is
  'Sets released_for of at most max_rows notifications that are due; returns their number. Scheduled every 10 seconds.';
-- No grant: cron runs it as the owner.
