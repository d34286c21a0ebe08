-- An error that must keep a change (a failed attempt, for example) is returned, not raised, so that the transaction
-- commits. Clients cannot tell both apart: the result is what PostgREST makes of a raised error.
create function private.error_response(_status int, message text, code text default null, extra jsonb default null)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', _status::text, true);
  return jsonb_build_object('code', 'PT' || _status, 'message', message, 'details', extra::text, 'hint', code);
end $$;
comment on function private.error_response is
  'Returns an error as {code: PTnnn, message, details, hint: the machine code}, with `extra` as JSON text in details, '
  'and sets the response status, so that changes made with the error are committed. Errors that change nothing are '
  'raised as PTnnn instead.';
grant execute on function private.error_response to anon, authenticated, service_role;
