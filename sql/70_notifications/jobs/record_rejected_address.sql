-- The mail server told the worker that an address does not exist.
create function private.record_rejected_address(
  _email text, _detail text, _delivery_id uuid default null, at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.suppress_email(private.email_digest(_email), 'bounce', detail => _detail, at => at);
  perform private.record_email_outcome(a.sender_id, a.email, 'bounce', at)
  from private.delivery_addresses a where a.delivery_id = _delivery_id and a.sender_id is not null;
  perform private.advance_delivery(_delivery_id, 'bounced', at);
end $$;
grant execute on function private.record_rejected_address to service_role;
comment on function private.record_rejected_address is
  'Suppresses an address, as a bounce that the provider reports does, and fails the delivery whose email it rejected, '
  'if there is one. The detail contains no address.';
