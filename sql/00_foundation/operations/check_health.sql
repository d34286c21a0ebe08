-- Readiness of the database.
create function public.check_health() returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('status', 'ok', 'timestamp', private.format_timestamp(now()));
end $$;
comment on function public.check_health is 'GET /api/health/ready: {status, timestamp}. Fails if the database does.';
grant execute on function public.check_health to anon, authenticated, service_role;
