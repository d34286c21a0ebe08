-- The rows of this domain: settings.
create function private.install_public() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting('embed_url', 'url', '{public_url}/functions/v1/public',
    'Base URL of the player and its iframe pages');
  perform private.install_setting('twitter_site', 'text', '',
    'Account on X that previews of pages name, as @castbase; empty: none', _can_be_empty => true);
end $$;
comment on function private.install_public is 'Part of private.install(): writes the rows of this domain.';
