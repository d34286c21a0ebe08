-- Sends an import's pending items to the worker, newest first, at a pace that does not overload the source server.
create function private.dispatch_import(_import_id uuid, _item_id uuid, at timestamptz) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  sent int;
begin
  with pending as (
    select i.id, i.podcast_id, i.refresh_fields is not null as is_refresh, row_number() over (
      partition by i.refresh_fields is null order by i.published_at desc nulls last, i.position) - 1 as n
    from public.podcast_import_items i
    where i.import_id = _import_id and i.status = 'pending'
      and i.id = coalesce(_item_id, i.id)
  ), messages as (
    insert into pgmq.q_import_items as q (vt, message, headers)  -- private.enqueue delays by whole seconds
    select at + case when p.is_refresh then 0 else least(p.n * 0.25, 900) end * interval '1 second',
      jsonb_build_object('type', 'import_item', 'import_id', _import_id, 'import_item_id', p.id,
        'podcast_id', p.podcast_id), (select private.message_headers(private.request_id()))
    from pending p order by p.is_refresh, p.n
    returning q.msg_id, q.message
  )
  insert into private.import_item_messages as m (import_item_id, msg_id)
  select (q.message ->> 'import_item_id')::uuid, q.msg_id from messages q
  on conflict on constraint import_item_messages_pkey do update set msg_id = excluded.msg_id;
  get diagnostics sent = row_count;
  perform private.wake_worker_once('import_items') where sent > 0;
  return sent;
end $$;
comment on function private.dispatch_import is
  'Sends one queue message for each pending item of a locked import, or for one of them: a quarter of a second apart, '
  'with a delay of at most 900 s; items that refresh an episode fetch nothing and wait for nothing. Returns how many.';

create function private.orphaned_items(_import_id uuid) returns setof uuid
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query select i.id from public.podcast_import_items i
  where i.import_id = _import_id and i.status = 'processing'
    and not exists (select from pgmq.q_import_items q where q.message ->> 'import_item_id' = i.id::text)
  for no key update skip locked;
end $$;
comment on function private.orphaned_items is
  'Locks and returns the items of an import that are in progress but have no message in the queue, so that no worker '
  'will finish them. A locked item is skipped: a worker is finishing it.';

-- The inner block is a savepoint: a failed dispatch rolls back this block only, not the caller's changes.
create function private.dispatch_and_run_import(
  import public.podcast_imports, retry_statuses public.import_item_status[] default '{}', _item_id uuid default null,
  apply_numbers boolean default false, _channel_fields text[] default '{}',
  _future_items public.import_future_items default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_import_queue();
  perform private.require_no_import_in_flight(import.podcast_id, import.id);
  begin
    update public.podcast_import_items i set
      status = 'pending', error_message = null, error_code = null, next_attempt_at = null
    where i.import_id = import.id and i.id = coalesce(_item_id, i.id)
      and (i.status = any (retry_statuses) or i.id in (select private.orphaned_items(import.id))
        or import.status = 'preview' and i.status = 'skipped_duplicate' and i.refresh_fields is not null);
    if apply_numbers then
      perform private.apply_detected_episode_numbers(import);
    end if;
    perform private.apply_import_channel(import, _channel_fields);
    update public.podcast_imports i set
      status = 'running', apply_detected_episode_numbers =
        case i.status when 'preview' then apply_numbers else i.apply_detected_episode_numbers end,
      future_items = coalesce(_future_items, i.future_items)
    where i.id = import.id returning i.* into import;
    if _future_items = 'publish' then
      perform private.date_future_items(import);
    end if;
    perform private.dispatch_import(import.id, _item_id, at => import.updated_at);
  exception
    when serialization_failure or deadlock_detected then
      raise;  -- the caller retries the whole transaction
    when unique_violation then
      -- raises if a concurrent import caused it
      perform private.require_no_import_in_flight(import.podcast_id, import.id);
      raise;
    when query_canceled or others then  -- `others` does not include query_canceled, the statement timeout
      if sqlstate like 'PT4%' then
        raise;
      end if;
      raise log 'castbase: failed to dispatch import %: % (%)', import.id, sqlerrm, sqlstate;
      return private.error_response(500, 'The import could not be enqueued; nothing was started', 'DISPATCH_FAILED');
  end;
  return null;
end $$;
comment on function private.dispatch_and_run_import is
  'Sets a locked import running. Items with a status of retry_statuses (or only item_id), orphaned items and, in a '
  'preview, duplicates whose episode is refreshed return to pending, and pending items are dispatched. Returns null, '
  'or the error response DISPATCH_FAILED for the caller to '
  'return. PT409 IMPORT_IN_FLIGHT with importId; PT500 without a queue.';

create function private.apply_detected_episode_numbers(import public.podcast_imports) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_import_items i set
    parsed_payload = i.parsed_payload || jsonb_strip_nulls(jsonb_build_object(
      'episodeNumber', n.number,
      'seasonNumber', coalesce(nullif(i.parsed_payload -> 'seasonNumber', 'null'), s.season)))
  from jsonb_each(import.detection -> 'numbers') n (guid, number)
  left join jsonb_each(coalesce(import.detection -> 'seasons', '{}')) s (guid, season) on s.guid = n.guid
  where i.import_id = import.id and i.status = 'pending' and i.refresh_fields is null and i.guid = n.guid;
end $$;
comment on function private.apply_detected_episode_numbers is
  'Writes the detected episode numbers to the pending items, and the detected seasons where the feed has none.';
