-- What clients may not read of a delivery: recipients that are only an address, content, and the provider's id.
create function private.is_address_recipient(email text, name text, url text, reply_to text, attachments jsonb)
returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return private.is_email_address($1) and coalesce(private.is_email_address($4), true)
  and coalesce(char_length($2) <= 1000, true) and coalesce(char_length($3) <= 2048, true)
  and jsonb_typeof($5) = 'array' and octet_length($5::text) <= 262144;
comment on function private.is_address_recipient is
  'Whether an email can go to an address: valid addresses, a name of at most 1,000 and a URL of at most 2,048 '
  'characters, and attachments of at most 256 KB as text.';

create function private.is_iso_time(value jsonb) returns boolean
language sql stable parallel safe security invoker set search_path = ''
return coalesce(jsonb_typeof($1) = 'string' and pg_input_is_valid($1 #>> '{}', 'timestamptz')
  and $1 #>> '{}' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(Z|[+-][0-9]{2}(:[0-9]{2})?)$', false);
comment on function private.is_iso_time is 'Whether a JSON value is an ISO 8601 time with its offset.';

create function private.is_access(access jsonb) returns boolean
language sql stable strict parallel safe security invoker set search_path = ''
return jsonb_typeof($1) = 'object' and $1 - '{kind,subject_id,expires_at}'::text[] = '{}'
  and coalesce($1 ->> 'kind' ~ '^[a-z][a-z_]{0,39}$' and pg_input_is_valid($1 ->> 'subject_id', 'uuid'), false)
  and private.is_iso_time($1 -> 'expires_at');
comment on function private.is_access is
  'Whether a value is {kind, subject_id, expires_at}: the record that the link of an email opens, and until when. '
  'Null of null.';

create function private.is_calendar_person(person jsonb) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return coalesce(jsonb_typeof($1) = 'object' and $1 - '{name,email}'::text[] = '{}'
  and jsonb_typeof(coalesce($1 -> 'name', 'null')) in ('string', 'null')
  and coalesce(char_length($1 ->> 'name') <= 1000, true)
  and private.is_email_address(private.normalize_email($1 ->> 'email')), false);
comment on function private.is_calendar_person is 'Whether a value is {name, email}; the name can be missing.';

create function private.is_calendar_event(event jsonb) returns boolean
language sql stable strict parallel safe security invoker set search_path = ''
return coalesce(jsonb_typeof($1) = 'object' and $1 - ('{uid,method,status,sequence,start,end,summary,description,'
    'location,organizer,attendee,url}')::text[] = '{}'
  and jsonb_typeof($1 -> 'uid') = 'string' and $1 ->> 'uid' ~ '^[!-~]{1,255}$'
  and $1 ->> 'method' in ('REQUEST', 'CANCEL')
  and $1 ->> 'status' in ('TENTATIVE', 'CONFIRMED', 'CANCELLED')
  and ($1 ->> 'method' = 'CANCEL') = ($1 ->> 'status' = 'CANCELLED')
  and jsonb_typeof($1 -> 'sequence') = 'number' and $1 ->> 'sequence' ~ '^[0-9]{1,9}$'
  and case when private.is_iso_time($1 -> 'start') and private.is_iso_time($1 -> 'end')
    then ($1 ->> 'end')::timestamptz > ($1 ->> 'start')::timestamptz end
  and jsonb_typeof($1 -> 'summary') = 'string' and char_length($1 ->> 'summary') between 1 and 1000
  and jsonb_typeof(coalesce($1 -> 'description', 'null')) in ('string', 'null')
  and coalesce(char_length($1 ->> 'description') <= 65536, true)
  and jsonb_typeof(coalesce($1 -> 'location', 'null')) in ('string', 'null')
  and coalesce(char_length($1 ->> 'location') <= 2000, true)
  and private.is_calendar_person('{"email": "sender@castbase.example"}'::jsonb || ($1 -> 'organizer'))
  and private.is_calendar_person($1 -> 'attendee')
  and coalesce(private.is_http_url($1 ->> 'url') and char_length($1 ->> 'url') <= 2048, true), false);
comment on function private.is_calendar_event is
  'Whether a value is the event that an email invites to, or cancels: {uid, method: REQUEST or CANCEL, status: '
  'TENTATIVE, CONFIRMED or CANCELLED, sequence, start, end, summary, organizer: {name, email}, attendee: {name, '
  'email}} and optionally {description, location, url}. Texts are bounded. Without its email, the organizer is the '
  'sender. Null of null.';

create function private.is_email_subject(subject jsonb) returns boolean
language sql stable strict parallel safe security invoker set search_path = ''
return coalesce(jsonb_typeof($1) = 'object' and $1 - '{table,id}'::text[] = '{}'
  and pg_input_is_valid($1 ->> 'id', 'uuid') and $1 ->> 'table' ~ '^[a-z_]{1,63}$', false);
comment on function private.is_email_subject is
  'Whether a value is {table, id}: a record of a table in public with the columns email_status and email_due_at. Null '
  'of null.';

create table private.delivery_addresses (
  delivery_id  uuid primary key,
  email        text not null,
  name         text,
  locale       text not null,               -- BCP 47
  timezone     text not null default 'UTC', -- IANA
  podcast_id   uuid,                        -- of the podcast that the email is about, which may be deleted by now
  podcast_title text,
  thread_key   text,                        -- emails with one key are a thread in mail programs
  title        text not null,
  body         text,
  html         text,                        -- of render_source, sanitized by the worker; null: from the body
  url          text,                        -- absolute; of the button
  reply_to     text,
  attachments  jsonb not null default '[]', -- [{filename, content_type, content}], content as text
  access       jsonb,                       -- {kind, subject_id, expires_at}: what the token in the link opens
  calendar_event jsonb,                     -- which the worker attaches as a file; see private.is_calendar_event
  is_essential boolean not null default false,
  is_unsolicited boolean not null default false,  -- the recipient has not agreed to emails of the podcast
  dedupe_key   text,
  subject      jsonb,                       -- {table, id}: the record whose email_status shows this delivery
  sender_id    uuid references public.profiles on delete set null,  -- who caused it
  source_id    uuid,                        -- what render_source renders at each attempt
  constraint recipient_is_valid check (private.is_address_recipient(email, name, url, reply_to, attachments)),
  constraint access_is_valid check (private.is_access(access)),
  constraint access_has_url check (num_nonnulls(access) = 0 or num_nonnulls(url, source_id) > 0),
  constraint subject_is_valid check (private.is_email_subject(subject)),
  constraint calendar_event_is_valid check (private.is_calendar_event(calendar_event))
);
comment on table private.delivery_addresses is
  'Recipients without account, such as guests of a booking: address, language, zone and content of one delivery.';
create unique index delivery_addresses_dedupe_key_idx on private.delivery_addresses (dedupe_key, email)
  where dedupe_key is not null;
create index delivery_addresses_email_idx on private.delivery_addresses (email);
create index delivery_addresses_sender_id_idx on private.delivery_addresses (sender_id);
create index delivery_addresses_subject_idx on private.delivery_addresses ((subject ->> 'id'))
  where subject is not null;
create index delivery_addresses_source_id_idx on private.delivery_addresses (source_id)
  where source_id is not null;
create index delivery_addresses_calendar_event_idx
  on private.delivery_addresses ((calendar_event ->> 'uid'), email) where calendar_event is not null;
alter table private.delivery_addresses enable row level security;
-- No policy, no grant.

-- Each attempt sends the same content under the same idempotency key, the delivery's id, so that a provider that
-- accepted an earlier attempt sends nothing twice. Content that changed between attempts, because its type is
-- rendered when it is sent, gets a version and thus a key of its own.
create table private.delivery_sends (
  delivery_id         uuid primary key,
  content             jsonb,        -- what every attempt sends; null once sent or failed
  content_version     int not null default 1,
  provider_message_id text unique,  -- events of the provider name it
  last_error          text,
  begun_at            timestamptz not null default now(),
  attempt_expires_at  timestamptz   -- of an email about a calendar event: until then its attempt may be running
);
comment on table private.delivery_sends is
  'The sending of a delivery: content, the provider''s message id and the last error.';
alter table private.delivery_sends enable row level security;
-- No policy, no grant.

-- Notifications that a collapsed email or push is about.
create table private.collapsed_notifications (
  notification_id uuid not null,
  delivery_id     uuid not null,
  primary key (notification_id, delivery_id)
);
comment on table private.collapsed_notifications is
  'The notifications that one email lists, or one push means. Reading or deleting all of them cancels it.';
create index collapsed_notifications_delivery_id_idx on private.collapsed_notifications (delivery_id);
alter table private.collapsed_notifications enable row level security;
-- No policy, no grant.

-- How long the next email of a group waits, for a recipient who has not read the group since the last one.
create table private.email_backoffs (
  recipient_id uuid not null,  -- the user or the guest
  group_key    text not null,
  delay        interval not null,
  emailed_at   timestamptz not null,
  primary key (recipient_id, group_key)
);
comment on table private.email_backoffs is
  'Recipients whom an email told of a group that they have not read since: the next one waits twice as long, up to a '
  'day. purge_notifications deletes rows after a week.';
create index email_backoffs_emailed_at_idx on private.email_backoffs (emailed_at);
alter table private.email_backoffs enable row level security;
-- No policy, no grant.
