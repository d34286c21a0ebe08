-- Reads a locked feed again: its owner may have unlocked it, added the verification token, or added an owner email.
create function private.begin_feed_recheck(_import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import public.podcast_imports := private.require_import_role(_import_id);
begin
  perform private.reject_pending_deletion(p.status) from public.podcasts p where p.id = import.podcast_id;
  if import.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'This import is not waiting for verification', hint = 'NOT_APPLICABLE';
  end if;
  perform private.consume_plan_rate_limit('feed_imports', at);
  return jsonb_build_object(
    'feedUrl', import.feed_url, 'method', import.verification_method, 'verificationToken', import.verification_token,
    'callerId', auth.uid());
end $$;
grant execute on function private.begin_feed_recheck to authenticated;

create function public.begin_feed_recheck(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.begin_feed_recheck(import_id);
comment on function public.begin_feed_recheck is
  'POST /api/imports/{id}/recheck-feed, first step: {feedUrl, method, verificationToken, callerId} for the service, '
  'which fetches the feed next. Requires admin. 400 NOT_APPLICABLE, 403, 404, 409, 429.';
grant execute on function public.begin_feed_recheck to authenticated;

create function private.finish_feed_recheck(
  _import_id uuid, _channel jsonb, _caller_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import      public.podcast_imports;
  is_locked   boolean := coalesce((_channel ->> 'locked')::boolean, false);
  owner_email text := private.owner_email_of_channel(_channel);
  has_token   boolean;
begin
  perform private.require_writable_podcast(i.podcast_id) from public.podcast_imports i
  where i.id = _import_id;
  select * into import from public.podcast_imports i where i.id = _import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  if import.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'This import is not waiting for verification', hint = 'NOT_APPLICABLE';
  end if;
  has_token := exists (
    select from jsonb_array_elements(coalesce(nullif(_channel -> 'verifyTexts', 'null'), '[]')) t
    where position(import.verification_token in t ->> 'text') > 0);
  -- The first proof that applies counts, in this order.
  if not is_locked or has_token then
    delete from private.import_owner_verifications v where v.import_id = import.id;
    update public.podcast_imports i set
      status = 'preview', verification_method = null, is_locked_source = is_locked
    where i.id = import.id returning * into import;
  elsif import.verification_method = 'feed_recheck' and owner_email is not null then
    if private.try_reserve_ownership_code(import, owner_email, _caller_id, at) is not null then
      raise sqlstate 'PT400' using hint = 'STILL_LOCKED', message = 'The feed is still locked, and its owner cannot be '
        'emailed a code now; add the verification token to the feed, or try again tomorrow';
    end if;
    update public.podcast_imports i set
      verification_method = 'email_code', locked_owner_email = private.mask_email(owner_email)
    where i.id = import.id returning * into import;
    update public.podcast_import_channels c set
      fields = private.mask_emails(c.fields, private.owner_emails(_channel))
    where c.import_id = import.id;
    perform private.request_owner_verification(import.id, owner_email);
  else
    raise sqlstate 'PT400' using hint = 'STILL_LOCKED', message = case import.verification_method
      when 'email_code' then 'The feed is still locked; enter the code emailed to its owner'
      else 'The feed is still locked and contains neither the verification token nor an owner email' end;
  end if;
  return private.staging_result_json(import);
end $$;
grant execute on function private.finish_feed_recheck to service_role;
comment on function private.finish_feed_recheck is
  'Last step of recheck-feed. An unlocked feed, or one with the token, changes the import to preview; a new owner '
  'email gets a code while the caller, an admin, has budget for it. PT400 STILL_LOCKED or NOT_APPLICABLE, PT404, '
  'PT409.';
-- No grant: the functions connect as the owner.
