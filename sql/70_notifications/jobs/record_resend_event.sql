-- Takes an event of Resend whose signature the route has verified.
create function private.record_resend_event(event_id text, event jsonb, at timestamptz default clock_timestamp())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  data    constant jsonb := event -> 'data';
  bounce  constant jsonb := data -> 'bounce';
  created constant text := event ->> 'created_at';
  address text := coalesce(data #>> '{to,0}', data ->> 'to');
  stored  private.resend_events;
begin
  if private.resend_status(event ->> 'type') is null or data ->> 'email_id' is null then
    return false;
  end if;
  address := private.normalize_email(coalesce(substring(address from '<([^<>]*)>$'), address));
  -- until the end of the transaction: see apply_early_resend_events
  perform pg_advisory_xact_lock(hashtextextended('resend_message/' || (data ->> 'email_id'), 0));
  insert into private.resend_events (id, message_id, type, happened_at, reason, address_digest, detail, received_at)
  values (event_id, data ->> 'email_id', event ->> 'type',
    case when pg_input_is_valid(created, 'timestamptz') then created::timestamptz else at end,
    case
      when event ->> 'type' = 'email.complained' then 'complaint'
      when event ->> 'type' = 'email.bounced' and lower(bounce ->> 'type') = 'permanent' then 'bounce' end,
    private.email_digest(case when private.is_email_address(address) then address end),
    -- servers quote the address in their responses
    left(regexp_replace(coalesce(nullif(concat_ws(': ', bounce ->> 'subType', bounce ->> 'message'), ''),
      data #>> '{failed,reason}', data #>> '{suppressed,message}'), '\S+@\S+', '…', 'g'), 1000),
    at)
  on conflict on constraint resend_events_pkey do nothing
  returning * into stored;
  return stored.id is not null and private.apply_resend_event(stored, at);
end $$;
grant execute on function private.record_resend_event to service_role;
comment on function private.record_resend_event is
  'Records a verified event, {type, created_at, data: {email_id, to, bounce, failed}}. False if it changes no '
  'delivery: an event of another type, of an email without a delivery or with a canceled one, '
  'or one that Resend sent before.';
