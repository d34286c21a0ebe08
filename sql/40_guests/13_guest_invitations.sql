-- Invitations: what episode_guests may not hold, because members read it whole. The token itself is nowhere: the worker
-- makes it when it writes the mail, and leaves its digest here. Whoever is in stays in while a further mail is tried: the
-- token of the last one opens until the next has gone out.
create table private.guest_invitations (
  episode_guest_id uuid primary key references public.episode_guests on delete cascade,
  message          text,                                                -- the host's words in the mail
  invited_by       uuid references public.profiles on delete set null,
  requested_at     timestamptz not null default clock_timestamp(),      -- which of several requests this is
  sent_at          timestamptz,                                         -- null: no mail of this request went out
  email_count      int not null default 0,                              -- queued since the guest last accepted
  token_hash       bytea unique,                                        -- sha256; of the mail that went out last
  expires_at       timestamptz,
  pending_token_hash        bytea unique,                                        -- of the mail that is being tried; opens as well
  pending_expires_at  timestamptz,
  constraint message_is_1_to_2000_chars check (char_length(message) <= 2000 and not private.is_blank(message)),
  constraint hashes_are_sha256 check (octet_length(token_hash) = 32 and octet_length(pending_token_hash) = 32),
  constraint tokens_have_expiry check (num_nulls(token_hash, expires_at) in (0, 2) and num_nulls(pending_token_hash, pending_expires_at) in (0, 2))
);
comment on table private.guest_invitations is 'The last invitation of each episode guest: what its mail says, and the digests of the access tokens that open it.';
create index guest_invitations_invited_by_idx on private.guest_invitations (invited_by);
alter table private.guest_invitations enable row level security;
-- No policy, no grant.

-- Removing a guest voids the token. The row stays, so that inviting the guest again does not reset the number of emails.
create function private.revoke_guest_token() returns trigger
language plpgsql security definer  -- the invitation is nobody's to touch
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

-- The guest behind an access token. The look-up is by the token's digest, so how long it takes tells nothing of a token:
-- whoever guesses cannot choose the digest's bytes one after another.
create function private.authenticate_guest(access_token text, at timestamptz default now(), for_write boolean default false)
returns public.episode_guests
language plpgsql volatile security definer  -- digests are nobody's to read
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
    raise sqlstate 'PT401' using message = 'The invitation has expired; ask the host for a new one', hint = 'EXPIRED';
  end if;
  select g.* into guest from public.episode_guests g where g.id = invitation.episode_guest_id and g.status <> 'removed';
  is_visit := guest.last_accessed_at is null or guest.last_accessed_at <= authenticate_guest.at - interval '1 minute';
  if is_visit or for_write then
    perform from public.episodes e where e.id = guest.episode_id for no key update;  -- before the guest, as deletions
    update public.episode_guests g set last_accessed_at = case when is_visit then authenticate_guest.at else g.last_accessed_at end
    where g.id = guest.id and g.status <> 'removed' returning g.* into guest;
  end if;
  if guest.id is null then
    raise sqlstate 'PT401' using message = 'The access token opens nothing', hint = 'INVALID';
  end if;
  return guest;
end $$;
comment on function private.authenticate_guest is
  'The episode guest whom an access token lets in, whatever its status but removed; notes the visit at most once a minute. For those who are `for_write` neither the episode nor the guest goes until the transaction ends. PT401 INVALID or EXPIRED.';
-- No grant: definers call it, each for what a guest may do.
