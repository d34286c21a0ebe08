-- Emails to people who did not ask for them. One policy for all of them:
-- * A sender has a budget for each recipient. Others cannot spend it, and it tells nothing about others.
-- * A user has a daily budget of new recipients, which bounces and complaints reduce.
-- * A recipient has a daily number of emails from all users together, and one from each podcast, whose booking page
--   needs no account. It delays further ones and refuses none.
-- * Emails of a signed-in user to their own confirmed address have no budget.
-- A sender is 'user:<id>', 'podcast:<id>' of a team that answers someone, or 'network:<address>' of a caller who is not
-- signed in.
create table private.email_windows (
  digest            bytea primary key,  -- of the key, so that the table holds no addresses
  window_started_at timestamptz not null,
  email_count       int not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.email_windows is
  'How many emails from strangers each address was promised since the window began, by all users, by each podcast and '
  'by each network with a podcast, and how many each network and each podcast caused. A window has two days. '
  'purge_email_recipients deletes old rows.';
create index email_windows_window_started_at_idx on private.email_windows (window_started_at);
alter table private.email_windows enable row level security;
-- No policy, no grant.

create function private.next_email_time(_digest bytea, max_per_day int, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reserved private.email_windows;
begin
  if max_per_day <= 0 then
    return 'infinity';
  end if;
  insert into private.email_windows as w (digest, window_started_at, email_count)
  values (_digest, at, 1)
  on conflict on constraint email_windows_pkey do update set
    (window_started_at, email_count) = (
      select case when o.is_over then excluded.window_started_at else w.window_started_at end,
        case when o.is_over then 1 else w.email_count + 1 end
      from (select excluded.window_started_at >= w.window_started_at
        + case when w.email_count <= max_per_day then interval '1 day' else '2 days' end) o (is_over))
  -- no further ahead, so that a flood ends with its senders
  where w.email_count < 2 * max_per_day or w.window_started_at <= at - interval '2 days'
  returning * into reserved;
  -- a concurrent call that began later may have started the window
  return case
    when reserved.digest is null then 'infinity'
    when reserved.email_count <= max_per_day then at
    else greatest(at, reserved.window_started_at + interval '1 day') end;
end $$;
comment on function private.next_email_time is
  'Counts an email from a stranger in the window with the digest of a key, and returns when it may be sent: now, or on '
  'the second day of the window. Counts nothing and returns infinity if both days are full.';

create function private.email_window_digest(key text) returns bytea
language sql immutable parallel safe security invoker set search_path = ''
return sha256(convert_to($1, 'UTF8'));
comment on function private.email_window_digest is 'The key of a window in private.email_windows.';

create function private.recipient_email_time(sender text, email text, at timestamptz) returns timestamptz
language sql volatile security invoker set search_path = ''
return private.next_email_time(
  private.email_window_digest(case when $1 like 'user:%' then 'users' else $1 end || '/' || $2),
  greatest(1, private.get_setting('max_emails_from_strangers_per_day')::int), $3);
comment on function private.recipient_email_time is
  'Counts an email of a sender in its recipient''s day, which all users share and each podcast has to itself, and '
  'returns when it may be sent; infinity: not within two days.';

create function private.email_sender() returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce((select 'user:' || f.id from public.profiles f where f.id = auth.uid()),
    'network:' || private.network_of(private.client_address()))
$$;
comment on function private.email_sender is
  'The caller as sender of emails: the user, or the network of a caller without an account, such as an anonymous user.';

create function private.try_consume_email_budget(
  sender text, email text, at timestamptz, caller_id uuid default auth.uid()) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  -- only callers email new people; a podcast answers someone who wrote to it
  is_caller constant boolean := coalesce(sender = 'user:' || caller_id, false);
  max_new   int;
  reset_at  timestamptz;
begin
  -- before the counts, so that transactions that email several senders' recipients lock each address once
  perform pg_advisory_xact_lock(hashtextextended('emails/' || encode(private.email_digest(email), 'hex'), 0));
  if is_caller and not exists (
    select from private.email_recipients r where r.sender_id = caller_id and r.digest = private.email_digest(email))
  then
    max_new := (private.email_trust(caller_id, at)).max_new_recipients;
    reset_at := case when max_new = 0 then 'infinity' when max_new > 0 then private.try_consume_rate_limit(
      'new_recipients:' || caller_id, max_new, interval '1 day', at) end;
  end if;
  if reset_at is null then
    reset_at := private.try_consume_rate_limit(private.email_rate_limit_key('emails', sender || '/' || email),
      private.get_setting('max_sender_emails_per_recipient_per_day')::int, interval '1 day', at);
  end if;
  if is_caller and reset_at is null then
    insert into private.email_recipients (sender_id, digest, first_email_at)
    values (caller_id, private.email_digest(email), at) on conflict do nothing;
  end if;
  return reset_at;
end $$;
comment on function private.try_consume_email_budget is
  'Counts an email in its sender''s own budgets, for the address (in lower case) and for new recipients, and returns '
  'null. Over one, returns when there is room again; infinity: complaints have stopped the sender. The service names '
  'the caller.';

create function private.try_reserve_email(
  sender text, email text, at timestamptz, max_wait interval, caller_id uuid default auth.uid(),
  out send_at timestamptz, out reset_at timestamptz)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if email = private.confirmed_email_of(caller_id) then
    send_at := at;
    return;
  end if;
  reset_at := private.try_consume_email_budget(sender, email, at, caller_id);
  if reset_at is null then
    send_at := private.recipient_email_time(sender, email, at);
    if send_at > at + max_wait then
      raise sqlstate 'PT429';  -- gives back what was counted
    end if;
  end if;
exception when sqlstate 'PT429' then
  reset_at := least(send_at, at + interval '2 days');
  send_at := null;
end $$;
comment on function private.try_reserve_email is
  'Counts an email of a sender to an address (in lower case), and returns when it may be sent: send_at is now, or at '
  'most max_wait later if many wrote to the address. Over a budget, or without room until then, counts nothing, '
  'send_at is null, and reset_at is when there is room again; infinity: complaints have stopped the sender. An email '
  'to the caller''s own confirmed address is sent now and not counted.';

create function private.raise_email_limit(reset_at timestamptz) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if reset_at = 'infinity' then
    raise sqlstate 'PT403' using hint = 'SENDING_STOPPED',
      message = 'Recipients of your emails complained, so you cannot email new people; contact support';
  end if;
  perform private.raise_rate_limited(
    'Too many emails to this person, or to new people today; try again later', reset_at);
end $$;
comment on function private.raise_email_limit is
  'PT429 RATE_LIMITED with rate_limit_reset_at; PT403 SENDING_STOPPED for infinity.';

create function private.consume_email_budget(
  sender text, email text, at timestamptz, caller_id uuid default auth.uid()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reset_at constant timestamptz := private.try_consume_email_budget(sender, email, at, caller_id);
begin
  if reset_at is not null then
    perform private.raise_email_limit(reset_at);
  end if;
end $$;
comment on function private.consume_email_budget is
  'Counts an email as try_consume_email_budget; PT429 RATE_LIMITED or PT403 SENDING_STOPPED over a budget.';

create function private.reserve_email(_sender text, _email text, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  slot record := private.try_reserve_email(_sender, _email, at, 'infinity');
begin
  if slot.send_at is null then
    perform private.raise_email_limit(slot.reset_at);
  end if;
  return least(slot.send_at, at + interval '1 day');
end $$;
comment on function private.reserve_email is
  'Counts an email that the caller asks for, and returns when it is sent: now, or at most a day later if many wrote to '
  'the address. PT429 RATE_LIMITED over the sender''s own budget, PT403 SENDING_STOPPED.';
