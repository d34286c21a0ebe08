-- Requests with an address that anyone may have typed. They count for their sender, so that strangers spend nothing of
-- what the holder of the address may do.
create table private.unverified_bookings (
  booking_id    uuid primary key references public.bookings on delete cascade,
  sender_digest bytea not null,        -- sha256 of the sender and the link, so that the table holds no IP addresses
  email_at      timestamptz not null,  -- when the guest is sent the link to the booking
  is_announced  boolean not null,      -- to the hosts
  constraint digest_is_sha256 check (octet_length(sender_digest) = 32)
);
comment on table private.unverified_bookings is
  'Who sent the pending requests whose guest is not verified, and whether guest and hosts were told of them. A row is '
  'deleted once its request is verified or answered, or has expired.';
create index unverified_bookings_sender_digest_idx on private.unverified_bookings (sender_digest);
alter table private.unverified_bookings enable row level security;
-- No policy, no grant.

create function private.forget_booking_sender() returns trigger
language plpgsql security definer  -- an admin who deletes a link changes its bookings
set search_path = ''
as $$
begin
  delete from private.unverified_bookings u where u.booking_id = new.id;
  return null;
end $$;
create trigger t500_forget_sender after update on public.bookings
  for each row when (new.status <> 'pending' or new.guest_verified_at is not null)
  execute function private.forget_booking_sender();

create function private.booking_sender_digest(sender text, booking_link_id uuid) returns bytea
language sql immutable parallel safe security invoker set search_path = ''
as $$ select sha256(convert_to($1 || '/' || $2, 'UTF8')) $$;
comment on function private.booking_sender_digest is
  'The sender of requests for a link, private.email_sender(), as the limits count them.';

create function private.require_room_for_request(email text, sender_digest bytea, is_verified boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_pending    constant int := private.get_setting('max_pending_bookings_per_guest')::int;
  max_unverified constant int := private.get_setting('max_unverified_bookings_per_sender')::int;
  pending        record;
begin
  perform pg_advisory_xact_lock(
    hashtextextended('booking_guest/' || encode(private.email_digest(email), 'hex'), 0));
  select count(*) as count, min(b.expires_at) as reset_at into pending from public.bookings b
  where b.guest_email = require_room_for_request.email and b.status = 'pending' and b.guest_verified_at is not null;
  if pending.count >= max_pending then
    raise sqlstate 'PT429' using hint = 'RATE_LIMITED', message = format(
      'This address has %s requests that wait for an answer; try again when one is answered', max_pending),
      detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(pending.reset_at))::text;
  end if;
  -- the lock of the link makes its requests wait for each other
  select count(*) as count, min(b.expires_at) as reset_at into pending
  from private.unverified_bookings u join public.bookings b on b.id = u.booking_id
  where u.sender_digest = require_room_for_request.sender_digest and not is_verified;
  if pending.count >= max_unverified then
    raise sqlstate 'PT429' using hint = 'RATE_LIMITED', message = format('%s requests from your network wait for an '
      'answer; confirm the email address of yours with the link in its email, or try again later', max_unverified),
      detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(pending.reset_at))::text;
  end if;
end $$;
comment on function private.require_room_for_request is
  'Locks an address, so that its requests are counted one after another. PT429 RATE_LIMITED over the pending requests '
  'that the holder of the address verified, or over those that an unverified guest''s sender has for the link.';
