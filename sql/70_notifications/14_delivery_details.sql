-- What clients may not read of a delivery: recipients that are only an address, content, and the provider's id.
create function private.is_address_recipient(email text, name text, url text, reply_to text, attachments jsonb)
returns boolean
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select private.is_email_address($1) and coalesce(private.is_email_address($4), true)
    and coalesce(char_length($2) <= 1000, true) and coalesce(char_length($3) <= 2048, true)
    and jsonb_typeof($5) = 'array' and octet_length($5::text) <= 262144
$$;
comment on function private.is_address_recipient is
  'Whether an email can go to an address: valid addresses, a name of at most 1,000 and a URL of at most 2,048 '
  'characters, and attachments of at most 256 KB as text.';

create table private.delivery_addresses (
  delivery_id  uuid primary key,
  email        text not null,
  name         text,
  locale       text not null,               -- BCP 47
  timezone     text not null default 'UTC', -- IANA
  podcast_title text,                       -- of the podcast that the email is about
  title        text not null,
  body         text,
  html         text,                        -- the body as HTML, which the worker sanitizes; null: from the body
  url          text,                        -- absolute; of the button
  reply_to     text,
  attachments  jsonb not null default '[]', -- [{filename, content_type, content}], content as text
  is_essential boolean not null default false,
  dedupe_key   text,
  constraint recipient_is_valid check (private.is_address_recipient(email, name, url, reply_to, attachments))
);
comment on table private.delivery_addresses is
  'Recipients without account, such as guests of a booking: address, language, zone and content of one delivery.';
create unique index delivery_addresses_dedupe_key_idx on private.delivery_addresses (dedupe_key, email)
  where dedupe_key is not null;
create index delivery_addresses_email_idx on private.delivery_addresses (email);
alter table private.delivery_addresses enable row level security;
-- No policy, no grant.

-- Each attempt sends the same content under the same idempotency key, the delivery's id, so that a provider that
-- accepted an earlier attempt sends nothing twice.
create table private.delivery_sends (
  delivery_id         uuid primary key,
  content             jsonb,        -- what every attempt sends; null once sent or failed
  provider_message_id text unique,  -- events of the provider name it
  last_error          text,
  begun_at            timestamptz not null default now()
);
comment on table private.delivery_sends is
  'The sending of a delivery: content, the provider''s message id and the last error.';
alter table private.delivery_sends enable row level security;
-- No policy, no grant.

-- Notifications that a collapsed email lists.
create table private.collapsed_notifications (
  notification_id uuid primary key,
  delivery_id     uuid not null
);
comment on table private.collapsed_notifications is
  'The notifications that one email lists. Reading or deleting all of them cancels the email.';
create index collapsed_notifications_delivery_id_idx on private.collapsed_notifications (delivery_id);
alter table private.collapsed_notifications enable row level security;
-- No policy, no grant.
