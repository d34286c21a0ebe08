// A recount of notifications, to compare with the counts that the database maintains.

/** The counts of a user that are not zero, and a recount, both in the snapshot of the statement that calls it. */
export const RECOUNT = `
  create function tests.counts_and_recount(user_id uuid, at timestamptz, out counts jsonb, out recount jsonb)
  language plpgsql stable as $$
  begin
    perform set_config('request.jwt.claims', jsonb_build_object('sub', user_id)::text, true);
    select
      (select coalesce(jsonb_agg(to_jsonb(c) order by c.category), '[]')
       from private.my_notification_counts(counts_and_recount.at) c
       where row(c.inbox, c.unread, c.needs_attention, c.archived) <> row(0, 0, 0, 0)),
      (select coalesce(jsonb_agg(to_jsonb(c) order by c.category), '[]')
       from (
         select n.category, count(*) filter (where n.archived_at is null and n.is_due) as inbox,
           count(*) filter (where n.read_at is null and n.is_due) as unread,
           count(*) filter (where n.read_at is null and n.priority = 'immediate') as needs_attention,
           count(n.archived_at) as archived
         from (select o.*, o.scheduled_for is null or o.scheduled_for <= counts_and_recount.at as is_due
           from public.notifications o where o.user_id = counts_and_recount.user_id) n
         group by n.category
       ) c
       where row(c.inbox, c.unread, c.needs_attention, c.archived) <> row(0, 0, 0, 0))
    into counts, recount;
  end $$`;
