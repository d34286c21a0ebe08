-- Is the database there? Asked by GET /api/health/ready.
create function public.health_check() returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('status', 'ok', 'timestamp', private.iso(now()));
end $$;
comment on function public.health_check is 'GET /api/health/ready: {status, timestamp}.';
grant execute on function public.health_check to anon, authenticated, service_role;
