-- Shared by the reading of a feed and the proof of its ownership: locks, requests of a code, the result.
create function private.lock_import_feed_job(_msg_id bigint, _attempt int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_job('import_feeds', _msg_id, _attempt);
  if not found then
    raise sqlstate 'PT409' using
      message = 'Another process is already reading this feed', hint = 'INVALID_IMPORT_STATE';
  end if;
end $$;
comment on function private.lock_import_feed_job is
  'Locks the message of a feed. PT409 INVALID_IMPORT_STATE when it was acknowledged or claimed by a later attempt.';

create function private.lock_staging_import(_import_id uuid, _msg_id bigint default null, _attempt int default null)
returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.require_writable_podcast(i.podcast_id) from public.podcast_imports i
  where i.id = _import_id;
  -- after the podcast, whose deletion deletes the message
  perform private.lock_import_feed_job(_msg_id, _attempt)
  where _msg_id is not null;
  select * into import from public.podcast_imports i where i.id = _import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  if import.status <> 'pending' then
    perform private.raise_invalid_import_state(import, 'its feed can no longer be staged');
  end if;
  return import;
end $$;
comment on function private.lock_staging_import is
  'The locked row of an import whose feed is being read, for the reader that has its message (unless msg_id is null). '
  'PT404; PT409 INVALID_IMPORT_STATE when it is no longer pending, or PODCAST_PENDING_DELETION.';

-- The owner did not ask for the email, and a code cannot wait: a feed whose owner cannot be emailed now is rechecked.
create function private.try_reserve_ownership_code(
  import public.podcast_imports, owner_email text, caller_id uuid, at timestamptz) returns timestamptz
language sql volatile security invoker set search_path = ''
as $$
  select r.reset_at
  from private.try_reserve_email(coalesce('user:' || $3, 'podcast:' || $1.podcast_id), $2, $4, '0', $3) r
$$;
comment on function private.try_reserve_ownership_code is
  'Counts the email with an ownership code that a user causes and returns null; else when there is room for it. The '
  'owner''s own confirmed account has no limit.';

create function private.request_owner_verification(_import_id uuid, _owner_email text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.import_owner_verifications as o (import_id, owner_email, code_key)
  values (
    _import_id, _owner_email, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  on conflict on constraint import_owner_verifications_pkey do update set
    owner_email = excluded.owner_email, code_key = excluded.code_key, code_hash = null, code_expires_at = null,
    failed_attempts = 0, issued_at = null;
  perform private.enqueue('ownership_codes',
    jsonb_build_object('type', 'ownership_code', 'import_id', i.id, 'podcast_id', i.podcast_id))
  from public.podcast_imports i where i.id = _import_id;
end $$;
comment on function private.request_owner_verification is
  'Stores the owner of a locked feed, invalidates an earlier code, and enqueues the email with a new one.';

create function private.staging_result_json(import public.podcast_imports) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('importId', import.id, 'status', import.status, 'totalItems', import.total_items) || case
    when import.status = 'preview' then jsonb_build_object('detection', import.detection)
    when import.verification_method = 'email_code' then jsonb_build_object(
      'method', 'email_code', 'ownerEmail', import.locked_owner_email)
    else jsonb_build_object('method', 'feed_recheck', 'verificationToken', import.verification_token) end
$$;
comment on function private.staging_result_json is
  'A staged, unconfirmed import: {importId, status, totalItems} with the detection or the required proof of '
  'ownership.';
