-- Calendar events: the event of each booking in a host's calendar, as the worker last wrote it.
create table private.calendar_events (
  booking_id       uuid primary key,  -- not a reference: the event of a deleted booking is still to be removed
  calendar_id      uuid not null references public.connected_calendars on delete cascade,
  external_id      text not null,     -- the provider's id of the event
  etag             text,              -- of the last write
  written          text,              -- digest of the state that was written last; null: unknown
  lease_expires_at timestamptz,       -- one writer at a time
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
comment on table private.calendar_events is
  'The calendar event of each booking: where it is and what was written last. The calendar_sync job writes it.';
create index calendar_events_calendar_id_idx on private.calendar_events (calendar_id);
alter table private.calendar_events enable row level security;
-- No policy, no grant.
