-- Whether the old feed's address leads listeners to ours, and what to do at the old host next. SQL cannot fetch: the
-- route checks at once, and an RPC call leaves the check to the worker.
create function private.get_import_switch(_import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write checks
set search_path = ''
as $$
declare
  import public.podcast_imports := private.require_import_role(_import_id);
  checked private.import_switch_checks;
begin
  if import.status not in ('completed', 'partial') then
    perform private.raise_invalid_import_state(import, 'the switch can be checked when it has completed');
  end if;
  select * into checked from private.import_switch_checks c where c.import_id = import.id;
  if not found or checked.requested_at <= at - interval '1 minute' then
    perform private.consume_rate_limit('import_switch_checks:' || import.podcast_id, 60, interval '1 hour', at);
    insert into private.import_switch_checks as c (import_id, requested_at) values (import.id, at)
    on conflict (import_id) do update set requested_at = excluded.requested_at
    returning * into checked;
    if current_setting('castbase.called_by_edge_function', true) is distinct from 'yes' then
      perform private.enqueue('import_feeds', jsonb_build_object(
        'type', 'check_switch', 'import_id', import.id, 'podcast_id', import.podcast_id));
    end if;
  end if;
  return jsonb_build_object('importId', import.id,
    'isChecking', checked.checked_at is null or checked.checked_at < checked.requested_at,
    'checkedAt', private.format_timestamp(checked.checked_at), 'result', checked.result);
end $$;
grant execute on function private.get_import_switch to authenticated;

create function public.get_import_switch(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.get_import_switch(import_id);
comment on function public.get_import_switch is
  'GET /api/imports/{id}/switch, first step: {importId, isChecking, checkedAt, result}: what the old feed''s address '
  'last responded, and the steps at the old host. A result that is older than a minute is checked again: by the route '
  'at once, after an RPC call by the worker. Requires admin. 403, 404, 409 INVALID_IMPORT_STATE unless the import is '
  'completed or partial, 429: 60 checks an hour per podcast.';
grant execute on function public.get_import_switch to authenticated;
