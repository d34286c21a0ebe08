-- Imports: the back catalog of a feed, copied into a podcast. An import is in flight until its status exceeds running.
create type public.import_status as enum (
  'verification_required', 'preview', 'pending', 'running', 'completed', 'partial', 'failed', 'canceled');
create type public.import_verification_method as enum ('email_code', 'feed_recheck');
-- What becomes of items that the feed dates in the future.
create type public.import_future_items as enum ('publish', 'schedule');

create table public.podcast_imports (
  id                   uuid primary key default gen_random_uuid(),
  podcast_id           uuid not null references public.podcasts on delete cascade,
  created_by           uuid default auth.uid() references public.profiles on delete set null,
  status               public.import_status not null default 'pending',  -- pending: the feed is enqueued or being read
  feed_url             text not null,
  is_locked_source     boolean not null default false,
  verification_method  public.import_verification_method,  -- null: no proof of ownership is required, or it was given
  verification_token   text,
  locked_owner_email   text,                               -- masked, because realtime sends this row
  feed_podcast_guid    uuid,                               -- the feed's podcast:guid, adopted on confirmation
  channel_explicit     boolean,                            -- the feed's itunes:explicit, for items without their own
  staged_at            timestamptz,                        -- when the whole feed was read; null: it cannot be continued
  started_at           timestamptz,
  finished_at          timestamptz,
  feed_due_at          timestamptz,                        -- until then, a message waits that announces its episodes
  total_items          int not null default 0,             -- the counters follow the item rows: 13_import_counters
  completed_count      int not null default 0,
  failed_count         int not null default 0,
  skipped_count        int not null default 0,
  is_hosting_migration boolean not null default false,
  detection            jsonb,                              -- {pattern, confidence, numbers: {guid: number}, conflicts}
  warnings             jsonb not null default '[]',        -- [{code, message, count}] of the feed and its items
  apply_detected_episode_numbers boolean,                  -- as confirmed
  future_items         public.import_future_items,         -- as confirmed
  error_message        text,                               -- why the worker could not read the feed
  error_code           text,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint feed_url_is_http_url check (private.is_http_url(feed_url)),
  constraint verification_required_has_method check (
    status <> 'verification_required' or verification_method is not null),
  -- A canceled import keeps its method, so that resuming it does not bypass the proof of ownership.
  constraint method_only_while_unverified check (
    verification_method is null or status in ('verification_required', 'canceled')),
  constraint method_has_required_data check (case verification_method
    when 'email_code' then locked_owner_email is not null
    when 'feed_recheck' then verification_token is not null
    else true end),
  constraint verification_token_has_prefix check (verification_token ~ '^castbase-verify-[0-9a-f-]{36}$'),
  constraint owner_email_is_masked check (locked_owner_email ~ '^.\*\*\*@.\*\*\*(\.[^.@]+)?$'),
  constraint counts_do_not_exceed_total check (
    least(total_items, completed_count, failed_count, skipped_count) >= 0
    and completed_count + failed_count + skipped_count <= total_items),
  constraint staged_before_leaving_pending check (
    status in ('pending', 'canceled') or staged_at is not null or error_message is not null),
  constraint started_status_has_started_at check (
    status not in ('running', 'completed', 'partial', 'failed') or started_at is not null or error_message is not null),
  constraint error_only_if_feed_was_not_read check (
    num_nulls(error_message, error_code) in (0, 2)
    and (error_message is null or (status = 'failed' and staged_at is null))),
  -- detection is not checked: each change of a counter would read it, with an entry for each of 10,000 GUIDs
  constraint warnings_are_an_array check (jsonb_typeof(warnings) = 'array')
);
comment on table public.podcast_imports is
  'An import of a feed. Admins read it, also by realtime; the import functions and the worker write it.';
comment on constraint counts_do_not_exceed_total on public.podcast_imports is
  'The counts of items must not exceed their total';
comment on constraint error_only_if_feed_was_not_read on public.podcast_imports is
  'Only an import whose feed was not read has an error, with code and message';
comment on constraint feed_url_is_http_url on public.podcast_imports is 'The feed URL must be an http or https URL';
comment on constraint method_has_required_data on public.podcast_imports is
  'A verification must have its code, address or text';
comment on constraint method_only_while_unverified on public.podcast_imports is
  'Only an unverified import has a way of verification';
comment on constraint owner_email_is_masked on public.podcast_imports is 'The email of the owner must be masked';
comment on constraint staged_before_leaving_pending on public.podcast_imports is
  'An import must be staged before it leaves pending';
comment on constraint started_status_has_started_at on public.podcast_imports is
  'A started import must have its time of start';
comment on constraint verification_required_has_method on public.podcast_imports is
  'An import that requires verification must have a way of it';
comment on constraint verification_token_has_prefix on public.podcast_imports is
  'The token must be castbase-verify- and a UUID';
comment on constraint warnings_are_an_array on public.podcast_imports is 'The warnings must be an array';
-- One import in flight per podcast, hosting migrations included
create unique index podcast_imports_in_flight_idx on public.podcast_imports (podcast_id) where status <= 'running';
create index podcast_imports_podcast_id_idx on public.podcast_imports (podcast_id, created_at desc);
create index podcast_imports_created_by_idx on public.podcast_imports (created_by, id);
-- not on updated_at: each change of a counter would then write to all indexes
create index podcast_imports_staging_idx on public.podcast_imports (id) where status = 'pending';

-- Who
alter table public.podcast_imports enable row level security;
create policy admins_read on public.podcast_imports for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_imports to authenticated, service_role;
-- No write grants: the import functions write the rows.

-- Always
create function private.normalize_podcast_import() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  if tg_op = 'UPDATE' then
    if new.status is distinct from old.status then
      new.finished_at := case when new.status in ('completed', 'partial', 'failed', 'canceled') then now() end;
    end if;
    if new.status = 'running' then
      new.started_at := coalesce(new.started_at, now());
    end if;
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.podcast_imports
  for each row execute function private.normalize_podcast_import();

create trigger t300_guard_writable before insert on public.podcast_imports
  for each row execute function private.guard_writable_podcast();

create trigger t310_guard_status before update of status on public.podcast_imports
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('An import',
    'pending: verification_required preview failed canceled',
    'verification_required: preview canceled',
    'preview: running canceled',
    'running: completed partial failed canceled',
    'partial: running',
    'failed: running',
    'canceled: verification_required preview running');
