-- Who reads an import's feed: the holder of its message in the queue import_feeds. The route claims the message that
-- start_import wrote; when its process dies, the worker claims it after the visibility timeout and starts again.
create function private.claim_import_feed(import_id uuid, visibility_timeout_seconds int default 60) returns table (msg_id bigint, attempt int)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query update pgmq.q_import_feeds q set
    read_ct = q.read_ct + 1, vt = clock_timestamp() + make_interval(secs => claim_import_feed.visibility_timeout_seconds)
  where q.message ->> 'import_id' = claim_import_feed.import_id::text and q.read_ct = 0
  returning q.msg_id, q.read_ct;
end $$;
comment on function private.claim_import_feed is 'The route takes the message of the import that it has just started; no row when the worker has it.';

create function private.begin_import_feed(import_id uuid, msg_id bigint, attempt int) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.lock_job('import_feeds', begin_import_feed.msg_id, begin_import_feed.attempt);
  if not found then
    return null;
  end if;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = begin_import_feed.import_id) for key share;
  select * into import from public.podcast_imports i where i.id = begin_import_feed.import_id and i.status = 'pending' for no key update;
  if not found then
    return null;
  end if;
  delete from public.podcast_import_items i where i.import_id = import.id;
  update public.podcast_imports i set updated_at = now() where i.id = import.id;
  return import.feed_url;
end $$;
comment on function private.begin_import_feed is
  'The worker reads a feed: its address, after items that an earlier attempt staged were deleted. Null when the import is not pending, or a later attempt reads.';

create function private.discard_staging(import_id uuid, msg_id bigint default null, attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_import_feed_job(discard_staging.msg_id, discard_staging.attempt) where discard_staging.msg_id is not null;
  perform private.acknowledge_jobs('import_feeds', array[discard_staging.msg_id]) where discard_staging.msg_id is not null;
  delete from public.podcast_imports i where i.id = discard_staging.import_id and i.status = 'pending';
  return found;
end $$;
comment on function private.discard_staging is
  'The route could not read the feed and tells its caller why: the import is deleted and its message acknowledged. False when it was not pending.';

create function private.fail_import_feed(
  import_id uuid, error_message text, error_code text, msg_id bigint default null, attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_import_feed_job(fail_import_feed.msg_id, fail_import_feed.attempt) where fail_import_feed.msg_id is not null;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = fail_import_feed.import_id) for key share;
  perform from public.podcast_imports i where i.id = fail_import_feed.import_id and i.status = 'pending' for no key update;
  if not found then
    return false;
  end if;
  delete from public.podcast_import_items i where i.import_id = fail_import_feed.import_id;
  update public.podcast_imports i set status = 'failed', error_message = left(fail_import_feed.error_message, 2000), error_code = fail_import_feed.error_code
  where i.id = fail_import_feed.import_id;
  return true;
end $$;
comment on function private.fail_import_feed is
  'The worker could not read the feed: the import is failed, says why and has no items. False when it was not pending; PT409 for another reader than the holder of its message.';

-- However a message is parked, its import says so. The parked error is for operators, because it may name internals: the
-- worker fails the import itself when the feed is to blame. private.install() puts this trigger on the dead-letter queue.
create function private.fail_import_feed_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if pg_input_is_valid(new.message #>> '{message,import_id}', 'uuid') then
    perform private.fail_import_feed((new.message #>> '{message,import_id}')::uuid,
      'The feed could not be read because of a problem on our side; start the import again', 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $$;
