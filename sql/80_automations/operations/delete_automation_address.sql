-- Deletes an address: automations no longer send to it.
create function public.delete_automation_address(address_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_automation_role('address', delete_automation_address.address_id);
  delete from public.automation_addresses a where a.id = delete_automation_address.address_id;
  return jsonb_build_object('success', true);
end $$;
comment on function public.delete_automation_address is
  'DELETE /api/automations/addresses/{id}: {success: true}. Requires admin. 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.delete_automation_address to authenticated;
