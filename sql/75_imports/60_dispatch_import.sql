-- Sends an import's pending items to the worker: newest first, and at a pace that spares the server that they come from.
create function private.dispatch_import(import_id uuid, item_id uuid default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  sent bigint[];
begin
  perform private.require_import_queue();
  with due as (
    select i.id, i.podcast_id, row_number() over (order by i.published_at desc nulls last, i.position) - 1 as n
    from public.podcast_import_items i
    where i.import_id = dispatch_import.import_id and i.status = 'pending' and i.id = coalesce(dispatch_import.item_id, i.id)
  ), batches as (
    select least(floor(d.n * 0.25), 900)::int as delay, array_agg(jsonb_build_object('type', 'import_item',
      'import_id', dispatch_import.import_id, 'import_item_id', d.id, 'podcast_id', d.podcast_id) order by d.n) as messages
    from due d group by 1
  )
  select array_agg(s.msg_id) into sent
  from (select * from batches b order by b.delay) b cross join lateral pgmq.send_batch('import_items', b.messages, b.delay) s (msg_id);
  if sent is null then
    return 0;
  end if;
  insert into private.import_item_messages as m (import_item_id, msg_id)
  select (q.message ->> 'import_item_id')::uuid, q.msg_id from pgmq.q_import_items q where q.msg_id = any (sent)
  on conflict on constraint import_item_messages_pkey do update set msg_id = excluded.msg_id;
  perform private.wake_worker_once('import_items');
  return cardinality(sent);
end $$;
comment on function private.dispatch_import is
  'One queue message for each pending item of an import that is held, or for one of them: a quarter of a second apart, none later than 900 s. Returns how many. PT500 without a queue.';

create function private.require_no_import_in_flight(import public.podcast_imports) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  other uuid;
begin
  select i.id into other from public.podcast_imports i
  where i.podcast_id = import.podcast_id and i.id <> import.id and i.status in ('verification_required', 'preview', 'pending', 'running');
  if found then
    raise sqlstate 'PT409' using message = 'An import into this podcast is in flight', hint = 'IMPORT_IN_FLIGHT',
      detail = jsonb_build_object('importId', other)::text;
  end if;
end $$;
comment on function private.require_no_import_in_flight is 'PT409 IMPORT_IN_FLIGHT with importId when another import has the podcast''s one place.';

create function private.orphaned_items(import_id uuid) returns setof uuid
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query select i.id from public.podcast_import_items i
  where i.import_id = orphaned_items.import_id and i.status = 'processing'
    and not exists (select from pgmq.q_import_items q where q.message ->> 'import_item_id' = i.id::text);
end $$;
comment on function private.orphaned_items is 'The items of an import that were begun and that no message in the queue would go on with.';

-- Sets an import running. The dispatch can fail on its own: then nothing of this stays, while what the verb wrote before does.
create function private.dispatch_and_run_import(
  import public.podcast_imports, retry_statuses public.import_item_status[] default '{}', item_id uuid default null, apply_numbers boolean default false)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_import_queue();
  perform private.require_no_import_in_flight(import);
  begin
    update public.podcast_import_items i set status = 'pending', error_message = null, error_code = null, next_attempt_at = null
    where i.import_id = import.id and i.id = coalesce(dispatch_and_run_import.item_id, i.id)
      and (i.status = any (retry_statuses) or i.id in (select private.orphaned_items(import.id)));
    if apply_numbers then
      perform private.apply_detected_episode_numbers(import);
    end if;
    update public.podcast_imports i set status = 'running', apply_detected_episode_numbers = case i.status when 'preview' then apply_numbers else i.apply_detected_episode_numbers end
    where i.id = import.id;
    perform private.dispatch_import(import.id, dispatch_and_run_import.item_id);
  exception
    when serialization_failure or deadlock_detected then
      raise;  -- lost a race: the whole is tried again
    when unique_violation then
      perform private.require_no_import_in_flight(import);  -- it came in between
      raise;
    when query_canceled or others then  -- the first is a statement's time that is up, which `others` leaves out
      if sqlstate like 'PT4%' then
        raise;  -- a rule said no
      end if;
      raise log 'castbase: import % was not dispatched: % (%)', import.id, sqlerrm, sqlstate;
      return private.error_response(500, 'The episodes could not be queued; nothing was started', 'DISPATCH_FAILED');
  end;
  return null;
end $$;
comment on function private.dispatch_and_run_import is
  'A held import runs (retry_statuses): items of the statuses `retry_statuses` go back to pending, or one of them alone, with what was begun and has no message any more, and what is pending is dispatched. Null, or the refusal DISPATCH_FAILED to be returned. PT409 IMPORT_IN_FLIGHT with importId; PT500 without a queue.';

create function private.apply_detected_episode_numbers(import public.podcast_imports) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_import_items i set parsed_payload = i.parsed_payload || jsonb_strip_nulls(jsonb_build_object(
    'episodeNumber', n.number, 'seasonNumber', coalesce(nullif(i.parsed_payload -> 'seasonNumber', 'null'), s.season)))
  from jsonb_each(import.detection -> 'numbers') n (guid, number)
  left join jsonb_each(coalesce(import.detection -> 'seasons', '{}')) s (guid, season) on s.guid = n.guid
  where i.import_id = import.id and i.status = 'pending' and i.guid = n.guid;
end $$;
comment on function private.apply_detected_episode_numbers is 'The episode numbers that detection found, and seasons where the feed names none, onto the items that are pending.';
