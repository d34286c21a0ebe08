-- API statements wait only briefly for a lock: callers who contend for one row must not keep the connections that serve
-- everyone else. The limit holds within one transaction or by role, because a transaction pooler keeps no session
-- settings and PgBouncer refuses startup parameters. Jobs wait until their statement timeout.
create function private.max_lock_wait() returns text language sql immutable security invoker
return '1500ms';
comment on function private.max_lock_wait is 'How long an API statement may wait for a lock.';

create function private.limit_lock_waits() returns boolean language sql volatile security invoker
return set_config('lock_timeout', private.max_lock_wait(), true) is not null;
comment on function private.limit_lock_waits is
  'Limits the later lock waits of this transaction to private.max_lock_wait(); they then fail with 55P03. True.';

create function private.limit_lock_waits_over_rest() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  api_role text;
begin
  foreach api_role in array array['anon', 'authenticated'] loop
    if not exists (
      select from pg_catalog.pg_roles r
      where r.rolname = api_role and 'lock_timeout=' || private.max_lock_wait() = any (r.rolconfig)) then
      execute format('alter role %I set lock_timeout = %L', api_role, private.max_lock_wait());
      notify pgrst, 'reload config';
    end if;
  end loop;
end $$;
comment on function private.limit_lock_waits_over_rest is
  'Part of private.install(): PostgREST applies the settings of a request''s role to its transaction.';
