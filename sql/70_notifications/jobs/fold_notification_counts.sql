-- Adds the recorded changes to the counts. Cron calls it; two calls at once share the users between them.
create function private.fold_notification_counts() returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  folded_count bigint;
begin
  with locked as (
    select c.user_id, c.category from private.notification_counts c
    where (c.user_id, c.category) in (
      select n.user_id, n.category from private.notification_count_changes n)
    for update skip locked
  ), taken as (
    delete from private.notification_count_changes n using locked l
    where (n.user_id, n.category) = (l.user_id, l.category)
    returning n.*
  ), changes as (
    select t.user_id, t.category, sum(t.inbox) as inbox, sum(t.unread) as unread,
      sum(t.needs_attention) as needs_attention, sum(t.archived) as archived, count(*) as n
    from taken t group by t.user_id, t.category
  ), folded as (
    update private.notification_counts c set inbox = c.inbox + d.inbox, unread = c.unread + d.unread,
      needs_attention = c.needs_attention + d.needs_attention, archived = c.archived + d.archived
    from changes d where (c.user_id, c.category) = (d.user_id, d.category)
    returning d.n
  )
  select coalesce(sum(f.n), 0) into folded_count from folded f;
  return folded_count;
end $$;
comment on function private.fold_notification_counts is
  'Moves notification_count_changes into notification_counts; returns their number. Scheduled every 10 seconds.';
-- No grant: cron runs it as the owner.
