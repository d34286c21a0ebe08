-- Items and the queue: which message works on an item. A message may outlive its purpose, because its worker died before
-- it acknowledged it, or because a canceled import was resumed before its messages were met. The newest one counts.
create table private.import_item_messages (
  import_item_id uuid primary key references public.podcast_import_items on delete cascade,
  msg_id         bigint not null  -- in the queue import_items
);
comment on table private.import_item_messages is 'The message that was last sent for an item, or that went on with it last.';
alter table private.import_item_messages enable row level security;
-- No policy, no grant.

create function private.require_import_queue() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if (select count(*) from private.queues q join pgmq.meta m on m.queue_name = q.name where q.name in ('import_feeds', 'import_items')) < 2 then
    raise sqlstate 'PT500' using message = 'Import queue is not configured';
  end if;
end $$;
comment on function private.require_import_queue is 'PT500 when nothing would take up what is dispatched.';

create function private.is_superseded(import_item_id uuid, msg_id bigint, attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return exists (
    select from private.import_item_messages m join pgmq.q_import_items q on q.msg_id = m.msg_id
    where m.import_item_id = is_superseded.import_item_id and (m.msg_id <> is_superseded.msg_id or q.read_ct > is_superseded.attempt));
end $$;
comment on function private.is_superseded is 'Whether another message than this one works on an item that is held, or a later attempt at it, so that this one has nothing to say of it. What is not told (null) is not asked for.';

-- Locks what ends an item, in the order in which everyone does: podcast, creator, import, item. The podcast comes before
-- the import, because its deletion does; its creator, because the deletion of an account leaves imports and episodes.
create function private.lock_import_item(import_item_id uuid) returns public.podcast_import_items
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  place record;
  item  public.podcast_import_items;
begin
  select i.podcast_id, i.import_id, m.created_by into place
  from public.podcast_import_items i join public.podcast_imports m on m.id = i.import_id
  where i.id = lock_import_item.import_item_id;
  perform from public.podcasts p where p.id = place.podcast_id for share;
  perform from public.profiles f where f.id = place.created_by for key share;
  perform from public.podcast_imports m where m.id = place.import_id for no key update;
  select * into item from public.podcast_import_items i where i.id = lock_import_item.import_item_id for no key update;
  return item;
end $$;
comment on function private.lock_import_item is 'The item as it is now, with its import, locked until the transaction ends; null when it is gone.';

-- The one way out for an item that does not become an episode.
create function private.close_import_item(item public.podcast_import_items, status public.import_item_status, error_message text, error_code text default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if item.status is null or item.status not in ('pending', 'processing') then
    return false;
  end if;
  update public.podcast_import_items i set
    status = close_import_item.status, error_message = left(close_import_item.error_message, 2000), error_code = close_import_item.error_code,
    next_attempt_at = null
  where i.id = item.id;
  return true;
end $$;
comment on function private.close_import_item is 'Ends an item that is held, and says why. False, and nothing changes, when it has ended already.';
