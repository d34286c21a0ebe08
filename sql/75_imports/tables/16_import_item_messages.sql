-- The queue message of each item. A message can outlive its purpose: its worker died before acknowledging it, or a
-- canceled import was resumed before its messages were claimed. The newest message counts.
create table private.import_item_messages (
  import_item_id uuid primary key references public.podcast_import_items on delete cascade,
  msg_id         bigint not null  -- in the queue import_items
);
comment on table private.import_item_messages is 'The current message of each item: the last one sent or claimed.';
alter table private.import_item_messages enable row level security;
-- No policy, no grant.

create function private.require_import_queue() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if (select count(*) from private.queues q join pgmq.meta m on m.queue_name = q.name
      where q.name in ('import_feeds', 'import_items', 'import_files')) < 3 then
    raise sqlstate 'PT500' using message = 'Import queue is not configured';
  end if;
end $$;
comment on function private.require_import_queue is 'PT500 when a queue of the imports is missing.';

-- Customers take turns, however many imports each runs. The messages' form is fixed, so headers name the account.
create function private.add_account_to_message() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if pg_input_is_valid(new.message ->> 'podcast_id', 'uuid') then
    new.headers := coalesce(new.headers, '{}') || jsonb_build_object('account_id', (
      select p.owner_id from public.podcasts p where p.id = (new.message ->> 'podcast_id')::uuid));
  end if;
  return new;
end $$;

create function private.is_superseded(_import_item_id uuid, _msg_id bigint, _attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return exists (
    select from private.import_item_messages m join pgmq.q_import_items q on q.msg_id = m.msg_id
    where m.import_item_id = _import_item_id
      and (m.msg_id <> _msg_id or q.read_ct > _attempt));
end $$;
comment on function private.is_superseded is
  'Whether another message, or a later attempt, works on a locked item, so that this one must not change it. Ignores '
  'arguments that are null.';

-- Locks the podcast and the item and, to close the item, its creator and its import, in the common order. The creator
-- is locked because deleting an account updates its imports and episodes.
create function private.lock_import_item(
  _import_item_id uuid, _closes boolean default true, _completes boolean default false)
returns public.podcast_import_items
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ids  record;
  item public.podcast_import_items;
begin
  select i.podcast_id, i.import_id, i.status, m.created_by into ids
  from public.podcast_import_items i
  join public.podcast_imports m on m.id = i.import_id
  join public.podcasts p on p.id = i.podcast_id
  where i.id = _import_item_id
  for share of p;
  if _closes then
    perform from public.profiles f where f.id = ids.created_by for key share;
    if ids.status = 'pending' then
      perform from public.podcast_imports m where m.id = ids.import_id for no key update;
    end if;
  end if;
  select * into item from public.podcast_import_items i where i.id = _import_item_id for no key update;
  if _closes and ids.status <> 'pending' then
    if item.status = 'pending' then
      perform private.raise_item_has_changed();
    elsif not _completes and item.status = 'processing' then
      perform from public.podcast_imports m where m.id = ids.import_id for no key update;
    end if;
  end if;
  return private.unmask_import_item(item);
end $$;
comment on function private.lock_import_item is
  'The current row of an item, unmasked and locked until the transaction ends; null when it does not exist. To close '
  'the item, its import is locked, too: before a pending item, after an item in progress, unless the item becomes an '
  'episode (completes): the counters then lock the import of an item in progress. 40001 when the item became '
  'pending before it was locked.';

create function private.close_import_item(
  item public.podcast_import_items, _status public.import_item_status, _error_message text,
  _error_code text default null
) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if item.status is null or item.status not in ('pending', 'processing') then
    return false;
  end if;
  update public.podcast_import_items i set
    status = _status, error_message = left(_error_message, 2000), error_code = _error_code, next_attempt_at = null
  where i.id = item.id;
  return true;
end $$;
comment on function private.close_import_item is
  'Closes a locked item that does not become an episode, with its reason. False, without a change, when it is closed.';
