-- A window of days: each takes the limit's number of emails, and emails that exceed today's wait for the next days.
create table private.booking_email_windows (
  digest            bytea primary key,
  window_started_at timestamptz not null,
  email_count       int not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.booking_email_windows is
  'How many emails about bookings each address was promised since the window began. purge_bookings deletes old rows.';
create index booking_email_windows_window_started_at_idx on private.booking_email_windows (window_started_at);
alter table private.booking_email_windows enable row level security;
-- No policy, no grant.

-- The emails of a booking that wait are sent as one, the newest, so they take one place in the window.
create table private.postponed_booking_emails (
  booking_id    uuid primary key references public.bookings on delete cascade,
  scheduled_for timestamptz not null
);
comment on table private.postponed_booking_emails is
  'When the next email about a booking goes to its guest, if the limit of the address postponed it.';
alter table private.postponed_booking_emails enable row level security;
-- No policy, no grant.

create function private.reserve_booking_email(email text, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_per_day int := greatest(1, private.get_setting(case when private.is_verified_email(reserve_booking_email.email)
    then 'max_verified_booking_emails_per_day' else 'max_booking_emails_per_day' end)::int);
  reserved    private.booking_email_windows;
begin
  insert into private.booking_email_windows as w (digest, window_started_at, email_count)
  values (private.email_digest(reserve_booking_email.email), reserve_booking_email.at, 1)
  on conflict (digest) do update set
    (window_started_at, email_count) = (
      select case when o.is_over then excluded.window_started_at else w.window_started_at end,
        case when o.is_over then 1 else w.email_count + 1 end
      from (select excluded.window_started_at
        >= w.window_started_at + (w.email_count + max_per_day - 1) / max_per_day * interval '1 day') o (is_over))
  returning * into reserved;
  -- a concurrent call that began later may have started the window
  return case when reserved.email_count <= max_per_day then at
    else greatest(at, reserved.window_started_at + (reserved.email_count - 1) / max_per_day * interval '1 day') end;
end $$;
comment on function private.reserve_booking_email is
  'Counts an email about a booking to an address, and returns when it may be sent: now, or on the first day that has '
  'room.';

create function private.schedule_booking_email(booking public.bookings, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  send_at timestamptz := (
    select p.scheduled_for from private.postponed_booking_emails p
    where p.booking_id = booking.id and p.scheduled_for > schedule_booking_email.at
      and not private.is_verified_email(booking.guest_email));
begin
  if send_at is null then
    send_at := private.reserve_booking_email(booking.guest_email, schedule_booking_email.at);
    insert into private.postponed_booking_emails as p (booking_id, scheduled_for)
    select booking.id, send_at where send_at > schedule_booking_email.at
    on conflict (booking_id) do update set scheduled_for = excluded.scheduled_for;
  end if;
  return nullif(send_at, schedule_booking_email.at);
end $$;
comment on function private.schedule_booking_email is
  'When the email about a change of a booking is sent to its guest; null: now.';
