-- A refusal that must leave a mark is returned, not raised: the transaction commits, the caller sees the status.
create function private.refuse(status int, sentence text, code text default null, extra jsonb default '{}') returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', refuse.status::text, true);
  return jsonb_strip_nulls(jsonb_build_object('error', sentence, 'code', code)) || coalesce(extra, '{}');
end $$;
comment on function private.refuse is
  'The envelope of a refusal whose mark must stay; PostgREST and the private.call_ functions respond with its status. A refusal that changes nothing is raised as PTnnn instead.';
grant execute on function private.refuse to anon, authenticated, service_role;
