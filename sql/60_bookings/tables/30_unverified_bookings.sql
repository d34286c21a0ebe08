-- Requests with an address that anyone may have typed. They count for their sender, so that strangers spend nothing of
-- what the holder of the address may do.
create table private.unverified_bookings (
  booking_id     uuid primary key references public.bookings on delete cascade,
  sender_digest  bytea,  -- of sender and link, until an answer: limits requests, and holds no IP address
  network_digest bytea,  -- of the sender's network alone, until the guest is told: limits emails
  constraint digests_are_sha256 check (octet_length(sender_digest) = 32 and octet_length(network_digest) = 32)
);
comment on table private.unverified_bookings is
  'Who sent the requests whose guest is not verified. The sender is forgotten once the request is answered or has '
  'expired; the row is deleted once its guest is verified.';
create index unverified_bookings_sender_digest_idx on private.unverified_bookings (sender_digest)
  where sender_digest is not null;
alter table private.unverified_bookings enable row level security;
-- No policy, no grant.

create function private.forget_booking_sender() returns trigger
language plpgsql security definer  -- an admin who deletes a link changes its bookings
set search_path = ''
as $$
begin
  update private.unverified_bookings u set sender_digest = null where u.booking_id = new.id;
  return null;
end $$;
create trigger t500_forget_sender after update on public.bookings
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.forget_booking_sender();

create function private.booking_sender_digest(sender text, booking_link_id uuid) returns bytea
language sql immutable parallel safe security invoker set search_path = ''
return sha256(convert_to($1 || '/' || $2, 'UTF8'));
comment on function private.booking_sender_digest is
  'The sender of requests for a link, private.email_sender(), as the limits count them.';

create function private.require_room_of_guest(_email text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_pending constant int := private.get_setting('max_pending_bookings_per_guest')::int;
begin
  perform pg_advisory_xact_lock(
    hashtextextended('booking_guest/' || encode(private.email_digest(_email), 'hex'), 0));
  perform private.raise_rate_limited(format(
    'This address has %s requests that wait for an answer; try again when one is answered', max_pending),
    min(b.expires_at))
  from public.bookings b where b.guest_email = _email and b.status = 'pending' and b.guest_verified_at is not null
  having count(*) >= max_pending;
end $$;
comment on function private.require_room_of_guest is
  'Locks an address, so that its requests are counted one after another. PT429 RATE_LIMITED over the pending requests '
  'that its holder verified. Only for the holder: others learn nothing about the address.';

create function private.require_room_of_sender(_sender_digest bytea) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_pending constant int := private.get_setting('max_unverified_bookings_per_sender')::int;
begin
  -- the lock of the link makes its requests wait for each other
  perform private.raise_rate_limited(format('%s requests from your network wait for an answer; confirm the email '
    'address of yours with the link in its email, or try again later', max_pending), min(b.expires_at))
  from private.unverified_bookings u join public.bookings b on b.id = u.booking_id
  where u.sender_digest = _sender_digest having count(*) >= max_pending;
end $$;
comment on function private.require_room_of_sender is
  'PT429 RATE_LIMITED over the requests of unverified guests that a sender has for a link and that wait for an answer.';

-- Anyone can type any address into a booking page, and the owner of the page can be the one who does.
create function private.first_guest_email_time(
  _podcast_id uuid, email text, at timestamptz, before timestamptz, network_digest bytea) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  page     constant text := 'podcast:' || _podcast_id;  -- requests on one page delay no emails of another
  owner_id constant uuid := (select p.owner_id from public.podcasts p where p.id = _podcast_id);
  max_new  constant int := (private.email_trust(owner_id, at)).max_new_recipients;  -- null: unlimited
  max_of_network constant int := private.plan_limit('max_new_recipients_per_day', null);
  send_at timestamptz;
begin
  send_at := private.recipient_email_time(page, email, at);
  if network_digest is not null and send_at < before then
    send_at := greatest(send_at, private.next_email_time(
      private.email_window_digest(concat_ws('/', encode(network_digest, 'hex'), page, email)),
      private.get_setting('max_network_emails_per_recipient_per_day')::int, at));
  end if;
  if network_digest is not null and max_of_network is not null and send_at < before then
    send_at := greatest(send_at, private.next_email_time(network_digest, max_of_network, at));
  end if;
  if max_new is not null and send_at < before then
    send_at := greatest(send_at, private.next_email_time(private.email_window_digest(page), max_new, at),
      -- ten pages' worth, so that no account writes to strangers by opening one page after another
      private.next_email_time(private.email_window_digest('pages_of:' || owner_id), 10 * max_new, at));
  end if;
  if send_at < before then
    return send_at;
  end if;
  raise sqlstate 'PT429';  -- gives back what was counted
exception when sqlstate 'PT429' then
  return null;
end $$;
comment on function private.first_guest_email_time is
  'Counts the first email about a booking to a guest who is not verified, and returns when it may be sent; null, and '
  'counts nothing, if there is no room within two days and before a time. By the days of the address with the podcast, '
  'of the address with the podcast and the network that asked, of this network, of the podcast with its owner''s '
  'budget of new recipients, and of ten such budgets for all podcasts of the owner.';
