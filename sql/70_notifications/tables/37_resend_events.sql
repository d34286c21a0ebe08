-- Events that Resend has delivered. It delivers an event more than once, in any order, and sometimes before the worker
-- has stored the message's id.
create table private.resend_events (
  id             text primary key,        -- svix-id
  message_id     text not null,
  type           text not null,
  happened_at    timestamptz not null,    -- Resend's time
  reason         text,                    -- why it stops further emails; null: it does not
  address_digest bytea,                   -- of the address that it stops
  detail         text,                    -- Resend's explanation
  received_at    timestamptz not null,
  constraint texts_are_bounded check (
    char_length(id) <= 255 and char_length(message_id) <= 255 and char_length(type) <= 255
    and char_length(detail) <= 1000)
);
comment on table private.resend_events is
  'Events of Resend about emails, so that a repeated delivery changes nothing. purge_notifications deletes old ones.';
create index resend_events_message_id_idx on private.resend_events (message_id);
create index resend_events_received_at_idx on private.resend_events (received_at);
alter table private.resend_events enable row level security;
-- No policy, no grant.

create function private.resend_status(type text) returns public.delivery_status
language sql immutable parallel safe security invoker set search_path = ''
return (case $1
  when 'email.sent' then 'sent'
  when 'email.delivered' then 'delivered'
  when 'email.opened' then 'opened'
  when 'email.clicked' then 'clicked'
  when 'email.bounced' then 'bounced'
  when 'email.complained' then 'failed'
  when 'email.failed' then 'failed'
  when 'email.suppressed' then 'failed'  -- the address is on a list of Resend's own, and nothing was sent
end)::public.delivery_status;
comment on function private.resend_status is 'The delivery status of an event of Resend; null for other events.';

create function private.apply_resend_event(event private.resend_events, at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  status  constant public.delivery_status := private.resend_status(event.type);
  sent_id constant uuid := (
    select s.delivery_id from private.delivery_sends s where s.provider_message_id = event.message_id);
begin
  -- codes have no delivery, and their addresses are suppressed as well
  if event.reason is not null then
    perform private.suppress_email(
      coalesce(event.address_digest, private.email_digest((private.email_recipient(sent_id)).email)),
      event.reason, detail => event.detail, at => at);
  end if;
  if sent_id is null then
    return false;
  end if;
  perform private.record_email_outcome(a.sender_id, a.email, event.reason, event.happened_at)
  from private.delivery_addresses a where a.delivery_id = sent_id and a.sender_id is not null;
  if exists (select from public.notification_deliveries d where d.id = sent_id and d.status = 'canceled') then
    return false;  -- last_error says why it was canceled
  end if;
  perform private.advance_delivery(sent_id, status, event.happened_at);
  if status >= 'bounced' then
    update private.delivery_sends s set last_error = coalesce(event.detail, event.type) where s.delivery_id = sent_id;
  end if;
  return true;
end $$;
comment on function private.apply_resend_event is
  'Suppresses the address of a complaint or of a permanent bounce, and records the event in the delivery of its '
  'message. False if no delivery has the message, or it is canceled.';

-- After
-- Locks: record_resend_event takes the same lock before it looks for the delivery, so that one of both sees the other.
create function private.apply_early_resend_events() returns trigger
language plpgsql security definer  -- the worker's functions may not write deliveries by events
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('resend_message/' || new.provider_message_id, 0));
  perform private.apply_resend_event(e, e.received_at) from private.resend_events e
  where e.message_id = new.provider_message_id;
  return null;
end $$;
create trigger t900_apply_early_events after update of provider_message_id on private.delivery_sends
  for each row when (new.provider_message_id is distinct from old.provider_message_id)
  execute function private.apply_early_resend_events();
