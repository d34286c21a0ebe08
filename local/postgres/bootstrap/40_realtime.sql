-- The realtime schema: broadcasts from the database, and the table for the policies of private channels. The service
-- keeps one partition per day (local/realtime/partitions.ts).
create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);
create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;
alter table realtime.messages enable row level security;
create publication supabase_realtime_messages_publication for table realtime.messages;

-- The name of the channel that a policy decides on.
create function realtime.topic() returns text language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

-- Sends a broadcast to the subscribers of a topic. A failure is a warning: it must not fail the caller's transaction.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id constant uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when send.payload ? 'id' then send.payload
      else jsonb_set(send.payload, '{id}', to_jsonb(message_id)) end,
    send.event, send.topic, send.private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

-- Sends bytes. Clients of protocol version 1.0.0 do not receive them.
create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
begin
  perform set_config('realtime.topic', send_binary.topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

-- Sends a row's change: for a trigger for each row.
create function realtime.broadcast_changes(
  topic_name text,
  event_name text,
  operation text,
  table_name text,
  table_schema text,
  new record,
  old record,
  level text default 'ROW'
) returns void
language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema),
    event_name,
    topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end $$;
