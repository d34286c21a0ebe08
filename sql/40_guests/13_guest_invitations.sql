-- Invitations: the facts of an invitation that members may not read; a policy on episode_guests could not hide columns.
-- The worker derives the access token of each request and stores only its digest. The token of the last sent email
-- stays valid until the next email is sent.
create table private.guest_invitations (
  episode_guest_id   uuid primary key references public.episode_guests on delete cascade,
  message            text,                                            -- personal message of the admin
  invited_by         uuid references public.profiles on delete set null,
  requested_at       timestamptz not null default clock_timestamp(),  -- identifies the request for an email
  sent_at            timestamptz,                                     -- null until the email of this request is sent
  email_count        int not null default 0,                          -- emails enqueued since the guest last accepted
  token_hash         bytea unique,                                    -- sha256; token of the last email that was sent
  expires_at         timestamptz,
  pending_token_hash bytea unique,                                    -- token of the email in delivery; valid too
  pending_expires_at timestamptz,
  constraint message_is_1_to_2000_chars check (char_length(message) <= 2000 and not private.is_blank(message)),
  constraint hashes_are_sha256 check (octet_length(token_hash) = 32 and octet_length(pending_token_hash) = 32),
  constraint tokens_have_expiry check (num_nulls(token_hash, expires_at) in (0, 2)
    and num_nulls(pending_token_hash, pending_expires_at) in (0, 2))
);
comment on table private.guest_invitations is
  'The last invitation of each episode guest: its email and the digests of its access tokens.';
create index guest_invitations_invited_by_idx on private.guest_invitations (invited_by, episode_guest_id);
alter table private.guest_invitations enable row level security;
-- No policy, no grant.

-- Removing a guest revokes the token. The row stays, so that a new invitation does not reset the number of emails.
create function private.revoke_guest_token() returns trigger
language plpgsql security definer  -- clients may not write invitations
set search_path = ''
as $$
begin
  update private.guest_invitations i set
    token_hash = null, expires_at = null, pending_token_hash = null, pending_expires_at = null, message = null,
    sent_at = coalesce(i.sent_at, now())  -- a worker that is about to send gets no token
  where i.episode_guest_id = new.id;
  return null;
end $$;
create trigger t500_revoke_token after update of status on public.episode_guests
  for each row when (new.status = 'removed') execute function private.revoke_guest_token();

-- Guests are looked up by the token's digest: a client cannot choose its bytes, so response times reveal no token.
create function private.authenticate_guest(
  access_token text, for_write boolean default false, at timestamptz default now()
) returns public.episode_guests
language plpgsql volatile security definer  -- clients may not read digests
set search_path = ''
as $$
declare
  digest     bytea := sha256(convert_to(authenticate_guest.access_token, 'UTF8'));
  invitation record;
  guest      public.episode_guests;
  is_visit   boolean;
begin
  select i.episode_guest_id, case digest when i.token_hash then i.expires_at else i.pending_expires_at end as expires_at
  into invitation from private.guest_invitations i where i.token_hash = digest or i.pending_token_hash = digest;
  if invitation.expires_at <= authenticate_guest.at then
    raise sqlstate 'PT401' using message = 'The invitation has expired; ask the team for a new one', hint = 'EXPIRED';
  end if;
  select g.* into guest from public.episode_guests g where g.id = invitation.episode_guest_id and g.status <> 'removed';
  is_visit := guest.last_accessed_at is null or guest.last_accessed_at <= authenticate_guest.at - interval '1 minute';
  if is_visit or for_write then
    perform from public.episodes e where e.id = guest.episode_id for no key update;  -- deletions lock in this order
    update public.episode_guests g
    set last_accessed_at = case when is_visit then authenticate_guest.at else g.last_accessed_at end
    where g.id = guest.id and g.status <> 'removed' returning g.* into guest;
  end if;
  if guest.id is null then
    raise sqlstate 'PT401' using message = 'Invalid access token', hint = 'INVALID';
  end if;
  return guest;
end $$;
comment on function private.authenticate_guest is
  'The episode guest of an access token; PT401 INVALID or EXPIRED. Records the visit at most once a minute. '
  'With for_write, episode and guest stay locked until the transaction ends.';
-- No grant: definer functions call it.
