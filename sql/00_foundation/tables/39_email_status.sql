-- What the sender of an email sees of it: the column email_status of the record that the email is about.
create type public.email_status as enum (
  'waiting',     -- many wrote to the recipient; email_due_at is when it is queued
  'queued',
  'sent',
  'delivered',
  'bounced',
  'suppressed',  -- the recipient gets no such emails
  'canceled',    -- the record no longer asked for it
  'failed');     -- every attempt failed
comment on type public.email_status is 'The state of the last email about a record.';

create function private.reject_unsent_email(
  status public.email_status, due_at timestamptz, at timestamptz) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if status in ('waiting', 'queued') then
    perform private.raise_rate_limited('The last email is still on its way; wait until it is sent',
      greatest(due_at, at + interval '1 minute'));
  end if;
end $$;
comment on function private.reject_unsent_email is
  'PT429 RATE_LIMITED with rate_limit_reset_at while the last email about a record waits or is queued.';
