-- Deletes an address: automations no longer send to it.
create function private.delete_automation_address(address_id uuid) returns jsonb
language plpgsql volatile security definer  -- distinguishes a missing address from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  perform private.require_user();
  select a.podcast_id into podcast_id from public.automation_addresses a
  where a.id = delete_automation_address.address_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Address not found';
  end if;
  perform private.require_role(podcast_id, 'admin');
  delete from public.automation_addresses a where a.id = delete_automation_address.address_id;
  return jsonb_build_object('success', true);
end $$;
comment on function private.delete_automation_address is
  'Implementation of delete_automation_address (security definer). Checks the role itself.';
grant execute on function private.delete_automation_address to authenticated;

create function public.delete_automation_address(address_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.delete_automation_address(delete_automation_address.address_id);
end $$;
comment on function public.delete_automation_address is
  'DELETE /api/automations/addresses/{id}: {success: true}. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.delete_automation_address to authenticated;
