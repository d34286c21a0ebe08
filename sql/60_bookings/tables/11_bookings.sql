-- Bookings: sessions that guests requested by a booking link.
create type public.booking_status as enum ('pending', 'confirmed', 'declined', 'cancelled');

create table public.bookings (
  id              uuid primary key default gen_random_uuid(),
  booking_link_id uuid references public.booking_links on delete set null,  -- null: the link was deleted
  podcast_id      uuid not null references public.podcasts on delete cascade,
  episode_id      uuid references public.episodes on delete set null,
  name            text not null,                       -- of the link when it was booked
  start_time      timestamptz not null,
  end_time        timestamptz not null,
  status          public.booking_status not null default 'pending',
  guest_name      text not null,
  guest_email     text not null,
  guest_timezone  text not null default 'UTC',
  guest_locale    text not null default 'en',          -- of the emails; BCP 47
  guest_verified_at timestamptz,                       -- null: the guest has not shown that the address is theirs
  guest_told_at   timestamptz default now(),           -- when the first email is due; null: no day has room for it yet
  hosts_told_at   timestamptz,                         -- of the request; null: they were not, or it needs no host
  notes           text,                                -- of the guest
  answers         jsonb not null default '{}',         -- {question id: text}
  location        jsonb,                               -- {type, value}: the link's when it was booked, or a host's
  requires_confirmation boolean not null default true, -- of the link when it was booked
  next_reminder_at timestamptz,                        -- of a confirmed booking; null: none is left
  status_message  text,                                -- from the host to the guest, or from the guest to the host
  confirmed_by    uuid references public.profiles on delete set null,  -- to whom the guest answers; null: no host
  cancelled_by    text,                                -- host, guest or expiry
  sequence        int not null default 0,              -- of the calendar event: rises with each change
  calendar_uid    text not null default gen_random_uuid()::text,  -- by which programs know the event: never changes
  calendar_organizer text,                             -- an address, of the setting at first; null: the emails' sender
  expires_at      timestamptz,                         -- of a pending booking
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint end_is_after_start check (end_time > start_time),
  constraint slot_is_free exclude using gist (booking_link_id with =, tstzrange(start_time, end_time, '[)') with &&)
    where (status in ('pending', 'confirmed')),
  constraint guest_name_is_1_to_200_chars check (char_length(guest_name) <= 200 and not private.is_blank(guest_name)),
  constraint guest_email_is_valid check (private.is_email_address(guest_email)),
  constraint guest_timezone_is_known check (private.is_timezone(guest_timezone)),
  constraint guest_locale_is_bcp47 check (private.is_language_tag(guest_locale)),
  constraint notes_are_at_most_4000_chars check (char_length(notes) <= 4000),
  constraint answers_are_an_object check (jsonb_typeof(answers) = 'object' and octet_length(answers::text) <= 262144),
  constraint status_message_is_at_most_2000_chars check (char_length(status_message) <= 2000),
  constraint only_cancelled_has_cancelled_by check ((status = 'cancelled') = (cancelled_by is not null)),
  constraint cancelled_by_is_known check (cancelled_by in ('host', 'guest', 'expiry')),
  constraint only_pending_has_expires_at check ((status = 'pending') = (expires_at is not null)),
  constraint sequence_is_not_negative check (sequence >= 0),
  constraint location_is_valid check (private.session_location_error(location) is null),
  constraint only_confirmed_has_next_reminder check (status = 'confirmed' or next_reminder_at is null),
  constraint calendar_uid_is_ascii check (calendar_uid ~ '^[!-~]{1,255}$'),
  constraint calendar_organizer_is_valid check (private.is_email_address(calendar_organizer))
);
comment on table public.bookings is
  'Sessions that guests requested. Admins read them; request_booking and the other booking functions write them.';
comment on constraint answers_are_an_object on public.bookings is 'The answers must be an object of at most 256 KB';
comment on constraint calendar_organizer_is_valid on public.bookings is
  'The organizer of the calendar event must be an email address';
comment on constraint calendar_uid_is_ascii on public.bookings is
  'The id of the calendar event must have 1 to 255 ASCII characters';
