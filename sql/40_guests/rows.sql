-- The rows of this domain: settings.
create function private.install_guests() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('guest_url', 'url', '{public_api_url}/guest', 'Guest invitation page; the access token is appended as #token='),
    ('guest_token_ttl_days', 'days', '90', 'Lifetime of a guest access token, in days from when the email is sent'),
    ('max_guest_invitations_per_hour', 'count', '100', 'Maximum guest invitations per user and hour'),
    ('max_guest_invitation_emails_per_episode', 'count', '3',
      'Maximum invitation emails per guest and episode in 30 days, until the guest accepts')
  ) s (key, kind, default_value, description);
  perform private.install_setting('captcha_provider', 'choice', 'turnstile',
    'Provider of the captcha widget: turnstile or hcaptcha', _choices => '{turnstile,hcaptcha}');
  perform private.install_setting('captcha_site_key', 'text', '',
    'Site key of the captcha widget; empty: pages show no widget', _can_be_empty => true);
end $$;
comment on function private.install_guests is 'Part of private.install(): writes the rows of this domain.';
