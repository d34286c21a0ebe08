-- Records that Stripe has answered a request of this version, by success or by an error.
create function private.record_billing_answer(
  _subscription_id uuid, _action text, _version int, at timestamptz default clock_timestamp())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  -- it charges, so changes of the desired state make no new version
  is_restart constant boolean := _action = 'restart_period';
begin
  update private.subscriptions s set
    observed_at = greatest(s.observed_at, at),  -- another run that read Stripe before the answer reads again
    answered_restarts = case when is_restart then greatest(s.answered_restarts, _version)
      else s.answered_restarts end,
    answered_version = case when is_restart then s.answered_version
      else greatest(s.answered_version, _version) end
  where s.id = _subscription_id;
end $$;
grant execute on function private.record_billing_answer to service_role;
comment on function private.record_billing_answer is
  'Records Stripe''s answer to a request of record_stripe_reading, so that the next one has a new idempotency key, and '
  'that readings which began before the answer are out of date.';
