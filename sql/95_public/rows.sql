-- The rows of this domain: settings, queues.
create function private.install_public() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('embed_url', 'url', '{public_url}/functions/v1/public', 'Base URL of the player and its iframe pages'),
    ('cdn_purge_delay_seconds', 'seconds', '3',
      'How long the purge of a changed podcast waits for further changes and for reads in process, in seconds')
  ) s (key, kind, default_value, description);
  perform private.install_setting('cdn_purge_url', 'url', '',
    'Endpoint of a CDN that takes the surrogate keys of changed podcasts; empty: none', _can_be_empty => true);
  perform private.install_setting('cdn_purge_format', 'choice', 'fastly',
    'What cdn_purge_url takes: fastly or cloudflare', _choices => '{fastly,cloudflare}');

  perform private.install_queue('cdn_purge', 12, '5 seconds', '1 hour',
    'Tells the CDN to drop its copies of changed podcasts', _max_concurrency => 400);
end $$;
comment on function private.install_public is 'Part of private.install(): writes the rows of this domain.';
