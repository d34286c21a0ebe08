-- The rows of this domain: settings, cron jobs.
create function private.install_foundation() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('public_url', 'url', null, 'Public URL of the Supabase API, without a trailing slash'),
    ('base_url', 'url', '{public_url}/functions/v1', 'Base URL of the /api routes'),
    ('public_api_url', 'url', '{public_url}/functions/v1/public', 'Base URL of /v1 and of the feeds'),
    ('worker_url', 'url', '{public_url}/functions/v1/worker', 'URL the database calls to wake the worker'),
    ('app_url', 'url', '{public_url}', 'URL of the front end, where the team signs in; emails to users link to it'),
    ('trusted_proxy_hops', 'count', '1',
      'Proxies between clients and PostgREST that append to X-Forwarded-For, as TRUSTED_PROXY_HOPS of the functions')
  ) s (key, kind, default_value, description);
  perform private.install_setting('pages_url', 'url', '',
    'Base URL of the pages on a domain of yours; empty: no links to pages are given out, because the platform''s '
    'default domain serves HTML as plain text', _can_be_empty => true);
  perform private.install_setting('environment', 'choice', '',
    'Which environment this is: npm run deploy sets it, and deploys no other one here', _can_be_empty => true,
    _choices => array['production', 'staging']);
  perform private.install_setting('accepted_email_domains', 'choice', 'any',
    'Domains of the addresses that people enter: public has a dot and is not reserved for tests or private networks; '
    'npm run deploy sets it', _choices => array['public', 'any']);
  perform private.install_setting('fetch_allowed_hosts', 'hosts', '',
    'Comma-separated hosts (host or host:port) that may be fetched even if they resolve to private addresses',
    _can_be_empty => true);
  perform private.install_setting('fetch_user_agent', 'header',
    'Mozilla/5.0 (compatible; Castbase/<version>; +{public_url})',
    'The User-Agent of requests to addresses of users; many servers, Microsoft 365 among them, reject agents that do '
    'not begin with Mozilla/5.0');

  perform private.schedule_frequent_jobs();
  perform private.schedule_job('wake_worker_if_pending', '5 seconds');
  perform private.schedule_job('purge_rate_limits', '57 3 * * *');
  perform private.schedule_job('purge_cron_history', '7 4 * * *');
end $$;
comment on function private.install_foundation is 'Part of private.install(): writes the rows of this domain.';
