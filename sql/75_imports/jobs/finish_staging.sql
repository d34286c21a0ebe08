-- The whole feed was read. The podcast gets the channel's metadata, episodes that the podcast has already are skipped,
-- and an import of a locked feed requires proof of ownership.

-- The feed's texts first, each once, as many as the podcast's column can hold
create function private.merge_verify_texts(feed jsonb, own jsonb) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(entry order by n), '[]') from (
    select entry, n, row_number() over (order by n) as rank,
      sum(octet_length(entry::text) + 2) over (order by n) as bytes
    from (
      select entry, min(n) as n
      from (
        select jsonb_strip_nulls(jsonb_build_object('text', e ->> 'text', 'purpose', nullif(e ->> 'purpose', '')))
          as entry, n
        from jsonb_array_elements($1 || $2) with ordinality a (e, n)
      ) texts
      group by entry
    ) distinct_entries
  ) bounded
  where rank <= 20 and bytes <= 131000
$$;
comment on function private.merge_verify_texts is 'Merges two lists of verify texts into one that a podcast can hold.';

create function private.copy_channel_metadata(_podcast_id uuid, _channel jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  token      text := nullif(btrim(_channel ->> 'appleVerifyToken'), '');
  disclosure text := nullif(btrim(_channel ->> 'aiDisclosure'), '');
  texts      jsonb := coalesce(
    (private.imported_feed_values(_channel, '{verifyTexts}')).accepted -> 'verify_texts', '[]');
begin
  if num_nonnulls(token, disclosure) = 0 and texts = '[]' then
    return;  -- the podcast keeps its values where the feed has none
  end if;
  update public.podcasts p set
    apple_verify_token = case when char_length(token) <= 1000 then token else p.apple_verify_token end,
    ai_disclosure = coalesce(left(disclosure, 4000), p.ai_disclosure),
    verify_texts = case when texts = '[]' then p.verify_texts
      else private.merge_verify_texts(texts, p.verify_texts) end
  where p.id = _podcast_id;
end $$;
comment on function private.copy_channel_metadata is
  'Copies a feed''s Apple verify token, AI disclosure and verify texts to the podcast, within the limits of its '
  'columns.';

create function private.finish_staging(
  _import_id uuid, _channel jsonb, _detection jsonb, _warnings jsonb, at timestamptz default now(),
  _msg_id bigint default null, _attempt int default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import       public.podcast_imports := private.lock_staging_import(_import_id, _msg_id, _attempt);
  is_locked    boolean := coalesce((_channel ->> 'locked')::boolean, false);
  owner_email  text := case when is_locked then private.owner_email_of_channel(_channel) end;
  podcast_guid text := _channel ->> 'podcastGuid';
begin
  -- An if, because the planner evaluates the cast of a constant even in a case branch that is never reached
  if not pg_input_is_valid(podcast_guid, 'uuid') then
    podcast_guid := null;
  end if;
  if import.total_items = 0 then
    raise sqlstate 'PT400' using message = 'The feed has no episodes', hint = 'EMPTY_FEED';
  end if;
  perform private.estimate_dates(import, (_channel ->> 'lastBuildDate')::timestamptz);
  perform private.separate_equal_dates(import);
  update public.podcast_import_items i set status = 'skipped_duplicate'
  where i.import_id = import.id and i.status = 'pending' and exists (
    select from public.episodes e where e.podcast_id = import.podcast_id and e.guid = i.guid);
  if owner_email is not null and private.try_reserve_ownership_code(
       import, owner_email, import.created_by, at) is not null then
    owner_email := null;  -- a recheck can email a code later
  end if;
  update public.podcast_imports i set
    status = case when is_locked then 'verification_required' else 'preview' end::public.import_status,
    is_locked_source = is_locked,
    verification_method = case when owner_email is not null then 'email_code'
      when is_locked then 'feed_recheck' end::public.import_verification_method,
    verification_token = case when is_locked and owner_email is null then 'castbase-verify-' || gen_random_uuid() end,
    locked_owner_email = private.mask_email(owner_email),
    feed_podcast_guid = podcast_guid::uuid,
    channel_explicit = (_channel ->> 'explicit')::boolean,
    detection = _detection, staged_at = at, warnings = coalesce(_warnings, '[]')
      || private.channel_warnings(import, _channel) || private.moved_feed_warnings(import, _channel ->> 'newFeedUrl')
      || private.warn_of_future_dates(import, at)
  where i.id = import.id returning * into import;
  if owner_email is not null then
    perform private.request_owner_verification(import.id, owner_email);
  end if;
  perform private.store_import_channel(import, _channel);
  perform private.copy_channel_metadata(import.podcast_id, _channel);
  perform private.acknowledge_jobs('import_feeds', array[_msg_id])
  where _msg_id is not null;
  return private.staging_result_json(import);
end $$;
grant execute on function private.finish_staging to service_role;
comment on function private.finish_staging is
  'Finishes the reading of a feed and acknowledges its message: the import changes to preview or '
  'verification_required. Returns the response of POST /api/imports/podcast. PT400 EMPTY_FEED, PT404, PT409 when the '
  'import is no longer pending or the podcast is pending deletion.';
