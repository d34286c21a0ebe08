-- Events: lower domains record them with their recipients, and the notifications' domain writes what these receive.
create table private.events (
  id             bigint generated always as identity primary key,
  type           text not null,
  payload        jsonb not null,
  recipients     jsonb,                      -- who still waits; null once processed, because it holds addresses
  dedupe_key     text,                       -- a recipient gets one notification per key
  group_key      text,                       -- notifications with one key are a thread
  link           text,                       -- a path below app_url; null: the payload's subject
  priority       text,                       -- null: the type's
  scheduled_for  timestamptz,                -- hidden and unsent until then
  created_at     timestamptz not null default now(),
  processed_at   timestamptz,
  notified_count int not null default 0,
  deduped_count  int not null default 0,     -- recipients who had a notification with this key
  invalid_count  int not null default 0,     -- addresses that no email can have
  last_error     text                        -- of the last attempt to notify those who waited
);
comment on table private.events is
  'Events by type, with {actor_id, podcast_id, …} as payload, in the order of ids. private.notify() writes them.';
create index events_user_id_idx on private.events (((payload ->> 'user_id')::uuid), id);
create index events_actor_id_idx on private.events (((payload ->> 'actor_id')::uuid), id);
create index events_created_at_idx on private.events (created_at);
create index events_waiting_idx on private.events (id) where processed_at is null;
alter table private.events enable row level security;
-- No policy, no grant.

-- Always
-- Not constraints: their errors would print the row, with its addresses, into the log.
create function private.guard_event() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  problem constant text := case
    when (new.type ~ '^[a-z_]+\.[a-z_]+$') is not true then 'The type of an event must be like domain.event'
    when char_length(new.dedupe_key) not between 1 and 200
      then 'The dedupe_key of an event must have 1 to 200 characters'
    when char_length(new.group_key) not between 1 and 200
      then 'The group_key of an event must have 1 to 200 characters'
    when new.link !~ '^/([^/\\]|$)' or char_length(new.link) > 500
      then 'The link of an event must be a path of at most 500 characters'
    when jsonb_typeof(new.payload) is distinct from 'object' then 'The payload of an event must be an object'
    when octet_length(new.payload::text) > 1048576 then 'The payload of an event must have at most 1 MB'
    when jsonb_typeof(new.recipients) <> 'array' then 'The recipients of an event must be an array'
    when jsonb_array_length(new.recipients) > 20000 then 'An event must have at most 20,000 recipients' end;
begin
  if problem is not null then
    raise check_violation using message = problem;
  end if;
  return new;
end $$;
create trigger t300_guard before insert on private.events for each row execute function private.guard_event();

create function private.notify(
  _type text, _recipients jsonb, _payload jsonb, _dedupe_key text default null, _group_key text default null,
  _link text default null, _priority text default null, _scheduled_for timestamptz default null,
  at timestamptz default now())
returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event_id bigint;
begin
  insert into private.events
    (type, recipients, payload, dedupe_key, group_key, link, priority, scheduled_for, created_at)
  values (_type, _recipients, _payload, _dedupe_key, _group_key, _link, _priority, _scheduled_for, at)
  returning id into event_id;
  return event_id;
end $$;
comment on function private.notify is
  'Notifies recipients in the caller''s transaction, and returns the event. Recipients are {user_id}, '
  '{episode_guest_id}, or an address: {email, name, locale, timezone} and optionally {url, reply_to, attachments, '
  'is_essential, is_unsolicited, access, calendar_event, subject, sender_id, source_id}. `access`, {kind, subject_id, '
  'expires_at}, adds a token to the url that opens this record, and `calendar_event`, {uid, method, status, sequence, '
  'start, end, summary, description, location, organizer, attendee, url}, attaches a calendar file. '
  '`subject`, {table, id}, is '
  'the record whose column email_status shows what becomes of the email, and sender_id the user who caused it. '
  'is_unsolicited: the recipient has not agreed, so names and titles have no links, those of a message are plain text, '
  'and a complaint or an unsubscription holds even if the email is essential. Texts show the payload''s values, and '
  'those of its object `params`, which is not kept. Emails of a type that is rendered when it is sent show '
  '`source_id`. Security definer triggers and functions call it.';

create function private.notify_each(_type text, events jsonb, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.events (type, recipients, payload, dedupe_key, group_key, created_at)
  select _type, e.event -> 'recipients', e.event -> 'payload', e.event ->> 'dedupe_key', e.event ->> 'group_key', at
  from jsonb_array_elements(events) with ordinality e (event, n) order by e.n;
end $$;
comment on function private.notify_each is
  'Records several events of a type in one statement: an array of {recipients, payload, dedupe_key, group_key}, '
  'as private.notify() takes them. Null records none.';

create function private.user_recipients(variadic user_ids uuid[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('user_id', u.id)) from unnest(user_ids) u (id) where u.id is not null), '[]');
end $$;
comment on function private.user_recipients is 'Users as recipients of private.notify(). Nulls are left out.';

-- One person can cause some notices in a loop, such as by offering and withdrawing.
create function private.repeated_notice_key(key text, max_per_day int, at timestamptz default now()) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if private.try_consume_rate_limit('notices:' || key, max_per_day, interval '1 day', at) is not null then
    return key || ':' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24');
  end if;
  return null;
end $$;
comment on function private.repeated_notice_key is
  'A dedupe key for private.notify(): null for the first max_per_day notices of a key in a day, then one per hour.';

create function private.notify_repeatedly(
  repeat_key text, max_per_day int, _type text, _recipients jsonb, _payload jsonb, _group_key text default null,
  _link text default null, at timestamptz default now())
returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  hourly_key constant text := private.repeated_notice_key(repeat_key, max_per_day, at);
begin
  return private.notify(_type, _recipients, _payload, hourly_key, _group_key, _link,
    _scheduled_for => case when hourly_key is not null then date_trunc('hour', at, 'UTC') + interval '1 hour' end,
    at => at);
end $$;
comment on function private.notify_repeatedly is
  'private.notify() of what one person can cause in a loop: the first max_per_day notices of a key in a day are told '
  'at once, and later ones at the end of the hour: only the last of the hour, which is true then.';

-- A batch has no more of them than its recipients get: a further event would have the key of the last.
create function private.repeated_notice_keys(key text, max_per_day int, max_keys int, at timestamptz default now())
returns setof text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  notice_key text;
begin
  for n in 1..max_keys loop
    notice_key := private.repeated_notice_key(key, max_per_day, at);
    return next notice_key;
    exit when notice_key is not null;
  end loop;
end $$;
comment on function private.repeated_notice_keys is
  'The keys of repeated_notice_key for as many notices of a key, without those after the first of the hour.';

create function private.has_notice_left(key text, max_per_day int, at timestamptz default now()) returns boolean
language sql volatile security invoker set search_path = ''
return private.try_consume_rate_limit('notices:' || $1, $2, interval '1 day', $3) is null
  or private.try_consume_rate_limit('notices:' || $1 || ':hourly', 1, interval '1 hour', $3) is null;
comment on function private.has_notice_left is
  'Counts a notice whose caller has to know whether it is sent: the first max_per_day of a key in a day, then one per '
  'hour.';
