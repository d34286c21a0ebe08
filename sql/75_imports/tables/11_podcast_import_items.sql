-- Import items: one per GUID of the feed. Each may become an episode.
create type public.import_item_status as enum (
  'pending', 'processing', 'completed', 'failed',
  'skipped_duplicate', 'skipped_oversize', 'skipped_canceled', 'skipped_user_limit');

create table public.podcast_import_items (
  id              uuid primary key default gen_random_uuid(),
  import_id       uuid not null references public.podcast_imports on delete cascade,
  podcast_id      uuid not null references public.podcasts on delete cascade,  -- the import's; the policy reads it
  position        int not null,                              -- in the feed, from 0
  guid            text not null,                             -- exactly as in the feed
  status          public.import_item_status not null default 'pending',
  title           text,
  published_at    timestamptz,
  parsed_payload  jsonb not null,                            -- the feed's item, with the numbers as imported
  warnings        jsonb not null default '[]',               -- [{code, message}]
  error_message   text,                                      -- why it failed, was skipped or waits for a retry
  error_code      text,                                      -- of a failed item
  next_attempt_at timestamptz,                               -- set while a pending item waits for a retry
  attempts        int not null default 0,
  episode_id      uuid references public.episodes on delete set null,
  refresh_fields  text[],                                    -- what the existing episode takes over; null: nothing
  refreshed_at    timestamptz,                               -- when the existing episode took them over
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint failed_has_error_message check (status <> 'failed' or error_message is not null),
  constraint retry_is_pending_and_has_error_message check (
    next_attempt_at is null or (status = 'pending' and error_message is not null)),
  constraint position_and_attempts_are_not_negative check (position >= 0 and attempts >= 0),
  constraint payload_is_an_object check (jsonb_typeof(parsed_payload) = 'object'),
  constraint warnings_are_an_array check (jsonb_typeof(warnings) = 'array')
);
comment on table public.podcast_import_items is
  'The items of an import. Admins read them, also by realtime; the import functions and the worker write them.';
comment on constraint failed_has_error_message on public.podcast_import_items is
  'A failed item must have an error message';
comment on constraint payload_is_an_object on public.podcast_import_items is 'The payload must be an object';
comment on constraint position_and_attempts_are_not_negative on public.podcast_import_items is
  'The position and the attempts must be 0 or more';
comment on constraint retry_is_pending_and_has_error_message on public.podcast_import_items is
  'Only an item that waits for another attempt has a time for it';
comment on constraint warnings_are_an_array on public.podcast_import_items is 'The warnings must be an array';
-- md5, because a feed's GUID may be longer than an index entry
create unique index podcast_import_items_guid_idx on public.podcast_import_items (import_id, md5(guid));
create index podcast_import_items_order_idx on public.podcast_import_items (import_id, created_at, position);
create index podcast_import_items_pending_idx on public.podcast_import_items (import_id) where status = 'pending';
create index podcast_import_items_podcast_id_idx on public.podcast_import_items (podcast_id);
create index podcast_import_items_episode_id_idx on public.podcast_import_items (episode_id)
  where episode_id is not null;

-- The long texts, carried elements and losses are most of a feed. Separate rows keep them out of realtime and out of
-- item updates.
create table public.podcast_import_item_texts (
  import_item_id uuid primary key references public.podcast_import_items on delete cascade,
  podcast_id     uuid not null,                             -- the item's; the policy reads it
  description    text,
  content        text,                                      -- content:encoded: HTML
  summary        text,
  subtitle       text,
  extra_tags     jsonb not null default '[]',               -- [xml]: elements that the episode carries verbatim
  losses         jsonb not null default '[]',               -- [{path, reason, excerpt?}]: what the episode cannot keep
  copies         jsonb not null default '[]',               -- [{path, url}]: copied files besides the enclosure
  constraint lists_are_arrays check (
    jsonb_typeof(extra_tags) = 'array' and jsonb_typeof(losses) = 'array' and jsonb_typeof(copies) = 'array')
);
create index podcast_import_item_texts_podcast_id_idx on public.podcast_import_item_texts (podcast_id);
comment on table public.podcast_import_item_texts is
  'The long texts of import items, as in the feed, with their carried elements, losses and copies. Admins read them; '
  'stage_import_items and the worker write them.';
comment on constraint lists_are_arrays on public.podcast_import_item_texts is 'Lists must be arrays';

-- Who
alter table public.podcast_import_items enable row level security;
create policy admins_read on public.podcast_import_items for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_import_items to authenticated, service_role;

alter table public.podcast_import_item_texts enable row level security;
create policy admins_read on public.podcast_import_item_texts for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_import_item_texts to authenticated, service_role;
-- No write grants: the import functions write the rows.

-- Always
create trigger t100_normalize before update on public.podcast_import_items
  for each row execute function private.touch_updated_at();

create trigger t310_guard_status before update of status on public.podcast_import_items
  for each row when (old.status is distinct from new.status  -- a duplicate may refresh its episode
    and not (old.status = 'skipped_duplicate' and new.status = 'pending' and new.refresh_fields is not null))
  execute function private.guard_status('An import item',
    'pending: processing completed failed skipped_duplicate skipped_user_limit skipped_canceled',
    'processing: pending completed failed skipped_duplicate skipped_oversize skipped_canceled',
    'failed: pending',
    'skipped_canceled: pending');
