-- Mails the feed's owner another code, in the place of the last.
create function private.request_ownership_code(import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- the queue is the server's
set search_path = ''
as $$
declare
  held public.podcast_imports := private.held_import(request_ownership_code.import_id);
begin
  if (held.status, held.verification_method) is distinct from ('verification_required', 'email_code') then
    perform private.refuse_import_state(held, 'no code is asked for');
  end if;
  perform private.consume_rate_limit('import-code/' || held.id || '/hour', 5, interval '1 hour', request_ownership_code.at);
  perform private.consume_rate_limit('import-code/' || held.id, 1, interval '1 minute', request_ownership_code.at);
  perform private.ask_owner(held.id, o.owner_email, request_ownership_code.at) from private.import_owners o where o.import_id = held.id;
  return jsonb_build_object('status', held.status, 'method', held.verification_method, 'ownerEmail', held.locked_owner_email);
end $$;
comment on function private.request_ownership_code is 'resend_import_code''s half behind the grants.';
grant execute on function private.request_ownership_code to authenticated;  -- checks the role itself

create function public.resend_import_code(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.request_ownership_code(resend_import_code.import_id);
end $$;
comment on function public.resend_import_code is
  'POST /api/imports/{id}/resend-code: {status, method, ownerEmail}. The code before opens nothing any more. Needs admin+. 403, 404, 409 IMPORT_STATE, 429 with rate_limit_reset_at: once a minute, five times an hour, and six times an hour and ten times a day to one address over all imports.';
grant execute on function public.resend_import_code to authenticated;
