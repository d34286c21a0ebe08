-- Lists the addresses that a podcast asked to confirm, newest first. There are at most 50.
create function public.list_automation_addresses(podcast_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_role(list_automation_addresses.podcast_id, 'admin');
  return (
    select jsonb_build_object(
      'addresses', coalesce(jsonb_agg(private.automation_address_json(a) order by a.created_at desc, a.id desc), '[]'),
      'total', count(*))
    from public.automation_addresses a where a.podcast_id = list_automation_addresses.podcast_id);
end $$;
comment on function public.list_automation_addresses is
  'GET /api/automations/addresses: {addresses, total}, newest first; status is pending until the holder confirms, and '
  'unsubscribed once the holder ended the emails. Requires admin. 403, 404.';
grant execute on function public.list_automation_addresses to authenticated;
