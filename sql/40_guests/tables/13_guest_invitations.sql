-- Invitations: what members may not read of them; a policy on episode_guests could not hide columns.
create table private.guest_invitations (
  episode_guest_id uuid primary key references public.episode_guests on delete cascade,
  message          text,                                            -- personal message of the admin
  invited_by       uuid references public.profiles on delete set null,
  constraint message_is_1_to_2000_chars check (char_length(message) <= 2000 and not private.is_blank(message))
);
comment on table private.guest_invitations is 'The last invitation of each episode guest.';
comment on constraint message_is_1_to_2000_chars on private.guest_invitations is
  'The message must have 1 to 2,000 characters';
create index guest_invitations_invited_by_idx on private.guest_invitations (invited_by, episode_guest_id);
alter table private.guest_invitations enable row level security;
-- No policy, no grant.

-- Removing a guest revokes the links of all emails.
create function private.revoke_guest_tokens() returns trigger
language plpgsql security definer  -- clients may not write tokens
set search_path = ''
as $$
begin
  delete from private.access_tokens t where t.kind = 'guest_invitation' and t.subject_id = new.id;
  update private.guest_invitations i set message = null where i.episode_guest_id = new.id;
  return null;
end $$;
create trigger t500_revoke_tokens after update of status on public.episode_guests
  for each row when (new.status = 'removed') execute function private.revoke_guest_tokens();

create function private.guest_token_expires_at(at timestamptz) returns timestamptz
language sql stable security invoker set search_path = ''
return $1 + make_interval(days => private.get_setting('guest_token_ttl_days')::int);
comment on function private.guest_token_expires_at is 'Until when a link in an email to a guest is valid.';

create function private.authenticate_guest(
  _access_token text, for_write boolean default false, at timestamptz default now()
) returns public.episode_guests
language plpgsql volatile security definer  -- clients may not read digests
set search_path = ''
as $$
declare
  token    private.access_tokens := private.find_access_token(
    _access_token, 'guest_invitation', '-infinity');  -- expired ones too
  guest    public.episode_guests;
  is_visit boolean;
begin
  if token.expires_at <= at then
    raise sqlstate 'PT401' using message = 'The invitation has expired; ask the team for a new one', hint = 'EXPIRED';
  end if;
  select g.* into guest from public.episode_guests g where g.id = token.subject_id and g.status <> 'removed';
  is_visit := guest.last_accessed_at is null or guest.last_accessed_at <= at - interval '1 minute';
  if is_visit or for_write then
    perform from public.episodes e where e.id = guest.episode_id for no key update;  -- deletions lock in this order
    update public.episode_guests g
    set last_accessed_at = case when is_visit then at else g.last_accessed_at end
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
