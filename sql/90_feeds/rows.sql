-- The rows of this domain: settings, queues.
create function private.install_feeds() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('feed_ping_delay_seconds', 'seconds', '10',
      'How long the pings of a changed feed wait for further changes, in seconds'),
    ('cdn_purge_delay_seconds', 'seconds', '3',
      'How long the purge of a changed podcast waits for further changes and for reads in process, in seconds')
  ) s (key, kind, default_value, description);
  perform private.install_setting('websub_hub_url', 'url', '',
    'WebSub hub that feeds name and that is pinged when a feed changes; empty: none', _can_be_empty => true);
  perform private.install_setting('podping_url', 'url', '',
    'Endpoint that takes {urls, reason, medium} for podping when feeds change; empty: none', _can_be_empty => true);

  perform private.install_setting('cdn_purge_url', 'url', '',
    'Endpoint of a CDN that takes the surrogate keys of changed podcasts; empty: none', _can_be_empty => true);
  perform private.install_setting('cdn_purge_format', 'choice', 'fastly',
    'What cdn_purge_url takes: fastly or cloudflare', _choices => '{fastly,cloudflare}');

  perform private.install_queue('feed_invalidation', 8, '2 seconds', '5 minutes', 'Re-renders a podcast''s feed');
  perform private.install_queue('feed_pings', 12, '5 seconds', '1 hour',
    'Tells the WebSub hub and podping of changed feeds');
  perform private.install_queue('cdn_purge', 12, '5 seconds', '1 hour',
    'Tells the CDN to drop its copies of changed podcasts');
end $$;
comment on function private.install_feeds is 'Part of private.install(): writes the rows of this domain.';
