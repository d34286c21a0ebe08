-- Records that Stripe has answered a request of this version, by success or by an error.
create function private.record_billing_answer(_subscription_id uuid, _action text, _version int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if _action = 'restart_period' then  -- it charges: changes of the desired state make no new version
    update private.subscriptions s set answered_restarts = _version
    where s.id = _subscription_id and s.answered_restarts < _version;
  else
    update private.subscriptions s set answered_version = _version
    where s.id = _subscription_id and s.answered_version < _version;
  end if;
end $$;
grant execute on function private.record_billing_answer to service_role;
comment on function private.record_billing_answer is
  'Records Stripe''s answer to a request of record_stripe_reading, so that the next one has a new idempotency key.';
