-- Episode messages: the chat of an episode's team and guests.
create table public.episode_messages (
  id              uuid primary key default gen_random_uuid(),
  episode_id      uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id      uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  -- The sender is a member, a guest who wrote with an access token, or a member whose account was deleted.
  sender_user_id  uuid default auth.uid() references public.profiles on delete set null,
  sender_guest_id uuid references public.episode_guests on delete cascade,
  sender_name     text,         -- of a member whose account was deleted
  body            text,         -- null once deleted
  created_at      timestamptz not null default clock_timestamp(),
  deleted_at      timestamptz,  -- the row stays, because realtime sends only the key of a deleted row
  constraint exactly_one_sender check (num_nonnulls(sender_user_id, sender_guest_id, sender_name) = 1),
  constraint deleted_has_no_body check ((body is null) = (deleted_at is not null)),
  constraint body_is_1_to_4000_chars check (char_length(body) <= 4000 and not private.is_blank(body))
);
comment on table public.episode_messages is
  'The chat of an episode. Members read and insert messages; guests use list_guest_messages and post_guest_message. '
  'delete_episode_message clears the body and sets deleted_at.';
comment on constraint body_is_1_to_4000_chars on public.episode_messages is 'The body must have 1 to 4,000 characters';
comment on constraint deleted_has_no_body on public.episode_messages is
  'A message must have a body until it is deleted';
comment on constraint exactly_one_sender on public.episode_messages is 'A message must have one sender';
create index episode_messages_episode_id_idx on public.episode_messages (episode_id, created_at desc, id desc);
create index episode_messages_podcast_id_idx on public.episode_messages (podcast_id);
create index episode_messages_sender_user_id_idx on public.episode_messages (sender_user_id, id);
create index episode_messages_sender_guest_id_idx on public.episode_messages (sender_guest_id, id);

-- Who
alter table public.episode_messages enable row level security;
create policy members_read on public.episode_messages for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy members_create_own on public.episode_messages for insert to authenticated
  with check (sender_user_id = (select auth.uid())
    and podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
grant select, delete on public.episode_messages to authenticated;  -- delete only meets the error of t300_guard_delete
grant insert (episode_id, body) on public.episode_messages to authenticated;
grant select on public.episode_messages to service_role;
-- Not granted: the senders and times, which a client could forge, and update, because messages are not edited.
-- No policy allows a delete: delete_episode_message deletes messages.

-- Always
create function private.normalize_episode_message() returns trigger
language plpgsql security definer  -- distinguishes a missing episode from a forbidden one
set search_path = ''
as $$
begin
  select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform from public.episode_guests g where g.id = new.sender_guest_id and g.episode_id = new.episode_id;
  if not found and new.sender_guest_id is not null then
    raise sqlstate 'PT404' using message = 'The guest does not belong to this episode';
  end if;
  return new;
end $$;
create trigger t100_normalize before insert on public.episode_messages
  for each row execute function private.normalize_episode_message();

-- Policies are checked after triggers, and t310_guard_writable would reveal the podcast's status to a non-member.
create function private.guard_message_sender() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' and new.podcast_id <> all (private.my_podcasts('member')) then
    raise sqlstate '42501' using message = 'You are not a member of this podcast';
  end if;
  return new;
end $$;
create trigger t300_guard_sender before insert on public.episode_messages
  for each row execute function private.guard_message_sender();
create trigger t310_guard_writable before insert or delete on public.episode_messages
  for each row when (pg_trigger_depth() = 0)  -- cascades are allowed
  execute function private.guard_writable_podcast();
create trigger t310_guard_writable_update before update on public.episode_messages
  for each row when (pg_trigger_depth() = 0 and new.deleted_at is null)  -- senders may delete theirs at any time
  execute function private.guard_writable_podcast();

create function private.lock_message_episode() returns trigger
language plpgsql security definer  -- clients may not lock episodes
set search_path = ''
as $$
begin
  perform from public.episodes e where e.id = new.episode_id for key share;
  return new;
end $$;
create trigger t320_lock_episode before insert on public.episode_messages  -- before the guest, as deletions
  for each row execute function private.lock_message_episode();

-- Realtime subscribers that filter by episode do not receive deleted rows.
create function private.guard_message_delete() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' then
    raise sqlstate '42501' using message = 'Message rows cannot be deleted; call delete_episode_message';
  end if;
  return null;
end $$;
create trigger t300_guard_delete before delete on public.episode_messages
  for each statement execute function private.guard_message_delete();

-- After: the messages of a deleted account stay under its name, because others answered them.
create function private.keep_sender_name() returns trigger
language plpgsql security definer  -- clients have no update grant
set search_path = ''
as $$
begin
  update public.episode_messages m
  set sender_user_id = null, sender_name = private.display_name_or_default(old.display_name)
  where m.sender_user_id = old.id;
  return old;
end $$;
create trigger t500_keep_sender_name before delete on public.profiles
  for each row execute function private.keep_sender_name();
