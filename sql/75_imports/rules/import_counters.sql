-- An import's counters and its final status follow the item rows, for every writer. These statement triggers update the
-- import's row: see the order of locks in import_helpers.sql.
create function private.add_to_import_counters(
  _import_id uuid, total bigint, completed bigint, failed bigint, skipped bigint) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_imports i set
    total_items = i.total_items + total, completed_count = i.completed_count + completed,
    failed_count = i.failed_count + failed, skipped_count = i.skipped_count + skipped
  where i.id = _import_id and (total, completed, failed, skipped) <> (0, 0, 0, 0);
end $$;
comment on function private.add_to_import_counters is 'Adds to the counters of an import.';

create function private.count_import_items() returns trigger
language plpgsql security definer  -- clients may not write the counters
set search_path = ''
as $$
begin
  -- skipped statuses are the last ones of the enum
  case tg_op
    when 'INSERT' then
      perform private.add_to_import_counters(n.import_id, count(*), count(*) filter (where n.status = 'completed'),
        count(*) filter (where n.status = 'failed'), count(*) filter (where n.status >= 'skipped_duplicate'))
      from new_rows n group by n.import_id order by n.import_id;
    when 'DELETE' then
      perform private.add_to_import_counters(o.import_id, -count(*), -count(*) filter (where o.status = 'completed'),
        -count(*) filter (where o.status = 'failed'), -count(*) filter (where o.status >= 'skipped_duplicate'))
      from old_rows o group by o.import_id order by o.import_id;
    else  -- keeps the total, and counts closed items
      perform private.add_to_import_counters(c.import_id, 0,
        coalesce(sum(c.sign) filter (where c.status = 'completed'), 0),
        coalesce(sum(c.sign) filter (where c.status = 'failed'), 0),
        coalesce(sum(c.sign) filter (where c.status >= 'skipped_duplicate'), 0))
      from (
        select n.import_id, n.status, 1 as sign from new_rows n where n.status >= 'completed'
        union all
        select o.import_id, o.status, -1 from old_rows o where o.status >= 'completed'
      ) c
      group by c.import_id order by c.import_id;
  end case;
  return null;
end $$;
create trigger t500_count_inserted after insert on public.podcast_import_items
  referencing new table as new_rows for each statement execute function private.count_import_items();
create trigger t500_count_updated after update on public.podcast_import_items
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_import_items();
create trigger t500_count_deleted after delete on public.podcast_import_items
  referencing old table as old_rows for each statement execute function private.count_import_items();

-- A running import without open items has finished, even if it was set running by the same statement. Else its new
-- episode is announced by a message that waits, or by a new one (90_feeds).
create function private.finish_import_when_done() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.completed_count + new.failed_count + new.skipped_count = new.total_items then
    new.status := case
      when new.failed_count = 0 then 'completed' when new.completed_count = 0 then 'failed' else 'partial' end;
    new.finished_at := now();
  elsif new.completed_count > old.completed_count
      -- a message that becomes visible so soon may be claimed before this transaction commits
      and coalesce(new.feed_due_at <= clock_timestamp() + interval '5 seconds', true) then
    new.feed_due_at := clock_timestamp() + interval '15 seconds';
  end if;
  return new;
end $$;
create trigger t500_finish_when_done
  before update of status, total_items, completed_count, failed_count, skipped_count on public.podcast_imports
  for each row when (new.status = 'running') execute function private.finish_import_when_done();

-- After
create function private.announce_finished_import() returns trigger
language plpgsql security definer  -- clients may not write events
set search_path = ''
as $$
begin
  perform private.notify(
    case new.status when 'failed' then 'import.failed' else 'import.completed' end,
    private.user_recipients(new.created_by),
    jsonb_build_object(
      'user_id', new.created_by, 'podcast_id', new.podcast_id, 'import_id', new.id, 'status', new.status,
      'completed_count', new.completed_count, 'failed_count', new.failed_count, 'skipped_count', new.skipped_count)
    || jsonb_strip_nulls(jsonb_build_object('error_code', new.error_code))
    || case new.status when 'partial' then '{"params": {"variant": "partial"}}' else '{}' end::jsonb);
  return null;
end $$;
create trigger t900_announce_finished after update on public.podcast_imports
  for each row when (old.status is distinct from new.status and new.status in ('completed', 'partial', 'failed'))
  execute function private.announce_finished_import();
