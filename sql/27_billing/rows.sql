-- The rows of billing: settings, queues, cron jobs.
create function private.install_billing() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_checkouts_per_hour', 'count', '20', 'Maximum checkouts opened per user and hour'),
    ('max_portal_sessions_per_hour', 'count', '60', 'Maximum billing portal sessions opened per user and hour')
  ) s (key, kind, default_value, description);

  perform private.install_setting('checkout_promotion_codes', 'choice', 'off',
    'Whether checkout pages have a field for promotion codes', _choices => '{off,on}');
  perform private.install_setting('checkout_automatic_tax', 'choice', 'off',
    'Whether checkout pages calculate taxes with Stripe Tax and ask for tax ids', _choices => '{off,on}');
  perform private.install_setting('checkout_trial_days', 'days', '0',
    'Days of the free trial of accounts that never had a subscription; 0: none, 730: Stripe''s maximum');

  perform private.install_queue('billing_sync', 20, '5 seconds', '1 hour',
    'Makes Stripe''s subscription of an account agree with the desired state');

  perform private.schedule_job('reconcile_subscriptions', '37 3 * * *');
  perform private.schedule_job('purge_stripe_events', '52 3 * * *');
end $$;
comment on function private.install_billing is 'Part of private.install(): writes the rows of billing.';
