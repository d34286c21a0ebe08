-- The claim amr of a token whose session began then.
create function tests.amr(signed_in_at timestamptz) returns jsonb language sql stable
return jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', floor(extract(epoch from $1))));

-- Sets the caller: a user by name, 'anon', 'service' (the secret key), or 'postgres' (the test itself).
create function tests.act_as(who text) returns void language plpgsql as $$
begin
  perform set_config('role', 'postgres', true);
  if who = 'postgres' then
    perform set_config('request.jwt.claims', '', true);
  elsif who = 'anon' then
    perform set_config('request.jwt.claims', '{"role":"anon"}', true), set_config('role', 'anon', true);
  elsif who = 'service' then
    perform set_config('request.jwt.claims', '{"role":"service_role"}', true), set_config('role', 'service_role', true);
  else
    perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', tests.id(who),
      'email', who || '@test.example', 'amr', tests.amr(now()), 'is_anonymous',
      exists (select from auth.users u where u.id = tests.id(who) and u.is_anonymous))::text, true),
      set_config('role', 'authenticated', true);
  end if;
end $$;

-- Runs a statement as a caller: 'ok' and the number of rows, or the SQLSTATE of the error.
create function tests.result_of(who text, statement text) returns text language plpgsql as $$
declare
  before text := current_setting('role');
  claims text := coalesce(current_setting('request.jwt.claims', true), '');
  result text := 'ok';
  rows   bigint;
begin
  begin
    perform tests.act_as(who);
    execute statement;
    get diagnostics rows = row_count;
    result := 'ok ' || rows;
  exception when others then
    result := sqlstate;
  end;
  perform set_config('role', before, true), set_config('request.jwt.claims', claims, true);
  return result;
end $$;

-- Runs a statement as a caller: the first value of its result.
create function tests.value_as(who text, statement text) returns text language plpgsql as $$
declare
  value text;
begin
  perform tests.act_as(who);
  execute statement into value;
  perform tests.act_as('postgres');
  return value;
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the functions that act as a caller are created']);
