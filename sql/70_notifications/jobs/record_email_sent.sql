-- The email provider has accepted the email of a delivery.
create function private.record_email_sent(
  _delivery_id uuid, _provider_message_id text default null, at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.advance_delivery(_delivery_id, 'sent', at);
  -- retry_failed_deliveries deletes the row, perhaps while an attempt is running
  insert into private.delivery_sends (delivery_id)
  select d.id from public.notification_deliveries d where d.id = _delivery_id for update
  on conflict on constraint delivery_sends_pkey do nothing;
  update private.delivery_sends s set
    content = null, last_error = null, attempt_expires_at = null,
    -- a second attempt can know no id, or another one, of the same email
    provider_message_id = coalesce(_provider_message_id, s.provider_message_id)
  where s.delivery_id = _delivery_id;
end $$;
grant execute on function private.record_email_sent to service_role;
comment on function private.record_email_sent is
  'Records that the provider accepted the email of a delivery, with the provider''s id of it (null if unknown; then '
  'an earlier id is kept).';
