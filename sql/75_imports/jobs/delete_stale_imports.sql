-- Deletes imports whose reader made no progress for ten minutes. A scheduled job; start_import calls it as well, so
-- that a dead reader does not block the next import.
create function private.delete_stale_imports(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  deleted int;
begin
  delete from public.podcast_imports i where i.id in (
    select o.id from public.podcast_imports o
    where o.status = 'pending' and o.updated_at < at - interval '10 minutes'
    order by o.id for update skip locked);
  get diagnostics deleted = row_count;
  delete from private.import_credentials c using public.podcast_imports i
  where i.id = c.import_id
    and coalesce(i.finished_at + interval '7 days', i.created_at + interval '30 days') < at;
  return deleted;
end $$;
comment on function private.delete_stale_imports is
  'Deletes imports that are pending without progress for ten minutes, and returns how many. Deletes the logins of '
  'feeds a week after their import has finished, and of an unfinished one after 30 days.';
