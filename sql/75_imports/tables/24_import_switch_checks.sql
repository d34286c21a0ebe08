-- The last check of the old feed's address of an import: whether it leads listeners to us.
create table private.import_switch_checks (
  import_id    uuid primary key references public.podcast_imports on delete cascade,
  requested_at timestamptz not null,
  begun_at     timestamptz,            -- of the last check: each request is checked once
  checked_at   timestamptz,            -- null: the first check has not ended
  result       jsonb,                  -- the member result of get_import_switch
  constraint checked_has_result check (num_nulls(checked_at, result) in (0, 2))
);
comment on table private.import_switch_checks is
  'What the old feed''s address of an import last responded. get_import_switch requests checks; the service writes '
  'them.';
alter table private.import_switch_checks enable row level security;
-- No policy, no grant.
