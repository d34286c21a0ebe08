-- Events: lower domains record them, higher domains act on them.
create table private.events (
  id         bigint generated always as identity primary key,
  type       text not null,
  payload    jsonb not null,
  created_at timestamptz not null default now(),
  constraint type_is_dotted check (type ~ '^[a-z_]+\.[a-z_]+$'),
  constraint payload_is_an_object check (jsonb_typeof(payload) = 'object')
);
comment on table private.events is
  'Events by type, with {user_id, actor_id, podcast_id, …} as payload, in the order of ids. private.notify() writes '
  'them.';
create index events_user_id_idx on private.events (((payload ->> 'user_id')::uuid), id);
create index events_actor_id_idx on private.events (((payload ->> 'actor_id')::uuid), id);
alter table private.events enable row level security;
-- No policy, no grant.

create function private.notify(type text, payload jsonb) returns void
language sql volatile security invoker set search_path = ''
as $$ insert into private.events (type, payload) values ($1, $2) $$;
comment on function private.notify is
  'Records an event in the caller''s transaction. Security definer triggers and functions call it.';
