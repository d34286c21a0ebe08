-- An error that must keep a change (a failed attempt, for example) is returned, not raised, so that the transaction
-- commits.
create function private.error_response(_status int, message text, code text default null, extra jsonb default '{}')
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', _status::text, true);
  return jsonb_strip_nulls(jsonb_build_object('error', message, 'code', code)) || coalesce(extra, '{}');
end $$;
comment on function private.error_response is
  'Returns an error envelope and sets the response status, so that changes made with the error are committed. Errors '
  'that change nothing are raised as PTnnn instead.';
grant execute on function private.error_response to anon, authenticated, service_role;
