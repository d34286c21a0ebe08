-- What the rows of imports may not hold, because realtime sends them whole.
create table private.import_owners (
  import_id       uuid primary key references public.podcast_imports on delete cascade,
  owner_email     text not null,                        -- as the feed names it
  code_key        bytea not null,                       -- random; the code's digest is sha256(code_key || code)
  code_hash       bytea,                                -- null: its mail is still to come
  code_expires_at timestamptz,
  wrong_tries     int not null default 0,               -- of the present code
  issued_at       timestamptz,
  constraint hash_is_sha256 check (octet_length(code_hash) = 32),
  constraint key_is_long check (octet_length(code_key) >= 16),
  constraint codes_expire check (num_nulls(code_hash, code_expires_at, issued_at) in (0, 3)),
  constraint tries_are_not_negative check (wrong_tries >= 0)
);
comment on table private.import_owners is 'The owner whom a locked feed names, and the code that was mailed to them.';
alter table private.import_owners enable row level security;
-- No policy, no grant.

create table private.import_transfers (
  import_item_id uuid primary key references public.podcast_import_items on delete cascade,
  path           text not null,                         -- of the object that is being written
  content_type   text not null,
  upload_url     text not null,                         -- where storage takes the next part
  received       bigint not null default 0,             -- bytes that storage has
  furthest       bigint not null default 0,             -- the most that it ever had of the item, before it began anew too
  total          bigint,                                -- null: the source did not say
  source_etag    text,                                  -- whether it is still the same file
  updated_at     timestamptz not null default now(),
  constraint received_is_a_part check (received >= 0 and (total is null or received <= total))
);
comment on table private.import_transfers is 'How far the audio of an item has come, so that the next run goes on where the last one ended.';
create unique index import_transfers_path_idx on private.import_transfers (path);
alter table private.import_transfers enable row level security;
-- No policy, no grant.
