-- Stops an import. What is being worked on is finished; the rest is skipped when its messages are met.
create function private.stop_import(import_id uuid) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
declare
  import public.podcast_imports := private.held_import(stop_import.import_id);
begin
  if import.status not in ('verification_required', 'preview', 'pending', 'running') then
    perform private.refuse_import_state(import, 'there is nothing to cancel');
  end if;
  update public.podcast_imports i set status = 'canceled' where i.id = import.id;
  return jsonb_build_object('status', 'canceled');
end $$;
comment on function private.stop_import is 'cancel_import''s half behind the grants.';
revoke all on function private.stop_import from public, anon, authenticated, service_role;
grant execute on function private.stop_import to authenticated;  -- checks the role itself

create function public.cancel_import(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.stop_import(cancel_import.import_id);
end $$;
comment on function public.cancel_import is
  'POST /api/imports/{id}/cancel: {status: canceled}. Items that are being worked on still become episodes. Needs admin+. 403, 404, 409 IMPORT_STATE when it has ended.';
revoke all on function public.cancel_import from public, anon, authenticated, service_role;
grant execute on function public.cancel_import to authenticated;
