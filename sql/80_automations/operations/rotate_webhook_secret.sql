-- Gives a send_webhook action a new secret. The present one signs beside it for a day.
create function private.rotate_webhook_secret(_action_id uuid, _secret text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write secrets
set search_path = ''
as $$
declare
  action public.automation_actions;
begin
  perform private.require_user();
  select a.* into action from public.automation_actions a where a.id = _action_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Automation action not found';
  end if;
  perform private.require_automation_role('rule', action.rule_id);
  perform private.require_writable_podcast(action.podcast_id);
  if action.action_type <> 'send_webhook' then
    raise sqlstate 'PT409' using message = 'Only a send_webhook action has a secret', hint = 'NOT_A_WEBHOOK';
  elsif private.is_webhook_secret(_secret) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'secret: must be whsec_ and 24 to 64 bytes in base64';
  end if;
  perform from public.automation_actions a
  where a.id = action.id and a.action_type = 'send_webhook' for no key update;
  if not found then  -- deleted or changed meanwhile
    raise sqlstate 'PT404' using message = 'Automation action not found';
  end if;
  if private.webhook_secrets_of(action.id, at) ->> 0 is distinct from _secret
  then
    perform private.store_webhook_secret(action.id, _secret, '24 hours', at);
  end if;  -- else a repeated request, which must not end the overlap
  return jsonb_build_object('action_id', action.id, 'previous_secret_expires_at', (
    select private.format_timestamp(coalesce(s.previous_expires_at, at))
    from private.webhook_secrets s where s.action_id = action.id));
end $$;
grant execute on function private.rotate_webhook_secret to authenticated;

create function public.rotate_webhook_secret(action_id uuid, secret text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.rotate_webhook_secret(action_id, secret);
comment on function public.rotate_webhook_secret is
  'POST /api/automations/actions/{id}/rotate-secret: {action_id, previous_secret_expires_at}. Webhooks carry the '
  'signatures of both secrets until then. No response contains a secret. Requires admin. 400, 403, 404, 409 '
  'NOT_A_WEBHOOK or PODCAST_PENDING_DELETION.';
grant execute on function public.rotate_webhook_secret to authenticated;
