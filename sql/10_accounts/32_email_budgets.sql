-- Emails to people who did not ask for them. One policy for all of them:
-- * A sender has a budget for each recipient. Others cannot spend it, and it tells nothing about others.
-- * A user has a daily budget of new recipients, which bounces and complaints reduce.
-- * A recipient has a daily number of emails from all senders together. It delays further ones and refuses none.
-- * Emails of a signed-in user to their own confirmed address have no budget.
-- A sender is 'user:<id>', 'network:<address>' of a caller who is not signed in, or 'podcast:<id>' of a team that
-- answers someone.
create table private.email_windows (
  digest            bytea primary key,  -- of the recipient's address, so that the table holds no addresses
  window_started_at timestamptz not null,
  email_count       int not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.email_windows is
  'How many emails from strangers each address was promised since the window began. A window has days, each with room '
  'for the setting max_emails_from_strangers_per_day. purge_email_recipients deletes old rows.';
create index email_windows_window_started_at_idx on private.email_windows (window_started_at);
alter table private.email_windows enable row level security;
-- No policy, no grant.

create function private.next_email_time(email text, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_per_day constant int := greatest(1, private.get_setting('max_emails_from_strangers_per_day')::int);
  reserved    private.email_windows;
begin
  insert into private.email_windows as w (digest, window_started_at, email_count)
  values (private.email_digest(next_email_time.email), next_email_time.at, 1)
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
comment on function private.next_email_time is
  'Counts an email from a stranger to an address, and returns when it may be sent: now, or on the first day that has '
  'room.';

create function private.email_sender() returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce((select 'user:' || f.id from public.profiles f where f.id = auth.uid()),
    'network:' || private.network_of(private.client_address()))
$$;
comment on function private.email_sender is
  'The caller as sender of emails: the user, or the network of a caller without an account, such as an anonymous user.';

create function private.try_reserve_email(
  sender text, email text, at timestamptz, caller_id uuid default auth.uid(),
  out send_at timestamptz, out reset_at timestamptz)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  -- only callers email new people; a podcast answers someone who wrote to it
  is_caller constant boolean := coalesce(sender = 'user:' || caller_id, false);
  max_new   int;
begin
  if email = private.confirmed_email_of(caller_id) then
    send_at := at;
    return;
  end if;
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
      private.get_setting(case when sender like 'network:%' then 'max_network_emails_per_recipient_per_day'
        else 'max_sender_emails_per_recipient_per_day' end)::int, interval '1 day', at);
  end if;
  if reset_at is not null then
    return;
  end if;
  if is_caller then
    insert into private.email_recipients (sender_id, digest, first_email_at)
    values (caller_id, private.email_digest(email), at) on conflict do nothing;
  end if;
  send_at := private.next_email_time(email, at);
end $$;
comment on function private.try_reserve_email is
  'Counts an email of a sender to an address (in lower case), and returns when it may be sent: send_at is now, or a '
  'later day if many wrote to the address. Over the sender''s own budget send_at is null, and reset_at is when there '
  'is room again; infinity: complaints have stopped the sender. An email to the caller''s own confirmed address is '
  'sent now and not counted. The service names the caller.';

create function private.try_reserve_email_now(
  sender text, email text, at timestamptz, caller_id uuid default auth.uid()) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  slot record;
begin
  slot := private.try_reserve_email(sender, email, at, caller_id);
  if slot.send_at <= at then
    return null;
  end if;
  raise sqlstate 'PT429';  -- gives back what was counted
exception when sqlstate 'PT429' then
  return coalesce(slot.send_at, slot.reset_at);
end $$;
comment on function private.try_reserve_email_now is
  'Counts an email that cannot wait, such as a code, and returns null. Over a budget, or on a day when many wrote to '
  'the address, counts nothing and returns when there is room; infinity: complaints have stopped the sender.';

create function private.raise_email_limit(reset_at timestamptz) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if reset_at = 'infinity' then
    raise sqlstate 'PT403' using hint = 'SENDING_STOPPED',
      message = 'Recipients of your emails complained, so you cannot email new people; contact support';
  end if;
  raise sqlstate 'PT429' using hint = 'RATE_LIMITED',
    message = 'Too many emails to this person, or to new people today; try again later',
    detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(reset_at))::text;
end $$;
comment on function private.raise_email_limit is
  'PT429 RATE_LIMITED with rate_limit_reset_at; PT403 SENDING_STOPPED for infinity.';

create function private.reserve_email(
  sender text, email text, at timestamptz, max_wait interval default '1 day') returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  slot record := private.try_reserve_email(reserve_email.sender, reserve_email.email, reserve_email.at);
begin
  if slot.send_at is null then
    perform private.raise_email_limit(slot.reset_at);
  end if;
  return least(slot.send_at, reserve_email.at + max_wait);
end $$;
comment on function private.reserve_email is
  'Counts an email that the caller asks for, and returns when it is sent, at most max_wait later (null: without limit) '
  'if many wrote to the address. PT429 RATE_LIMITED over the sender''s own budget, PT403 SENDING_STOPPED.';

create function private.schedule_email(sender text, email text, at timestamptz, max_wait interval)
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  slot record;
begin
  if private.is_verified_email(schedule_email.email) then
    return schedule_email.at;
  end if;
  slot := private.try_reserve_email(schedule_email.sender, schedule_email.email, schedule_email.at);
  return least(coalesce(slot.send_at, slot.reset_at), schedule_email.at + max_wait);
end $$;
comment on function private.schedule_email is
  'When an email that follows from an act is sent: now to a verified address, else within the budgets, at most '
  'max_wait later. It refuses nothing: limit the acts that cause it.';
