-- Resumes a canceled import: with its remaining items, its preview, or the proof of ownership that it still requires.
create function private.resume_import(_import_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import public.podcast_imports := private.lock_import(_import_id);
  error  jsonb;
begin
  perform private.reject_hosting_migration(import);
  if import.status <> 'canceled' then
    perform private.raise_invalid_import_state(import, 'only canceled imports can be resumed');
  elsif import.staged_at is null then
    perform private.raise_invalid_import_state(import, 'its feed was not fully read. Start a new import');
  end if;
  if import.started_at is not null then
    error := private.dispatch_and_run_import(import, retry_statuses => '{skipped_canceled}');
  else
    perform private.require_no_import_in_flight(import.podcast_id, import.id);
    begin
      update public.podcast_imports i set status = case
        when i.verification_method is null then 'preview' else 'verification_required' end::public.import_status
      where i.id = import.id;
    exception when unique_violation then
      -- raises if a concurrent import caused it
      perform private.require_no_import_in_flight(import.podcast_id, import.id);
      raise;
    end;
  end if;
  return coalesce(error, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id)));
end $$;
grant execute on function private.resume_import to authenticated;

create function public.resume_import(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.resume_import(import_id);
comment on function public.resume_import is
  'POST /api/imports/{id}/resume: {status}. An import that was never confirmed returns to preview or '
  'verification_required; a confirmed one runs with its remaining items. Requires admin. 403, 404, 409 '
  'INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION or IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: it '
  'stays canceled.';
grant execute on function public.resume_import to authenticated;
