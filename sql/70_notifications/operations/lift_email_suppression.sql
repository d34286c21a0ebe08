-- Lets emails to an address be sent again, for admins of the service.
create function private.lift_email_suppression(email text) returns jsonb
language sql volatile security definer  -- the service may not write suppressions
set search_path = ''
as $$
  with lifted as (
    delete from private.email_suppressions s where s.digest = private.email_digest($1) returning s.*)
  select coalesce(jsonb_agg(jsonb_build_object('type', l.type, 'podcastId', l.podcast_id, 'reason', l.reason,
    'detail', l.detail, 'createdAt', private.format_timestamp(l.created_at))
    order by l.created_at, l.type, l.podcast_id), '[]')
  from lifted l where not l.is_lifted
$$;
grant execute on function private.lift_email_suppression to service_role;

create function public.lift_email_suppression(email text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.lift_email_suppression(email);
comment on function public.lift_email_suppression is
  'Deletes the suppressions of an address and returns them: [{type, podcastId, reason, detail, createdAt}], type null '
  'for all emails that are not essential, podcastId null for those of all podcasts. For the service (secret key) '
  'only.';
grant execute on function public.lift_email_suppression to service_role;
