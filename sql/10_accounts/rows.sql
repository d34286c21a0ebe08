-- The rows of this domain: plans, their limits, settings, cron jobs.
create function private.install_accounts() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into public.plans as p (code, name, is_paid, storage_gb_per_account) values
    ('free', 'Free', false, 1),
    ('pro', 'Pro', true, 100)
  on conflict (code) do nothing;  -- an operator may have changed them

  perform private.install_plan_limit(l.plan_code, l.name, l.max_count) from (values
    ('free', 'max_new_recipients_per_day', 50), ('pro', 'max_new_recipients_per_day', 500)
  ) l (plan_code, name, max_count);

  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_sender_emails_per_recipient_per_day', 'count', '10',
      'Maximum emails that a user or a podcast causes to an address that did not ask for them, per day'),
    ('max_network_emails_per_recipient_per_day', 'count', '5',
      'Emails about a podcast that callers of a network, not signed in, cause to an address per day; others wait'),
    ('max_emails_from_strangers_per_day', 'count', '20',
      'Emails to an address per day by all users, and by each podcast, that it did not ask for; further ones wait'),
    ('unconfirmed_user_ttl_days', 'days', '7',
      'Days after which an unconfirmed or anonymous user without an open invitation is deleted')
  ) s (key, kind, default_value, description);

  perform private.schedule_job('reap_unconfirmed_users', '43 * * * *');
  perform private.schedule_job('purge_email_recipients', '2 4 * * *');
end $$;
comment on function private.install_accounts is 'Part of private.install(): writes the rows of this domain.';