comment on constraint cancelled_by_is_known on public.bookings is 'A booking must be canceled by host, guest or expiry';
comment on constraint end_is_after_start on public.bookings is 'The end must be after the start';
comment on constraint guest_email_is_valid on public.bookings is 'The guest email must be a valid email address';
comment on constraint guest_locale_is_bcp47 on public.bookings is
  'The locale must be a BCP 47 tag, such as en or de-AT';
comment on constraint guest_name_is_1_to_200_chars on public.bookings is 'The guest name must have 1 to 200 characters';
comment on constraint guest_timezone_is_known on public.bookings is
  'The time zone must be an IANA time zone, such as Europe/Berlin';
comment on constraint location_is_valid on public.bookings is
  'The location must have a known type and a text of 1 to 500 characters';
comment on constraint only_confirmed_has_next_reminder on public.bookings is 'Only a confirmed booking has a reminder';
comment on constraint notes_are_at_most_4000_chars on public.bookings is 'The notes must have at most 4,000 characters';
comment on constraint only_cancelled_has_cancelled_by on public.bookings is
  'Only a canceled booking names who canceled it';
comment on constraint only_pending_has_expires_at on public.bookings is 'Only a pending booking expires';
comment on constraint sequence_is_not_negative on public.bookings is 'The sequence must be 0 or more';
comment on constraint status_message_is_at_most_2000_chars on public.bookings is
  'The status message must have at most 2,000 characters';
comment on constraint slot_is_free on public.bookings is 'Another booking has this time';
create index bookings_podcast_id_idx on public.bookings (podcast_id, start_time, id);
create index bookings_booking_link_id_idx on public.bookings (booking_link_id);
create index bookings_episode_id_idx on public.bookings (episode_id, start_time, id) where episode_id is not null;
create index bookings_guest_email_idx on public.bookings (guest_email, status);
create index bookings_confirmed_by_idx on public.bookings (confirmed_by) where confirmed_by is not null;
create index bookings_expires_at_idx on public.bookings (expires_at) where status = 'pending';
create index bookings_end_time_idx on public.bookings (end_time);
create index bookings_next_reminder_at_idx on public.bookings (next_reminder_at) where next_reminder_at is not null;
create index bookings_untold_idx on public.bookings (start_time) where guest_told_at is null;

-- Who
alter table public.bookings enable row level security;
create policy admins_read on public.bookings for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.bookings to authenticated, service_role;
-- No write grants: the booking functions keep status, emails and calendar events consistent.

-- Always
create function private.next_reminder_time(start_time timestamptz, at timestamptz) returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select min($1 - o.before) from unnest('{1 day,1 hour}'::interval[]) o (before) where $1 - o.before > $2
$$;
comment on function private.next_reminder_time is
  'When guest and hosts are reminded next of a session: one day and one hour before it. Null if both are past.';

create function private.normalize_booking() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  new.guest_name := regexp_replace(private.normalize_line(new.guest_name), '[\u0001-\u001f\u007f-\u009f]', '', 'g');
  if tg_op = 'INSERT' then
    new.calendar_organizer := nullif(private.get_setting('booking_organizer_email'), '');
  end if;
  new.location := private.clean_session_location(new.location);
  if new.status <> 'confirmed' then
    new.next_reminder_at := null;
  elsif tg_op = 'INSERT' or (old.status, old.start_time) is distinct from (new.status, new.start_time) then
    new.next_reminder_at := private.next_reminder_time(new.start_time, now());
  end if;
  -- the place of a request is not in its guest's calendar yet
  if tg_op = 'UPDATE' and (
    (old.status, old.start_time, old.end_time) is distinct from (new.status, new.start_time, new.end_time)
    or new.status = 'confirmed' and old.location is distinct from new.location)
  then
    new.sequence := old.sequence + 1;  -- calendars ignore an update with a lower number than they have
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.bookings
  for each row execute function private.normalize_booking();

create trigger t300_guard_writable before insert on public.bookings  -- later changes lock the podcast by themselves
  for each row execute function private.guard_writable_podcast();

create trigger t310_guard_status before update of status on public.bookings
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A booking',
    'pending: confirmed declined cancelled', 'confirmed: cancelled');
