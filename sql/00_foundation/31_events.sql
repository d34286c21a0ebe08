-- Events: what higher domains may care about, told by lower ones that do not know them. Nothing here acts on them.
create table private.events (
  id         bigint generated always as identity primary key,
  type       text not null,
  payload    jsonb not null,
  created_at timestamptz not null default now(),
  constraint type_names_noun_and_verb check (type ~ '^[a-z_]+\.[a-z_]+$'),
  constraint payload_is_an_object check (jsonb_typeof(payload) = 'object')
);
comment on table private.events is 'What happened, in the order of ids: {user_id, actor_id, podcast_id, …} by type. Written by private.notify().';
alter table private.events enable row level security;
-- No policy, no grant.

create function private.notify(type text, payload jsonb) returns void
language sql volatile security invoker set search_path = ''
as $$ insert into private.events (type, payload) values ($1, $2) $$;
comment on function private.notify is 'Writes down what happened, in the transaction in which it did. Called by definer triggers and verbs.';
