-- What a statement does as the current role: its value or its error.

-- 'none', or the SQLSTATE and machine code of the error.
create function tests.error_of(statement text) returns text language plpgsql as $$
declare
  code text;
begin
  execute statement;
  return 'none';
exception when others then
  get stacked diagnostics code = pg_exception_hint;
  return concat_ws(' ', sqlstate, nullif(code, ''));
end $$;

-- 'none', or SQLSTATE, message, machine code and detail of the error.
create function tests.describe_error(statement text) returns text language plpgsql as $$
declare
  code   text;
  detail text;
begin
  execute statement;
  return 'none';
exception when others then
  get stacked diagnostics code = pg_exception_hint, detail = pg_exception_detail;
  return concat_ws(' / ', sqlstate, sqlerrm, nullif(code, ''), nullif(detail, ''));
end $$;

-- The first value of the result, or SQLSTATE, machine code and detail of the error.
create function tests.outcome_of(statement text) returns text language plpgsql as $$
declare
  value  text;
  code   text;
  detail text;
begin
  execute statement into value;
  return value;
exception when others then
  get stacked diagnostics code = pg_exception_hint, detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, nullif(code, ''), nullif(detail, ''));
end $$;

select unnest(array['1..1',
  'ok 1 - the functions that return the outcome of a statement are created']);  -- for pg_prove
