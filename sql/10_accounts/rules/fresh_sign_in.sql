-- What cannot be undone needs proof that the person is there: sessions stay open for months.
create function private.require_fresh_sign_in(at timestamptz default now()) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  methods constant jsonb := auth.jwt() -> 'amr';  -- [{method, timestamp}]; a token's refresh keeps the timestamps
  age     numeric;
begin
  select extract(epoch from at) - max((m.entry -> 'timestamp')::numeric) into age
  from jsonb_array_elements(case jsonb_typeof(methods) when 'array' then methods end) m (entry)
  where jsonb_typeof(m.entry -> 'timestamp') = 'number'  -- a hook may have put names of methods, without a time
    -- who holds an old session can enroll a second factor and verify it
    and coalesce(m.entry ->> 'method' !~ '^(totp|mfa/.*|token_refresh)$', true);
  if (age >= -60 and age < 600) is not true then  -- the clocks of Auth and the database differ a little
    raise sqlstate 'PT403' using hint = 'REAUTHENTICATION_REQUIRED',
      message = 'This needs a sign-in of the last ten minutes; sign in again, then repeat the request';
  end if;
end $$;
comment on function private.require_fresh_sign_in is
  'PT403 REAUTHENTICATION_REQUIRED unless the caller signed in under ten minutes ago: the newest timestamp of the '
  'token''s amr, second factors aside.';
