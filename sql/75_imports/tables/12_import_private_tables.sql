-- Facts that the rows of imports must not contain, because realtime sends whole rows.
create table private.import_owner_verifications (
  import_id       uuid primary key references public.podcast_imports on delete cascade,
  owner_email     text not null,                        -- as in the feed
  code_key        bytea not null,                       -- random; the code's digest is sha256(code_key || code)
  code_hash       bytea,                                -- null: the email is not sent yet
  code_expires_at timestamptz,
  failed_attempts int not null default 0,               -- of the current code
  issued_at       timestamptz,
  constraint code_hash_is_sha256 check (octet_length(code_hash) = 32),
  constraint code_key_is_at_least_16_bytes check (octet_length(code_key) >= 16),
  constraint code_has_expiry check (num_nulls(code_hash, code_expires_at, issued_at) in (0, 3)),
  constraint failed_attempts_not_negative check (failed_attempts >= 0)
);
comment on table private.import_owner_verifications is
  'The owner that a locked feed names, and the code that was emailed to them.';
alter table private.import_owner_verifications enable row level security;
-- No policy, no grant.

create table private.import_transfers (
  import_item_id     uuid primary key references public.podcast_import_items on delete cascade,
  path               text not null,              -- of the object that the worker writes
  content_type       text not null,
  upload_url         text not null,              -- where storage accepts the next chunk
  received_bytes     bigint not null default 0,  -- that storage has
  max_received_bytes bigint not null default 0,  -- the maximum of received_bytes, restarted transfers included
  total_bytes        bigint,                     -- null: the source has no Content-Length
  source_etag        text,                       -- detects whether the source's file has changed
  constraint received_bytes_do_not_exceed_total
    check (received_bytes >= 0 and (total_bytes is null or received_bytes <= total_bytes))
);
comment on table private.import_transfers is
  'How much of an item''s audio is stored, so that the next run resumes where the last one stopped.';
create unique index import_transfers_path_idx on private.import_transfers (path);
alter table private.import_transfers enable row level security;
-- No policy, no grant.

create table private.import_item_originals (
  import_item_id uuid primary key references public.podcast_import_items on delete cascade,
  payload        jsonb not null,                  -- the item's parsed_payload as in the feed
  constraint payload_is_an_object check (jsonb_typeof(payload) = 'object')
);
comment on table private.import_item_originals is
  'The payloads of the items whose parsed_payload masks an email address. Episodes are made of them.';
alter table private.import_item_originals enable row level security;
-- No policy, no grant.
