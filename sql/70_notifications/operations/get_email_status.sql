-- Whether the caller's own address gets emails.
create function private.email_status_json(email text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('email', $1, 'isSuppressed', s.reason is not null, 'reason', s.reason,
    'since', private.format_timestamp(s.created_at))
  from (select) always
  left join lateral (
    select s.reason, s.created_at from private.email_suppressions s
    where s.digest = private.email_digest($1) and s.type is null
    order by s.reason limit 1) s on true  -- a bounce stops more than a complaint
$$;
comment on function private.email_status_json is 'The status of an address, for its user. An email of null has none.';

create function private.get_email_status() returns jsonb
language plpgsql stable security definer  -- clients may not read suppressions
set search_path = ''
as $$
begin
  perform private.require_account();
  return private.email_status_json(private.my_confirmed_email());
end $$;
grant execute on function private.get_email_status to authenticated;

create function public.get_email_status() returns jsonb
language sql stable security invoker set search_path = ''
return private.get_email_status();
comment on function public.get_email_status is
  'GET /api/notifications/email-status: {email, isSuppressed, reason, since} of the caller''s own confirmed address; '
  'email is null without one. reason is `complaint` (emails that are not essential stop) or `bounce` (all stop), else '
  'null. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_email_status to authenticated;
