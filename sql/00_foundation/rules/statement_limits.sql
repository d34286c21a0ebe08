-- What the statements of edge functions may take. The limits are part of each statement: a transaction pooler keeps no
-- session settings, and PgBouncer refuses startup parameters. A `statement_timeout` that a statement sets does not
-- apply to itself; a `transaction_timeout` does: Postgres ends the session, and the functions replace the connection.
create function private.max_lock_wait() returns text language sql immutable security invoker set search_path = ''
return '1500ms';
comment on function private.max_lock_wait is 'How long an API statement may wait for a lock.';

create function private.limit_statement(
  max_ms int, max_lock_wait text default private.max_lock_wait(), _request_id text default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''  -- a third of the cost of language sql
as $$
begin
  if _request_id is not null then
    perform set_config('castbase.request_id', _request_id, true);
  end if;
  return set_config('transaction_timeout', max_ms::text, true) is not null
    and set_config('lock_timeout', max_lock_wait, true) is not null;
end $$;
comment on function private.limit_statement is
  'Ends this transaction after max_ms milliseconds, and each of its later lock waits after max_lock_wait (with 55P03). '
  'API callers wait only briefly: those who contend for one row must not keep the connections of everyone else. Sets '
  'what private.request_id() returns. True.';

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
