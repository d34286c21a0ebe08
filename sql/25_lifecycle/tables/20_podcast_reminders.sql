-- Reminders that were sent before a deletion, or the end of a pause, so that each is sent once per time.
create table private.podcast_reminders (
  podcast_id uuid not null references public.podcasts on delete cascade,
  kind       text not null,
  ends_at    timestamptz not null,
  primary key (podcast_id, kind, ends_at)
);
comment on table private.podcast_reminders is
  'What announce_near_ends has told: a deletion or the end of a pause at that time, by kind of the reminder.';
alter table private.podcast_reminders enable row level security;
-- No policy, no grant.
