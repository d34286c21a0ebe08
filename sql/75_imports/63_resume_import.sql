-- Goes on with a canceled import where it was: with its items, its preview, or the proof of ownership that it still owes.
create function private.resume_import(import_id uuid) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
declare
  import  public.podcast_imports := private.lock_import(resume_import.import_id);
  refusal jsonb;
begin
  perform private.reject_hosting_migration(import);
  if import.status <> 'canceled' then
    perform private.raise_invalid_import_state(import, 'only a canceled one is resumed');
  elsif import.staged_at is null then
    perform private.raise_invalid_import_state(import, 'its feed was not read to the end, so start a new one');
  end if;
  if import.started_at is not null then
    refusal := private.dispatch_and_run_import(import, retry_statuses => '{skipped_canceled}');
  else
    perform private.require_no_import_in_flight(import);
    begin
      update public.podcast_imports i set
        status = case when i.verification_method is null then 'preview' else 'verification_required' end::public.import_status
      where i.id = import.id;
    exception when unique_violation then
      perform private.require_no_import_in_flight(import);  -- it came in between
      raise;
    end;
  end if;
  return coalesce(refusal, jsonb_build_object('status', (select i.status from public.podcast_imports i where i.id = import.id)));
end $$;
comment on function private.resume_import is 'resume_import''s half behind the grants.';
grant execute on function private.resume_import to authenticated;  -- checks the role itself

create function public.resume_import(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.resume_import(resume_import.import_id);
end $$;
comment on function public.resume_import is
  'POST /api/imports/{id}/resume: {status}. One that was never confirmed is in preview again, or waits for the proof that it still owes; one that was goes on with what was not done. Needs admin+. 403, 404, 409 INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: it stays canceled.';
grant execute on function public.resume_import to authenticated;
