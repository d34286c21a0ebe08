-- Chat messages, and who is notified of them.
create function tests.message(name text, episode text, sender text, body text default 'Hello') returns uuid
language plpgsql security definer as $$
declare
  guest   uuid := (select i.id from tests.ids i where i.name = episode || '/' || sender);
  created uuid;
begin
  insert into public.episode_messages (episode_id, sender_guest_id, sender_user_id, body)
  values (tests.id(episode), guest, case when guest is null then tests.id(sender) end, body) returning id into created;
  return tests.remember(name, created);
end $$;

-- Notifies as the sender, a minute ago: a guest's access token is their name.
create function tests.notify_of(message text, at timestamptz default now() - interval '1 minute') returns jsonb
language plpgsql security definer as $$
declare
  sent   public.episode_messages;
  token  text;
  counts jsonb;
begin
  select * into sent from public.episode_messages m where m.id = tests.id(message);
  select split_part(i.name, '/', 2) into token from tests.ids i where i.id = sent.sender_guest_id;
  perform set_config('request.jwt.claims',
    coalesce(jsonb_build_object('role', 'authenticated', 'sub', sent.sender_user_id)::text, ''), true);
  counts := private.notify_chat_message(sent.episode_id, sent.id::text, token, null, null, at);
  perform set_config('request.jwt.claims', '', true);
  return counts;
end $$;

-- The names of those who are notified of a message, with the kind: 'Gus message, Mia mention'.
create function tests.notified_of(message text) returns text language sql security definer as $$
  select string_agg(initcap(split_part(i.name, '/', -1)) || ' ' || split_part(n.type, '.', 2), ', '
    order by split_part(i.name, '/', -1), n.type)
  from public.notifications n join tests.ids i on i.id = coalesce(n.user_id, n.episode_guest_id)
  where n.metadata ->> 'message_id' = tests.id(message)::text
$$;

select unnest(array['1..1', 'ok 1 - the factories of chat messages are created']);  -- a TAP report, for pg_prove
