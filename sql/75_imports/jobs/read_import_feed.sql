-- The reader of an import's feed is the process that has its message in the queue import_feeds. The route claims the
-- message that start_import sent. If its process dies, the worker claims it after the visibility timeout and starts
-- over.
create function private.claim_import_feed(
  _import_id uuid, _visibility_timeout_seconds int default 60, at timestamptz default clock_timestamp())
returns table (msg_id bigint, attempt int, feed_url text)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query update pgmq.q_import_feeds q set
    read_ct = q.read_ct + 1, headers = q.headers - 'waits_for',
    vt = at + make_interval(secs => _visibility_timeout_seconds)
  from public.podcast_imports i
  where q.message ->> 'import_id' = _import_id::text and q.read_ct = 0 and i.id = _import_id
  returning q.msg_id, q.read_ct, i.feed_url;
end $$;
grant execute on function private.claim_import_feed to service_role;
comment on function private.claim_import_feed is
  'Claims the message of a new import for the route, with the feed''s URL; no row when the worker has claimed it.';

create function private.begin_import_feed(_import_id uuid, _msg_id bigint, _attempt int) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.lock_job('import_feeds', _msg_id, _attempt);
  if not found then
    return null;
  end if;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = _import_id)
  for key share;
  select * into import from public.podcast_imports i
  where i.id = _import_id and i.status = 'pending' for no key update;
  if not found then
    return null;
  end if;
  delete from public.podcast_import_items i where i.import_id = import.id;
  update public.podcast_imports i set updated_at = default where i.id = import.id;  -- keeps it from becoming stale
  return import.feed_url;
end $$;
grant execute on function private.begin_import_feed to service_role;
comment on function private.begin_import_feed is
  'Begins the worker''s reading of a feed: deletes the items that an earlier attempt staged and returns the URL. Null '
  'when the import is not pending or a later attempt reads the feed.';

create function private.hand_over_feed(
  _import_id uuid, _msg_id bigint, _attempt int, at timestamptz default clock_timestamp()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import public.podcast_imports := private.lock_staging_import(_import_id, _msg_id, _attempt);
begin
  perform private.requeue_job('import_feeds', _msg_id, 0, _attempt, at);
  return jsonb_build_object('importId', import.id, 'status', import.status, 'totalItems', import.total_items);
end $$;
grant execute on function private.hand_over_feed to service_role;
comment on function private.hand_over_feed is
  'Leaves a feed that is too long for a request to the worker, which reads it from its beginning: {importId, status: '
  'pending, totalItems}, the items so far. PT404; PT409 for a reader that lost the message.';

create function private.discard_staging(_import_id uuid, _msg_id bigint default null, _attempt int default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_import_feed_job(_msg_id, _attempt)
  where _msg_id is not null;
  perform private.acknowledge_jobs('import_feeds', array[_msg_id])
  where _msg_id is not null;
  delete from public.podcast_imports i where i.id = _import_id and i.status = 'pending';
  return found;
end $$;
grant execute on function private.discard_staging to service_role;
comment on function private.discard_staging is
  'Deletes a pending import whose feed the route could not read, and acknowledges its message. False when the import '
  'is not pending. PT409 for a reader that lost the message.';

create function private.fail_import_feed(
  _import_id uuid, _error_message text, _error_code text, _msg_id bigint default null, _attempt int default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = _import_id)
  for key share;
  perform private.lock_import_feed_job(_msg_id, _attempt)
  where _msg_id is not null;
  perform from public.podcast_imports i
  where i.id = _import_id and i.status = 'pending' for no key update;
  if not found then
    return false;
  end if;
  delete from public.podcast_import_items i where i.import_id = _import_id;
  update public.podcast_imports i set
    status = 'failed', error_message = left(_error_message, 2000), error_code = _error_code
  where i.id = _import_id;
  return true;
end $$;
grant execute on function private.fail_import_feed to service_role;
comment on function private.fail_import_feed is
  'Fails a pending import whose feed the worker could not read, and deletes its items. False when it is not pending. '
  'PT409 for a reader that lost the message.';

-- A trigger on the dead-letter queue (private.install() creates it), so that every dead letter fails its import.
create function private.fail_import_feed_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if pg_input_is_valid(new.message #>> '{message,import_id}', 'uuid') then
    perform private.fail_import_feed(
      (new.message #>> '{message,import_id}')::uuid, new.message ->> 'error', 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $$;
