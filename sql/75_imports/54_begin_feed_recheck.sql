-- Looks at a locked feed again: its owner may have unlocked it, put the token into it, or named an address.
create function private.begin_feed_recheck(import_id uuid) returns jsonb
language plpgsql volatile security definer  -- tells a missing import from a forbidden one
set search_path = ''
as $$
declare
  import public.podcast_imports := private.require_import_role(begin_feed_recheck.import_id);
begin
  perform private.require_writable_podcast(import.podcast_id);
  if import.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'The import does not wait for its feed', hint = 'NOT_APPLICABLE';
  end if;
  perform private.consume_plan_rate_limit('feed_imports');
  return jsonb_build_object('feedUrl', import.feed_url, 'method', import.verification_method, 'verificationToken', import.verification_token,
    'caller', auth.uid());
end $$;
comment on function private.begin_feed_recheck is 'begin_feed_recheck''s half behind the grants.';
grant execute on function private.begin_feed_recheck to authenticated;  -- checks the role itself

create function public.begin_feed_recheck(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.begin_feed_recheck(begin_feed_recheck.import_id);
end $$;
comment on function public.begin_feed_recheck is
  'POST /api/imports/{id}/recheck-feed, first half: {feedUrl, method, verificationToken, caller} for the service, which fetches the feed next. Needs admin+. 400 NOT_APPLICABLE, 403, 404, 409, 429.';
grant execute on function public.begin_feed_recheck to authenticated;

create function private.finish_feed_recheck(import_id uuid, channel jsonb, caller uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  held      public.podcast_imports;
  is_locked boolean := coalesce((finish_feed_recheck.channel ->> 'locked')::boolean, false);
  address   text := coalesce(
    private.deliverable_email_or_null(finish_feed_recheck.channel ->> 'lockedOwner'), private.deliverable_email_or_null(finish_feed_recheck.channel ->> 'ownerEmail'));
  has_token boolean;
begin
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = finish_feed_recheck.import_id) for key share;
  select * into held from public.podcast_imports i where i.id = finish_feed_recheck.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_writable_podcast(held.podcast_id);
  if held.status <> 'verification_required' then
    raise sqlstate 'PT400' using message = 'The import does not wait for its feed', hint = 'NOT_APPLICABLE';
  end if;
  has_token := exists (
    select from jsonb_array_elements(coalesce(nullif(finish_feed_recheck.channel -> 'verifyTexts', 'null'), '[]')) t
    where position(held.verification_token in t ->> 'text') > 0);
  -- in this order
  if not is_locked or has_token then
    delete from private.import_owner_verifications o where o.import_id = held.id;
    update public.podcast_imports i set status = 'preview', verification_method = null, is_locked_source = is_locked
    where i.id = held.id returning * into held;
  elsif held.verification_method = 'feed_recheck' and address is not null then
    perform private.consume_rate_limit('locked_feed_imports:' || finish_feed_recheck.caller, private.setting('max_locked_feed_imports_per_hour')::int, interval '1 hour');
    update public.podcast_imports i set verification_method = 'email_code', locked_owner_email = private.mask_email(address)
    where i.id = held.id returning * into held;
    perform private.request_owner_verification(held.id, address);
  else
    raise sqlstate 'PT400' using message = case held.verification_method
      when 'email_code' then 'The feed is still locked; enter the code that was mailed to its owner'
      else 'The feed is still locked, and neither the token nor an owner''s address is in it' end, hint = 'STILL_LOCKED';
  end if;
  return private.staging_result_json(held);
end $$;
comment on function private.finish_feed_recheck is
  'What a locked feed says by now, for the admin who had it read: unlocked, or with the token, the import goes to preview; where an owner''s address appeared, the code is mailed there. PT400 STILL_LOCKED or NOT_APPLICABLE, PT404, PT409, PT429.';
-- No grant: the functions' own connection owns it.
